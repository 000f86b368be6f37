"""What the tests of the reports share: the browser, the pages' folder, and questions to a page."""

import re
import unittest

FOLDER = None  # of the fixture's pages
CHROMIUM = None
XPOSE = None  # the command
HANGS = None  # the folder of a plugin whose launch never returns


def number(text):
    return float(re.sub(r"[^0-9.\-]", "", text.replace("\u2212", "-")))


class Page(unittest.TestCase):
    def open(self, name, **how):
        CHROMIUM.open(FOLDER / name if isinstance(name, str) else name, **how)

    def js(self, expression):
        return CHROMIUM.js(expression)

    def rows(self, table):
        """The table's body: {key: [cell text]}."""
        return dict(self.js(f"[...document.querySelectorAll('#{table} tbody tr')].map((row) => "
                            "[row.dataset.key, [...row.cells].map((cell) => cell.textContent)])"))

    def bars(self, figure):
        return dict(self.js(f"[...document.querySelectorAll('#{figure} [data-bar]')].map((bar) => "
                            "[bar.dataset.bar, Number(bar.dataset.value)])"))

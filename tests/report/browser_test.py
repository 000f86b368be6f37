"""The reports in headless Chromium: browser_test.py WRITE_REPORTS XPOSE HANGS [unittest arguments].

SKIPPED (77) without a browser. XPOSE_SHOTS=DIR keeps the screenshots.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import browser
import page
from every_page import Every
from explain_page import Explain
from tune_page import Command, Tune

__all__ = ["Command", "Every", "Explain", "Tune"]  # what unittest finds here


if __name__ == "__main__":
    writer, page.XPOSE, page.HANGS = (os.path.abspath(sys.argv.pop(1)) for _ in range(3))
    path = browser.find()
    if path is None:
        print(f"SKIPPED: no browser on the PATH, looked for {', '.join(browser.NAMES)}; "
              "on Debian: apt-get install chromium-headless-shell")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as reports:
        page.FOLDER = pathlib.Path(reports)
        os.environ["XPOSE_CACHE"] = os.path.join(reports, "trials.sqlite")
        subprocess.run([writer, reports], check=True)
        page.CHROMIUM = browser.Browser(path)
        try:
            unittest.main(exit=False).result.wasSuccessful() or sys.exit(1)
        finally:
            page.CHROMIUM.close()

"""Every plugin has a README of one screen: the idea, its source, a drawing of its accesses, when it wins and declines,
and its axes. What was measured and tried lies in NOTES.md beside it.

plugin_pages_test.py SOURCE_DIR
"""

import os
import re
import sys
import tempfile
import unittest

ROOT = sys.argv.pop(1)
MOST_LINES = 30
PARTS = {
    "a source": re.compile(r"\*\*Source\.\*\*"),
    "when it wins": re.compile(r"\*\*Wins\b"),
    "when it declines": re.compile(r"\*\*Declines\b"),
    "its axes": re.compile(r"\*\*Ax[ei]s\b"),
    "a drawing": re.compile(r"(?m)^    \S"),
}


def lacks_of(folder):
    """What the README of a plugin lacks."""
    path = os.path.join(folder, "README.md")
    if not os.path.exists(path):
        return ["README.md"]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    lacks = [part for part, pattern in PARTS.items() if not pattern.search(text)]
    if not text.startswith(f"# {os.path.basename(folder)}\n"):
        lacks.append("its name as the title")
    if text.count("\n") > MOST_LINES:
        lacks.append(f"brevity: over {MOST_LINES} lines")
    if not os.path.exists(os.path.join(folder, "NOTES.md")):
        lacks.append("NOTES.md")
    return lacks


def plugins_of(root):
    plugins = os.path.join(root, "plugins")
    return [os.path.join(plugins, name) for name in sorted(os.listdir(plugins))
            if os.path.exists(os.path.join(plugins, name, "CMakeLists.txt"))]


class PluginPages(unittest.TestCase):
    def test_every_plugin_has_one_screen_with_all_parts(self):
        folders = plugins_of(ROOT)
        self.assertGreater(len(folders), 20)
        self.assertEqual({os.path.basename(folder): lacks for folder in folders if (lacks := lacks_of(folder))}, {})

    def test_what_is_missing_is_named(self):
        with tempfile.TemporaryDirectory() as root:
            folder = os.path.join(root, "host_idea")
            os.mkdir(folder)
            self.assertEqual(lacks_of(folder), ["README.md"])
            page = "# host_idea\n\n    in -> out\n\n**Source.** A book. **Wins** never. **Declines** nothing. **Axes.** None.\n"
            path = os.path.join(folder, "README.md")
            with open(path, "w", encoding="utf-8") as file:
                file.write(page)
            self.assertEqual(lacks_of(folder), ["NOTES.md"])
            with open(os.path.join(folder, "NOTES.md"), "w", encoding="utf-8"):
                pass
            self.assertEqual(lacks_of(folder), [])
            with open(path, "w", encoding="utf-8") as file:
                file.write(page.replace("    in -> out\n", "").replace("**Wins** never. ", "") + 30 * "\n")
            self.assertEqual(lacks_of(folder), ["when it wins", "a drawing", "brevity: over 30 lines"])


if __name__ == "__main__":
    unittest.main()

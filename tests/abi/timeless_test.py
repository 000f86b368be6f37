"""Sources, tests and pages name no device of the market and no date: those lie in results and notes.

timeless_test.py SOURCE_DIR
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = sys.argv.pop(1)

MONTHS = ("January|February|March|April|May|June|July|August|September|October|November|December|"
          "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec")
# A year alone may be that of a paper, and `may` alone a verb.
DATES = re.compile(rf"\b20\d\d-[01]\d\b|\b(?:{MONTHS})\.?,? \d+\b|\b\d+\.? (?:{MONTHS})\b|"
                   r"\b(?:January|February|April|August|September|October|November|December)\b")
# A generation is named by its compute capability, a processor by its cores and instructions.
DEVICES = re.compile(
    r"(?<![a-z0-9])(?:[hbav][12]00|h800|gb200|gh200|a10|a30|a40|t4|l4|l40s?|k80|p100)(?![a-z0-9])|"
    r"(?<![a-z0-9])h[12]00|"
    r"hopper|ampere|blackwell|\bvolta\b|\bturing\b|tesla|geforce|\brtx\b|quadro|"
    r"xeon|epyc|ryzen|threadripper|\bzen ?\d|graviton|skylake|broadwell|haswell|sapphire rapids",
    re.IGNORECASE)

# What was measured, where and when; NOTES.md wherever it lies; and this list of words.
ALLOWED = {"apps/xpose/bench/results", "core/tables", "CHANGELOG.md", "tests/abi/timeless_test.py"}


def is_allowed(path):
    return os.path.basename(path) == "NOTES.md" or any(
        path == allowed or path.startswith(allowed + "/") for allowed in ALLOWED)


def files_of(root):
    """Paths relative to root: those that git keeps, or without git all but build trees and hidden folders."""
    if shutil.which("git") and os.path.exists(os.path.join(root, ".git")):
        kept = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True)
        if kept.returncode == 0:
            return [path for path in kept.stdout.split("\0") if os.path.isfile(os.path.join(root, path))]
    return list(walk(root))


def walk(root):
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders
                      if name == ".ci" or not name.startswith(".")
                      and (name != "build" or folder != root)
                      and not os.path.exists(os.path.join(folder, name, "CMakeCache.txt"))]
        for name in files:
            yield os.path.relpath(os.path.join(folder, name), root)


def checked_text(path, line):
    """The line without what it may say: links to results, and rows of the table in the README."""
    line = re.sub(r"bench/results/[\w./-]*\w", "", line)
    return "" if path == "README.md" and line.startswith("|") else line


def violations(root):
    found = []
    for path in sorted(files_of(root)):
        if is_allowed(path):
            continue
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                text = checked_text(path, line)
                found += [f"{path}:{number}: '{match.group()}'" for pattern in (DATES, DEVICES)
                          for match in pattern.finditer(text)]
    return found


class TimelessTest(unittest.TestCase):
    def test_no_file_names_a_device_or_a_date(self):
        self.assertGreater(len(files_of(ROOT)), 500, f"{ROOT} is not the project")
        self.assertEqual(violations(ROOT), [])

    def test_a_word_that_is_put_in_is_found(self):
        with tempfile.TemporaryDirectory() as root:
            self.put(root, "core/src/race.cpp",
                     "// 3 % on an H200\n// it may 1\n// since 3 May\n// 2024-11\n// of November\n"
                     "DeviceInfo h200();\nXeon(R)\n// Zen 5\n")
            self.put(root, ".ci/run", "# 5 Oct 2031\n")
            self.assertEqual(
                violations(root),
                [".ci/run:1: '5 Oct'", "core/src/race.cpp:1: 'H200'", "core/src/race.cpp:3: '3 May'",
                 "core/src/race.cpp:4: '2024-11'", "core/src/race.cpp:5: 'November'",
                 "core/src/race.cpp:6: 'h200'", "core/src/race.cpp:7: 'Xeon'",
                 "core/src/race.cpp:8: 'Zen 5'"])

    def test_results_and_notes_say_what_was_measured(self):
        with tempfile.TemporaryDirectory() as root:
            self.put(root, "NOTES.md", "an H200, 3 May\n")
            self.put(root, "plugins/cuda_tile/NOTES.md", "an H200\n")
            self.put(root, "apps/xpose/bench/results/nvidia-h200.md", "an H200, 2031-05-03\n")
            self.put(root, "build/dev/log", "an H200\n")
            self.put(root, "elsewhere/CMakeCache.txt", "an H200\n")
            self.put(root, "README.md",
                     "| NVIDIA H200 |\n[table](apps/xpose/bench/results/nvidia-h200.md) of an H200\n")
            self.assertEqual(violations(root), ["README.md:2: 'H200'"])

    @staticmethod
    def put(root, path, text):
        whole = os.path.join(root, path)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    unittest.main()

"""One word for one idea: kernels run on the simulator. A model is the cost model, the threat model or a processor's name.
Comments have nouns as subjects, and no merge has left its marks.

words_test.py SOURCE_DIR
"""

import os
import re
import sys
import unittest

ROOT = sys.argv.pop(1)
FOLDERS = ("apps", "core", "plugins", "tests", ".ci")
KINDS = (".c", ".cmake", ".cpp", ".cu", ".cuh", ".h", ".hpp", ".html", ".js", ".md", ".py", ".sh", ".txt")
OTHER_WORD = re.compile(r"model", re.IGNORECASE)
ALLOWED = re.compile(r"cost[ _-]?models?|threat[ -]model|model name", re.IGNORECASE)
CLAUSE_AS_SUBJECT = re.compile(r'(//|/\*|#|""") *(What|Who|Whoever)\b')
MARK_OF_A_MERGE = re.compile(r"(<{7}|>{7}) ")
ITSELF = os.path.join("tests", "abi", "words_test.py")


def names_the_simulator_otherwise(text):
    return bool(OTHER_WORD.search(ALLOWED.sub("", text)))


def sources(root):
    for top in FOLDERS:
        for folder, _, files in os.walk(os.path.join(root, top)):
            for name in files:
                path = os.path.relpath(os.path.join(folder, name), root)
                if (name.endswith(KINDS) or top == ".ci") and path != ITSELF:
                    yield path


class Words(unittest.TestCase):
    def test_the_simulator_has_one_name(self):
        found, seen = [], 0
        for path in sources(ROOT):
            seen += 1
            with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
                for number, line in enumerate(file, 1):
                    if names_the_simulator_otherwise(path) or names_the_simulator_otherwise(line):
                        found.append(f"{path}:{number}: {line.strip()}")
        self.assertGreater(seen, 500)
        self.assertEqual(found, [])

    def test_comments_begin_with_nouns(self):
        found, seen = [], 0
        for path in sources(ROOT):
            if not path.startswith(("tests", ".ci")) and not path.endswith(".md"):
                with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
                    for number, line in enumerate(file, 1):
                        seen += 1
                        if CLAUSE_AS_SUBJECT.search(line):
                            found.append(f"{path}:{number}: {line.strip()}")
        self.assertGreater(seen, 30000)
        self.assertEqual(found, [])

    def test_no_merge_is_half_done(self):
        found = []
        for path in sources(ROOT):
            with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
                found += [f"{path}:{number}" for number, line in enumerate(file, 1) if MARK_OF_A_MERGE.match(line)]
        self.assertEqual(found, [])
        for mark in ("<" * 7 + " HEAD", ">" * 7 + " 1234567 (a commit)"):
            self.assertTrue(MARK_OF_A_MERGE.match(mark), mark)

    def test_a_clause_as_subject_is_found(self):
        for text in ("// What a launch may touch.", "# Who waits is first.", '"""What peers measure."""'):
            self.assertTrue(CLAUSE_AS_SUBJECT.search(text), text)
        for text in ("// The pages that a launch may touch.", "## Whole numbers", "// Whether it waits."):
            self.assertFalse(CLAUSE_AS_SUBJECT.search(text), text)

    def test_another_name_is_found(self):
        for text in ("kernels on the model", "XPOSE_MODEL", "has_model", "ModelRunner"):
            self.assertTrue(names_the_simulator_otherwise(text), text)
        for text in ("by the cost model", "strategy/cost_model.hpp", "CostModel", "core/DESIGN.md#threat-model", "model name"):
            self.assertFalse(names_the_simulator_otherwise(text), text)


if __name__ == "__main__":
    unittest.main()

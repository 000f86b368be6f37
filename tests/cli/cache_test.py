"""`xpose cache show` and `forget` as people type them: cache_test.py PATH_TO_XPOSE PLUGINS ARITHMETIC [unittest arguments]."""

import os
import subprocess
import unittest

from cache_command import XPOSE, CacheTest, document


class Show(CacheTest):
    def test_no_cache_yet(self):
        self.assertEqual(self.cache("show"),
                         f"Nothing is remembered: {self.file} does not exist yet.\n")
        self.assertEqual((self.rows()["decisions"], self.rows()["quarantine"]), ([], []))
        self.assertFalse(self.file.exists())

    def test_tables(self):
        self.take(document())
        lines = self.cache("show").splitlines()
        self.assertRegex(lines[0], r"^problem +device +winner +time +% of roof +margin +trials +when$")
        self.assertRegex(lines[1], r"^200x300 of 4 bytes on host  some processor, 2 processors  "
                                   r"host_blocked\{tile=32\}  125\.00 us +80\.0  12\.5 % +1  "
                                   r"1970-01-02T03:04:05Z$")
        self.assertRegex(lines[3], r"^quarantined +file +verdict +since +words$")
        self.assertRegex(lines[4], r"^bad_idea +libbad\.so  crashed  1970-01-02T03:04:06Z  "
                                   r"signal 11 \(Segmentation fault\)  \[31m$")
        self.assertEqual(lines[6], f"1 decision, 1 in quarantine, of {self.file}.")

    def test_the_newest_first(self):
        self.take(document(problem="a", when=1000), document(problem="b", when=3000),
                  document(problem="c", when=2000))
        problems = [row["key"]["problem"] for row in self.rows()["decisions"]]
        self.assertEqual(problems, ["b", "c", "a"])

    def test_only_what_matches(self):
        self.take(document(problem="one 1", winner="first"),
                  document(problem="two 2", winner="second", quarantined="second"))
        found = self.rows("--problem", "two")
        self.assertEqual([row["winner"]["strategy"] for row in found["decisions"]], ["second"])
        self.assertEqual(found["quarantine"], [])
        found = self.rows("--strategy", "second")
        self.assertEqual([row["key"]["problem"] for row in found["decisions"]], ["two 2"])
        self.assertEqual([row["strategy"] for row in found["quarantine"]], ["second"])
        self.refused(2, "--problem needs a text", "show", "--problem", "")
        self.refused(2, "give --strategy second, without values", "show", "--strategy", "second{tile=32}")

    def test_a_problem_is_shown_as_everywhere_else(self):
        self.take(document(problem="cuda:0 8 256 256 in place 4096 4096 4096 4096 7:1:1"))
        self.assertEqual(self.cache("show").splitlines()[1].split("  ")[0],
                         "4096x4096 of 8 bytes, batch 7, in place on cuda")
        for text, count in (("4096x4096", 1), ("on cuda", 1), ("cuda:0 8", 1), ("5x5", 0)):
            self.assertEqual(len(self.rows("--problem", text)["decisions"]), count, text)
        self.assertEqual(self.cache("forget", "--problem", "5x5"), f"Forgot 0 rows of {self.file}.\n")
        self.assertEqual(self.cache("forget", "--problem", "4096x4096 of 8"), f"Forgot 1 row of {self.file}.\n")

    def test_a_decision_of_one_round_has_no_margin(self):
        one = document()
        one["decisions"][0]["trials"][0]["samples"] = 1
        self.take(one)
        self.assertNotIn(" %  ", self.cache("show").splitlines()[1])

    def test_a_share_above_the_roof_has_a_footnote(self):
        self.take(document())
        self.assertNotIn("Above 100 %", self.cache("show"))
        self.take(document(seconds=0.00005, when=97545))
        self.assertRegex(self.cache("show"), r" 200\.0 [^\n]+\nAbove 100 %: the roof is the fastest copy ")

    def test_what_is_not_a_cache(self):
        self.file.write_text("not a database, and long enough to be looked at " * 100)
        before = self.file.read_bytes()
        self.refused(1, str(self.file), "show")
        self.assertEqual(self.file.read_bytes(), before)

    def test_the_file_that_the_environment_names(self):
        self.take(document())
        result = subprocess.run([XPOSE, "cache", "show"], capture_output=True, text=True,
                                env=dict(os.environ, XPOSE_CACHE=str(self.file)))
        self.assertIn(f"1 decision, 1 in quarantine, of {self.file}.", result.stdout)


class Forget(CacheTest):
    def setUp(self):
        super().setUp()
        self.take(document(problem="one 1", winner="first", quarantined="second"),
                  document(problem="two 2", winner="second", quarantined="third"))

    def left(self):
        rows = self.rows()
        return (sorted(row["winner"]["strategy"] for row in rows["decisions"]),
                sorted(row["strategy"] for row in rows["quarantine"]))

    def check(self, said, left, *options):
        self.assertEqual(self.cache("forget", *options), f"Forgot {said} of {self.file}.\n")
        self.assertEqual(self.left(), left)

    def test_all(self):
        self.check("4 rows", ([], []), "--all")
        self.check("0 rows", ([], []), "--all")

    def test_quarantine(self):
        self.check("2 rows", (["first", "second"], []), "--quarantine")

    def test_strategy(self):
        self.check("2 rows", (["first"], ["third"]), "--strategy", "second")

    def test_strategy_out_of_quarantine(self):
        self.check("1 row", (["first", "second"], ["third"]), "--quarantine", "--strategy", "second")

    def test_problem(self):
        self.check("1 row", (["second"], ["second", "third"]), "--problem", "one")

    def test_wrong_usage_forgets_nothing(self):
        before = self.left()
        self.refused(2, "needs --all", "forget")
        self.refused(2, "needs --all", "forget", "--all", "--quarantine")
        self.refused(2, "not both", "forget", "--quarantine", "--problem", "one")
        self.refused(2, "--strategy needs a text", "forget", "--strategy", "")
        self.refused(2, "give --strategy second, without values", "forget", "--strategy", "second{tile=32}")
        self.refused(2, "--problem needs a text", "forget", "--quarantine", "--problem", "")
        self.assertEqual(self.left(), before)

    def test_no_cache_yet(self):
        missing = self.folder / "missing.sqlite"
        self.assertEqual(self.cache("forget", "--all", file=missing),
                         f"Forgot 0 rows of {missing}.\n")
        self.assertFalse(missing.exists())


class Usage(unittest.TestCase):
    def test_help(self):
        for action in ("show", "forget", "export", "import"):
            result = subprocess.run([XPOSE, "cache", action, "--help"], capture_output=True, text=True)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertIn(f"usage: xpose cache {action}", result.stdout)
            self.assertIn("--cache FILE", result.stdout)
        result = subprocess.run([XPOSE, "cache", "--help"], capture_output=True, text=True)
        self.assertIn("usage: xpose cache show|forget|export|import", result.stdout)

    def test_wrong_usage(self):
        for arguments, fragment in (([], "show, forget, export or import"), (["fly"], "not 'fly'"),
                                    (["show", "x"], "cache show does not take 'x'"), (["export"], "needs"),
                                    (["import"], "needs")):
            result = subprocess.run([XPOSE, "cache", *arguments], capture_output=True, text=True)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertRegex(result.stderr, r"\Axpose: [^\n]+\n\Z")
            self.assertIn(fragment, result.stderr)


if __name__ == "__main__":
    unittest.main()

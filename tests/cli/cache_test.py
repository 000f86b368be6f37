"""`xpose cache` as people type it: cache_test.py PATH_TO_XPOSE PLUGINS ARITHMETIC [unittest arguments].

PLUGINS is the folder of the library's plugins, ARITHMETIC that of a plugin with a numeric strategy.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

XPOSE = PLUGINS = ARITHMETIC = None


def document(*, problem="host 4 256 256 200 300 300 200", winner="host_blocked", when=97445,
             seconds=0.000125, quarantined="bad_idea"):
    variant = {"strategy": winner, "config": {"tile": 32}}
    return {
        "schema": "xpose.cache/1",
        "decisions": [{
            "key": {"device": "some processor, 2 processors", "driver": "", "abi": "1.0",
                    "plugins": "00112233445566778899aabbccddeeff", "problem": problem,
                    "policy": "measure cold threads=2"},
            "digest": "ffeeddccbbaa99887766554433221100", "winner": variant, "margin": 0.125,
            "roof_seconds": 0.0001, "when": when, "untried": 0, "improvements": 0, "stand_in": "",
            "trials": [{"digest": "ffeeddccbbaa99887766554433221100", "variant": variant,
                        "role": "transpose", "verdict": "ok", "detail": "", "seconds": seconds,
                        "spread": 0.01, "samples": 15, "predicted": 1.25}]}],
        "quarantine": [{"digest": "00112233445566778899aabbccddeeff", "strategy": quarantined,
                        "file": "libbad.so", "verdict": "crashed",
                        "words": "signal 11 (Segmentation fault) \033[31m", "since": 97446}]}


class CacheTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "trials.sqlite"

    def run_cache(self, *arguments, file=None, **more):
        return subprocess.run([XPOSE, "cache", *arguments, "--cache", str(file or self.file)],
                              capture_output=True, text=True, **more)

    def cache(self, *arguments, **more):
        result = self.run_cache(*arguments, **more)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def refused(self, code, fragment, *arguments, **more):
        result = self.run_cache(*arguments, **more)
        self.assertEqual((result.returncode, result.stdout), (code, ""), result.stderr)
        self.assertRegex(result.stderr, r"\Axpose: [^\n]+\n\Z")
        self.assertIn(fragment, result.stderr)

    def take(self, *documents):
        for one in documents:
            self.cache("import", "-", input=json.dumps(one))

    def rows(self, *arguments):
        return json.loads(self.cache("show", "--json", *arguments))


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


class ExportAndImport(CacheTest):
    def test_rows_travel_unchanged(self):
        original = document()
        self.assertEqual(self.cache("import", "-", input=json.dumps(original)),
                         f"2 of 2 rows were new to {self.file}.\n"
                         "Decisions kept for plugins that are not installed here yet: "
                         "1 (host_blocked).\n")
        exported = self.folder / "rows.json"
        self.assertEqual(self.cache("export", str(exported)),
                         f"Wrote 1 decision and 1 in quarantine to {exported}.\n")
        written = json.loads(exported.read_text())
        self.assertEqual(written.pop("xpose"), json.loads(self.cache("export", "-"))["xpose"])
        words = original["quarantine"][0]["words"]
        original["quarantine"][0]["words"] = words.replace("\x1b", " ")  # fit for a terminal
        self.assertEqual(written, original)
        other = self.folder / "other.sqlite"
        self.cache("import", str(exported), file=other)
        self.assertEqual(self.cache("export", "-", file=other), exported.read_text())
        self.assertEqual(self.cache("show", "--json"), exported.read_text())

    def test_the_newer_row_stays(self):
        self.take(document(winner="old", when=1000))
        newer, older = document(winner="new", when=2000), document(winner="oldest", when=500)
        for rows, taken in ((newer, "1 of 2 rows was"), (newer, "0 of 2 rows were"),
                            (older, "0 of 2 rows were")):
            said = self.cache("import", "-", input=json.dumps(rows))
            self.assertEqual(said.splitlines()[0], f"{taken} new to {self.file}.")
        self.assertEqual([row["winner"]["strategy"] for row in self.rows()["decisions"]], ["new"])

    def test_two_decisions_for_one_key_are_refused(self):
        rows = document(winner="new", when=2000)
        rows["decisions"] += document(winner="old", when=1000)["decisions"]
        self.refused(1, "at /decisions/1/key: expected a key of its own", "import", "-",
                     input=json.dumps(rows))
        self.assertFalse(self.file.exists())

    def test_what_can_never_be_used_is_not_taken_and_named(self):
        with_numeric = dict(os.environ, XPOSE_PLUGIN_PATH=f"{PLUGINS}:{ARITHMETIC}")
        listed = json.loads(subprocess.run([XPOSE, "plugins", "--json", "-"], capture_output=True,
                                           env=with_numeric).stdout)["plugins"]
        offered = {strategy["name"]: (one["digest"], strategy["axes"]) for one in listed
                   for strategy in one["strategies"]}

        def decision(problem, of, name=None, **config):
            digest, axes = offered[of]
            row, = document(problem=problem, winner=name or of)["decisions"]
            for place in (row, row["trials"][0]):
                place["digest"] = digest
            for variant in (row["winner"], row["trials"][0]["variant"]):
                variant["config"] = {axis: values[0] for axis, values in axes.items()} | config
            return row

        wrong, = document(problem="was wrong")["decisions"]
        wrong["trials"][0]["verdict"] = "wrong_result"
        rows = document(problem="fine")
        rows["decisions"] += [wrong, decision("right", "host_blocked"), decision("a copy", "copy_memcpy"),
                              decision("numeric", "arithmetic"), decision("unknown", "host_naive_row", "magic"),
                              decision("no value", "host_blocked", tile=7),
                              decision("no axis", "host_naive_row", tile=64)]
        said = self.cache("import", "-", input=json.dumps(rows), env=with_numeric).splitlines()
        self.assertEqual(said, [
            f"3 of 9 rows were new to {self.file}.",
            "Decisions not imported because they have no trial that found their winner right: 1 (host_blocked).",
            "Decisions not imported because they name a copy: 1 (copy_memcpy).",
            "Decisions not imported because they name a strategy that does arithmetic on the elements: 1 (arithmetic).",
            "Decisions not imported because they name no config of their strategy: 2 (host_blocked, host_naive_row).",
            "Decisions not imported because they name no strategy of their plugin: 1 (magic).",
            "Decisions kept for plugins that are not installed here yet: 1 (host_blocked)."])
        self.assertEqual({row["key"]["problem"] for row in self.rows()["decisions"]}, {"fine", "right"})

    def test_names_of_a_foreign_document_are_fit_for_a_terminal_and_few(self):
        rows = document()
        rows["decisions"] = [one for name in ["\033[31mred" + "d" * 200, *(f"other_{i}" for i in range(11))]
                             for one in document(problem=name, winner=name)["decisions"]]
        said = self.cache("import", "-", input=json.dumps(rows)).splitlines()
        self.assertEqual(len(said), 2)
        names = said[1].split(" yet: 12 (")[1]
        self.assertEqual(names, " [31mred" + "d" * 117 + "..., other_0, other_1, other_10, other_2, other_3, other_4, "
                         "other_5 and 4 more).")

    def test_export_leaves_what_was_there_unless_it_is_complete(self):
        self.take(document())
        target = self.folder / "rows.json"
        target.write_text("before")
        self.refused(1, "none.sqlite", "export", str(target), file=self.folder / "none.sqlite")
        self.assertEqual(target.read_text(), "before")
        self.cache("export", str(target))
        self.assertEqual(json.loads(target.read_text())["schema"], "xpose.cache/1")
        self.refused(1, "/nonexistent/rows.json", "export", "/nonexistent/rows.json")
        self.refused(1, "folder", "export", str(self.folder))
        self.refused(2, "needs the name of a file", "export", "")
        piped = subprocess.run(["bash", "-c", '"$@" | cat', "bash", XPOSE, "cache", "export", "/dev/stdout", "--cache",
                                str(self.file)], capture_output=True, text=True)
        self.assertEqual(piped.stdout, target.read_text())
        self.assertEqual([path.name for path in self.folder.iterdir() if "xpose-" in path.name], [])

    def test_a_malformed_file_changes_nothing(self):
        self.take(document())
        before = self.cache("export", "-")
        later = document(when=97545)
        broken = {
            "at byte 1: expected JSON": "",
            "at byte 40: expected JSON": json.dumps(later)[:39],
            "at the top: expected an object": "[]",
            'at /schema: expected "xpose.cache/1" (export again': json.dumps(dict(later, schema="xpose.cache/2")),
            "at /quarantine: expected an array": json.dumps(dict(later, quarantine=1)),
            'at /quarantine/1: expected a field "digest"':
                json.dumps(dict(later, quarantine=later["quarantine"] + [{"verdict": "crashed"}])),
            "at /decisions/0/trials/0/seconds: expected a number from 0": json.dumps(document(seconds=-1)),
            "at /decisions/0/when: expected seconds since 1970, not in the future":
                json.dumps(document(when=40000000000)),
        }
        path = self.folder / "rows.json"
        for message, text in broken.items():
            path.write_text(text)
            self.refused(1, f"{path} is not imported: {message}", "import", str(path))
            self.refused(1, f"the standard input is not imported: {message}", "import", "-", input=text)
            self.assertEqual(self.cache("export", "-"), before)

    def test_files_that_cannot_be_read(self):
        self.refused(1, "/nonexistent cannot be read: No such file", "import", "/nonexistent")
        self.refused(1, f"{self.folder} cannot be read: Is a directory", "import", str(self.folder))
        self.assertFalse(self.file.exists())


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
    XPOSE, PLUGINS, ARITHMETIC = (os.path.abspath(sys.argv.pop(1)) for _ in range(3))
    unittest.main()

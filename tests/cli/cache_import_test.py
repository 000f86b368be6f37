"""`xpose cache export` and `import` as people type them: cache_import_test.py PATH_TO_XPOSE PLUGINS ARITHMETIC [unittest arguments]."""

import json
import os
import subprocess
import unittest

from cache_command import ARITHMETIC, PLUGINS, XPOSE, CacheTest, document


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


if __name__ == "__main__":
    unittest.main()

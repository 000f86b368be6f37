"""xpose route --plan-only as people type it: route_test.py PATH_TO_XPOSE [unittest arguments]."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

XPOSE = os.path.abspath(sys.argv.pop(1))
CURVES = {
    "schema": "xpose.curves/1", "ranks": 2, "ranks_per_host": 2, "inside": [{"bytes": 1024, "seconds": 0.25}],
    "between": [], "kept": [{"bytes": 1024, "seconds": 0.125}], "runs": [], "seconds_per_rank": 0.5, "crowding": 1.0,
}


def route(*arguments, plan_only=True):
    return subprocess.run([XPOSE, "route", *(["--plan-only"] if plan_only else []), *arguments], capture_output=True, text=True)


class Route(unittest.TestCase):
    def figures(self, *arguments):
        result = route(*arguments, "--json", "-")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads(result.stdout)

    def with_curves(self, text, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "curves.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return route("--shape", "16x32", "--bytes", "8", "--from", "rows:2", "--curves", path, *arguments)

    def test_slabs_that_are_transposed(self):
        found = self.figures("--shape", "16x32", "--bytes", "8", "--from", "rows:2")
        self.assertEqual(found, {
            "schema": "xpose.route/1", "rows": 16, "cols": 32, "element_bytes": 8, "from": "rows:2", "to": "rows:2",
            "transpose": True, "memory": 256 << 20, "ranks_per_host": 1, "wire_bytes_per_second": 12.5e9, "messages": 2,
            "most_messages": 1, "bytes_sent": 2048, "bytes_kept": 2048, "most_bytes": 1024, "most_host_bytes": 1024,
            "most_buffer_bytes": 2048, "tiles": 6, "passes": 1, "floor_seconds": 1024 / 12.5e9, "seconds": None})

    def test_placements(self):
        def sent(*arguments):
            found = self.figures("--shape", "16x32", "--bytes", "1", "--no-transpose", *arguments)
            return found["messages"], found["bytes_sent"]

        self.assertEqual(sent("--from", "rows:2"), (0, 0))
        self.assertEqual(sent("--from", "rows:2", "--to", "cols:2"), (2, 256))
        self.assertEqual(sent("--from", "rank:1", "--to", "rows:4"), (3, 384))
        self.assertEqual(sent("--from", "8x16:2x2", "--to", "8x16:2x2:col"), (2, 256))
        self.assertEqual(sent("--from", "8x16:2x2", "--to", "8x16:2x2:col", "--relabel"), (0, 0))

    def test_the_table_fits_a_page_and_says_what_is_not_known(self):
        result = route("--shape", "1000000x1000000", "--bytes", "8", "--from", "64x64:128x128", "--memory", "8M")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for words in ("64x64:128x128 to 64x64:128x128, transposed", "bytes of a host's wire", "Messages pass in chunks",
                      "The wire alone: ", "No time is predicted"):
            self.assertIn(words, " ".join(result.stdout.split()))

    def test_a_petabyte_on_4096_ranks(self):
        found = self.figures("--shape", "11180340x11180340", "--bytes", "8", "--from", "rows:4096", "--memory", "4G",
                             "--ranks-per-host", "16")
        self.assertEqual(found["messages"], 4096 * 4095)
        self.assertEqual(found["bytes_sent"] + found["bytes_kept"], 11180340**2 * 8)

    def test_ranks_by_the_hundred_thousand(self):
        found = self.figures("--shape", "1048576x1048576", "--bytes", "8", "--from", "rows:131072", "--ranks-per-host", "8")
        self.assertEqual(found["messages"], 131072 * 131071)
        self.assertEqual(found["most_host_bytes"], 8 * (131072 - 8) * 64 * 8)

    def test_what_has_no_end_is_refused(self):
        for words, arguments in (("4096 are the most", ("--shape", "8192x8192", "--from", "rows:8192", "--relabel")),
                                 ("into more than 2^24 pieces", ("--shape", "1099511627776x4", "--from", "rows:8", "--to",
                                                                 "1x1:8x1", "--no-transpose"))):
            result = route(*arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""), arguments)
            self.assertIn(words, result.stderr)

    def test_curves_predict(self):
        result = self.with_curves(json.dumps(CURVES), "--json", "-")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(json.loads(result.stdout)["seconds"], 0.25 + 0.125 + 0.5)
        said = " ".join(self.with_curves(json.dumps(CURVES), "--ranks-per-host", "1").stdout.split())
        self.assertIn("Predicted: ", said)
        self.assertIn("The curves are of one host.", said)

    def test_curves_that_are_none(self):
        for text, words in (("{", "expected JSON"), ("{}", '"schema"'),
                            (json.dumps({**CURVES, "schema": "xpose.tune/1"}), 'at /schema: expected "xpose.curves/1"'),
                            (json.dumps({**CURVES, "kept": [{"bytes": 2, "seconds": 1}, {"bytes": 2, "seconds": 1}]}),
                             "at /kept/1/bytes: expected a whole number from 3"),
                            (json.dumps({**CURVES, "crowding": 0}), "at /crowding")):
            result = self.with_curves(text)
            self.assertEqual(result.returncode, 1, text)
            self.assertIn("curves.json: ", result.stderr)
            self.assertIn(words, result.stderr)

    def test_curves_that_are_no_file(self):
        for file, words in (("/", "xpose: --curves /: it cannot be read: Is a directory\n"),
                            ("/dev/zero", "xpose: --curves /dev/zero: ")):  # which has no end
            result = route("--shape", "16x32", "--from", "rows:2", "--curves", file)
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertTrue(result.stderr.startswith(words), result.stderr)

    def test_wrong_usage(self):
        whole = ("--shape", "16x32", "--from", "rows:2")
        for arguments, words in ((("--from", "rows:2"), "needs --shape"), (("--shape", "16x32"), "needs --from"),
                                 (("--shape", "4x4x4", "--from", "rows:2"), "rows by columns"),
                                 (("--shape", "16x32", "--from", "rows:0"), "--from 'rows:0' is no placement"),
                                 ((*whole, "--to", "8x8"), "--to '8x8' is no placement"),
                                 ((*whole, "--memory", "8"), "--memory is 1M or more"),
                                 ((*whole, "--wire", "fast"), "--wire fast is not a number"),
                                 ((*whole, "--ranks-per-host", "0"), "--ranks-per-host 0 is not a whole number"),
                                 ((*whole, "--bytes", "0"), "--bytes 0 is not a size")):
            result = route(*arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""), arguments)
            self.assertIn(words, result.stderr)

    def test_a_route_runs_inside_a_program(self):
        result = route("--shape", "16x32", "--from", "rows:2", plan_only=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("a route runs inside a program of MPI", result.stderr)
        self.assertIn("core/README.md", result.stderr)


if __name__ == "__main__":
    unittest.main()

"""Fat elements through every command: fat_test.py PATH_TO_XPOSE [unittest arguments].

Elements of 32 to 256 bytes, in steps of 16: tuned, checked, explained, read from .npy files and written.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

XPOSE = None
WAITING = "xpose: warning: another process measures on host; waiting for it\n"
FAT = [*range(32, 257, 16)]


def xpose(*arguments):
    result = subprocess.run([XPOSE, *arguments], capture_output=True, text=True)
    result.stderr = result.stderr.replace(WAITING, "")
    return result


def strategies():
    document = json.loads(xpose("plugins", "--no-cache", "--json").stdout)
    return {s["name"]: (s, p["file"]) for p in document["plugins"] for s in p["strategies"]}


class Fat(unittest.TestCase):
    def test_tune(self):
        for size in ("32", "80", "256"):
            for more in ((), ("--batch", "3", "--in-ld", "40", "--out-ld", "36", "--alignment", "4")):
                result = xpose("tune", "--no-cache", "--device", "host", "--shape", "35x39", "--bytes", size,
                               "--budget", "30", "--json", "-", *more)
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                report = json.loads(result.stdout)
                self.assertEqual(report["problem"]["element_bytes"], int(size))
                self.assertIn(report["winner"].split("{")[0], ("host_fat", "host_permute"))
                self.assertEqual(report["roof"].split("_")[0], "copy")
                tried = {trial["strategy"]: trial for trial in report["trials"]}
                self.assertEqual(tried["host_fat"]["verdict"], "ok")
                self.assertEqual(tried["host_naive_row"]["detail"], f"serves no elements of {size} bytes")

    def test_tune_in_place(self):
        result = xpose("tune", "--no-cache", "--device", "host", "--shape", "67x67", "--in-ld", "70", "--bytes",
                       "48", "--in-place", "--budget", "30", "--json", "-")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(json.loads(result.stdout)["winner"], "host_fat_in_place")

    def test_sizes_between_are_short_runs_of_smaller_elements(self):
        for size, part in ((3, 1), (24, 8), (40, 8), (250, 2)):
            result = xpose("tune", "--no-cache", "--device", "host", "--shape", "35x39", "--bytes", str(size),
                           "--budget", "30", "--json", "-")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            report = json.loads(result.stdout)
            self.assertEqual(report["problem"]["element_bytes"], part)
            self.assertEqual(report["problem"]["cols"], size // part)
            verdicts = {trial["strategy"]: trial["verdict"] for trial in report["trials"]}
            self.assertEqual(verdicts["host_permute"], "ok")

    def test_longer_elements_are_refused_with_a_remedy(self):
        result = xpose("tune", "--no-cache", "--device", "host", "--shape", "3x3", "--bytes", "272")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertRegex(result.stderr, r"\Axpose: [^\n]+\n\Z")
        self.assertIn("elements have 1 to 256 bytes; state longer ones as one more axis of shorter elements",
                      result.stderr)

    def test_plugins_list_the_sizes(self):
        cards = strategies()
        self.assertEqual(cards["host_fat"][0]["element_sizes"], FAT)
        self.assertEqual(cards["fat"][0]["element_sizes"], FAT)
        self.assertEqual(cards["host_naive_row"][0]["element_sizes"], [1, 2, 4, 8, 16])

    def test_check(self):
        cards = strategies()
        host, cuda = cards["host_fat"][1], cards["fat"][1]
        self.assertEqual(xpose("check", host, "--list").stdout.splitlines(),
                         [f"{name} {size} host" for name in ("host_fat", "host_fat_in_place")
                          for size in (32, 48, 256)])
        self.assertIn("fat 48 simulator", xpose("check", cuda, "--list").stdout.splitlines())
        for options in ((host,), (cuda, "--simulator")):
            result = xpose("check", *options, "--strategy", "host_fat" if host in options else "fat",
                           "--bytes", "112")  # any size that a card serves
            self.assertEqual(result.returncode, 0, result.stdout)
            self.assertRegex(result.stdout, r"fat, elements of 112 bytes[^\n]*: \d\d+ right, \d+ declined, 0 failed")
        for size in ("16", "40"):
            self.assertEqual(xpose("check", host, "--bytes", size).returncode, 4)
        self.assertEqual(xpose("check", cards["host_naive_row"][1], "--bytes", "32").returncode, 4)

    def test_explain(self):
        result = xpose("explain", "--no-cache", "--simulator-only", "fat", "--shape", "64x64", "--bytes", "48",
                       "--json", "-")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(json.loads(result.stdout)["problem"]["element_bytes"], 48)

    def test_npy(self):
        try:
            import numpy as np
        except ImportError:
            self.skipTest("this Python has no NumPy; install python3-numpy")
        rng = np.random.default_rng(7)
        with tempfile.TemporaryDirectory() as folder:
            source, target = pathlib.Path(folder, "a.npy"), pathlib.Path(folder, "b.npy")

            def run(dtype):
                dtype = np.dtype(dtype)
                array = np.frombuffer(rng.bytes(67 * 41 * dtype.itemsize), dtype=dtype).reshape(67, 41)
                np.save(source, array)
                return array, xpose("run", str(source), str(target), "--no-cache", "--device", "host")

            for dtype in ("|V32", "|V48", "|V256", "<c32", "|S80", "<U12", "|S3", "<U5", "|V250",
                          [("position", "<f8", (3,)), ("id", "<i8")],
                          [("m", "<f4", (4, 4)), ("n", "|V16")]):
                with self.subTest(dtype=dtype):
                    array, done = run(dtype)
                    self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
                    back = np.load(target)
                    self.assertEqual(back.dtype, array.dtype)
                    self.assertEqual(back.shape, (41, 67))
                    self.assertEqual(back.tobytes(), array.T.tobytes())


if __name__ == "__main__":
    XPOSE = os.path.abspath(sys.argv.pop(1))
    unittest.main()

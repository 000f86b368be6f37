"""xpose lab as people type it: lab_test.py PATH_TO_XPOSE [unittest arguments]."""

import json
import os
import subprocess
import sys
import unittest

XPOSE = None

# Loads and stores: wavefronts of shared memory, for the products requests of global memory.
EXPECTED = {
    "square_row_row": (32, 32),
    "square_col_col": (1024, 1024),
    "square_row_col": (1024, 32),
    "square_row_col_dynamic": (1024, 32),
    "square_row_col_pad": (32, 32),
    "square_row_col_dynamic_pad": (32, 32),
    "rectangle_row_row": (16, 16),
    "rectangle_col_col": (256, 256),
    "rectangle_row_col": (256, 16),
    "rectangle_row_col_dynamic": (256, 16),
    "rectangle_row_col_pad1": (32, 16),
    "rectangle_row_col_pad2": (16, 16),
    "rectangle_row_col_dynamic_pad2": (16, 16),
    "reversal": (8, 8),
    "reversal_dynamic": (8, 8),
    "record": (1024, 1024),
    "record_pad": (32, 32),
    "product": (131072, 512),
    "product_tiled": (4096, 512),
}


def lab(*arguments):
    return subprocess.run([XPOSE, "lab", *arguments], capture_output=True, text=True)


def figures(entry, side):
    return entry[side]["loads"], entry[side]["stores"]


class Lab(unittest.TestCase):
    def test_the_simulator_finds_what_theory_expects(self):
        result = lab("--simulator-only", "--json", "-")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        document = json.loads(result.stdout)
        self.assertEqual(document["schema"], "xpose.lab/2")
        found = {entry["experiment"]: entry for entry in document["experiments"]}
        self.assertEqual(list(found), list(EXPECTED))
        for name, expected in EXPECTED.items():
            with self.subTest(name):
                self.assertEqual(figures(found[name], "simulator"), expected)
                self.assertEqual(figures(found[name], "expected"), expected)
                self.assertNotIn("hardware", found[name])

    def test_tables_and_lessons(self):
        result = lab("--simulator-only")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"(?m)^square_row_col +1024 / 32 +1024 / 32 +- +-$")
        self.assertIn("32 times fewer loads.", result.stdout)
        self.assertTrue(result.stdout.endswith("The simulator agrees with the theory everywhere.\n"))

    def test_wrong_usage(self):
        result = lab("--square")
        self.assertEqual(result.returncode, 2)
        self.assertIn("square", result.stderr)

    @unittest.skipUnless(os.environ.get("XPOSE_TEST_DEVICE") == "cuda", "for a GPU")
    def test_the_device_counts_the_same(self):
        document = json.loads(lab("--json", "-").stdout)
        for entry in document["experiments"]:
            with self.subTest(entry["experiment"]):
                self.assertEqual(figures(entry, "hardware"), EXPECTED[entry["experiment"]])
                self.assertGreater(entry["seconds"], 0)


if __name__ == "__main__":
    XPOSE = sys.argv.pop(1)
    if os.environ.get("XPOSE_TEST_DEVICE") == "cuda":
        doctor = json.loads(subprocess.check_output([XPOSE, "doctor", "--json", "-"]))
        if not any(device["device"].startswith("cuda") for device in doctor["devices"]):
            print("SKIPPED: this machine has no CUDA device")
            sys.exit(77)
    unittest.main()

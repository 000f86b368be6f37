"""xpose explain as people type it: explain_test.py PATH_TO_XPOSE [unittest arguments]."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

XPOSE = None


def xpose(*arguments):
    return subprocess.run([XPOSE, *arguments], capture_output=True, text=True)


def explain(*arguments):
    return xpose("explain", "--no-cache", "--simulator-only", *arguments)


STUDY = "smem{block_x=32,block_y=16,tile_y=16}"
SHAPE = ("--shape", "512x512")


class Explain(unittest.TestCase):
    def test_table_by_line_totals_and_the_limiter(self):
        result = explain(STUDY, *SHAPE)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        lines = result.stdout.splitlines()
        self.assertRegex(lines[0], r"^smem\{block_x=32,block_y=16,tile_y=16\} on 512x512 of 4 bytes on "
                                   r"cuda:0: grid 16x32 block 32x16 shared 2048 B$")
        self.assertIn("kernel smem, grid 16x32, block 32x16, 2.0 KiB shared, 512 barriers passed by "
                      "blocks", lines)
        self.assertRegex(result.stdout, r"(?m)^line +access +bytes a lane +requests +sectors +wavefronts"
                                        r" +ideal +ratio$")
        for access, figures in (("global load ", "8192 +32768 +32768 +1.00"),
                                ("shared store", "8192 +8192 +8192 +1.00"),
                                ("shared load ", "8192 +131072 +8192 +16.00"),
                                ("global store", "8192 +32768 +32768 +1.00")):
            self.assertRegex(result.stdout, r"(?m)^smem\.cuh:\d+ +" + access + r" +4 +" + figures + "$")
        self.assertRegex(result.stdout, r"(?m)^total +ideal +simulator$")
        self.assertRegex(result.stdout, r"(?m)^shared load wavefronts +8192 +131072$")
        self.assertIn("hardware not measured: the device's counters were not asked for", lines)
        self.assertIn("bytes in flight: at most 8.0 KiB of loads a multiprocessor", lines)
        self.assertTrue(lines[-1].startswith("The limiter is 16-way bank conflicts at smem.cuh:"))

    def test_report_is_one_page_with_the_json(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "page.html")
            result = explain(STUDY, *SHAPE, "--report", str(page))
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            text = page.read_text()
            self.assertIn("xpose.explain/2", text)
            self.assertIn("<title>xpose explain: smem{block_x=32,block_y=16,tile_y=16}</title>", text)
            missing = explain(STUDY, *SHAPE, "--report", str(pathlib.Path(folder, "no", "page.html")))
            self.assertEqual(missing.returncode, 1)
            self.assertIn("page.html", missing.stderr)

    def test_json_mirrors_the_structs(self):
        result = explain("naive_row", "--shape", "64x96", "--json", "-")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        told = json.loads(result.stdout)
        self.assertEqual(told["schema"], "xpose.explain/2")
        self.assertEqual(told["variant"], "naive_row{block_x=32,block_y=16}")
        self.assertEqual((told["problem"]["rows"], told["problem"]["cols"]), (64, 96))
        self.assertIsNone(told["hardware"])
        simulation = told["simulation"]
        self.assertEqual(simulation["findings"], [])
        (kernel,) = simulation["kernels"]
        self.assertEqual((kernel["name"], kernel["grid"], kernel["block"]),
                         ("naive_row", [3, 4, 1], [32, 16, 1]))
        load, store = sorted(kernel["sites"], key=lambda site: site["kind"])
        self.assertEqual((load["kind"], store["kind"]), ("load", "store"))
        self.assertTrue(load["where"]["file"].endswith("naive_row.cuh"))
        self.assertEqual(load["requests"], 64 * 96 // 32)
        self.assertEqual(load["bytes"], 64 * 96 * 4)
        self.assertEqual((load["sectors"], load["ideal_sectors"]), (64 * 96 // 8, 64 * 96 // 8))
        self.assertEqual((store["sectors"], store["ideal_sectors"]), (64 * 96, 64 * 96 // 8))
        self.assertEqual(load["example"]["lanes"], 2**32 - 1)
        self.assertEqual(load["example"]["offset"], [4 * lane for lane in range(32)])
        self.assertEqual(store["example"]["offset"], [4 * 64 * lane for lane in range(32)])
        self.assertEqual(simulation["totals"]["store_sectors"], 64 * 96)

    def test_lanes_that_are_not_active_have_no_offset(self):
        told = json.loads(explain("naive_row", "--shape", "3x5", "--json", "-").stdout)
        site = told["simulation"]["kernels"][0]["sites"][0]
        self.assertEqual(site["example"]["lanes"], 31)
        self.assertEqual(site["example"]["offset"][5:], [None] * 27)

    def test_json_into_a_file_leaves_the_table(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "told.json")
            result = explain("naive_col", "--shape", "40x30", "--bytes", "8", "--batch", "2",
                             "--json", str(file))
            self.assertEqual(result.returncode, 0)
            self.assertIn("global load", result.stdout)
            self.assertEqual(json.loads(file.read_text())["problem"]["element_bytes"], 8)

    def test_a_copy_is_explained_as_well(self):
        result = explain("copy_wide", "--shape", "1024x1024")
        self.assertEqual(result.returncode, 0)
        self.assertIn("copy_wide.cuh:", result.stdout)

    # Issue: all counts were 0, and the limiter was said to be the roof.
    def test_a_copy_by_the_device_has_nothing_to_simulate(self):
        result = explain("copy_device_memcpy", "--shape", "64x64")
        reason = "copy_device_memcpy launches no kernel of its own here, so there is nothing to simulate"
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn(f"no simulation: {reason}\n", result.stdout)
        self.assertEqual(result.stdout.splitlines()[-1], "There is neither a simulator nor a counter to tell the limiter by: " + reason)
        self.assertNotIn("sectors", result.stdout)
        told = json.loads(explain("copy_device_memcpy", "--shape", "64x64", "--json", "-").stdout)
        self.assertEqual((told["simulation"], told["no_simulation"]), (None, reason))

    def test_axes_in_another_order(self):
        by_axes = explain("smem", "--shape", "3x64x96", "--axes", "0,2,1")
        self.assertEqual((by_axes.returncode, by_axes.stderr), (0, ""))
        self.assertIn("64x96 of 4 bytes, batch 3", by_axes.stdout)
        self.assertEqual(by_axes.stdout, explain("smem", "--shape", "3x64x96", "--pattern", "n h w -> n w h").stdout)

    def test_refusals_name_the_remedy(self):
        for code, words, arguments in (
                (2, "explain needs STRATEGY; usage: xpose explain", ("--shape", "4x4")),
                (2, "--shape", ("smem",)),
                (2, "is not a shape", ("smem", "--shape", "4")),
                (2, "--axes 0,1: the array is 3-D", ("smem", "--shape", "4x4x4", "--axes", "0,1")),
                (2, "--device cuda", ("smem", "--shape", "4x4", "--device", "host")),
                (2, "does not run on cuda:0", ("host_naive_row", "--shape", "4x4")),
                (2, "smem has no tile_y=5; its values are: 16, 32", ("smem{tile_y=5}", "--shape", "4x4")),
                (2, "smem has no axis 'speed'; its axes are: block_x, block_y, tile_y", ("smem{speed=5}", "--shape", "4x4")),
                (2, "is empty", ("smem", "--shape", "0x4")),
                (2, "all its elements stay where they are", ("smem", "--shape", "1x1", "--in-place")),
                (4, "`xpose plugins` lists", ("no_such", "--shape", "4x4")),
                (4, "declines", ("smem{tile_y=16,block_y=32}", "--shape", "4x4")),
                (1, "cuda:77", ("smem", "--shape", "4x4", "--device", "cuda:77"))):
            result = explain(*arguments)
            self.assertEqual(result.returncode, code, arguments)
            self.assertEqual(result.stdout, "")
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
            self.assertIn(words, result.stderr)

    def test_help(self):
        self.assertIn("usage: xpose explain --shape RxC STRATEGY [options]",
                      xpose("explain", "--help").stdout)
        self.assertRegex(xpose("--help").stdout, r"(?m)^  explain +show why")


class CheckOnTheSimulator(unittest.TestCase):
    def setUp(self):
        plugins = json.loads(xpose("plugins", "--no-cache", "--json", "-").stdout)["plugins"]
        self.files = {plugin["name"]: plugin["file"] for plugin in plugins}

    def test_lists_a_test_of_the_simulator_for_each_cuda_strategy(self):
        listed = xpose("check", self.files["cuda_naive"], "--list").stdout.splitlines()
        self.assertIn("naive_row 4 gpu", listed)
        self.assertIn("naive_row 4 simulator", listed)
        self.assertNotIn("simulator", xpose("check", self.files["host_naive"], "--list").stdout)

    def test_runs_without_a_device(self):
        result = xpose("check", self.files["cuda_naive"], "--simulator", "--strategy", "naive_col",
                       "--bytes", "2", "--max-elements", "5000")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"^naive_col, elements of 2 bytes, on the simulator: \d\d+ right, "
                                        r"\d+ declined, 0 failed\n")

    def test_a_host_plugin_has_none(self):
        result = xpose("check", self.files["host_naive"], "--simulator")
        self.assertEqual(result.returncode, 4)
        self.assertIn("offers no CUDA strategy", result.stderr)


if __name__ == "__main__":
    XPOSE = sys.argv.pop(1)
    unittest.main()

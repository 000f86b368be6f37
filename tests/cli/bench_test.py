"""xpose bench as people type it: bench_test.py PATH_TO_XPOSE [unittest arguments].

Real runs on the host, of the smallest problems of the standard table.
"""

import csv
import io
import json
import os
import pathlib
import pty
import signal
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

from terminal import read_to_end

XPOSE = None
SMALLEST = "512x512, warm, one thread, 4 bytes"
IN_PLACE = "in place, 4096x4096, 4 bytes"
FAT = "fat elements, 1024x1024, 64 bytes"  # behind the smallest; few strategies serve it
FAT_IN_PLACE = "fat elements in place, 1024x1024, 64 bytes"
WAITING = "xpose: warning: another process measures on host; waiting for it\n"


def bench(*arguments, cells=(SMALLEST,), **environment):
    only = [word for cell in cells for word in ("--only", cell)]
    result = subprocess.run([XPOSE, "bench", "--device", "host", "--budget", "0.05", *only, *arguments],
                            capture_output=True, text=True, env={**os.environ, **environment})
    result.stderr = result.stderr.replace(WAITING, "")  # other tests measure at the same time
    return result


class Bench(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.json = self.folder / "bench.json"

    def cells(self):
        return json.loads(self.json.read_text())["cells"]

    def test_table_and_one_sentence(self):
        result = bench()
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        lines = result.stdout.splitlines()
        self.assertRegex(lines[0], r"^host: .")
        self.assertRegex(lines[1], r"^problem +roof GB/s +GB/s +time +% of roof +reach +aim +winner +of winner +estimate +peers")
        self.assertRegex(lines[2], rf"^{SMALLEST} .*[0-9.]+ [um]s .* 60 (yes| no)  85 (yes| no)  \w")
        self.assertRegex(lines[-1], r"^[01] of 1 cells reach their mark, [01] their aim; the worst is .*\.$")

    def test_json_and_csv_say_the_same(self):
        both = bench("--json", str(self.json), "--csv", "-")
        self.assertEqual((both.returncode, both.stderr), (0, ""))
        document = json.loads(self.json.read_text())
        self.assertEqual((document["schema"], document["complete"]), ("xpose.bench/1", True))
        cell, = document["cells"]
        self.assertEqual((cell["cell"], cell["device"], cell["threads"], cell["warm"]),
                         (SMALLEST, "host", 1, True))
        self.assertEqual(cell["bytes"], 2 * 512 * 512 * 4)
        self.assertAlmostEqual(cell["share_of_roof"], cell["roof"]["seconds"] / cell["winner"]["seconds"])
        self.assertEqual(cell["reaches"], 100 * cell["share_of_roof"] >= 60)
        self.assertAlmostEqual(cell["winner"]["gb_per_s"], cell["bytes"] / cell["winner"]["seconds"] * 1e-9)
        row, = csv.DictReader(io.StringIO(both.stdout))
        self.assertEqual((row["device"], row["cell"], row["winner"]), ("host", SMALLEST, cell["winner"]["variant"]))
        self.assertAlmostEqual(float(row["share_of_roof"]), cell["share_of_roof"], 6)

    def test_markdown_and_svg_show_what_json_says(self):
        svg = self.folder / "a b.svg"
        done = bench("--json", str(self.json), "--svg", str(svg), "--markdown", "-")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        cell, = self.cells()
        share = f"{100 * cell['share_of_roof']:.1f}"
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "# xpose bench")
        self.assertRegex(lines[2], r"^\* xpose \d+\.\d+\.\d+$")
        self.assertRegex(lines[3], r"^\* finished on \d{4}-\d\d-\d\d$")
        self.assertEqual(lines[4], f"* `xpose bench --device host --budget 0.05 --only '{SMALLEST}' --json {self.json} "
                                   f"--svg '{svg}' --markdown -`")
        self.assertRegex(lines[6], "^## host: .")
        row, = [line for line in lines if line.startswith(f"| {SMALLEST} |")]
        fields = [field.strip() for field in row.strip("|").split(" | ")]
        self.assertEqual((fields[1], fields[2]), tuple(f"{cell[of]['gb_per_s']:.1f}" for of in ("roof", "winner")))
        self.assertEqual((fields[3], fields[4]), (share, f"`{cell['winner']['variant']}`"))
        if cell["estimate"]["variant"] == cell["winner"]["variant"]:
            self.assertEqual(fields[5], "100")
        else:
            estimate = cell["estimate"]
            self.assertEqual(fields[5], f"`{estimate['variant']}` {100 * estimate['share_of_winner']:.1f}")
        for peer in cell["peers"]:
            name = peer["variant"].split("{")[0]
            self.assertIn(f"`{name}` {100 * peer['share_of_roof']:.1f}", fields[6])

        picture = xml.etree.ElementTree.parse(svg).getroot()
        self.assertEqual(picture.tag, "{http://www.w3.org/2000/svg}svg")
        texts = ["".join(element.itertext()) for element in picture.iter()]
        self.assertTrue(any(text.startswith(f"{SMALLEST}: {cell['winner']['variant']} {share} %") for text in texts))
        self.assertIn(share, texts)
        self.assertNotIn("{http://www.w3.org/2000/svg}script", [element.tag for element in picture.iter()])

    def test_resume_keeps_what_is_there_and_measures_the_rest(self):
        self.assertEqual(bench("--json", str(self.json), cells=(FAT,)).returncode, 0)
        first = self.cells()
        self.assertEqual(bench("--json", str(self.json), "--resume", cells=(FAT, SMALLEST)).returncode, 0)
        both = self.cells()
        self.assertEqual([cell["cell"] for cell in both], [SMALLEST, FAT])  # the table's order
        self.assertEqual(both[1], first[0])  # to the last digit: not measured again
        self.assertEqual(bench("--json", str(self.json), "--resume", cells=(FAT, SMALLEST)).returncode, 0)
        self.assertEqual(self.cells(), both)
        self.assertEqual(bench("--json", str(self.json), "--resume", cells=(FAT_IN_PLACE,)).returncode, 0)
        *others, last = self.cells()  # other problems stay
        self.assertEqual((others, last["cell"]), (both, FAT_IN_PLACE))

    def test_resume_refuses_another_setup(self):
        self.assertEqual(bench("--json", str(self.json)).returncode, 0)
        text = self.json.read_text()
        for option, words in ((("--warm",), "without --warm, and this run has it"),
                              (("--budget", "0.06"), "with --budget 0.05, and this run has 0.06")):
            command = [XPOSE, "bench", "--device", "host", *(() if "--budget" in option else ("--budget", "0.05")), *option]
            result = subprocess.run([*command, "--only", FAT, "--json", str(self.json), "--resume"],
                                    capture_output=True, text=True)
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertEqual(result.stderr, f"xpose: --json {self.json} cannot be resumed: it was measured {words}; "
                                            "name another file, or leave --resume out to replace it\n")
            self.assertEqual(self.json.read_text(), text)

    def test_interrupt_keeps_whole_cells_and_can_be_resumed(self):
        slow = IN_PLACE  # behind the smallest
        process = subprocess.Popen(
            [XPOSE, "bench", "--device", "host", "--only", SMALLEST, "--only", slow, "--budget", "600",
             "--json", str(self.json)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not self.json.exists() and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130, err)
        document = json.loads(self.json.read_text())
        self.assertEqual((document["interrupted"], document["complete"]), (True, False))
        self.assertEqual([cell["cell"] for cell in document["cells"]], [SMALLEST])
        self.assertIn("not reached", out)
        self.assertEqual([file.name for file in self.folder.iterdir()], ["bench.json"])

    def test_interrupt_before_the_first_result_leaves_the_earlier_ones(self):
        self.json.write_text("earlier results")
        main, side = pty.openpty()
        self.addCleanup(os.close, main)
        process = subprocess.Popen(
            [XPOSE, "bench", "--device", "host", "--only", "square, 8192x8192, 1 byte", "--budget", "600",
             "--json", str(self.json)], stdout=subprocess.PIPE, stderr=side, text=True)
        os.close(side)
        talk = b""
        while b"verify " not in talk:
            talk += os.read(main, 4096)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=120)
        self.assertEqual((process.returncode, out), (130, "No cell was measured; 1 was not reached.\n"))
        self.assertEqual(self.json.read_text(), "earlier results")

    def test_kill_loses_nothing_that_was_saved(self):
        process = subprocess.Popen(  # what is in place comes behind the smallest
            [XPOSE, "bench", "--device", "host", "--only", SMALLEST, "--only", IN_PLACE, "--budget", "0.05",
             "--json", str(self.json)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and not (self.json.exists() and self.cells()):
            time.sleep(0.05)
        process.kill()
        process.wait()
        self.assertEqual(self.cells()[0]["cell"], SMALLEST)

    def test_too_large_a_cell_is_shown_with_the_reason(self):
        limited = ["bash", "-c", 'ulimit -v 450000; exec "$@"', "bash", XPOSE]
        if subprocess.run([*limited, "--version"], capture_output=True).returncode != 0:
            self.skipTest("built with a sanitizer, which needs a larger address space")
        result = subprocess.run(  # 439 MiB of addresses do not hold two matrices of 256 MiB
            [*limited, "bench", "--device", "host", "--budget",
             "0.05", "--only", "4096x4096, 16 bytes", "--json", str(self.json)], capture_output=True, text=True)
        cell, = self.cells()
        self.assertRegex(cell["skipped"], r"memory|bytes")
        self.assertIn("skipped", result.stdout)
        self.assertIn(cell["skipped"], result.stdout)
        self.assertEqual(result.returncode, 1)

    def test_in_place_is_measured(self):
        result = bench("--json", str(self.json), cells=(FAT_IN_PLACE,))
        cell, = self.cells()
        self.assertEqual((result.returncode, cell["skipped"]), (0, None))
        self.assertGreater(cell["share_of_roof"], 0)

    def test_what_no_strategy_serves_says_so(self):
        plugins = pathlib.Path(XPOSE).parent.parent / "lib" / "xpose" / "plugins"
        for name in ("host_copy.so", "host_naive.so"):  # none that works in place
            shutil.copy(plugins / name, self.folder)
        result = bench("--json", str(self.json), cells=(IN_PLACE,), XPOSE_PLUGIN_PATH=str(self.folder))
        cell, = self.cells()
        self.assertEqual(result.returncode, 4)
        self.assertIn("does not work in place", cell["skipped"])

    def test_permutations_are_named_by_that_word(self):
        names = bench(cells=("no such problem",)).stderr
        self.assertEqual((names.count("  permutations, TTC "), names.count("  TTC ")), (57, 0))  # the rest on request
        result = bench("--json", str(self.json), cells=("permutations, patches of images of 64x3x24x16x24x16, 1 byte",))
        cell, = self.cells()
        self.assertEqual((result.returncode, cell["skipped"], cell["row"]), (0, None, "permutations, patches"))
        self.assertEqual(cell["bytes"], 2 * 64 * 3 * 24 * 16 * 24 * 16)

    def test_random_problems_are_drawn_by_a_seed_and_show_their_estimates(self):
        draw = ("--random", "3", "--seed", "5", "--most", "200000", "--no-cache")
        result = bench(*draw, "--json", str(self.json), "--markdown", "-", cells=())
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        first = self.cells()
        for number, cell in enumerate(first, 1):
            self.assertRegex(cell["cell"], rf"^random 5\.{number}, .*x.*, aligned to \d+, \d+ bytes?$")
            self.assertEqual(cell["skipped"], None)
            estimate = cell["estimate"]
            self.assertAlmostEqual(estimate["share_of_winner"], cell["winner"]["seconds"] / estimate["seconds"])
            if estimate["variant"] == cell["winner"]["variant"]:
                self.assertEqual(estimate["share_of_winner"], 1)
        self.assertRegex(result.stdout, r"All: [0-3] of 3 estimates within 10 % of the winner, [0-9.]+ % of it at least")
        self.assertEqual(bench(*draw[2:], "--random", "2", "--json", str(self.json), cells=("5.2,",)).returncode, 0)
        self.assertEqual([cell["problem"] for cell in self.cells()], [first[1]["problem"]])
        names = [bench("--random", "1", cells=("none",)).stderr for _ in range(2)]
        self.assertNotEqual(*names)  # drawn anew

    def test_progress_only_on_a_terminal(self):
        main, side = pty.openpty()
        process = subprocess.Popen([XPOSE, "bench", "--device", "host", "--only", SMALLEST, "--budget", "0.05"],
                                   stdout=subprocess.PIPE, stderr=side, text=True)
        os.close(side)
        talk = read_to_end(main)
        out, _ = process.communicate()
        self.assertRegex(talk, rb"1/1, [0-9]+ s left, 512x512.*: (verify|measure)")
        self.assertNotIn("\033", out)

    def test_quick_takes_one_problem_of_each_row(self):
        result = bench("--quick", "--csv", "-", cells=(FAT, FAT.replace("64", "48"), FAT_IN_PLACE))
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = [row["cell"] for row in csv.DictReader(io.StringIO(result.stdout))]
        self.assertEqual(rows, [FAT, FAT_IN_PLACE])

    def test_wrong_usage(self):
        for arguments, words in ((("--json", "-", "--csv", "-"), "share the standard output"),
                                 (("--json", str(self.json), "--csv", str(self.json)), f"share {self.json}"),
                                 (("--markdown", "-", "--svg", "-"), "share the standard output"),
                                 (("--csv", str(self.json), "--svg", str(self.json)), f"share {self.json}"),
                                 (("--json", ""), "--json needs the name"), (("--csv", ""), "--csv needs the name"),
                                 (("--markdown", ""), "--markdown needs the name"),
                                 (("--svg", ""), "--svg needs the name"),
                                 (("--resume",), "--json"), (("--json", "/dev/null", "--resume"), "--json"),
                                 (("--json", "-", "--resume"), "--json"), (("--budget", "-1"), "--budget"),
                                 (("--random", "0"), "--random"), (("--random", "many"), "--random"),
                                 (("--seed", "1"), "need --random"), (("--most", "200000"), "need --random"),
                                 (("--random", "1", "--most", "1"), "--most")):
            result = bench(*arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""), arguments)
            self.assertIn(words, result.stderr)
        result = bench(cells=("no such problem",))
        self.assertEqual(result.returncode, 2)
        *names, message = result.stderr.splitlines()  # a name a line, and the message last
        self.assertIn("  " + SMALLEST, names)
        self.assertEqual(message, "xpose: --only names no problem of the table, which is listed above; see `xpose bench --help`")

    def test_a_wrong_path_or_document_fails_before_anything_is_measured(self):
        for option in ("--json", "--csv", "--markdown", "--svg"):
            result = bench(option, "/nonexistent/x")
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertRegex(result.stderr, rf"\Axpose: {option} [^\n]*/nonexistent/x[^\n]*\n\Z")
        self.json.write_text('{"schema": "xpose.tune/1"}')
        result = bench("--json", str(self.json), "--resume")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("xpose.bench/1", result.stderr)
        self.assertIn("tune/1", self.json.read_text())  # and is not overwritten
        for text in ('{"schema": "xpose.bench/1", "cells": [', "[]", "what was there"):
            self.json.write_text(text)
            result = bench("--json", str(self.json), "--resume")
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertRegex(result.stderr, rf"\Axpose: --json {self.json} cannot be resumed: at [^\n]*; "
                                            r"name another file, or leave --resume out to replace it\n\Z")
            self.assertEqual(self.json.read_text(), text)


if __name__ == "__main__":
    XPOSE = sys.argv.pop(1)
    unittest.main()

"""xpose tune on the host: tune_test.py PATH_TO_XPOSE HANGS [unittest arguments].

Its table, its documents, its budget, and how it is interrupted.
"""

import json
import os
import pathlib
import pty
import re
import signal
import subprocess
import tempfile
import time
import unittest

from command_line import HANGS, HOST, XPOSE, main, tune, xpose
from terminal import read_to_end


class Tune(unittest.TestCase):
    def test_table_has_every_host_strategy_and_names_the_winner(self):
        result = tune("--shape", "200x300", "--bytes", "4", "--budget", "30")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        lines = result.stdout.splitlines()
        self.assertEqual(lines[0], "200x300 of 4 bytes on host")
        self.assertRegex(lines[1], r"^variant +launch +time +GB/s +% of roof +predicted +verdict$")
        for name in HOST:
            rows = [line for line in lines[2:lines.index("")] if line.split("{")[0].split(" ")[0] == name]
            self.assertEqual(len(rows), 1, name)
            self.assertRegex(rows[0], r" (us|ms) +[0-9.]+ +[0-9.]+ +([0-9.]+( / [0-9.]+)?)? +ok$")
        self.assertRegex(result.stdout, r"\n\n\w+(\{\S+\})? won [^\n]* of the roof \(\S+, [0-9.]+ GB/s\)\.\n")

    def test_json_says_the_same(self):
        result = tune("--shape", "200x300", "--budget", "30", "--json", "-")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        report = json.loads(result.stdout)
        self.assertEqual(report["schema"], "xpose.tune/1")
        self.assertEqual(report["bytes"], 2 * 200 * 300 * 4)
        trials = {trial["variant"]: trial for trial in report["trials"]}
        self.assertIn(report["winner"], trials)
        self.assertEqual(trials[report["roof"]]["role"], "copy")
        for name in HOST:
            mine = [t for t in report["trials"] if t["strategy"] == name and t["verdict"] == "ok"]
            self.assertTrue(mine, name)
            for trial in mine:
                self.assertGreater(trial["seconds"], 0)
                self.assertAlmostEqual(trial["gb_per_s"], report["bytes"] / trial["seconds"] * 1e-9)
        doctor = json.loads(xpose("doctor", "--json", "-").stdout)
        if len(doctor["devices"]) == 1:
            for trial in report["trials"]:
                if trial["strategy"] == "smem_pad":
                    self.assertEqual(trial["verdict"], "unsupported")
                    self.assertIn(trial["detail"], ("no CUDA device", "built without CUDA"))

    def test_every_size_leading_dimension_and_batch(self):
        for size in ("1", "2", "4", "8", "16"):
            result = tune("--shape", "67x131", "--bytes", size, "--batch", "3", "--in-ld", "140",
                          "--out-ld", "70", "--budget", "30", "--json", "-")
            self.assertEqual(result.returncode, 0, result.stderr)
            verdicts = {t["verdict"] for t in json.loads(result.stdout)["trials"]
                        if t["strategy"] in HOST}
            self.assertEqual(verdicts, {"ok"})

    def test_axes_in_any_order(self):
        """By numbers, by names, and reversed; merged and split axes are the permutation that they are in memory."""
        def normal_form(*options):
            result = tune("--no-cache", "--json", "-", *options)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            report = json.loads(result.stdout)
            self.assertIsNotNone(report["winner"])
            return report["problem"]

        for options, words in ((("--axes", "2,0,1"), "axes 2,0,1"), ((), "axes reversed"),
                               (("--pattern", "a (b  c) d->d a (c b)", "--sizes", "b=3"),
                                "'a (b c) d -> d a (c b)'")):
            shown = tune("--no-cache", "--shape", "5x6x7", *options).stdout.splitlines()[0]
            self.assertRegex(shown, rf"^5x6x7, {re.escape(words)}: \d+x\d+ of 4 bytes.* on host$")
        whole = normal_form("--shape", "8x30x20x6", "--axes", "0,3,1,2")
        self.assertEqual(whole, normal_form("--shape", "8x600x6", "--pattern", "b x c -> b c x"))
        self.assertEqual(whole, normal_form("--shape", "8x600x6", "--axes", "0,-1,1"))
        self.assertEqual(whole, normal_form("--shape", "600x6", "--batch", "8"))
        self.assertEqual(normal_form("--shape", "6x5x4"), normal_form("--shape", "6x5x4", "--axes", "2,1,0"))
        self.assertEqual(normal_form("--shape", "12x20"),
                         normal_form("--shape", "240", "--pattern", "(h w) -> (w h)", "--sizes", "h=12"))
        patches = normal_form("--shape", "2x32x48x3", "--pattern", "b (h p) (w q) c -> b h w (p q c)",
                              "--sizes", "p=16,q=16")
        self.assertEqual(patches, normal_form("--shape", "2x2x16x3x16x3", "--axes", "0,1,3,2,4,5"))
        backwards = normal_form("--shape", "64x67", "--in-ld", "-70", "--batch", "3")
        self.assertEqual((backwards["in_ld"], backwards["batch"][0]["in_stride"]), (-70, 64 * 70))

    def test_narrowed_to_a_strategy_and_a_config(self):
        result = tune("--shape", "90x90", "--strategy", "host_blocked{tile=32}", "--budget", "30", "--all",
                      "--json", "-")
        transposes = [t["variant"] for t in json.loads(result.stdout)["trials"]
                      if t["role"] == "transpose" and t["verdict"] == "ok"]
        self.assertEqual(transposes, ["host_blocked{tile=32}"])

    def test_a_strategy_that_declines_is_not_called_wrong(self):
        result = xpose("tune", "--device", "host", "--shape", "64x64", "--strategy", "host_in_place", "--no-cache")
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn("\nNo strategy serves this problem here; nothing was chosen.\n", result.stdout)

    def test_a_problem_is_named_as_stated(self):
        result = xpose("tune", "--device", "host", "--shape", "20x30", "--bytes", "3", "--strategy", "host_in_place", "--no-cache")
        self.assertEqual(result.stderr, "xpose: no eligible strategy for 20x30 of 3 bytes on host; `xpose plugins` lists the loaded ones\n")
        met = "The strategies meet it as 1x3 of 1 byte, batch 30, batch 20 on host."
        self.assertEqual(result.stdout.splitlines()[:2], ["20x30 of 3 bytes on host", met])

    def test_variants_of_one_strategy_add_up(self):
        result = tune("--shape", "90x90", "--strategy", "host_blocked{tile=32}",
                      "--strategy", "host_blocked{tile=64}", "--budget", "30", "--json", "-")
        transposes = {t["variant"] for t in json.loads(result.stdout)["trials"] if t["role"] == "transpose" and t["verdict"] == "ok"}
        self.assertEqual(transposes, {"host_blocked{tile=32}", "host_blocked{tile=64}"})

    def test_a_spent_budget_leaves_out_what_is_predicted_far_behind_and_says_so(self):
        # Its columns fall into few cache sets. The budget is just above what one processor is expected to need, and
        # less than making the buffers and trying the copies takes anywhere.
        problem = ["--shape", "64x4096", "--budget", "0.015"]
        result = tune(*problem)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"\nhost_naive_row +not tried\n")
        # A sanitizer slows vectors the most: there another one may be the most promising.
        tried = r"host_\S+" if "asan" in XPOSE else r"host_simd\{\S+"
        self.assertRegex(result.stdout, rf"\n{tried} [^\n]+  ok\n")
        self.assertRegex(result.stdout, r"\n[0-9]+ variants were not tried, [^\n]*--strategy and --budget try more\.\n")
        named = tune(*problem, "--strategy", "host_simd", "--strategy", "host_naive_row", "--json", "-")
        report = json.loads(named.stdout)
        self.assertEqual(report["untried_strategies"], [])
        self.assertEqual({t["strategy"] for t in report["trials"] if t["role"] == "transpose" and t["verdict"] == "ok"},
                         {"host_simd", "host_naive_row"})

    # Both are small enough for the memory that tests at the same time leave: the reason is the budget.
    def test_a_large_problem_is_tried_on_what_stands_in_for_it(self):
        result = tune("--shape", "10000x10001", "--budget", "0.3")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout.splitlines()[0], "10000x10001 of 4 bytes on host")
        self.assertRegex(" ".join(result.stdout.split()),
                         r" Tried on [0-9]+x[0-9]+ of 4 bytes on host, which stands in for 10000x10001 of 4 "
                         r"bytes on host: trials of the whole would take about [0-9.]+ s of a budget of 0.3 s\.")
        report = json.loads(tune("--shape", "10000x10001", "--budget", "0.3", "--json", "-").stdout)
        stand_in = report["stand_in"]
        self.assertEqual((stand_in["rows"] % 1024, stand_in["cols"] % 1024), (10000 % 1024, 10001 % 1024))
        self.assertEqual(report["bytes"], 2 * stand_in["rows"] * stand_in["cols"] * 4)
        self.assertFalse(report["is_estimate"])

    def test_what_no_budget_can_measure_is_estimated_and_said_so(self):
        for shape in ("10000x10001", "3x3"):
            result = tune("--shape", shape, "--budget", "0")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertRegex(result.stdout, r"\nhost_[^\n]+ estimated\n")
            self.assertRegex(" ".join(result.stdout.split()),
                             r" is an estimate, and nothing was measured: trials of the whole would take about "
                             r"[0-9.]+ s of a budget of 0 s\.$")
        report = json.loads(tune("--shape", "10000x10001", "--budget", "0", "--json", "-").stdout)
        self.assertTrue(report["is_estimate"])
        self.assertIsNone(report["stand_in"])
        self.assertEqual([trial["variant"] for trial in report["trials"] if "seconds" in trial], [])
        self.assertTrue(report["winner"])

    def test_more_than_the_memory(self):
        result = tune("--shape", "1000000x3000000", "--bytes", "16", "--budget", "0.5")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(" ".join(result.stdout.split()),
                         r" Tried on [0-9]+x[0-9]+ of 16 bytes on host, which stands in for 1000000x3000000 of 16 bytes "
                         r"on host: trials of the whole take [0-9]+ MiB of memory, and [0-9]+ MiB are free\.")

    def test_what_does_not_fit_into_memory_is_tried_on_what_stands_in(self):
        limited = ["bash", "-c", 'ulimit -v 450000; exec "$@"', "bash", XPOSE]
        if subprocess.run([*limited, "--version"], capture_output=True).returncode != 0:
            self.skipTest("built with a sanitizer, which needs a larger address space")
        result = subprocess.run(  # 439 MiB of addresses do not hold two matrices of 256 MiB
            [*limited, "tune", "--device", "host", "--shape", "4096x4096", "--bytes", "16", "--budget", "4",
             "--strategy", "host_simd", "--json", "-"], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        report = json.loads(result.stdout)
        self.assertLess(report["stand_in"]["rows"], 4096)
        self.assertRegex(report["why_not_whole"], r"^trials of the whole take [0-9]+ MiB of memory, and [0-9]+ MiB ")

    def test_empty_problem(self):
        result = tune("--shape", "0x5")
        self.assertEqual(result.returncode, 0)
        self.assertIn("nothing to do", result.stdout)

    def test_json_file_is_opened_before_anything_is_measured(self):
        result = tune("--shape", "50x60", "--plugins", HANGS, "--json", "/nonexistent/x.json")
        self.assertEqual(result.returncode, 1)  # and nothing is said of the plugin that hangs
        self.assertRegex(result.stderr, r"\Axpose: [^\n]*/nonexistent/x.json[^\n]*\n\Z")
        self.assertEqual(result.stdout, "")

    def test_report_is_opened_before_anything_is_measured_and_holds_the_document(self):
        result = tune("--shape", "50x60", "--plugins", HANGS, "--report", "/nonexistent/x.html")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"\Axpose: [^\n]*/nonexistent/x.html[^\n]*\n\Z")
        self.assertEqual(result.stdout, "")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "report.html"
            result = tune("--shape", "50x60", "--report", str(path), "--json", "-")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertIn(f'"winner": "{json.loads(result.stdout)["winner"]}"', path.read_text())
            self.assertEqual([file.name for file in pathlib.Path(folder).iterdir()], ["report.html"])
        self.assertIn("at most about 3 seconds more", " ".join(xpose("tune", "--help").stdout.split()))

    def test_json_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "report.json"
            result = tune("--shape", "50x60", "--json", str(path))
            self.assertIn("% of the roof (", result.stdout)  # the sentence on the winner, of one round or of many
            self.assertEqual(json.loads(path.read_text())["problem"]["rows"], 50)

    def test_json_file_stays_until_there_is_another(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "report.json"
            path.write_text("old")
            for name in ("--json", "--report"):
                self.assertEqual(tune("--shape", "50x", name, str(path)).returncode, 2)
                self.assertEqual(path.read_text(), "old")
                for end in (signal.SIGKILL, signal.SIGTERM):
                    process = subprocess.Popen(
                        [XPOSE, "tune", "--shape", "50x60", "--device", "host", "--plugins", HANGS,
                         "--stage-seconds", "30", name, str(path)],
                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                    time.sleep(0.5)
                    process.send_signal(end)
                    process.wait()
                    self.assertEqual(path.read_text(), "old")
                    self.assertEqual(os.listdir(folder), ["report.json"])

    def test_report_on_the_standard_output(self):
        result = tune("--shape", "50x60", "--report", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"(?s)\A<!doctype html>.*</html>\n\Z")
        both = tune("--shape", "50x60", "--report", "-", "--json", "-")
        self.assertEqual((both.returncode, both.stdout), (2, ""))
        self.assertEqual(tune("--shape", "50x60", "--json", "").returncode, 2)

    def test_interrupt_saves_what_was_finished(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "report.json"
            main, side = pty.openpty()
            process = subprocess.Popen(
                [XPOSE, "tune", "--device", "host", "--shape", "500x600", "--plugins", HANGS,
                 "--stage-seconds", "3", "--json", str(path)], stdout=subprocess.PIPE, stderr=side, text=True)
            os.close(side)
            self.addCleanup(os.close, main)
            talk = b""
            while b"verify " not in talk:  # a trial is over; what hangs takes 6 seconds more
                talk += os.read(main, 4096)
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=120)
            talk += read_to_end(main)
            self.assertIn(b"xpose: interrupted: the trial in progress is finished first; ", talk)
            self.assertEqual(process.returncode, 130)
            self.assertTrue(json.loads(path.read_text())["interrupted"])
            self.assertIn("Interrupted", out)

    def test_an_interrupt_that_the_parent_ignores_is_ignored(self):
        main, side = pty.openpty()
        process = subprocess.Popen(
            ["bash", "-c", 'trap "" INT; exec "$@"', "bash", XPOSE, "tune", "--device", "host", "--shape", "500x600",
             "--budget", "0.5", "--json", "-"], stdout=subprocess.PIPE, stderr=side, text=True)
        os.close(side)
        talk = b""
        try:
            while chunk := os.read(main, 4096):
                if b"verify " not in talk and b"verify " in talk + chunk:
                    process.send_signal(signal.SIGINT)
                talk += chunk
        except OSError:
            pass  # the other side is closed
        out, _ = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0)
        self.assertIn(b"verify ", talk)
        self.assertFalse(json.loads(out)["interrupted"])

    def test_progress_only_on_a_terminal(self):
        main, side = pty.openpty()
        process = subprocess.Popen([XPOSE, "tune", "--device", "host", "--shape", "64x64", "--budget",
                                    "0.1"], stdout=subprocess.PIPE, stderr=side, text=True)
        os.close(side)
        talk = read_to_end(main)
        out, _ = process.communicate()
        self.assertIn(b"verify ", talk)
        self.assertNotIn("\033", out)

    def test_bold_only_where_colour_is_wanted(self):
        for environment, bold in ((dict(os.environ, NO_COLOR=""), True),
                                  (dict(os.environ, NO_COLOR="1"), False)):
            main, side = pty.openpty()
            process = subprocess.Popen(
                [XPOSE, "tune", "--device", "host", "--shape", "64x64", "--budget", "0.1"],
                stdout=side, stderr=subprocess.DEVNULL, env=environment)
            os.close(side)
            table = read_to_end(main)
            process.wait()
            self.assertEqual(b"\033[1m" in table, bold)


if __name__ == "__main__":
    main()

"""What gpu-check plans, concludes and says, with a compute-sanitizer that is a script:
sanitize_test.py."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sanitize.py")

# Obeys a file beside it: for each strategy, or strategy and scope, a word.
TOOL = """#!/usr/bin/env python3
import json, os, sys, time
args = sys.argv[1:]
value = lambda name: args[args.index(name) + 1] if name in args else ""
folder = os.path.dirname(os.path.abspath(__file__))
(strategy, _, config), tool = value("--strategy").partition("{"), value("--tool")
with open(os.path.join(folder, "calls"), "a") as calls:
    calls.write(json.dumps([tool, strategy, value("--bytes"), value("--max-elements"), value("--max-configs"),
                            config.removesuffix("}"), value("--kernel-regex")]) + "\\n")
words = json.load(open(os.path.join(folder, "words")))
word = words.get(strategy, words.get(tool, "clean"))
if word == "hang":
    time.sleep(60)
if word == "no device":
    print("SKIPPED " + strategy + ": no CUDA device")
    sys.exit(77)
if word == "crash":
    print("Segmentation fault")
    sys.exit(139)
print(f"{strategy}, elements of 4 bytes: {12 * (word != 'declined')} right, 3 declined, {int(word == 'wrong')} failed")
print("  of 6 problems and 2 configs")
hazards = int(word == "finding")
print(f"========= RACECHECK SUMMARY: {hazards} hazards displayed ({hazards} errors, 0 warnings)"
      if tool == "racecheck" else f"========= ERROR SUMMARY: {hazards} errors")
sys.exit(9 if hazards else 3 if word in ("wrong", "declined") else 0)
"""

XPOSE = """#!/usr/bin/env python3
import json
def strategy(name, role="transpose", axes={"a": [3, 4], "b": [1]}):
    return {"name": name, "device": "cuda", "role": role, "element_sizes": [4, 8], "axes": axes}
print(json.dumps({"plugins": [
    {"file": "/p/naive.so", "strategies": [strategy("naive_row", axes={})]},
    {"file": "/p/new.so", "strategies": [strategy("new")]},
    {"file": "/p/blas.so", "strategies": [strategy("cublas_geam", "numeric")]},
    {"file": "/p/tile.so", "strategies": [strategy("tile")]},
    {"file": "/p/smem.so", "strategies": [strategy("smem_pad"), strategy("smem")]},
    {"file": "/p/host.so", "strategies": [dict(strategy("host"), device="host")]}]}))
"""


class GpuCheck(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        for name, text in (("compute-sanitizer", TOOL), ("xpose", XPOSE)):
            path = os.path.join(self.folder.name, name)
            with open(path, "w") as file:
                file.write(text)
            os.chmod(path, 0o755)
        self.says({})

    def tearDown(self):
        self.folder.cleanup()

    def says(self, words):
        planted = {"tile_no_barrier": "finding", "tile_past_tile": "finding"}
        with open(os.path.join(self.folder.name, "words"), "w") as file:
            json.dump({**planted, **words}, file)

    def check(self, *arguments):
        path = self.folder.name
        return subprocess.run(
            [sys.executable, SCRIPT, os.path.join(path, "xpose"), "--control", "/p/planted.so",
             "--logs", os.path.join(path, "logs"), *arguments],
            capture_output=True, text=True, env={**os.environ, "PATH": f"{path}:{os.environ['PATH']}"})

    def calls(self):
        with open(os.path.join(self.folder.name, "calls")) as file:
            return [json.loads(line) for line in file]

    def test_classic_strategies_come_first_and_every_kernel_comes(self):
        result = self.check("--jobs", "1")
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
        calls = [call for call in self.calls() if not call[1].startswith("tile_")]
        small, tiles = ("20000", "2", "", "kns=kernel"), ("70000", "2", "", "kns=kernel")
        raced = [("smem", small), ("smem_pad", small), ("tile", tiles), ("new", tiles)]
        first = [[tool, name, size, *scope] for tool, names in (
            ("memcheck", [*raced, ("naive_row", tiles)]), ("synccheck", raced), ("racecheck", raced))
            for size in "48" for name, scope in names]
        self.assertEqual(calls[:26], first)
        whole = [call for call in calls if call[3] == "" and call[5] == "a=3,b=1"]
        self.assertEqual(whole[0], ["memcheck", "smem", "4", "", "", "a=3,b=1", "kns=kernel"])
        raced = {call[1] for call in calls if call[0] == "racecheck"}
        self.assertEqual(raced, {"smem", "smem_pad", "tile", "new"})  # what may share memory
        checked = {call[1] for call in calls if call[0] == "memcheck"}
        self.assertEqual(checked, raced | {"naive_row"})
        self.assertIn("\nracecheck, configs in turn, problems of at most 20 000 elements: 4 of 4 clean\n"
                      "  clean: smem 4 8, smem_pad 4 8\n", result.stdout)
        self.assertIn("\nracecheck, configs in turn, problems of at most 70 000 elements: 4 of 4 clean\n"
                      "  clean: tile 4 8, new 4 8\n", result.stdout)
        self.assertRegex(result.stdout, r"racecheck smem +4 bytes  small +\d+\.\d s  clean: 12 right, "
                         "3 declined, of 6 problems and 2 configs\n")

    def test_a_finding_is_told_and_the_rest_goes_on(self):
        self.says({"smem": "finding"})
        result = self.check("--scope", "small", "--scope", "tiles")
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertRegex(result.stdout, r"smem +4 bytes .* finding: 1 hazards .* \(.*/logs/.*\.log\)")
        self.assertIn("  NOT CLEAN: smem 4 8\n", result.stdout)
        self.assertIn("  clean: smem_pad 4 8\n", result.stdout)
        self.assertIn("  clean: tile 4 8, new 4 8\n", result.stdout)

    def test_what_is_named_is_all_that_runs(self):
        result = self.check("--scope", "small", "--strategy", "smem", "--bytes", "8", "--tool", "racecheck")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertEqual([call[:3] for call in self.calls() if not call[1].startswith("tile_")],
                         [["racecheck", "smem", "8"]])
        self.assertIn("1 of 1 clean\n  clean: smem 8\n", result.stdout)

    def test_a_wrong_result_is_a_finding(self):
        self.says({"smem": "wrong"})
        result = self.check("--scope", "small", "--strategy", "smem")
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn("finding: 1 wrong results, exit status 3", result.stdout)

    def test_what_is_declined_as_a_whole_is_neither_clean_nor_a_finding(self):
        self.says({"smem": "declined"})
        result = self.check("--scope", "whole", "--strategy", "smem", "--tool", "racecheck")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("0 of 2 clean\n  declined by the strategy: smem 4 8\n", result.stdout)

    def test_a_tool_that_does_not_work_is_not_clean(self):
        self.says({"smem": "crash"})
        result = self.check("--scope", "small", "--strategy", "smem", "--tool", "racecheck")
        self.assertEqual(result.returncode, 2)
        self.assertIn("broken: exit status 139: Segmentation fault", result.stdout)
        self.assertIn("0 of 2 clean", result.stdout)

    def test_silence_counts_only_where_the_planted_fault_is_seen(self):
        for word in ("clean", "wrong", "crash"):
            self.says({"tile_no_barrier": word})
            result = self.check("--scope", "small")
            self.assertEqual(result.returncode, 2)
            self.assertIn("left out, the planted fault was not seen by: racecheck\n", result.stdout)
            self.assertNotIn("racecheck smem", result.stdout)
            self.assertIn("memcheck, configs in turn, problems of at most 20 000 elements: 4 of 4 clean\n",
                          result.stdout)
        alone = self.check("--scope", "small", "--tool", "racecheck")
        self.assertEqual(alone.returncode, 2)
        self.assertNotIn("give it more", alone.stdout)  # time is not what it lacks

    def test_without_a_device(self):
        self.says({"tile_no_barrier": "no device", "tile_past_tile": "no device"})
        self.assertEqual(self.check().returncode, 77)

    def test_when_the_time_is_up_it_says_what_was_not_run(self):
        self.says({"smem_pad": "hang"})
        result = self.check("--scope", "small", "--seconds", "6", "--jobs", "1", "--tool", "racecheck")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertRegex(result.stdout, r"smem_pad +4 bytes .* ended: the time is up\n")
        self.assertIn("  clean: smem 4\n  not run: smem_pad 4 8, smem 8\n", result.stdout)

    def test_a_time_in_which_no_run_ends_is_not_clean(self):
        self.says({"smem": "hang"})
        result = self.check("--scope", "small", "--strategy", "smem", "--seconds", "3", "--tool", "memcheck")
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertIn("gpu-check: no run came to its end in 3 s; give it more\n", result.stdout)


if __name__ == "__main__":
    unittest.main()

"""Routes over MPI by four processes: exact results, other statements, a rank that stops or is killed.

route_test.py MPIEXEC NUMPROC_FLAG PROGRAM
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest

from launcher import ENVIRONMENT, goes_on_without_a_rank

LAUNCHER, NUMBER, PROGRAM = sys.argv[1:4]
del sys.argv[1:4]
SHORT, LONG = "60000", "2000000"  # memory of a route, in which its chunks are short or long

def run(arguments, options=()):
    command = [LAUNCHER, *options, NUMBER, "4", PROGRAM, *arguments]
    return subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=500)


class RouteTest(unittest.TestCase):
    def failures(self, arguments, ranks, options=()):
        """The error of each of the ranks, which all must have told. The launcher may wake a stopped one to end it,
        and it may tell an error then."""
        with tempfile.TemporaryDirectory() as folder:
            ended = run([arguments[0], folder, *arguments[1:]], options)
            told = {}
            for name in sorted(os.listdir(folder)):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    told[name] = file.read()
        woken = set(told) - {f"rank{rank}" for rank in ranks} if str(int(signal.SIGSTOP)) in arguments[1:2] else set()
        self.assertLessEqual(woken, {"rank2"})
        for name in woken:
            del told[name]
        self.assertEqual(list(told), [f"rank{rank}" for rank in ranks], ended.stdout + ended.stderr)
        return told

    def assert_named(self, told):
        for name, text in told.items():
            self.assertIn("rank 2 of 4 sent nothing for 5 seconds", text, name)

    def test_random_layouts_are_exact(self):
        ended = run(["exact", "1", "60", "150"])
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertRegex(ended.stdout, r"^60 routes are exact, of [1-9]\d+ bytes in messages\n$")

    def test_curves_are_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "curves.json")
            ended = run(["curves", path, str(1 << 20)])
            self.assertEqual(ended.returncode, 0, ended.stderr)
            with open(path, encoding="utf-8") as file:
                curves = json.load(file)
        self.assertEqual((curves["schema"], curves["ranks"], curves["ranks_per_host"]), ("xpose.curves/1", 4, 4))
        self.assertEqual((len(curves["inside"]), len(curves["kept"]), curves["between"]), (9, 11, []))
        self.assertGreater(curves["seconds_per_rank"], 0)

    def test_another_statement_is_told_on_every_rank(self):
        for text in self.failures(["differs"], [0, 1, 2, 3]).values():
            self.assertIn("has stated another route than rank", text)

    def test_short_messages_of_one_host_are_in_order_among_long_ones(self):
        ended = run(["letters"])
        self.assertEqual((ended.returncode, ended.stdout), (0, "0 wrong\n"), ended.stderr)

    def test_a_small_route_on_one_host_sends_nothing_by_mpi(self):
        for extent, messages in (("64", "0"), ("1024", "12")):
            ended = run(["small", extent])
            self.assertEqual((ended.returncode, ended.stdout), (0, messages + "\n"), ended.stderr)

    def test_a_rank_that_stops_is_named_by_all_others(self):
        # In its first message, and amid its messages: in shared memory, and by MPI.
        for call, memory in (("4", SHORT), ("14", SHORT), ("8", LONG)):
            self.assert_named(self.failures(["lost", str(int(signal.SIGSTOP)), call, memory], [0, 1, 3]))

    @unittest.skipUnless(goes_on_without_a_rank(LAUNCHER), "SKIPPED: this launcher ends all ranks when one is killed")
    def test_a_rank_that_is_killed_is_named_by_all_others(self):
        for call, memory in (("14", SHORT), ("8", LONG)):
            told = self.failures(["lost", str(int(signal.SIGKILL)), call, memory], [0, 1, 3], ["--enable-recovery"])
            self.assert_named(told)


if __name__ == "__main__":
    unittest.main()

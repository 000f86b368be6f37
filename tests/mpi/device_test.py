"""Routes over MPI between arrays on devices, by four processes: exact results, and a rank that is lost.

device_test.py MPIEXEC NUMPROC_FLAG PROGRAM DEVICE
"""

import os
import signal
import subprocess
import sys
import tempfile
import unittest

from launcher import ENVIRONMENT, goes_on_without_a_rank

LAUNCHER, NUMBER, PROGRAM, DEVICE = sys.argv[1:5]
del sys.argv[1:5]


def run(mode, way, *arguments, options=()):
    command = [LAUNCHER, *options, NUMBER, "4", PROGRAM, mode, DEVICE, way, *arguments]
    return subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=500)


class DeviceTestCase(unittest.TestCase):
    def assert_exact(self, way, messages):
        ended = run("exact", way, "1", "40", "150")
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertRegex(ended.stdout, rf"^40 routes are exact, of [1-9]\d+ bytes in {messages} messages\n$")

    def assert_named(self, mode, *arguments, way="staged", options=()):
        """The launcher may wake a stopped rank to end it, and that may tell an error then."""
        with tempfile.TemporaryDirectory() as folder:
            ended = run(mode, way, folder, *arguments, options=options)
            for rank in (0, 1, 3):
                path = os.path.join(folder, f"rank{rank}")
                self.assertTrue(os.path.exists(path), ended.stdout + ended.stderr)
                with open(path, encoding="utf-8") as file:
                    self.assertIn("rank 2 of 4 sent nothing for 5 seconds", file.read())


class DeviceTest(DeviceTestCase):
    def test_random_layouts_are_exact_through_host_memory(self):
        self.assert_exact("staged", "staged")

    def test_random_layouts_are_exact_in_arrays_that_are_mapped_or_cannot_be(self):
        self.assert_exact("mapped", "staged")

    @unittest.skipUnless(goes_on_without_a_rank(LAUNCHER), "SKIPPED: this launcher ends all ranks when one is killed")
    def test_a_rank_that_is_killed_before_its_array_is_written_is_named_by_all_others(self):
        self.assert_named("lost", str(int(signal.SIGKILL)), "12", way="mapped", options=["--enable-recovery"])

    def test_random_layouts_are_exact_as_mpi_says(self):
        self.assert_exact("asked", "(staged|direct)")

    def test_a_late_rank_is_named_where_the_ranks_are_made(self):
        self.assert_named("late")

    @unittest.skipUnless(goes_on_without_a_rank(LAUNCHER), "SKIPPED: this launcher ends all ranks when one is killed")
    def test_a_rank_that_is_killed_amid_its_messages_is_named_by_all_others(self):
        self.assert_named("lost", str(int(signal.SIGKILL)), "30", options=["--enable-recovery"])


# Plain MPI takes no address of a GPU, and would end the process.
@unittest.skipUnless(DEVICE == "host", "of memory that every MPI takes")
class DirectTest(DeviceTestCase):
    def test_messages_of_device_memory_are_exact(self):
        self.assert_exact("direct", "direct")

    def test_an_mpi_that_sends_wrong_bytes_from_device_memory_is_not_used_for_it(self):
        self.assert_exact("wrong", "staged")

    def test_a_rank_that_stops_amid_direct_messages_is_named(self):
        self.assert_named("lost", str(int(signal.SIGSTOP)), "30", way="direct")


if __name__ == "__main__":
    if DEVICE != "host":
        asked = run("exact", "staged", "1", "1", "10")
        if "This test is SKIPPED" in asked.stdout:
            print(asked.stdout)
            sys.exit(0)
    unittest.main()

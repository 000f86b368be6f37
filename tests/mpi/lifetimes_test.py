"""The lifetimes of routes over MPI: ranks that destroy them in different orders, and after MPI_Finalize().

lifetimes_test.py MPIEXEC NUMPROC_FLAG PROGRAM
"""

import subprocess
import sys
import unittest

from launcher import ENVIRONMENT

LAUNCHER, NUMBER, PROGRAM = sys.argv[1:4]
del sys.argv[1:4]


class LifetimesTest(unittest.TestCase):
    def assert_ends_well(self, mode, ranks=(2, 4, 7), hosts=1):
        for number in ranks:
            with self.subTest(ranks=number):
                ended = subprocess.run([LAUNCHER, NUMBER, str(number), PROGRAM, mode, str(hosts)], env=ENVIRONMENT,
                                       capture_output=True, text=True, timeout=60)
                self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
                self.assertEqual(sorted(ended.stdout.splitlines()),
                                 [f"rank {rank}: 0 objects" for rank in range(number)])

    def test_ranks_destroy_routes_in_different_orders(self):
        self.assert_ends_well("orders")

    def test_ranks_of_several_hosts_destroy_routes_in_different_orders(self):
        self.assert_ends_well("orders", (4,), hosts=2)
        self.assert_ends_well("orders", (4,), hosts=4)

    def test_late_notices_meet_no_other_ranks(self):
        self.assert_ends_well("late", (2, 4))

    def test_routes_outlive_mpi(self):
        self.assert_ends_well("outlives")

    def test_a_slow_rank_takes_the_signs_of_the_others(self):
        self.assert_ends_well("slow", (2, 4))

    def test_an_error_of_mpi_is_told(self):
        self.assert_ends_well("fatal", (2,))


if __name__ == "__main__":
    unittest.main()

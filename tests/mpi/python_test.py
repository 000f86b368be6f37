"""Routes of the Python package between four processes: exact results, and a rank that is killed.

python_test.py MPIEXEC NUMPROC_FLAG
"""

import os
import subprocess
import sys
import tempfile
import unittest

from launcher import ENVIRONMENT, goes_on_without_a_rank

try:
    import mpi4py  # noqa: F401
except ImportError:
    print("This test is SKIPPED: no mpi4py was found; install python3-mpi4py")
    sys.exit(0)

LAUNCHER, NUMBER = sys.argv[1:3]
del sys.argv[1:3]
PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "python_routes.py")


def run(launcher_options, *arguments):
    command = [LAUNCHER, *launcher_options, NUMBER, "4", sys.executable, "-B", PROGRAM, *arguments]
    return subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=300)


def has_gpu():
    try:
        import torch
    except ImportError:
        return False
    return torch.cuda.is_available()


class PythonTest(unittest.TestCase):
    def test_random_placements_are_exact(self):
        ended = run((), "exact", "7", "40")
        self.assertEqual(ended.returncode, 0, ended.stderr)

    def test_a_route_after_the_end_of_mpi_is_an_error(self):
        ended = run((), "ended")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        told = "MPI.Finalize() was called: run routes between processes before it\n"
        self.assertEqual(ended.stdout, 4 * told, ended.stderr)

    @unittest.skipUnless(has_gpu(), "SKIPPED: no PyTorch with a CUDA device")
    def test_tensors_on_a_gpu_are_exact(self):
        ended = run((), "gpu", "7", "20")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertRegex(ended.stdout, "^20 routes are exact, direct: (True|False)\n$")

    @unittest.skipUnless(goes_on_without_a_rank(LAUNCHER), "SKIPPED: this launcher ends all ranks when one is killed")
    def test_a_killed_rank_is_named(self):
        for kind in ((), ("device",)):
            with self.subTest(kind=kind):
                self.assert_killed_rank_is_named(*kind)

    def assert_killed_rank_is_named(self, *kind):
        with tempfile.TemporaryDirectory() as folder:
            ended = run(("--enable-recovery",), "lost", folder, *kind)
            for rank in (0, 1, 3):
                path = os.path.join(folder, f"rank{rank}")
                self.assertTrue(os.path.exists(path), ended.stdout + ended.stderr)
                with open(path, encoding="utf-8") as file:
                    first, second = file.read().split("\n", 1)
                self.assertIn("rank 2 of 4 sent nothing for 5 seconds", first)
                self.assertIn("given up after a failure", second)


if __name__ == "__main__":
    unittest.main()

"""Runs of `xpose run` in trouble, for scripts that are given PATH_TO_XPOSE PATH_TO_IO_FAULTS [unittest arguments]."""

import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

try:
    import numpy as np
except ImportError:
    print("SKIPPED: this Python has no NumPy; install python3-numpy")
    sys.exit(77)

PROGRAMS = types.SimpleNamespace(xpose=None, faults=None)  # the second makes calls of the system fail
OLD = b"what was there"


def main():
    PROGRAMS.xpose = os.path.abspath(sys.argv.pop(1))
    PROGRAMS.faults = os.path.abspath(sys.argv.pop(1))
    unittest.main()


def hole(path, rows, cols, marks=()):
    """An array of 4-byte zeros that takes no room on the disk, with these elements set to their place in `marks`."""
    with open(path, "wb") as file:
        np.lib.format.write_array_header_1_0(
            file, {"descr": "<u4", "fortran_order": False, "shape": (rows, cols)})
        begin = file.tell()
        file.truncate(begin + 4 * rows * cols)
        for number, (row, col) in enumerate(marks, 1):
            file.seek(begin + 4 * (row * cols + col))
            file.write(number.to_bytes(4, "little"))


class InTrouble(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.source = self.folder / "a.npy"
        self.target = self.folder / "b.npy"
        self.target.write_bytes(OLD)

    def started(self, *options, source=None, target=None, fault="", **how):
        environment = dict(os.environ, XPOSE_CACHE=str(self.folder / "trials.sqlite"))
        if fault:
            environment |= {"LD_PRELOAD": PROGRAMS.faults, "XPOSE_FAULT": fault, "XPOSE_FAULT_FOLDER": str(self.folder)}
        process = subprocess.Popen(
            [PROGRAMS.xpose, "run", str(source or self.source), str(target or self.target), "--device", "host", *options],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment, **how)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def check_target_is_as_it_was(self):
        self.assertEqual(self.target.read_bytes(), OLD)
        self.assertEqual([p.name for p in self.folder.iterdir() if p.name.startswith(".xpose-")], [])

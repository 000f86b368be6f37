"""`xpose run` on NumPy's files, for scripts that are given PATH_TO_XPOSE [unittest arguments]."""

import ctypes
import json
import math
import mmap
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    print("SKIPPED: this Python has no NumPy; install python3-numpy")
    sys.exit(77)

XPOSE = os.path.abspath(sys.argv.pop(1))
DEVICE = os.environ.get("XPOSE_TEST_DEVICE", "host")
IS_SANITIZED = "XPOSE_TEST_SANITIZED" in os.environ  # and takes many times as long
RNG = random.Random(7)
# Other tests may measure at the same time.
WAITING = re.compile(r"xpose: warning: another process measures on \S+; waiting for it\n")


def command(source, target, *options):
    return [XPOSE, "run", str(source), str(target), "--device", DEVICE, *options]


LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_int64)
LIBC.mincore.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p)
LIBC.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)


def is_cached(file, offset):
    """Whether that byte's page of a file of one's own is in memory. A read that may not wait would start the disk."""
    page = mmap.PAGESIZE
    place = LIBC.mmap(None, page, mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), offset // page * page)
    if place == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), "mmap")
    resident = ctypes.create_string_buffer(1)
    failed = LIBC.mincore(place, page, resident)
    LIBC.munmap(place, page)
    if failed:
        raise OSError(ctypes.get_errno(), "mincore")
    return resident.raw[0] & 1 == 1


def random_array(dtype, shape, rng=RNG):
    """An array of random bytes, NaNs with payloads and -0 among them."""
    dtype = np.dtype(dtype)
    return np.frombuffer(rng.randbytes(math.prod(shape) * dtype.itemsize), dtype=dtype).reshape(shape)


class InAFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.source = self.folder / "a.npy"
        self.target = self.folder / "b.npy"

    def run_xpose(self, *options, source=None, target=None, **how):
        return subprocess.run(command(source or self.source, target or self.target, *options),
                              capture_output=True, text=True, timeout=300, **how)

    def measured(self, *options):
        """Bytes of memory at the peak of a run, and bytes that it had written to the disk. The address sanitizer keeps
        memory that was freed, of which only a little is let in."""
        options_of_asan = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=16"
        process = subprocess.Popen(command(self.source, self.target, *options),
                                   env=os.environ | {"ASAN_OPTIONS": options_of_asan})
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return usage.ru_maxrss << 10, usage.ru_oublock * 512

    def outgrow(self, folder):
        """Makes the source a hole larger than the file system of the folder. Skips where that has no limit."""
        room = os.statvfs(folder)
        size = room.f_blocks * room.f_frsize + (1 << 20)
        if not 0 < size < 1 << 40:
            self.skipTest(f"{folder} has no limit")
        self.make_hole((2, size // 2))

    def make_hole(self, shape):
        """Makes the source an array of bytes that takes no room."""
        header = header_file(dict_text("'|u1'", shape))
        self.source.write_bytes(header)
        os.truncate(self.source, len(header) + shape[0] * shape[1])


class InAListedFolder(InAFolder):
    def listing(self):
        return {p.name: p.read_bytes() if p.stat().st_size < 1 << 20 else None
                for p in self.folder.iterdir() if p.is_file()}


def header_file(text, version=1, data=b""):
    """A .npy file of one version around a header text."""
    text = text.encode("utf-8" if version == 3 else "latin-1")
    length = len(text).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes([version, 0]) + length + text + data


def dict_text(descr, shape):
    return f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n"


def main():
    """The tests of the script, with a cache of their own."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XPOSE_CACHE"] = os.path.join(folder, "trials.sqlite")
        doctor = json.loads(subprocess.check_output([XPOSE, "doctor", "--json", "-"]))
        if not any(device["device"].startswith(DEVICE) for device in doctor["devices"]):
            print(f"SKIPPED: this machine has no {DEVICE} device")
            sys.exit(77)
        unittest.main()

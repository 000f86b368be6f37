"""`xpose run` with io_uring, and where the kernel denies it: run_ring_test.py PATH_TO_XPOSE [unittest arguments].

A filter of the kernel (seccomp) stands for that of a container, and for kernels that have no rings.
"""

import ctypes
import errno
import itertools
import os
import resource
import signal
import struct

from npy_command import InAFolder, main

import numpy as np

SETUP, ENTER = 425, 426  # the calls io_uring_setup and io_uring_enter, on every processor
KILL = 0x80000000
ALLOW = 0x7FFF0000
LIBC = ctypes.CDLL(None, use_errno=True)


def failing(error):
    return 0x00050000 | error


def denied(call, answer):
    """Gives this process and its children a filter that answers a call so."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    load_number, return_of, if_equal = 0x20, 0x06, 0x15
    rules = ((load_number, 0, 0, 0), (if_equal, 0, 1, call), (return_of, 0, 0, answer), (return_of, 0, 0, ALLOW))
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *rule) for rule in rules))
    program = struct.pack("@HP", len(rules), ctypes.addressof(code))
    no_new_privileges, set_filter, by_program = 38, 22, 2
    if LIBC.prctl(no_new_privileges, 1, 0, 0, 0) or LIBC.prctl(set_filter, by_program, program, 0, 0):
        os._exit(99)


class Rings(InAFolder):
    def setUp(self):
        super().setUp()
        self.array = np.arange(1501 * 2003, dtype="<u4").reshape(1501, 2003)
        np.save(self.source, self.array)

    def run_with(self, *options, filter=None, is_cached=False):
        if is_cached:
            self.source.read_bytes()
        else:
            with open(self.source, "rb") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        self.target.unlink(missing_ok=True)
        return self.run_xpose("-v", *options, preexec_fn=filter and (lambda: denied(*filter)))

    def check_how(self, how, *options, **where):
        """That it is right, and says so of both sides."""
        done = self.run_with(*options, **where)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(np.array_equal(np.load(self.target), self.array.T))
        self.assertIn(f"xpose: reading past the page cache, {how}\n", done.stderr)
        self.assertIn(f"xpose: writing past the page cache, {how}\n", done.stderr)

    def need(self, text):
        said = self.run_with("--memory", "4M").stderr
        if text not in said:
            self.skipTest(f"SKIPPED: no '{text}' here: {said}")

    def test_a_ring_that_is_denied(self):
        self.need("reading past the page cache")
        self.need("writing past")
        self.need("io_uring")
        is_built_in = "Package not installed" not in self.run_with("--memory", "4M").stderr
        for error, passes in itertools.product((errno.EPERM, errno.ENOSYS, errno.ENOMEM), "12"):
            with self.subTest(error=error, passes=passes):
                words = os.strerror(error if is_built_in else errno.ENOPKG)
                self.check_how(f"in several threads (io_uring: {words})", "--memory", "4M", "--passes", passes,
                               filter=(SETUP, failing(error)))

    def test_a_ring_that_takes_nothing(self):
        self.need("reading past the page cache, by io_uring")
        for error, passes in itertools.product((errno.EPERM, errno.EAGAIN), "12"):
            with self.subTest(error=error, passes=passes):
                self.check_how("by io_uring", "--memory", "4M", "--passes", passes, filter=(ENTER, failing(error)))

    def test_a_ring_is_used_by_reads_and_by_writes(self):
        """Each alone: a process that hands anything to a ring ends there."""
        self.need("reading past the page cache, by io_uring")
        self.check_how("by io_uring", "--memory", "4M")
        for side, options, is_cached in (("reading past", (), False), ("writing past", ("--memory", "4M"), True)):
            with self.subTest(side=side):
                done = self.run_with(*options, is_cached=is_cached, filter=(ENTER, KILL))
                self.assertEqual(done.stderr.count("past the page cache, by io_uring"), 1, done.stderr)
                self.assertIn(side, done.stderr)
                self.assertEqual(done.returncode, -signal.SIGSYS)
                self.assertFalse(self.target.exists())


if __name__ == "__main__":
    main()

"""`xpose run` in trouble: run_faults_test.py PATH_TO_XPOSE PATH_TO_IO_FAULTS [unittest arguments].

Disks that fail, memory that is short, and signals at every stage: each ends in a sentence and an exit
status, with the target as it was and nothing beside it.
"""

import contextlib
import errno
import fcntl
import itertools
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

try:
    import numpy as np
except ImportError:
    print("SKIPPED: this Python has no NumPy; install python3-numpy")
    sys.exit(77)

XPOSE = None
FAULTS = None  # the library that makes calls fail
OLD = b"what was there"


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


class InAFolder(unittest.TestCase):
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
            environment |= {"LD_PRELOAD": FAULTS, "XPOSE_FAULT": fault, "XPOSE_FAULT_FOLDER": str(self.folder)}
        process = subprocess.Popen(
            [XPOSE, "run", str(source or self.source), str(target or self.target), "--device", "host", *options],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment, **how)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def check_target_is_as_it_was(self):
        self.assertEqual(self.target.read_bytes(), OLD)
        self.assertEqual([p.name for p in self.folder.iterdir() if p.name.startswith(".xpose-")], [])


class Disks(InAFolder):
    """A call of the system fails, the first of its kind or a later one."""

    def check_error(self, passes, fault, name, words):
        with self.subTest(fault=fault, passes=passes):
            process = self.started("--memory", "1M", "--passes", passes, fault=fault)
            said = process.stderr.read().decode()
            self.assertEqual(process.wait(), 1, said)
            self.assertEqual(said, f"xpose: {name}: {words}\n")
            self.check_target_is_as_it_was()

    def test_errors(self):
        hole(self.source, 2000, 1000)
        damaged = "Input/output error; the kernel's log (dmesg) has the details"
        full = "No space left on device; make room there, or write elsewhere"
        for fault, name, words in (
                ("pread 1 EIO", "a.npy", f"cannot be read: {damaged}"),
                ("pread 5 EIO", "a.npy", f"cannot be read: {damaged}"),
                ("pwrite 1 EIO", "b.npy", f"cannot be written: {damaged}"),
                ("pwrite 3 EIO", "b.npy", f"cannot be written: {damaged}"),
                ("pwrite 3 ENOSPC", "b.npy", f"cannot be written: {full}"),
                ("sync 1 EIO", "b.npy", f"cannot be written to the disk: {damaged}"),
                ("fsync 1 EIO", "b.npy", f"cannot be written to the disk: {damaged}"),
                ("fsync 1 ENOSPC", "b.npy", f"cannot be written to the disk: {full}")):
            self.check_error("1", fault, self.folder / name, words)

    def test_errors_of_two_passes(self):
        """8 MB in 45 bands and as many ranges, whose first call each is of the header."""
        hole(self.source, 2000, 1000)
        damaged = "Input/output error; the kernel's log (dmesg) has the details"
        full = "No space left on device; make room there, or write elsewhere"
        scratch = f"the scratch file in {self.folder}"
        no_room = "cannot reserve its 8000000 bytes (--scratch names another folder, --passes 1 needs none)"
        for fault, name, words in (
                ("pread 5 EIO", self.source, f"cannot be read: {damaged}"),
                ("direct 5 EIO", self.source, f"cannot be read: {damaged}"),
                ("pread 200 EIO", scratch, f"cannot be read: {damaged}"),
                ("pwrite 2 EIO", scratch, f"cannot be written: {damaged}"),
                ("pwrite 20 ENOSPC", scratch, f"cannot be written: {full}"),
                ("sync 1 EIO", scratch, f"cannot be written to the disk: {damaged}"),
                ("pwrite 60 EIO", self.target, f"cannot be written: {damaged}"),
                ("fsync 1 EIO", self.target, f"cannot be written to the disk: {damaged}"),
                ("fallocate 1 ENOSPC", self.target, f"cannot reserve its 8000128 bytes: {full}"),
                ("fallocate 2 ENOSPC", scratch, f"{no_room}: {full}")):
            self.check_error("2", fault, name, words)

    def test_one_pass_takes_the_place_of_two_where_a_scratch_file_has_no_room(self):
        array = np.arange(3000 * 3001, dtype="<u4").reshape(3000, 3001)
        np.save(self.source, array)
        process = self.started("--memory", "1M", fault="fallocate 2 ENOSPC")
        self.assertRegex(process.stderr.read().decode(),
                         r"\Axpose: warning: the scratch file in .*; one pass with short runs takes its place\n\Z")
        self.assertEqual(process.wait(), 0)
        self.assertTrue(np.array_equal(np.load(self.target), array.T))

    def test_calls_that_move_less_than_asked_and_room_that_is_not_reserved(self):
        array = np.arange(700 * 901, dtype="<u4").reshape(700, 901)
        np.save(self.source, array)
        for fault, passes in itertools.product(
                ("pread 1 short", "pread 5 short", "pwrite 1 short", "pwrite 3 short", "fallocate 1 EOPNOTSUPP"), "12"):
            with self.subTest(fault=fault, passes=passes):
                process = self.started("--memory", "1M", "--passes", passes, fault=fault)
                self.assertEqual((process.wait(), process.stderr.read()), (0, b""))
                self.assertTrue((self.folder / ".fault").exists())
                (self.folder / ".fault").unlink()
                self.assertTrue(np.array_equal(np.load(self.target), array.T))

    def test_reads_past_the_page_cache_that_are_short_or_refused(self):
        """Refused at once, or later; at any sector, or at small ones alone. Rows begin anywhere in a sector."""
        array = np.arange(1501 * 2003, dtype="<u4").reshape(1501, 2003)
        np.save(self.source, array)
        said = "xpose: reading past the page cache, in several threads\n"
        for fault, is_direct in (("direct 1 EINVAL", False), ("direct 2 EINVAL", True), ("direct 9 EINVAL", True),
                                 ("direct 4 short", True), ("direct 1000000 EIO", True)):
            for options in (("--passes", "2", "--memory", "1M"), ("--passes", "1", "--memory", "64M")):
                with self.subTest(fault=fault, options=options):
                    process = self.started("-v", *options, fault=fault)
                    words = process.stderr.read().decode()
                    self.assertEqual(process.wait(), 0, words)
                    self.assertEqual(said in words, is_direct, words)
                    self.assertTrue(np.array_equal(np.load(self.target), array.T))

    def test_a_full_disk_that_reserves_nothing_is_known_before_work_begins(self):
        room = os.statvfs(self.folder)
        rows = (room.f_bavail * room.f_frsize >> 12) + (1 << 18)  # a gigabyte more, of a hole
        hole(self.source, rows, 1024)
        process = self.started(fault="fallocate 1 EOPNOTSUPP")
        said = process.stderr.read().decode()
        self.assertEqual(process.wait(), 1, said)
        self.assertEqual(said, f"xpose: {self.target}: cannot reserve its {4096 * rows + 128} bytes: "
                               "No space left on device; make room there, or write elsewhere\n")
        self.check_target_is_as_it_was()

    def test_a_disk_that_reserves_nothing_and_has_room_for_one_file_alone(self):
        """As far as it goes: two files of three quarters of the room."""
        room = os.statvfs(self.folder)
        rows = (room.f_bavail * room.f_frsize >> 14) * 3
        hole(self.source, rows, 1024)
        process = self.started("--passes", "2", fault="fallocate 1 EOPNOTSUPP")
        said = process.stderr.read().decode()
        self.assertEqual(process.wait(), 1, said)
        self.assertEqual(said, f"xpose: the scratch file in {self.folder}: cannot reserve its {4096 * rows} bytes "
                               "(--scratch names another folder, --passes 1 needs none): "
                               "No space left on device; make room there, or write elsewhere\n")
        self.check_target_is_as_it_was()

    def test_without_a_fault_it_serves(self):
        """Else the errors above would be the library's."""
        hole(self.source, 2000, 1000)
        process = self.started("--memory", "1M", fault="pread 1000000 EIO")
        self.assertEqual((process.wait(), process.stderr.read()), (0, b""))
        self.assertEqual(np.load(self.target, mmap_mode="r").shape, (1000, 2000))


class Signals(InAFolder):
    """At each stage two signals end it, with a word, soon."""

    milliseconds = {}  # by stage

    @classmethod
    def tearDownClass(cls):
        print("milliseconds from a signal to the end: " +
              ", ".join(f"{stage} {time:.0f}" for stage, time in cls.milliseconds.items()), file=sys.stderr)

    def check(self, stage, wait, *options, words="b.npy is unchanged", pipe=False, **how):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(stage=stage, signal=number):
                for one in wait if isinstance(wait, list) else [wait]:
                    process = self.started("-v", *options, stdin=subprocess.PIPE if pipe else subprocess.DEVNULL, **how)
                    said = one(process)
                    process.send_signal(number)
                    begin = time.monotonic()
                    said += process.stderr.read().decode()
                    if process.wait() != 0:
                        break
                    self.target.write_bytes(OLD)  # it was faster than the signal
                self.assertEqual(process.wait(), 128 + number, said)
                taken = 1000 * (time.monotonic() - begin)
                if pipe:
                    process.stdin.close()
                self.milliseconds[stage] = max(taken, self.milliseconds.get(stage, 0))
                self.assertRegex(said, rf"\nxpose: interrupted: [^\n]*{words}\n\Z")
                self.assertLess(taken, 5000)  # half a second on a quiet machine
                self.check_target_is_as_it_was()
                (self.folder / ".fault").unlink(missing_ok=True)

    def said(self, words, seconds=0.0):
        """Waits for a line with these words, and so much longer."""
        def wait(process):
            text = ""
            for line in iter(process.stderr.readline, b""):
                text += line.decode()
                if words in text:
                    time.sleep(seconds)
                    return text
            self.fail(text)
        return wait

    def stalled(self, process):
        """Waits for a call that does not return."""
        end = time.monotonic() + 60
        while not (self.folder / ".fault").exists():
            self.assertIsNone(process.poll())
            self.assertLess(time.monotonic(), end)
            time.sleep(0.002)
        return ""

    def test_reading(self):
        hole(self.source, 2000, 1000)
        self.check("reading", self.stalled, fault="pread 5 stall")

    def test_writing(self):
        hole(self.source, 2000, 1000)
        self.check("writing", self.stalled, fault="pwrite 2 stall")

    def test_waiting_for_the_disk(self):
        hole(self.source, 2000, 1000)
        self.check("waiting for the disk", self.stalled, fault="sync 1 stall")
        self.check("the disk's last", self.stalled, fault="fsync 1 stall")

    def test_transposing(self):
        hole(self.source, 16384, 8192)
        self.check("transposing", self.said("transposing", 0.3), "--strategy", "host_naive_row", "--memory", "4G")

    def test_while_an_output_of_half_a_gigabyte_is_written(self):
        hole(self.source, 16384, 8192)
        delays = (0.5, 0.25, 0.1, 0.05, 0.02, 0)  # shorter ones for disks that are faster
        self.check("writing 0.5 GB", [self.said("xpose: writing\n", delay) for delay in delays])
        end = time.monotonic() + 60  # what stays behind to release it goes as well
        while self.is_held():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)

    def is_held(self):
        """Whether any process has a file of the folder open."""
        for fd in pathlib.Path("/proc").glob("[0-9]*/fd/*"):
            with contextlib.suppress(OSError):  # gone, or another user's
                if os.readlink(fd).startswith(str(self.folder)):
                    return True
        return False

    def test_waiting_for_the_device(self):
        hole(self.source, 2000, 1000)
        lock = pathlib.Path(os.environ["XPOSE_LOCK_FOLDER"]) / "xpose-host.lock"
        with open(os.open(lock, os.O_RDWR | (0 if lock.exists() else os.O_CREAT), 0o666), "r+b") as file:
            set_lock = 37  # F_OFD_SETLK; of one of the tickets, unless another process has it
            with contextlib.suppress(OSError):
                fcntl.fcntl(file, set_lock, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 1, 1, 0))
            self.check("waiting for the device", self.said("waiting for it"), "--tune", "--budget", "60")

    def test_pipes_that_give_nothing(self):
        hole(self.source, 2000, 1000)
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        self.check("standard input", self.said("reading -", 0.1), source="-", pipe=True)
        self.check("a pipe without a writer", self.said("reading", 0.1), source=pipe)
        self.check("a pipe without a reader", self.said("reading", 0.2), target=pipe, words="pipe is incomplete")


def group_of(limit):
    """A control group of so many bytes, of version 1 or 2. Throws OSError where none can be made."""
    for root, file in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
        group = pathlib.Path(root) / f"xpose-test-{os.getpid()}"
        if not os.path.isdir(root):
            continue
        group.mkdir()
        if (group / file).exists():
            try:
                (group / file).write_text(str(limit))
                return group
            except OSError:
                group.rmdir()
                raise
        group.rmdir()
    raise OSError(errno.ENOTSUP, "no memory controller")


class Memory(InAFolder):
    marks = [(0, 0), (1, 0), (0, 1), (16383, 8191), (8191, 4095), (5, 8190), (16382, 3), (4097, 1023)]

    def check(self, *options, **how):
        hole(self.source, 16384, 8192, self.marks)
        process = self.started(*options, **how)
        self.assertEqual((process.wait(), process.stderr.read()), (0, b""))
        array = np.load(self.target, mmap_mode="r")
        self.assertEqual(array.shape, (8192, 16384))
        self.assertEqual([int(array[col, row]) for row, col in self.marks], list(range(1, len(self.marks) + 1)))

    def test_an_input_larger_than_the_memory_that_is_allowed(self):
        self.check("--memory", "16M")

    def test_an_input_larger_than_the_memory_of_its_control_group(self):
        try:
            group = group_of(96 << 20)
        except OSError as error:
            print(f"SKIPPED: no control group can be made: {error}", file=sys.stderr)
            self.skipTest(f"no control group can be made: {error}")
        try:
            self.check(preexec_fn=lambda: (group / "cgroup.procs").write_text(str(os.getpid())))
        finally:
            for _ in range(100):  # until the worker has left it
                with contextlib.suppress(OSError):
                    group.rmdir()
                    break
                time.sleep(0.05)


if __name__ == "__main__":
    XPOSE = os.path.abspath(sys.argv.pop(1))
    FAULTS = os.path.abspath(sys.argv.pop(1))
    unittest.main()

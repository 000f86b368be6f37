"""`xpose run` under signals and in little memory: run_signals_test.py PATH_TO_XPOSE PATH_TO_IO_FAULTS [unittest arguments].

A signal at any stage ends it with a word and an exit status, with the target as it was and nothing beside it.
"""

import contextlib
import fcntl
import os
import pathlib
import signal
import struct
import subprocess
import sys
import time

from control_group import MEMORY, control_group
from run_in_trouble import OLD, InTrouble, hole, main

import numpy as np


class Signals(InTrouble):
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
                self.assertLess(taken, 60000, "it hung")
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
        delays = (0.5, 0.25, 0.1, 0.05, 0.02, *20 * [0])  # shorter ones for disks that are faster
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


class Memory(InTrouble):
    marks = [(0, 0), (1, 0), (0, 1), (16383, 8191), (8191, 4095), (5, 8190), (16382, 3), (4097, 1023)]

    def check(self, *options, **how):
        if not self.source.exists():
            hole(self.source, 16384, 8192, self.marks)
        process = self.started(*options, **how)
        self.assertEqual((process.wait(), process.stderr.read()), (0, b""))
        array = np.load(self.target, mmap_mode="r")
        self.assertEqual(array.shape, (8192, 16384))
        self.assertEqual([int(array[col, row]) for row, col in self.marks], list(range(1, len(self.marks) + 1)))

    def test_an_input_larger_than_the_memory_that_is_allowed(self):
        self.check("--memory", "16M")

    def test_an_input_larger_than_the_memory_of_its_control_group(self):
        with control_group(self, MEMORY, 96 << 20) as group:
            self.check(**group)

    def test_a_run_that_was_begun_with_more_memory_than_there_is_now(self):
        hole(self.source, 16384, 8192, self.marks)
        begun = self.started("--resume", "--passes", "1")
        while not (self.folder / ".b.npy.xpose-journal").exists():
            self.assertIsNone(begun.poll(), "it ended too early")
        begun.kill()
        begun.wait()
        with control_group(self, MEMORY, 96 << 20) as group:
            process = self.started("--resume", "--passes", "1", **group)
            said = process.stderr.read().decode()
            self.assertEqual(process.wait(), 1, said)
            self.assertRegex(said, r"b\.npy: cannot be resumed: it was begun with tiles that take \d+ bytes of memory, "
                             r"and \d+ are free; free that much, or remove .*journal to begin again\n")
        self.check("--resume", "--passes", "1")


if __name__ == "__main__":
    main()

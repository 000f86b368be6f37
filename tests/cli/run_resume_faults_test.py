"""`xpose run --resume` on disks in trouble: run_resume_faults_test.py PATH_TO_XPOSE PATH_TO_IO_FAULTS [unittest arguments].

Power is lost, and with it all that was not synced; or a call fails. The next run ends with the right output.
"""

import json
import os
import signal
import subprocess
import sys

from npy_command import InAFolder, command, is_cached, main, random_array

import numpy as np

FAULTS = os.path.abspath(sys.argv.pop(1))  # the library that makes calls fail
OLD = b"what was there"
ROWS, COLS = 1000, 7000
DIRTY = 1 << 20  # bytes that are not recorded yet where the memory is 1 MiB: of two records


class Faults(InAFolder):
    memory = "1M"

    def setUp(self):
        super().setUp()
        self.array = random_array("<u4", (ROWS, COLS))
        np.save(self.source, self.array)
        self.target.write_bytes(OLD)

    def resume(self, fault="", *options):
        faults = {"LD_PRELOAD": FAULTS, "XPOSE_FAULT": fault, "XPOSE_FAULT_FOLDER": str(self.folder.resolve())}
        done = subprocess.run(command(self.source, self.target, "--resume", "--memory", self.memory, *options),
                              capture_output=True, text=True, env=dict(os.environ, **(faults if fault else {})))
        (self.folder / ".fault").unlink(missing_ok=True)
        return done

    def journal(self):
        return json.loads((self.folder / ".b.npy.xpose-journal").read_text())

    def check_whole(self, expected, *options):
        done = self.resume("", *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(np.load(self.target).tobytes() == expected.tobytes(), "wrong elements")
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.npy", "b.npy"])

    def lose_power(self, call, *options, function="pwrite"):
        """At that call, which does nothing any more. False where the run ended before it."""
        done = self.resume(f"{function} {call} power", *options)
        if done.returncode == 0:
            return False
        self.assertEqual(done.returncode, -signal.SIGKILL, done.stderr)
        self.assertEqual(self.target.read_bytes(), OLD)
        return True

    def test_a_loss_of_power_costs_what_was_not_synced(self):
        """The first call writes the header, each other a tile."""
        for call in (2, 3, 9, 30, 77):
            with self.subTest(call=call):
                self.target.write_bytes(OLD)
                self.assertTrue(self.lose_power(call))
                journal = self.journal()
                tile = 4 * ROWS * -(-COLS // journal["steps"])
                self.assertLessEqual(journal["finished"], call - 2)
                self.assertLessEqual(call - 2 - journal["finished"], DIRTY // tile + 2)
                self.check_whole(self.array.T)

    def test_losses_of_power_while_it_syncs(self):
        for function in ("fdatasync", "fsync"):
            for call in (1, 2, 3, 6):
                with self.subTest(function=function, call=call):
                    self.target.write_bytes(OLD)
                    self.assertTrue(self.lose_power(call, function=function))
                    self.check_whole(self.array.T)

    def test_losses_of_power_one_after_the_other(self):
        losses = 0
        while self.lose_power(23):
            losses += 1
            self.assertLess(losses, 20)
        self.assertGreater(losses, 3)
        self.check_whole(self.array.T)

    def test_losses_of_power_past_the_page_cache(self):
        self.memory = "4M"
        for passes, calls in (("1", (1, 9, 20, 45)), ("2", (1, 20))):
            for call in calls:
                with self.subTest(passes=passes, call=call):
                    self.target.write_bytes(OLD)
                    self.assertTrue(self.lose_power(call, "--passes", passes, function="direct_write"))
                    self.check_whole(self.array.T, "--passes", passes)

    def test_losses_of_power_where_output_rows_are_cut(self):
        for axes, shape in (((1, 0), (400009, 31)), ((2, 0, 3, 1), (37, 61, 53, 29))):
            self.array = random_array("|u1", shape)
            np.save(self.source, self.array)
            self.target.write_bytes(OLD)
            options = ("--axes", ",".join(map(str, axes)))
            for call in (3, 500, 900, 1500):
                self.lose_power(call, *options)
            self.check_whole(self.array.transpose(axes), *options)

    def test_losses_of_power_in_two_passes(self):
        self.array = random_array("<u4", (1001, 1003))
        np.save(self.source, self.array)
        two = ("--passes", "2")
        losses = 0
        for function, calls in (("pwrite", (2, 9, 30, 45, 60, 71)), ("fdatasync", (1, 2, 3, 4, 9, 12, 15)),
                                ("fsync", (1, 3, 8, 12))):
            for call in calls:
                with self.subTest(function=function, call=call):
                    self.target.write_bytes(OLD)
                    losses += self.lose_power(call, *two, function=function)
                    self.check_whole(self.array.T, *two)
        self.assertGreater(losses, 12)
        losses = 0
        self.target.write_bytes(OLD)
        while self.lose_power(12, *two):
            losses += 1
            self.assertLess(losses, 40)
        self.assertGreater(losses, 3)
        self.check_whole(self.array.T, *two)

    def test_a_scratch_file_that_fails(self):
        damaged = "Input/output error; the kernel's log (dmesg) has the details\n"
        for fault, words in (("pwrite 9 EIO", f"cannot be written: {damaged}"),
                             ("fdatasync 3 EIO", f"cannot be written to the disk: {damaged}")):
            self.target.write_bytes(OLD)
            done = self.resume(fault, "--passes", "2")
            self.assertEqual((done.returncode, done.stderr),
                             (1, f"xpose: the scratch file in {self.folder}: {words}"))
            self.check_whole(self.array.T, "--passes", "2")

    def test_a_large_scratch_file_is_not_in_the_page_cache(self):
        """It fails in the second pass, behind the 112 transfers of the first; two pages of each band are shared."""
        self.memory = "4M"
        self.assertEqual(self.resume("direct_write 140 EIO", "--passes", "2").returncode, 1)
        with open(self.folder / ".b.npy.xpose-scratch", "rb") as scratch:
            pages = range(0, os.fstat(scratch.fileno()).st_size, 4096)
            cached = sum(is_cached(scratch, page) for page in pages)
        self.assertLess(cached, len(pages) / 20)
        self.check_whole(self.array.T, "--passes", "2")

    def test_calls_that_fail(self):
        damaged = "Input/output error; the kernel's log (dmesg) has the details\n"
        full = "No space left on device; make room there, or write elsewhere\n"
        journal = self.folder / ".b.npy.xpose-journal"
        for fault, name, words in (
                ("pread 30 EIO", self.source, f"cannot be read: {damaged}"),
                ("pwrite 30 EIO", self.target, f"cannot be written: {damaged}"),
                ("pwrite 30 ENOSPC", self.target, f"cannot be written: {full}"),
                ("sync 2 EIO", self.target, f"cannot be written to the disk: {damaged}"),
                ("fdatasync 1 EIO", self.target, f"cannot be written to the disk: {damaged}"),
                ("fdatasync 3 EIO", self.target, f"cannot be written to the disk: {damaged}"),
                ("fsync 1 EIO", self.folder, f"cannot be written to the disk: {damaged}"),
                ("fsync 2 ENOSPC", journal, f"cannot be written to the disk: {full}"),
                ("fsync 4 EIO", journal, f"cannot be written to the disk: {damaged}")):
            with self.subTest(fault=fault):
                self.target.write_bytes(OLD)
                done = self.resume(fault)
                self.assertEqual((done.returncode, done.stderr), (1, f"xpose: {name}: {words}"))
                self.assertEqual(self.target.read_bytes(), OLD)
                self.check_whole(self.array.T)

    def test_a_run_that_cannot_begin_leaves_nothing(self):
        for fault in ("fdatasync 1 EIO", "fsync 1 EIO", "fsync 2 ENOSPC"):
            for passes in ("1", "2"):
                with self.subTest(fault=fault, passes=passes):
                    self.assertEqual(self.resume(fault, "--passes", passes).returncode, 1)
                    self.assertEqual(sorted(os.listdir(self.folder)), ["a.npy", "b.npy"])

    def test_a_run_that_cannot_go_on_keeps_what_is_done(self):
        self.assertTrue(self.lose_power(40))
        before = self.journal()
        self.assertGreater(before["finished"], 0)
        for fault in ("fdatasync 1 EIO", "fsync 1 EIO", "fsync 2 ENOSPC"):
            self.assertEqual(self.resume(fault).returncode, 1)
            self.assertEqual(self.journal()["finished"], before["finished"])
        self.check_whole(self.array.T)

    def test_a_sync_that_fails_records_nothing(self):
        self.assertEqual(self.resume("fdatasync 3 EIO").returncode, 1)
        journal = self.journal()
        written = journal["finished"] * 4 * ROWS * -(-COLS // journal["steps"])
        self.assertGreaterEqual(written, DIRTY // 2)
        self.assertLess(written, DIRTY)

    def test_calls_that_move_less_than_asked(self):
        for fault in ("pread 1 short", "pwrite 1 short"):
            done = self.resume(fault)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertTrue(np.load(self.target).tobytes() == self.array.T.tobytes())


if __name__ == "__main__":
    main()

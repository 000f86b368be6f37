"""`xpose run` and disks that fail: run_faults_test.py PATH_TO_XPOSE PATH_TO_IO_FAULTS [unittest arguments].

Each failure ends in a sentence and an exit status, with the target as it was and nothing beside it.
"""

import itertools
import os

from run_in_trouble import InTrouble, hole, main

import numpy as np


class Disks(InTrouble):
    """A call of the system fails, the first of its kind or a later one."""

    def check_error(self, passes, fault, name, words, memory="1M"):
        with self.subTest(fault=fault, passes=passes):
            process = self.started("--memory", memory, "--passes", passes, fault=fault)
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
        said = "xpose: reading past the page cache, in several threads"
        for fault, is_direct in (("direct 1 EINVAL", False), ("direct 2 EINVAL", True), ("direct 9 EINVAL", True),
                                 ("direct 4 short", True), ("direct 1000000 EIO", True)):
            for options in (("--passes", "2", "--memory", "1M"), ("--passes", "1", "--memory", "64M")):
                with self.subTest(fault=fault, options=options):
                    process = self.started("-v", *options, fault=fault)
                    words = process.stderr.read().decode()
                    self.assertEqual(process.wait(), 0, words)
                    self.assertEqual(said in words, is_direct, words)
                    self.assertTrue(np.array_equal(np.load(self.target), array.T))

    def test_writes_past_the_page_cache_that_are_short_or_refused(self):
        """Refused at once, or later. Output rows begin anywhere in a sector."""
        array = np.arange(1501 * 2003, dtype="<u4").reshape(1501, 2003)
        np.save(self.source, array)
        for fault, passes in itertools.product(
                ("direct_write 1 EINVAL", "direct_write 9 EINVAL", "direct_write 9 EOPNOTSUPP", "direct_write 1 short"), "12"):
            with self.subTest(fault=fault, passes=passes):
                process = self.started("-v", "--memory", "4M", "--passes", passes, fault=fault)
                words = process.stderr.read().decode()
                self.assertEqual(process.wait(), 0, words)
                self.assertIn("xpose: writing past the page cache, in several threads", words)
                self.assertTrue((self.folder / ".fault").exists())
                (self.folder / ".fault").unlink()
                self.assertTrue(np.array_equal(np.load(self.target), array.T))

    def test_writes_past_the_page_cache_that_fail(self):
        hole(self.source, 2000, 1000)
        for error, words in (("EIO", "Input/output error; the kernel's log (dmesg) has the details"),
                             ("ENOSPC", "No space left on device; make room there, or write elsewhere")):
            for passes, name in (("1", self.target), ("2", f"the scratch file in {self.folder}")):
                self.check_error(passes, f"direct_write 5 {error}", name, f"cannot be written: {words}", memory="4M")

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


if __name__ == "__main__":
    main()

"""`xpose run` in two passes through a scratch file: run_passes_test.py PATH_TO_XPOSE [unittest arguments]."""

import io
import os
import signal
import subprocess
import unittest

from npy_command import DEVICE, IS_SANITIZED, WAITING, InAListedFolder, command, main, random_array

import numpy as np

TWO = ("--memory", "1M", "--passes", "2")


class TwoPasses(InAListedFolder):
    def check(self, array, expected, *options):
        np.save(self.source, array)
        self.target.unlink(missing_ok=True)
        done = self.run_xpose("-v", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(" in two passes, ", done.stderr)
        back = np.load(self.target)
        self.assertEqual((back.shape, back.dtype), (expected.shape, expected.dtype))
        self.assertTrue(back.tobytes() == expected.tobytes(), "wrong elements")
        self.assertEqual(sorted(self.listing()), ["a.npy", "b.npy"])

    def test_matrices(self):
        for dtype, shape in (("<f8", (701, 903)), ("|u1", (1999, 2003)), ("<f4", (512, 2048)), ("<i2", (3, 400003)),
                             ("|u1", (700001, 3)), ("|V3", (701, 503)), ("|V24", (211, 307)), ("|V48", (211, 307)),
                             ("|V256", (97, 113)), ("<c16", (300, 500)), ("<f4", (7, 11))):
            with self.subTest(dtype=dtype, shape=shape):
                array = random_array(dtype, shape)
                self.check(array, array.T, *TWO)

    def test_permutations(self):
        for dtype, shape, axes in (("<f4", (101, 103, 107), (2, 1, 0)), ("<f8", (61, 62, 63), (1, 2, 0)),
                                   ("<i2", (7, 501, 503), (0, 2, 1)), ("<i2", (37, 61, 53, 29), (2, 0, 3, 1)),
                                   ("|u1", (21, 23, 25, 9, 11), (4, 1, 3, 0, 2)), ("|V3", (90, 91, 92), (1, 0, 2)),
                                   ("<f4", (3, 2, 5, 4, 3, 2, 5, 7, 9, 11), (9, 3, 5, 0, 7, 1, 8, 2, 6, 4))):
            with self.subTest(dtype=dtype, shape=shape, axes=axes):
                array = random_array(dtype, shape)
                self.check(array, array.transpose(axes), *TWO, "--axes", ",".join(map(str, axes)))

    def test_fortran_order_and_raw_files(self):
        array = np.asfortranarray(random_array("<f4", (201, 203, 27)))
        self.check(array, array.transpose(1, 0, 2), *TWO, "--axes", "1,0,2")
        matrix = random_array("<u4", (1000, 2000))
        self.source.write_bytes(matrix.tobytes())
        self.assertEqual(self.run_xpose(*TWO, "--raw", "--shape", "1000x2000", "--dtype", "<u4").returncode, 0)
        self.assertTrue(self.target.read_bytes() == matrix.T.tobytes())

    def test_short_runs_have_two_passes_by_themselves(self):
        """16 MB in 1 MiB."""
        for dtype, shape in (("<f4", (2101, 2003)), ("|u1", (4003, 4001)))[IS_SANITIZED:]:
            array = random_array(dtype, shape)
            self.check(array, array.T, "--memory", "1M")

    def test_long_runs_have_one(self):
        for shape in ((2000, 3000), (400003, 7)):
            np.save(self.source, random_array("<f4", shape))
            self.assertNotIn("two passes", self.run_xpose("-v").stderr)
        np.save(self.source, random_array("<f4", (3000, 3000)))
        self.assertNotIn("two passes", self.run_xpose("-v", "--memory", "1M", "--passes", "1").stderr)

    def test_a_copy_has_one(self):
        array = random_array("<f4", (1, 300007))
        np.save(self.source, array)
        done = self.run_xpose("-v", *TWO)
        self.assertNotIn("two passes", done.stderr)
        self.assertEqual(np.load(self.target).tobytes(), array.tobytes())

    def test_the_same_file(self):
        array = random_array("<f4", (1201, 1203))
        np.save(self.source, array)
        self.assertEqual(self.run_xpose(*TWO, target=self.source).returncode, 0)
        self.assertEqual(np.load(self.source).tobytes(), array.T.tobytes())

    def test_streams(self):
        """The output comes in its order, and the scratch file lies in $TMPDIR."""
        array = random_array("<f4", (1201, 1203))
        np.save(self.source, array)
        done = subprocess.run(command("-", "-", *TWO), input=self.source.read_bytes(), capture_output=True,
                              env=dict(os.environ, TMPDIR=str(self.folder)))
        self.assertEqual((done.returncode, WAITING.sub("", done.stderr.decode())), (0, ""))
        self.assertEqual(np.load(io.BytesIO(done.stdout)).tobytes(), array.T.tobytes())
        self.assertEqual(sorted(self.listing()), ["a.npy"])

    def test_bytes_are_written_twice_and_memory_is_bounded(self):
        """60 MB: a page that goes to the disk once more, of each of 40 bands and 40 ranges, is 0.5 %."""
        np.save(self.source, random_array("<f4", (3801, 4003)))
        size = self.source.stat().st_size
        peak, written = self.measured("--memory", "8M", "--passes", "2")
        self.assertGreater(written, 1.98 * size)  # else this machine counts nothing
        self.assertLess(written, 2.02 * size)
        if DEVICE == "host" and not IS_SANITIZED:
            self.assertLess(peak, 240 << 20)  # this process's own may be in it


class Scratch(InAListedFolder):
    def setUp(self):
        super().setUp()
        self.target.write_bytes(b"what was there")
        self.other = self.folder / "other"
        self.other.mkdir()

    def refused(self, words, *options, returncode=1):
        done = self.run_xpose("--memory", "1M", *options)
        self.assertEqual((done.returncode, done.stdout), (returncode, ""))
        self.assertIn(words, done.stderr)
        self.assertEqual(self.target.read_bytes(), b"what was there")

    def test_another_folder(self):
        array = random_array("<f4", (1201, 1203))
        np.save(self.source, array)
        done = self.run_xpose("-v", *TWO, "--scratch", str(self.other))
        self.assertIn(f", through the scratch file in {self.other}\n", done.stderr)
        self.assertEqual(np.load(self.target).tobytes(), array.T.tobytes())
        self.assertEqual(list(self.other.iterdir()), [])

    def test_refusals(self):
        np.save(self.source, random_array("<f4", (1201, 1203)))
        self.refused("--passes is 1, 2 or auto, not '3'", "--passes", "3", returncode=2)
        self.refused(f"{self.folder}/none is not a folder: --scratch names one", "--passes", "2",
                     "--scratch", f"{self.folder}/none")

    @unittest.skipUnless(os.geteuid() == 0, "only root can be another user")
    def test_a_folder_that_may_not_be_written(self):
        np.save(self.source, random_array("<f4", (1201, 1203)))
        for path in (self.folder, self.source):
            os.chmod(path, 0o755)
            os.chown(path, 65534, 65534)
        os.chmod(self.other, 0o755)
        try:
            done = self.run_xpose(*TWO, "--scratch", str(self.other), "--no-cache", user=65534, group=65534)
        except PermissionError:
            self.skipTest("the command lies where no other user may call it")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, f"xpose: the scratch file in {self.other}: cannot be made (--scratch names another folder, "
                                      "--passes 1 needs none): Permission denied\n")

    def is_ended(self, stage, ending):
        """Whether the signal came before the end."""
        self.target.write_bytes(b"what was there")
        process = subprocess.Popen(command(self.source, self.target, *TWO, "-v"), stderr=subprocess.PIPE, text=True)
        for line in process.stderr:
            if line == f"xpose: {stage}\n":
                break
        process.send_signal(ending)
        process.communicate()
        return process.returncode != 0

    def test_nothing_stays_when_it_is_ended_in_either_pass(self):
        np.save(self.source, random_array("<f4", (3001, 4003)))
        for ending in (signal.SIGTERM, signal.SIGKILL):
            for stage in ("writing the scratch file", "writing"):
                self.assertTrue(any(self.is_ended(stage, ending) for _ in range(20)))
                self.assertEqual(sorted(self.listing()), ["a.npy", "b.npy"])
                self.assertEqual(self.target.read_bytes(), b"what was there")


if __name__ == "__main__":
    main()

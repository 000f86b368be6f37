"""What a run leaves, and what it says of that: run_leftovers_test.py PATH_TO_XPOSE [unittest arguments]."""

import os
import pathlib
import signal
import subprocess
import tempfile

from npy_command import IS_SANITIZED, InAFolder, command, main, random_array
from resumed_run import Resumed

import numpy as np

TWO = ("--passes", "2")


class Scratch(Resumed):
    """The scratch file of a run that can be resumed belongs to one output."""

    def test_outputs_of_one_name_have_a_scratch_file_each(self):
        with tempfile.TemporaryDirectory() as scratch, tempfile.TemporaryDirectory() as elsewhere:
            options = (*TWO, "--scratch", scratch)
            array, _ = self.half(*options)
            kept = os.listdir(scratch)
            done = self.resume(*options, target=pathlib.Path(elsewhere) / "b.npy")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            small = pathlib.Path(elsewhere) / "small.npy"
            np.save(small, np.zeros((2, 3)))
            done = self.resume("--scratch", scratch, source=small, target=pathlib.Path(elsewhere) / "b.npy")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(os.listdir(scratch), kept)
            finished = self.recorded()["finished"]
            done = self.resume("-v", *options)
            self.assertIn(f"\nxpose: going on behind step {finished}\n", done.stderr)
            self.check_output(array.T)
            self.assertEqual(os.listdir(scratch), [])

    def test_one_folder_has_many_names(self):
        with tempfile.TemporaryDirectory() as folder:
            scratch = pathlib.Path(folder) / "scratch"
            scratch.mkdir()
            (pathlib.Path(folder) / "link").symlink_to(scratch)
            array, _ = self.half(*TWO, "--scratch", str(scratch))
            done = self.resume("-v", *TWO, "--scratch", "link/", cwd=folder)
            self.assertIn("\nxpose: going on behind step ", done.stderr)
            self.check_output(array.T)

    def test_one_name_is_many_folders(self):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
            for folder in (one, other):
                (pathlib.Path(folder) / "scratch").mkdir()
            array, _ = self.half(*TWO, "--scratch", str(pathlib.Path(one) / "scratch"))
            kept = next((pathlib.Path(one) / "scratch").iterdir())
            done = self.resume(*TWO, "--scratch", "scratch", cwd=other)
            self.assertEqual((done.returncode, done.stderr),
                             (1, f"xpose: {self.target}: cannot be resumed: it was begun with another scratch folder; repeat "
                                 f"that command, or remove {self.journal} and {kept} to begin again\n"))
            done = self.resume(*TWO, "--scratch", "scratch", cwd=one)
            self.assertEqual(done.returncode, 0)
            self.check_output(array.T)

    def test_is_named_with_what_else_is_left(self):
        with tempfile.TemporaryDirectory() as scratch:
            array, _ = self.half(*TWO, "--scratch", scratch)
            kept = next(pathlib.Path(scratch).iterdir())
            done = self.run_xpose()
            self.assertEqual(done.returncode, 0)
            self.assertTrue(done.stderr.endswith(f" or remove it and {self.journal} and {kept}\n"), done.stderr)
            self.assertTrue(np.array_equal(np.load(self.target), array.T))

    def test_a_folder_that_is_none(self):
        np.save(self.source, random_array("<u4", (20, 30)))
        for name, words in (("", "the name of the scratch folder is empty"), ("/nonexistent", "is not a folder")):
            done = self.run_xpose("--scratch", name)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(words, done.stderr)


class Nothing(Resumed):
    """A run that has done nothing leaves nothing, so that another command may follow."""

    def test_of_a_strategy_that_is_none(self):
        array = random_array("<u4", (1000, 2000))
        np.save(self.source, array)
        for options in ((), TWO):
            done = self.resume("--strategy", "none", *options)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertEqual(self.names(), ["a.npy", "b.npy"])
        self.check_whole(array, "--axes", "0,1")

    def test_behind_what_another_has_done(self):
        array, _ = self.half()
        self.assertEqual(self.resume("--strategy", "none").returncode, 4)
        self.assertIn("\nxpose: going on behind tile ", self.resume("-v").stderr)
        self.check_output(array.T)


class Rest(InAFolder):
    """Bytes behind the array of a .npy, such as of a second one."""

    def setUp(self):
        super().setUp()
        self.array = random_array("<u4", (20, 30))
        with open(self.source, "wb") as file:
            np.save(file, self.array)
            np.save(file, self.array)
        self.words = f"{self.source} has {128 + self.array.nbytes} bytes behind its array, which "

    def test_is_left_out_with_a_warning(self):
        done = self.run_xpose()
        self.assertEqual((done.returncode, done.stderr), (0, f"xpose: warning: {self.words}the output does not have\n"))
        self.assertTrue(np.array_equal(np.load(self.target), self.array.T))

    def test_is_not_lost(self):
        before = self.source.read_bytes()
        done = self.run_xpose(target=self.source)
        self.assertEqual((done.returncode, done.stderr),
                         (1, f"xpose: {self.words}would be lost: give another file as the output\n"))
        self.assertEqual(self.source.read_bytes(), before)


class LastWords(InAFolder):
    def test_of_an_output_that_is_in_place(self):
        np.save(self.source, random_array("<u4", (500 if IS_SANITIZED else 4000, 2000)))
        for options in ((), TWO, ("--resume",)):
            for _ in range(8):
                self.target.write_bytes(b"old")
                before = self.target.stat().st_ino
                process = subprocess.Popen(command(self.source, self.target, *options), stderr=subprocess.PIPE, text=True)
                while process.poll() is None and self.target.stat().st_ino == before:
                    pass
                process.send_signal(signal.SIGINT)
                said = process.communicate()[1]
                if process.returncode != 130:  # behind all of its work
                    self.assertEqual((process.returncode in (0, -signal.SIGINT), said), (True, ""))
                else:
                    self.assertEqual(said, f"xpose: interrupted: {self.target} is complete\n")


if __name__ == "__main__":
    main()

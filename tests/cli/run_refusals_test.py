"""`xpose run` that is refused or interrupted: run_refusals_test.py PATH_TO_XPOSE [unittest arguments].

An exit code and one sentence say why, and the folder stays as it was.
"""

import io
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import time

from npy_command import IS_SANITIZED, WAITING, XPOSE, InAListedFolder, command, dict_text, header_file, main

import numpy as np


class Refuses(InAListedFolder):
    def refused(self, sentence, *options, **how):
        before = self.listing()
        done = self.run_xpose(*options, **how)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\Axpose: [^\n]+\n\Z")
        self.assertIn(sentence, done.stderr)
        self.assertEqual(self.listing(), before)

    def test_arrays_that_are_not_served(self):
        for array, sentence in (
                (np.array([[None, "x"]]), "holds Python objects"),
                (np.zeros((2, 2), [("a", "<f4"), ("b", "O")]), "holds Python objects")):
            with self.subTest(sentence=sentence):
                np.save(self.source, array)
                self.refused(sentence)

    def test_malformed_files(self):
        whole = io.BytesIO()
        np.save(whole, np.zeros((4, 5), "f4"))
        whole = whole.getvalue()
        for content, sentence in (
                (b"", "not a .npy file"),
                (b"PK\x03\x04" + whole, "not a .npy file"),
                (whole[:-1], "asks for 208 bytes and it has 207"),
                (whole[:100], "the header is truncated"),
                (whole[:6] + b"\x09" + whole[7:], "version 9.0 is unknown"),
                (b"\x93NUMPY\x02\x00\xff\xff\xff\xff{", "the header claims 4294967295 bytes"),
                (header_file(dict_text("'<f4'", (1 << 32, 1 << 32))), "the shape overflows"),
                (header_file(dict_text("'<f4'", (-1, 3))), "a negative dimension"),
                (header_file("__import__('os')"), "the header is malformed")):
            with self.subTest(sentence=sentence):
                self.source.write_bytes(content)
                self.refused(sentence)

    def test_patterns_with_more_dimensions_than_a_file_has(self):
        np.save(self.source, np.zeros((4, 5), "f4"))
        for units in (63, 98):
            with self.subTest(dimensions=units + 2):
                self.refused(f"the output would have {units + 2} dimensions: a .npy file has at most 64; give fewer axes",
                             "--pattern", "a b -> b a" + " 1" * units)

    def test_paths(self):
        self.refused("a.npy: cannot be read: No such file")
        np.save(self.source, np.zeros((4, 5), "f4"))
        self.refused("b.npy: cannot be written: No such file",
                     target=self.folder / "missing" / "b.npy")
        self.refused("is a folder", target=self.folder)
        self.refused("is a folder", source=self.folder)
        self.refused("is not a regular file", target="/dev/null")
        self.refused("is not a regular file", source="/dev/null")
        self.assertTrue(pathlib.Path("/dev/null").is_char_device())

    def test_names_that_resume_cannot_keep(self):
        for name in (".b.npy.xpose-part", ".b.npy.xpose-scratch"):
            source = self.folder / name
            with open(source, "wb") as file:
                np.save(file, np.zeros((4, 5), "f4"))
            self.refused(f"{name} has the name of a file that --resume keeps for {self.target}: rename it, or write elsewhere",
                         "--resume", source=source)
        np.save(self.source, np.zeros((4, 5), "f4"))
        self.refused("the name is too long for the files that --resume keeps beside it: shorten it, or leave --resume out",
                     "--resume", target=self.folder / ("n" * 241))
        done = self.run_xpose("--resume", target=self.folder / ("n" * 240))
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_target_that_cannot_be_replaced(self):
        np.save(self.source, np.zeros((4, 5), "f4"))
        self.target.write_bytes(b"precious")
        immutable = subprocess.run(["chattr", "+i", self.target], capture_output=True, text=True)
        if immutable.returncode != 0:
            self.skipTest("no file can be made immutable here: " + immutable.stderr)
        try:
            self.refused("b.npy cannot be replaced: it may not be changed, or only grow (lsattr): write elsewhere")
        finally:
            subprocess.run(["chattr", "-i", self.target], check=True)

    def test_a_standard_output_that_is_the_input(self):
        np.save(self.source, np.arange(12, dtype="u4").reshape(3, 4))
        before = self.source.read_bytes()
        for target in ("-", "/dev/stdout"):
            with self.subTest(target=target), open(self.source, "r+b") as same:
                done = subprocess.run(command(self.source, target), stdout=same, stderr=subprocess.PIPE, text=True)
                self.assertEqual(done.returncode, 1)
                self.assertIn("a.npy is the output as well", done.stderr)
                self.assertEqual(self.source.read_bytes(), before)

    def test_options_that_name_the_arrays_of_the_run(self):
        np.save(self.source, np.zeros((4, 5), "f4"))
        np.save(self.target, np.zeros((4, 5), "f4"))
        before = self.listing()
        for option, path, words in (
                ("--json", self.source, "--json and the input are both "),
                ("--json", self.target, "--json and the output are both "),
                ("--cache", self.source, "--cache and the input are both "),
                ("--cache", self.folder / "." / "b.npy", "--cache and the output are both ")):
            with self.subTest(words=words):
                done = self.run_xpose("--plan-only", option, str(path))
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(words + str(path), done.stderr)
                self.assertEqual(self.listing(), before)

    def test_a_cache_that_is_another_file(self):
        np.save(self.source, np.zeros((4, 5), "f4"))
        other = self.folder / "notes.txt"
        other.write_text("what is dear to me")
        before = self.listing()
        for named, done in (("--cache", self.run_xpose("--cache", str(other))),
                            ("XPOSE_CACHE", self.run_xpose(env=dict(os.environ, XPOSE_CACHE=str(other))))):
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{named} {other} is no cache: name another file, or remove it", done.stderr)
            self.assertEqual(self.listing(), before)
        self.assertEqual(self.run_xpose("--no-cache", env=dict(os.environ, XPOSE_CACHE=str(other))).returncode, 0)

    def test_names_that_are_empty_or_too_long(self):
        np.save(self.source, np.zeros((4, 5), "f4"))
        self.refused("File name too long", target=self.folder / ("n" * 256))
        for names in (("", str(self.target)), (str(self.source), "")):
            done = subprocess.run([XPOSE, "run", *names], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn("is empty", done.stderr)

    def test_unknown_strategy(self):
        np.save(self.source, np.zeros((4, 5), "f4"))
        before = self.listing()
        done = self.run_xpose("--strategy", "no_such_strategy")
        self.assertEqual(done.returncode, 4)
        self.assertRegex(done.stderr, r"\Axpose: [^\n]*'no_such_strategy'[^\n]*\n\Z")
        self.assertEqual(self.listing(), before)

    def test_file_size_limit(self):
        np.save(self.source, np.zeros((400, 500), "f4"))
        limit = (1 << 16, 1 << 16)
        self.refused("b.npy: cannot reserve its 800128 bytes: File too large",
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit))

    def test_disk_full(self):
        """All of /dev/shm refuses that at once."""
        self.outgrow("/dev/shm")
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            self.refused("No space left on device", target=pathlib.Path(folder) / "b.npy")
            self.assertEqual(os.listdir(folder), [])

    def test_disk_full_of_an_output_that_is_kept_for_a_pipe(self):
        room = os.statvfs("/dev/shm")
        size = room.f_blocks * room.f_frsize + (1 << 20)
        if not 0 < size < 1 << 40:
            self.skipTest("/dev/shm has no limit")
        self.make_hole((size // 2, 2))
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            done = subprocess.run(command(self.source, "-", "--memory", "1M"), capture_output=True,
                                  env=dict(os.environ, TMPDIR=folder))
            self.assertEqual((done.returncode, done.stdout), (1, b""))
            self.assertRegex(done.stderr.decode(), r"\Axpose: standard output: cannot be kept in a temporary file "
                                                   r"[^\n]*No space left on device[^\n]*\n\Z")
            self.assertEqual(os.listdir(folder), [])

    def test_a_folder_for_pipes_that_is_missing(self):
        array = header_file(dict_text("'|u1'", (8192, 8192))) + bytes(1 << 26)
        done = subprocess.run(command("-", self.target), input=array, capture_output=True,
                              env=dict(os.environ, TMPDIR="/nonexistent"))
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.decode(), "xpose: standard input: cannot be kept in a temporary file in /nonexistent "
                                               "($TMPDIR names another folder): No such file or directory\n")


class Interrupted(InAListedFolder):
    """Something happens between the reservation of the output and its completion."""

    def has_output(self, process):
        """Whether its temporary file is there: open, in the folder, with no name."""
        fds = pathlib.Path(f"/proc/{process.pid}/fd")
        try:
            links = [os.readlink(fd) for fd in fds.iterdir()]
        except FileNotFoundError:  # closed meanwhile
            return False
        return any(link.startswith(str(self.folder)) and link != str(self.source) for link in links)

    def started(self):
        """xpose at work on a hole of 512 MiB, where it is sanitized of 32, once its temporary file is there."""
        shape = (2048, 2048) if IS_SANITIZED else (8192, 8192)
        header = header_file(dict_text("'<f8'", shape))
        self.source.write_bytes(header)
        os.truncate(self.source, len(header) + 8 * shape[0] * shape[1])
        process = subprocess.Popen(command(self.source, self.target), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        deadline = time.monotonic() + 120
        while not self.has_output(process):
            self.assertIsNone(process.poll(), "xpose ended before it made its output")
            self.assertLess(time.monotonic(), deadline)
        return process

    def check_end(self, process, code, stderr):
        out, err = process.communicate(timeout=300)
        err = WAITING.sub("", err)
        self.assertEqual((process.returncode, out), (code, ""), err)
        self.assertRegex(err, stderr)
        self.assertEqual(os.listdir(self.folder), ["a.npy"])

    def test_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number):
                process = self.started()
                process.send_signal(number)
                begin = time.monotonic()
                self.check_end(process, 128 + number,
                               r"\Axpose: interrupted: \S+b\.npy is unchanged\n\Z")
                self.assertLess(time.monotonic() - begin, 60, "it hung")

    def test_a_kill_leaves_nothing(self):
        process = self.started()
        process.kill()
        self.check_end(process, -signal.SIGKILL, r"\A\Z")

    def test_input_cut_short(self):
        process = self.started()
        os.truncate(self.source, 4096)
        self.check_end(process, 1, r"\Axpose: \S+a\.npy: the file became shorter while it was read[^\n]*\n\Z")

    def test_input_that_changes_while_it_is_read(self):
        """Cut within its last page, which then reads as zeros; longer, with the time that it had; and written to."""
        def cut():
            os.truncate(self.source, self.source.stat().st_size - 100)

        def append_in_secret():
            status = self.source.stat()
            os.truncate(self.source, status.st_size + 100)
            os.utime(self.source, ns=(status.st_atime_ns, status.st_mtime_ns))

        for change in (cut, append_in_secret, lambda: os.utime(self.source)):
            process = self.started()
            change()
            self.check_end(process, 1, r"\Axpose: \S+a\.npy: the file (changed|became shorter)[^\n]*\n\Z")


if __name__ == "__main__":
    main()

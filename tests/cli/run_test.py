"""`xpose run` on NumPy's files: run_test.py PATH_TO_XPOSE [unittest arguments].

Every array that NumPy writes comes back transposed, bit for bit; everything else is refused with an
exit code and one sentence, and leaves the folder as it was.
"""

import contextlib
import fcntl
import io
import json
import os
import pathlib
import pty
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
import warnings

from npy_command import DEVICE, IS_SANITIZED, InAFolder, WAITING, XPOSE, command, main, random_array

import numpy as np


def header_file(text, version=1, data=b""):
    """A .npy file of one version around a header text."""
    text = text.encode("utf-8" if version == 3 else "latin-1")
    length = len(text).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes([version, 0]) + length + text + data


def dict_text(descr, shape):
    return f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n"


class InAListedFolder(InAFolder):
    def listing(self):
        return {p.name: p.read_bytes() if p.stat().st_size < 1 << 20 else None
                for p in self.folder.iterdir() if p.is_file()}


class Transposes(InAListedFolder):
    def check(self, array, source=None, target=None):
        done = self.run_xpose(source=source, target=target)
        self.assertEqual((done.returncode, done.stdout, WAITING.sub("", done.stderr)), (0, "", ""))
        back = np.load(target or self.target)
        self.assertEqual(back.dtype, array.dtype)
        self.assertEqual(back.dtype.descr, array.dtype.descr)
        self.assertEqual(back.shape, array.T.shape)
        self.assertTrue(back.flags.c_contiguous)
        self.assertEqual(back.tobytes(), array.T.tobytes())
        left = {self.source.name, self.target.name, (target or self.target).name}
        self.assertLessEqual({p.name for p in self.folder.iterdir()}, left)
        return back

    def saved(self, array):
        np.save(self.source, array)
        return self.check(array)

    def test_random_floats(self):
        array = np.random.default_rng(7).random((1234, 4321), dtype="f4")
        self.assertTrue(np.array_equal(self.saved(array), array.T))

    def test_dtypes(self):
        for dtype in ("|u1", ">i2", "<f8", "<c16", "|b1", "<f2", ">f4", "|S4", "<U1", "|V16",
                      "<M8[ns]", "<m8[25s]", "<f16"):
            with self.subTest(dtype=dtype):
                self.saved(random_array(dtype, (123, 217)))

    def test_structured_dtypes(self):
        for dtype in ([("x", "<f4"), ("y", ">i4")],
                      [("p", [("x", "<i2"), ("y", "<i2", (2,))]), ("q", "|u1", (2, 1))],
                      [(("title", "name"), "<f4")],
                      [("it's", "<f4"), ('"\\', "<i4")],
                      np.dtype([("x", "|u1"), ("y", "<f4")], align=True)):
            with self.subTest(dtype=dtype):
                self.saved(random_array(dtype, (53, 31)))

    def test_fortran_order(self):
        array = np.asfortranarray(random_array("<f4", (123, 217)))
        self.assertTrue(array.flags.f_contiguous)
        self.saved(array)

    def test_format_versions(self):
        array = random_array("<f4", (31, 33))
        for version in ((1, 0), (2, 0), (3, 0)):
            with self.subTest(version=version):
                with open(self.source, "wb") as file:
                    np.lib.format.write_array(file, array, version=version)
                self.check(array)
        long_name = [("n" * 70000, "<f4")]
        self.source.write_bytes(
            header_file(dict_text(long_name, (31, 33)), 2, array.tobytes()))
        self.assertEqual(self.run_xpose().returncode, 0)
        self.assertEqual(self.target.read_bytes()[6], 2)
        back = np.load(self.target, max_header_size=1 << 20)
        self.assertEqual(back.tobytes(), array.T.tobytes())

    def test_unicode_field_names(self):
        for name, version in (("é", 1), ("€", 3)):
            with self.subTest(name=name), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # NumPy warns of version 3.0
                self.saved(random_array([(name, "<f4")], (5, 7)))
                self.assertEqual(self.source.read_bytes()[6], version)
                self.assertEqual(self.target.read_bytes()[6], version)

    def test_misaligned_data(self):
        array = random_array("<f8", (67, 45))
        text = dict_text("'<f8'", array.shape)
        while (10 + len(text)) % 2 == 0:
            text = " " + text
        self.source.write_bytes(header_file(text, data=array.tobytes()))
        self.check(array)

    def test_thin_and_empty_arrays(self):
        for shape in ((0, 5), (5, 0), (0, 0), (1, 7), (7, 1), (1, 1)):
            with self.subTest(shape=shape):
                self.saved(random_array("<f4", shape))

    def test_writes_the_bytes_that_numpy_writes(self):
        if not hasattr(np.lib.format, "GROWTH_AXIS_MAX_DIGITS"):
            self.skipTest("this NumPy pads headers in its older way")
        array = random_array("<f4", (31, 33))
        self.saved(array)
        expected = io.BytesIO()
        np.save(expected, np.ascontiguousarray(array.T))
        self.assertEqual(self.target.read_bytes(), expected.getvalue())

    def test_ignores_what_follows_the_array(self):
        array = random_array("<f4", (5, 7))
        np.save(self.source, array)
        with open(self.source, "ab") as file:
            np.save(file, array)
        self.check(array)

    def test_in_place(self):
        array = random_array("<f4", (257, 131))
        np.save(self.source, array)
        self.check(array, target=self.source)

    def test_through_a_link(self):
        array = random_array("<f4", (5, 7))
        np.save(self.source, array)
        self.target.write_bytes(b"old")
        link = self.folder / "link.npy"
        link.symlink_to(self.target.name)
        self.check(array, target=link)
        self.assertTrue(link.is_symlink())

    def test_a_link_to_a_file_that_is_not_there_yet(self):
        array = random_array("<f4", (5, 7))
        np.save(self.source, array)
        link = self.folder / "link.npy"
        link.symlink_to(self.target.name)
        self.check(array, target=link)
        self.assertTrue(link.is_symlink())
        self.assertTrue(self.target.is_file())

    def test_names_of_255_bytes(self):
        array = random_array("<f4", (5, 7))
        np.save(self.source, array)
        target = self.folder / ("n" * 251 + ".npy")
        for _ in range(2):  # a new file, and one in its place
            self.check(array, target=target)

    def test_owner_stays(self):
        if os.geteuid() != 0:
            self.skipTest("only root may give files away")
        array = random_array("<f4", (5, 7))
        np.save(self.source, array)
        self.target.write_bytes(b"old")
        os.chown(self.target, 1234, 2345)
        self.check(array)
        self.assertEqual((self.target.stat().st_uid, self.target.stat().st_gid), (1234, 2345))

    def test_what_a_dead_process_left_is_removed(self):
        array = random_array("<f4", (5, 7))
        np.save(self.source, array)
        self.target.write_bytes(b"old")
        dead, alive, other = (self.folder / name for name in
                              (".xpose-abc123", ".xpose-def456", ".xpose-notes"))
        for path in (dead, alive, other):
            path.write_bytes(b"half")
        with open(alive) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.assertEqual(self.run_xpose().returncode, 0)
        self.assertEqual([path.exists() for path in (dead, alive, other)], [False, True, True])

    def test_permissions(self):
        array = random_array("<f4", (5, 7))
        np.save(self.source, array)
        self.assertEqual(self.run_xpose(preexec_fn=lambda: os.umask(0o027)).returncode, 0)
        self.assertEqual(self.target.stat().st_mode & 0o777, 0o640)
        self.target.chmod(0o600)
        self.check(array)
        self.assertEqual(self.target.stat().st_mode & 0o777, 0o600)


class Bands(InAListedFolder):
    """Arrays larger than the memory that is allowed, which are moved tile by tile."""

    def check(self, array, *options):
        np.save(self.source, array)
        done = self.run_xpose("--memory", "1M", *options)
        self.assertEqual((done.returncode, WAITING.sub("", done.stderr)), (0, ""))
        back = np.load(self.target)
        self.assertEqual(back.shape, array.T.shape)
        self.assertTrue(back.tobytes() == array.T.tobytes(), "wrong elements")

    def test_shapes(self):
        for dtype, shape in (("<f8", (701, 903)), ("|u1", (1999, 2003)), ("<f4", (512, 2048)),
                             ("<i2", (3, 400003)), ("|u1", (700001, 3)), ("<f4", (1, 300007)),
                             ("|V48", (211, 307)), ("|V256", (97, 113))):
            with self.subTest(dtype=dtype, shape=shape):
                self.check(random_array(dtype, shape))

    def test_output_rows_that_are_cut(self):
        for dtype, shape in (("|u1", (40009, 131)), ("<f8", (8192, 64)), ("|V48", (1501, 167))):
            with self.subTest(dtype=dtype, shape=shape):
                self.check(random_array(dtype, shape))

    def test_fortran_order(self):
        self.check(np.asfortranarray(random_array("<f4", (701, 903))))

    def test_memory_is_bounded_and_bytes_are_written_once(self):
        """Holes of 384 and 128 MiB, the second with output rows that are cut: of 64 KiB, so that a page of
        each that goes to the disk twice is 6 %. The process and its worker take some 170 MiB of libraries."""
        for item, shape in ((8, (6144, 8192)), (4, (16384, 2048)))[IS_SANITIZED:]:
            with self.subTest(shape=shape):
                header = header_file(dict_text(f"'<f{item}'", shape))
                self.source.write_bytes(header)
                size = len(header) + item * shape[0] * shape[1]
                os.truncate(self.source, size)
                process = subprocess.Popen(command(self.source, self.target, "--memory", "32M"))
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                self.assertEqual(process.returncode, 0)
                if DEVICE == "host":
                    self.assertLess(usage.ru_maxrss << 10, 256 << 20)
                self.assertLess(usage.ru_oublock * 512, 1.02 * size)

    def test_memory_is_a_gibibyte_by_default(self):
        """Three quarters of it are four tiles. Of so many rows larger ones would be taken, if there were more."""
        shape = (1 << 20, 4096)
        header = header_file(dict_text("'<f4'", shape))
        self.source.write_bytes(header)
        os.truncate(self.source, len(header) + 4 * shape[0] * shape[1])
        process = subprocess.Popen(command(self.source, "-", "-v"), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        with process, contextlib.ExitStack() as ending:
            ending.callback(process.kill)
            process.stderr.readline()
            plan = process.stderr.readline()
        rows, cols = re.search(r" tiles of (\d+)x(\d+)\n", plan).groups()
        self.assertLessEqual(4 * 4 * int(rows) * int(cols), 768 << 20, plan)

    def test_sizes_of_memory(self):
        np.save(self.source, random_array("<f4", (20, 30)))
        for size in ("1M", "1048576", "3G", "2T", "512K512"):
            with self.subTest(size=size):
                done = self.run_xpose("--memory", size)
                self.assertEqual(done.returncode, 2 if size == "512K512" else 0)
        for size in ("x", "-1", "0", "1K", "1.5G", "99999999999T", "G"):
            with self.subTest(size=size):
                done = self.run_xpose("--memory=" + size)
                self.assertEqual(done.returncode, 2)
                self.assertIn("--memory is 1M or more", done.stderr)


class Streams(InAListedFolder):
    """Standard input and output, as a pipe and as a file."""

    def test_standard_output(self):
        for shape, memory in (((20, 30), "1G"), ((701, 903), "1M"), ((400009, 3), "1M")):
            array = random_array("<f4", shape)
            np.save(self.source, array)
            done = subprocess.run(command(self.source, "-", "--memory", memory), capture_output=True)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertEqual(np.load(io.BytesIO(done.stdout)).tobytes(), array.T.tobytes())
            with open(self.target, "wb") as out:
                subprocess.run(command(self.source, "-"), stdout=out, check=True)
            self.assertEqual(self.target.read_bytes(), done.stdout)

    @staticmethod
    def resident(pid):
        """Bytes, or 0 where the process has ended."""
        with contextlib.suppress(OSError, IndexError):
            return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
        return 0

    def test_memory_is_bounded_where_output_rows_are_long(self):
        """The output is kept in a temporary file, since its bytes do not come in their order."""
        if DEVICE != "host":
            self.skipTest("SKIPPED: the libraries of CUDA take more than the arrays")
        np.save(self.source, random_array("<f4", (16000000, 2)))
        peak = 0
        with open(self.target, "wb") as kept:
            cat = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=kept)
            process = subprocess.Popen(command(self.source, "-", "--memory", "8M"), stdout=cat.stdin)
            while process.poll() is None:  # what wait4 tells has this process's peak in it
                peak = max(peak, self.resident(process.pid))
                time.sleep(0.005)
            cat.stdin.close()
            cat.wait()
        self.assertEqual(process.returncode, 0)
        self.assertLess(peak, (256 if "asan" in XPOSE else 96) << 20)  # which keeps what was freed
        self.assertEqual(np.load(self.target).tobytes(), np.load(self.source).T.tobytes())

    def test_standard_input(self):
        for shape in ((20, 30), (3001, 3011)):  # kept in memory, and on the disk
            array = random_array("<f4", shape)
            np.save(self.source, array)
            piped = subprocess.run(command("-", self.target), input=self.source.read_bytes(),
                                   capture_output=True)
            self.assertEqual((piped.returncode, piped.stderr), (0, b""))
            self.assertEqual(np.load(self.target).tobytes(), array.T.tobytes())
            with open(self.source, "rb") as file:
                both = subprocess.run(command("-", "-"), stdin=file, capture_output=True)
            self.assertEqual(both.stdout, self.target.read_bytes())

    def test_named_pipes(self):
        """Input and output, beside a writer and a reader that come later; and a writer that has gone."""
        pipes = self.folder / "in.pipe", self.folder / "out.pipe"
        for pipe in pipes:
            os.mkfifo(pipe)
        for shape in ((20, 30), (3001, 3011)):  # kept in memory, and on the disk
            array = random_array("<f4", shape)
            np.save(self.source, array)
            process = subprocess.Popen(command(*pipes), stderr=subprocess.PIPE)
            with open(self.source, "rb") as file, open(pipes[0], "wb") as pipe:
                shutil.copyfileobj(file, pipe)
            written = pipes[1].read_bytes()
            self.assertEqual((process.wait(), process.communicate()[1]), (0, b""))
            self.assertEqual(np.load(io.BytesIO(written)).tobytes(), array.T.tobytes())
            self.assertTrue(pipes[1].is_fifo())

    def test_a_pipe_that_is_refused_is_not_read_as_nothing(self):
        pipe = self.folder / "in.pipe"
        os.mkfifo(pipe)
        process = subprocess.Popen(command(pipe, self.target), stderr=subprocess.PIPE)
        with open(pipe, "wb"):
            pass
        self.assertEqual(process.wait(), 1)
        self.assertIn(b"in.pipe: not a .npy file", process.communicate()[1])
        self.assertFalse(self.target.exists())

    def test_redirected_from_the_middle(self):
        array = random_array("<f4", (20, 30))
        with open(self.source, "wb") as file:
            file.write(b"before")
            np.save(file, array)
        with open(self.source, "rb") as file:
            os.lseek(file.fileno(), 6, os.SEEK_SET)
            subprocess.run(command("-", self.target), stdin=file, check=True)
        self.assertEqual(np.load(self.target).tobytes(), array.T.tobytes())

    def test_refusals(self):
        empty = subprocess.run(command("-", self.target), input=b"", capture_output=True)
        self.assertEqual(empty.returncode, 1)
        self.assertIn(b"standard input: not a .npy file", empty.stderr)
        np.save(self.source, random_array("<f4", (20, 30)))
        with open("/dev/full", "wb") as full:
            done = subprocess.run(command(self.source, "-"), stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"standard output: cannot be written: No space left", done.stderr)
        self.assertFalse(self.target.exists())


class Tells(InAListedFolder):
    def shown(self, *arguments, term="xterm", **how):
        """What a terminal is told."""
        end, terminal = pty.openpty()
        done = subprocess.run(command(*arguments), stderr=terminal, env=dict(os.environ, TERM=term), **how)
        os.close(terminal)
        said = b""
        with contextlib.suppress(OSError):  # the end of a terminal
            while part := os.read(end, 4096):
                said += part
        os.close(end)
        self.assertEqual(done.returncode, 0)
        return said

    def test_progress_on_a_terminal_alone(self):
        np.save(self.source, random_array("<f4", (701, 903)))
        for term, there in (("xterm", True), ("dumb", False)):
            said = self.shown(self.source, self.target, term=term)
            self.assertEqual(b"0 of 0.00 GB" in said, there, said)

    def test_progress_of_a_pipe(self):
        np.save(self.source, random_array("<f4", (2001, 2003)))
        said = self.shown("-", self.target, input=self.source.read_bytes())
        self.assertIn(b"standard input: 0.00 GB read", said)
        self.assertIn(b"standard input: 0.02 GB read", said)

    def test_verbose_says_each_stage(self):
        np.save(self.source, random_array("<f4", (701, 903)))
        done = self.run_xpose("-v", "--memory", "1M")
        self.assertRegex(WAITING.sub("", done.stderr),
                         r"\Axpose: reading \S+a\.npy\n"
                         r"xpose: \S+a\.npy: 701x903 of <f4, \d+ tiles of 701x\d+\n"
                         r"xpose: choosing a strategy, and transposing\n"
                         r"xpose: writing\n"
                         r"xpose: waiting for the disk\n"
                         r"xpose: [^\n]* with \S+ in [^\n]*\n\Z")


class Refuses(InAListedFolder):
    def refused(self, sentence, **how):
        before = self.listing()
        done = self.run_xpose(**how)
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
        """More than all of /dev/shm, which refuses that at once; the input is a hole."""
        room = os.statvfs("/dev/shm")
        size = room.f_blocks * room.f_frsize + (1 << 20)
        if not 0 < size < 1 << 40:
            self.skipTest("/dev/shm has no limit")
        self.source.write_bytes(header_file(dict_text("'|u1'", (2, size // 2))))
        os.truncate(self.source, size + 4096)
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            self.refused("No space left on device", target=pathlib.Path(folder) / "b.npy")
            self.assertEqual(os.listdir(folder), [])


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
                self.assertLess(time.monotonic() - begin, 5)  # half a second on a quiet machine

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


class Chooses(InAListedFolder):
    def remembered(self, cache):
        shown = subprocess.check_output([XPOSE, "cache", "show", "--cache", str(cache), "--json", "-"])
        return json.loads(shown)["decisions"]

    # The budget is long because others may measure on the device, and the choice waits for them.
    def test_run_estimates_and_tune_measures(self):
        np.save(self.source, random_array("<f4", (200, 300)))
        cache = self.folder / "trials.sqlite"
        self.assertEqual(self.run_xpose("--cache", str(cache)).returncode, 0)
        self.assertEqual(self.remembered(cache), [])
        self.assertEqual(self.run_xpose("--tune", "--budget", "60", "--cache", str(cache)).returncode, 0)
        self.assertEqual(len(self.remembered(cache)), 1)

    def test_tune_measures_the_largest_tile(self):
        """Of two blocks of columns that begin with pages, neither of which is as wide as planned first."""
        np.save(self.source, np.zeros((2048, 3072), "<f4"))
        cache = self.folder / "trials.sqlite"
        done = self.run_xpose("--tune", "--budget", "60", "-v", "--cache", str(cache))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.remembered(cache)), 1, done.stderr)
        self.assertNotIn("plain copy", done.stderr)

    def test_a_strategy_is_looked_for_where_a_copy_does(self):
        np.save(self.source, random_array("<f4", (1, 5)))
        done = self.run_xpose("--strategy", "nonsense")
        self.assertEqual(done.returncode, 4)
        self.assertIn("nonsense", done.stderr)

    def test_a_mere_copy_is_refused(self):
        np.save(self.source, random_array("<f4", (20, 30)))
        for more in ((), ("--tune",)):
            done = self.run_xpose("--strategy", "copy_memcpy", *more)
            self.assertEqual((done.returncode, self.target.exists()), (4, False))
            self.assertEqual(done.stderr, "xpose: copy_memcpy is a copy, and a copy transposes nothing; "
                             "`xpose plugins` lists the strategies\n")

    def test_a_choice_that_was_measured_is_used(self):
        np.save(self.source, random_array("<f4", (200, 300)))
        cache = self.folder / "trials.sqlite"
        measured = self.run_xpose("--tune", "--budget", "60", "-v", "--cache", str(cache))
        again = self.run_xpose("-v", "--cache", str(cache))
        name = re.compile(r" with (\S+) in ")
        self.assertEqual(name.findall(measured.stderr), name.findall(again.stderr))
        self.assertEqual(len(self.remembered(cache)), 1)

    def name_winner(self, cache, strategy):
        """Lets this strategy be the winner of the newest decision."""
        plugins = json.loads(subprocess.check_output([XPOSE, "plugins", "--json"]))["plugins"]
        (digest, axes), = [(p["digest"], s["axes"]) for p in plugins for s in p["strategies"] if s["name"] == strategy]
        config = ",".join(f"{axis}={values[0]}" for axis, values in axes.items())
        with contextlib.closing(sqlite3.connect(cache)) as database, database:
            changed = database.execute("UPDATE decision SET strategy = ?, config = ?, digest = ? "
                                       "WHERE id = (SELECT max(id) FROM decision)",
                                       (strategy, config, digest)).rowcount
        self.assertEqual(changed, 1)

    def test_a_choice_that_was_measured_for_the_whole_is_used_for_its_tiles(self):
        """Tiles keep a choice of their own. Any strategy may win on a busy machine: the winners are named here."""
        whole, own = ("host_naive_row", "host_naive_col") if DEVICE == "host" else ("naive_row", "naive_col")
        array = random_array("<f4", (701, 903))
        np.save(self.source, array)
        cache = self.folder / "trials.sqlite"
        subprocess.run([XPOSE, "tune", "--device", DEVICE, "--shape", "701x903", "--bytes", "4", "--budget", "60",
                        "--cache", str(cache)], check=True, capture_output=True)
        self.name_winner(cache, whole)
        self.assertEqual(len(self.remembered(cache)), 1)

        tiles = self.run_xpose("-v", "--memory", "1M", "--cache", str(cache))
        self.assertRegex(tiles.stderr, r" (\d\d+) tiles of 701x\d+\n")
        self.assertRegex(tiles.stderr, f" with {whole}({{.*}})? in ")
        self.assertEqual(np.load(self.target).tobytes(), array.T.tobytes())
        self.assertEqual(len(self.remembered(cache)), 1)

        tuned = self.run_xpose("-v", "--memory", "1M", "--tune", "--budget", "60", "--cache", str(cache))
        self.assertEqual(tuned.returncode, 0, tuned.stderr)
        self.assertEqual(len(self.remembered(cache)), 2)
        self.name_winner(cache, own)
        again = self.run_xpose("-v", "--memory", "1M", "--cache", str(cache))
        self.assertRegex(again.stderr, f" with {own}({{.*}})? in ")

    def test_plugins_that_are_refused_are_named(self):
        np.save(self.source, random_array("<f4", (200, 300)))
        more = self.folder / "more"
        more.mkdir(mode=0o700)
        (more / "broken.so").write_bytes(b"no plugin")
        done = self.run_xpose("--plugins", str(more))
        self.assertEqual(done.returncode, 0)
        self.assertRegex(WAITING.sub("", done.stderr), r"\Axpose: warning: refused broken\.so: [^\n]+\n\Z")
        self.assertEqual(self.run_xpose().stderr, "")

    def test_auto_is_the_host(self):
        np.save(self.source, random_array("<f4", (200, 300)))
        for device in ((), ("--device", "auto")):
            done = subprocess.run([XPOSE, "run", str(self.source), str(self.target), "-v", *device],
                                  capture_output=True, text=True, check=True)
            self.assertRegex(done.stderr, r" with host_\S+ in ")

    def test_tune_measures_the_variants_that_are_named(self):
        array = random_array("<f4", (200, 300))
        np.save(self.source, array)
        cache = self.folder / "trials.sqlite"
        device = "" if DEVICE == "cuda" else "host_"
        named = ("--strategy", device + "naive_row", "--strategy", device + "naive_col")
        done = self.run_xpose("--tune", "--budget", "60", "-v", "--cache", str(cache), *named)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, rf" with {device}naive_(row|col)[ {{]")
        self.assertEqual(np.load(self.target).tobytes(), array.T.tobytes())
        self.assertEqual(len(self.remembered(cache)), 0)

    def test_a_variant_is_used_with_its_values(self):
        np.save(self.source, random_array("<f4", (200, 300)))
        on_host = ("host_blocked{tile=16}", "host_blocked{tile=128}")
        for variant in on_host if DEVICE == "host" else ("smem{block_x=32,block_y=16,tile_y=16}",):
            done = self.run_xpose("-v", "--strategy", variant)
            self.assertIn(f" with {variant} in ", done.stderr)


if __name__ == "__main__":
    main()

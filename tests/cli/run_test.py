"""`xpose run` on NumPy's files: run_test.py PATH_TO_XPOSE [unittest arguments].

Every array that NumPy writes comes back transposed, bit for bit, and progress is told.
"""

import fcntl
import io
import os
import pty
import subprocess
import time
import warnings

from npy_command import WAITING, InAListedFolder, command, dict_text, header_file, main, random_array
from terminal import read_to_end

import numpy as np


class Transposes(InAListedFolder):
    def check(self, array, source=None, target=None):
        done = self.run_xpose(source=source, target=target)
        self.assertEqual((done.returncode, done.stdout, WAITING.sub("", done.stderr)), (0, "", ""))
        back = np.load(target or self.target)
        moved = f"V{array.itemsize}" if array.dtype.names else array.dtype  # NumPy 2 copies no padding
        self.assertEqual(back.dtype, array.dtype)
        self.assertEqual(back.dtype.descr, array.dtype.descr)
        self.assertEqual(back.shape, array.T.shape)
        self.assertTrue(back.flags.c_contiguous)
        self.assertEqual(back.view(moved).tobytes(), array.T.view(moved).tobytes())
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


class Tells(InAListedFolder):
    def shown(self, *arguments, term="xterm", **how):
        """What a terminal is told."""
        end, terminal = pty.openpty()
        done = subprocess.run(command(*arguments), stderr=terminal, env=dict(os.environ, TERM=term), **how)
        os.close(terminal)
        said = read_to_end(end)
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

    def test_pipes_that_another_program_made_non_blocking(self):
        array = random_array("<f4", (1203, 901))
        np.save(self.source, array)
        bytes_in = self.source.read_bytes()
        (out_end, process_out), (process_in, in_end) = os.pipe(), os.pipe()
        for end in (process_out, process_in):
            os.set_blocking(end, False)
        with subprocess.Popen(command("-", "-"), stdin=process_in, stdout=process_out, stderr=subprocess.PIPE) as process:
            os.close(process_in)
            os.close(process_out)
            with open(in_end, "wb") as to:
                time.sleep(0.2)  # it finds no byte
                to.write(bytes_in)
            time.sleep(0.5)  # and no room
            with open(out_end, "rb") as of:
                out = of.read()
            self.assertEqual(WAITING.sub("", process.stderr.read().decode()), "")
        self.assertEqual(process.returncode, 0)
        self.assertEqual(np.load(io.BytesIO(out)).tobytes(), array.T.tobytes())

    def test_files_that_the_shell_has_opened_are_not_replaced(self):
        array = random_array("<f4", (701, 903))
        np.save(self.source, array)
        for name in ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            with self.subTest(name=name), open(self.target, "wb") as to:
                to.write(b"before")
                to.flush()
                done = subprocess.run(command(self.source, name), stdout=to, stderr=subprocess.PIPE, text=True)
                self.assertEqual((done.returncode, WAITING.sub("", done.stderr)), (0, ""))
                to.write(b"after")
            said = self.target.read_bytes()
            self.assertEqual((said[:6], said[-5:]), (b"before", b"after"))
            self.assertEqual(np.load(io.BytesIO(said[6:-5])).tobytes(), array.T.tobytes())

    def test_verbose_says_each_stage(self):
        np.save(self.source, random_array("<f4", (701, 903)))
        done = self.run_xpose("-v", "--memory", "1M")
        self.assertRegex(WAITING.sub("", done.stderr),
                         r"\Axpose: reading \S+a\.npy\n"
                         r"(xpose: writing past the page cache, [^\n]*\n)?"
                         r"xpose: \S+a\.npy: 701x903 of <f4, \d+ tiles of 701x\d+\n"
                         r"xpose: choosing a strategy, and transposing\n"
                         r"xpose: writing\n"
                         r"xpose: waiting for the disk\n"
                         r"xpose: [^\n]* with \S+ in [^\n]*\n\Z")


if __name__ == "__main__":
    main()

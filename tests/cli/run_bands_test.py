"""`xpose run` with less memory than the array, and through pipes: run_bands_test.py PATH_TO_XPOSE [unittest arguments]."""

import contextlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import time

from npy_command import (
    DEVICE, IS_SANITIZED, WAITING, XPOSE, InAListedFolder, command, dict_text, header_file, is_cached, main, random_array)

import numpy as np


class Bands(InAListedFolder):
    """Arrays larger than the memory that is allowed, which are moved tile by tile."""

    def check(self, array, *options):
        np.save(self.source, array)
        done = self.run_xpose("--memory", "1M", "--passes", "1", *options)
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
                peak, written = self.measured("--memory", "32M", "--passes", "1")
                if DEVICE == "host":
                    self.assertLess(peak, 256 << 20)
                self.assertLess(written, 1.02 * size)

    def test_memory_is_a_gibibyte_by_default(self):
        """Three quarters of it are two tiles and two strips of the input. Of so many rows larger tiles would be taken, if
        there were more. The tiles are whole output rows, of a device's memory too, which has half as many of them: a
        stream of parts is kept on the disk, which may lack the room."""
        shape = (1 << 15, 1 << 17)
        header = header_file(dict_text("'<f4'", shape))
        self.source.write_bytes(header)
        os.truncate(self.source, len(header) + 4 * shape[0] * shape[1])
        process = subprocess.Popen(command(self.source, "-", "-v"), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        said = []
        with process, contextlib.ExitStack() as ending:
            ending.callback(process.kill)
            for line in process.stderr:
                said.append(line)
                if " tiles of " in line:
                    break
        plan = re.search(r" tiles of (\d+)x(\d+)\n", said[-1] if said else "")
        self.assertTrue(plan, said)
        rows, cols = map(int, plan.groups())
        self.assertEqual(rows, shape[0], said)
        self.assertLessEqual(2 * 4 * rows * cols + 2 * (32 << 20), 768 << 20, said)

    def test_a_cold_file_with_short_runs_is_moved_by_larger_tiles_in_turn(self):
        """All of it where the memory has room, else by tiles of which none is read while another is written."""
        array = random_array("|u1", (4003, 4001))
        for memory, tiles in (("64M", "1 tile of 4003x4001\n"), ("16M", " tiles of ")):
            np.save(self.source, array)
            with open(self.source, "rb") as source:
                os.fsync(source.fileno())
                os.posix_fadvise(source.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
                is_cold = not is_cached(source, 4 << 20)
            done = self.run_xpose("-v", "--memory", memory)
            self.assertEqual(done.returncode, 0, done.stderr)
            if DEVICE == "host" and is_cold and "past the page cache" in done.stderr:
                self.assertIn(tiles, done.stderr)
                self.assertEqual(", in turn\n" in done.stderr, memory == "16M", done.stderr)
            self.assertTrue(np.load(self.target).tobytes() == array.T.tobytes())

    def test_sizes_of_memory(self):
        np.save(self.source, random_array("<f4", (20, 30)))
        for size in ("1M", "1048576", "3G", "3GiB", "2TiB", "512K512"):
            with self.subTest(size=size):
                done = self.run_xpose("--memory", size)
                self.assertEqual(done.returncode, 2 if size == "512K512" else 0)
        for size in ("x", "-1", "0", "1K", "1KiB", "3Gi", "3GB", "1.5G", "99999999999T", "G"):
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
            while process.poll() is None:  # what measured() tells has this process's peak in it
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


if __name__ == "__main__":
    main()

"""`xpose run` on arrays of any rank: permute_test.py PATH_TO_XPOSE [--files N] [--seed N] [unittest arguments].

Random files of every dtype of the format, in both orders and of ranks 0 to 8, come back as NumPy's transpose has them.
"""

import math
import os
import random
import re
import signal
import subprocess
import sys

from npy_command import DEVICE, IS_SANITIZED, InAFolder, WAITING, XPOSE, main, random_array

import numpy as np

FILES = 20 if IS_SANITIZED else 60
SEED = 20
DTYPES = ["|b1", "|i1", "|u1", *(order + kind for order in "<>" for kind in (
    "i2", "i4", "i8", "u2", "u4", "u8", "f2", "f4", "f8", "f16", "c8", "c16", "c32", "M8[ns]", "m8[25s]", "U1", "U5")),
    "|S1", "|S3", "|S7", "|S16", "|S48", "|S255", "|V2", "|V12", "|V24", "|V104", "|V256",
    [("x", "<f4"), ("y", ">i4")], [("r", "|u1"), ("g", "|u1"), ("b", "|u1")],
    [("p", [("x", "<i2"), ("y", "<i2", (2,))]), ("q", "|u1", (2, 1)), ("z", "<f8")],
    [("name", "<U5"), ("m", "<f8", (3, 4))], np.dtype([("x", "|u1"), ("y", "<f4")], align=True)]


def raw_bytes(array):
    """With those between the fields of a structure, which NumPy leaves out where it copies."""
    return array.view(f"V{array.dtype.itemsize}").tobytes()


def random_shape(rng, rank, most):
    """At most so many elements; now and then with axes of one element or none."""
    shape = []
    for _ in range(rank):
        extent = rng.choice((1, 2, 3, 5, 16, 17, rng.randint(1, 300)))
        shape.append(min(extent, max(most, 1)))
        most //= max(shape[-1], 1)
    if shape and rng.random() < 0.05:
        shape[rng.randrange(rank)] = 0
    rng.shuffle(shape)
    return tuple(shape)


class Permutes(InAFolder):
    def run_xpose(self, *options):
        done = super().run_xpose(*options)
        done.stderr = WAITING.sub("", done.stderr)
        return done

    def check(self, array, expected, *options):
        np.save(self.source, array)
        done = self.run_xpose(*options)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        if "-v" not in options:
            self.assertEqual(done.stderr, "")
        back = np.load(self.target)
        self.assertEqual((back.shape, back.dtype.descr), (expected.shape, array.dtype.descr))
        self.assertTrue(back.flags.c_contiguous)
        self.assertTrue(raw_bytes(back) == raw_bytes(expected), "wrong elements")
        self.target.unlink()
        return done

    def make_hole(self, shape):
        """A file of zeros that takes no room; returns its bytes."""
        with open(self.source, "wb") as file:
            np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": shape})
            return file.truncate(file.tell() + 4 * math.prod(shape))

    def check_axes(self, array, axes, *options):
        named = ("--axes", ",".join(map(str, axes))) if axes else ()
        return self.check(array, np.transpose(array, axes), *named, *options)

    def test_random_files(self):
        rng = random.Random(SEED)
        print(f"{FILES} files, --seed {SEED}", flush=True)
        dtypes = [dtype for _ in range(FILES) for dtype in rng.sample(DTYPES, len(DTYPES))][:FILES]
        for number, dtype in enumerate(dtypes):
            rank = number % 9
            most = rng.choice((100, 30000, 1000000)) // np.dtype(dtype).itemsize
            array = random_array(dtype, random_shape(rng, rank, most), rng)
            if rank > 1 and rng.random() < 0.5:
                array = np.asfortranarray(array)
            axes = rng.sample(range(rank), rank)
            memory = rng.choice(((), ("--memory", "1M")))
            with self.subTest(number=number, dtype=dtype, shape=array.shape, axes=axes, memory=memory,
                              fortran=bool(array.flags.fnc)):
                if rng.random() < 0.2:
                    self.check(array, array.T, *memory)
                else:
                    self.check_axes(array, axes, *memory)

    def test_items_of_any_size(self):
        """Structures of pixels and points, strings, and items that no strategy takes as one."""
        rng = random.Random(1)
        for size in (*range(1, 33), 40, 48, 100, 127, 255, 256, 257, 1000):
            for shape, axes in (((5, 7), (1, 0)), ((2, 3, 5), (0, 2, 1))):
                with self.subTest(size=size, axes=axes):
                    self.check_axes(random_array(f"S{size}", shape, rng), axes)
        self.check_axes(np.zeros((3, 4, 5), "S0"), (1, 0, 2))

    def test_patterns(self):
        rng = random.Random(2)
        for shape, pattern, sizes, expected in (
                ((2, 5, 7, 3), "b h w c -> b c h w", (), lambda a: a.transpose(0, 3, 1, 2)),
                ((2, 32, 48, 3), "b (h p) (w q) c -> b h w p q c", ("--sizes", "p=16,q=16"),
                 lambda a: a.reshape(2, 2, 16, 3, 16, 3).transpose(0, 1, 3, 2, 4, 5)),
                ((2, 32, 48, 3), "b (h p) (w q) c -> b (h w) (p q c)", ("--sizes", "p=16,w=3"),
                 lambda a: a.reshape(2, 2, 16, 3, 16, 3).transpose(0, 1, 3, 2, 4, 5).reshape(2, 6, 768)),
                ((2, 48, 5, 7), "b (r s c) h w -> b c (h r) (w s)", ("--sizes", "r=4,s=4"),
                 lambda a: a.reshape(2, 4, 4, 3, 5, 7).transpose(0, 3, 4, 1, 5, 2).reshape(2, 3, 20, 28)),
                ((3, 4, 5, 6), "... c -> c ...", (), lambda a: np.moveaxis(a, -1, 0)),
                ((3, 4, 5, 6), "a ... d -> d (...) a", (), lambda a: a.reshape(3, 20, 6).transpose(2, 1, 0)),
                ((3, 1, 5), "a 1 b -> b () a 1", (), lambda a: a.reshape(3, 5).T.reshape(5, 1, 3, 1)),
                ((24,), "(a b) -> b a", ("--sizes", "a=4"), lambda a: a.reshape(4, 6).T),
                ((0, 24), "n (a b) -> b n a", ("--sizes", "a=4"), lambda a: a.reshape(0, 4, 6).transpose(2, 0, 1)),
                ((), "-> 1", (), lambda a: a.reshape(1)), ((), "... -> ...", (), lambda a: a)):
            for order in "CF":
                with self.subTest(pattern=pattern, order=order):
                    array = random_array("<f4", shape, rng).copy(order)
                    self.check(array, expected(array), "--pattern", pattern, *sizes)

    def test_few_axes_and_no_elements(self):
        rng = random.Random(3)
        for shape, axes in (((), ()), ((1,), (0,)), ((100,), (0,)), ((0,), (0,)), ((3, 0, 5), (2, 0, 1)), ((0, 4), (1, 0)),
                            ((1, 1, 1), (2, 1, 0)), ((1, 5, 1, 7), (3, 2, 1, 0)), (32 * (1,), range(31, -1, -1)),
                            (30 * (1,) + (3, 5), range(31, -1, -1))):
            with self.subTest(shape=shape):
                self.check_axes(random_array("<i2", shape, rng), axes)

    def test_blocks(self):
        """Files of many times the memory, whose permutations are no matrix."""
        rng = random.Random(4)
        for dtype, shape, axes in (("<f4", (110, 120, 130), (2, 1, 0)), ("<i2", (61, 62, 33, 34), (3, 1, 0, 2)),
                                   ("|u1", (3, 1200, 700), (2, 0, 1)), ("<f8", (67, 71, 73), (0, 2, 1)),
                                   ("<f8", (67, 71, 73), (1, 2, 0)), ("|V64", (31, 33, 29, 2), (2, 1, 0, 3)),
                                   ("<c16", (13, 11, 7, 5, 3, 8), (4, 2, 5, 1, 3, 0)), ("|u1", (2, 1500000, 2), (2, 1, 0))):
            for order in "CF":
                with self.subTest(shape=shape, axes=axes, order=order):
                    array = random_array(dtype, shape, rng).copy(order)
                    done = self.check_axes(array, axes, "--memory", "1M", "--passes", "1", "-v")
                    if done.returncode == 0 and "plain copy" not in done.stderr:
                        self.assertRegex(done.stderr, r" ([5-9]|\d{2,}) tiles of \d+x")

    def test_blocks_through_pipes(self):
        rng = random.Random(5)
        for axes in ((2, 1, 0), (0, 2, 1), (1, 2, 0)):
            with self.subTest(axes=axes):
                array = random_array("<f4", (90, 100, 110), rng)
                np.save(self.source, array)
                done = subprocess.run([XPOSE, "run", "-", "-", "--device", DEVICE, "--memory", "1M", "--axes",
                                       ",".join(map(str, axes))], input=self.source.read_bytes(), capture_output=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(done.stdout.endswith(np.transpose(array, axes).tobytes()), "wrong elements")

    def test_memory_is_bounded_and_bytes_are_written_once(self):
        """A hole of 256 MiB, reversed. The process and its worker take some 170 MiB of libraries."""
        size = self.make_hole((64 if IS_SANITIZED else 256, 512, 512))
        peak, written = self.measured("--memory", "32M")
        if DEVICE == "host":
            self.assertLess(peak, 256 << 20)
        self.assertLess(written, 1.02 * size)

    def test_an_interrupt_leaves_nothing(self):
        self.make_hole((512, 512, 512))
        process = subprocess.Popen([XPOSE, "run", str(self.source), str(self.target), "--device", DEVICE, "-v"],
                                   stderr=subprocess.PIPE, text=True)
        while "writing" not in process.stderr.readline():
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=300)[1]
        self.assertEqual(process.returncode, 130, said)
        self.assertTrue(said.endswith("b.npy is unchanged\n"), said)
        self.assertEqual(os.listdir(self.folder), ["a.npy"])

    def test_in_place_of_its_input(self):
        array = random_array("<f4", (20, 30, 40), random.Random(6))
        np.save(self.source, array)
        self.target = self.source
        self.assertEqual(self.run_xpose("--axes", "1,2,0").returncode, 0)
        self.assertTrue(np.load(self.source).tobytes() == array.transpose(1, 2, 0).tobytes(), "wrong elements")

    def test_axes_that_the_file_lacks_are_refused(self):
        np.save(self.source, np.zeros((2, 3, 4), "f4"))
        for sentence, *options in (
                ("a.npy: --axes 0,1: the array is 3-D (2x3x4): name each of its axes, 0 to 2, once", "--axes", "0,1"),
                ("a.npy: --pattern 'a b -> b a': it has 2 axes on the left, but the array is 3-D (2x3x4)",
                 "--pattern", "a b -> b a"),
                ("a.npy: --pattern 'a b (c p) -> a b c p': axis 2 of 4 elements is '(c p)', which is no multiple of 3",
                 "--pattern", "a b (c p) -> a b c p", "--sizes", "p=3")):
            done = self.run_xpose(*options)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, r"\Axpose: [^\n]+\n\Z")
            self.assertIn(sentence, done.stderr)
            self.assertFalse(self.target.exists())

    def test_axes_that_no_file_has_are_wrong_usage(self):
        np.save(self.source, np.zeros((2, 3), "f4"))
        raw = ("--raw", "--shape", "2x3", "--dtype", "<f4")
        for sentence, *options in (
                ("--axes 0,0 is no order of 2 axes: name each of 0 to 1 once", "--axes", "0,0"),
                ("--pattern '(a b) c -> c a b': the sizes in '(a b)' are open", "--pattern", "(a b) c -> c a b"),
                ("--pattern 'a b -> b a': --sizes gives 'c'", "--pattern", "a b -> b a", "--sizes", "c=2"),
                ("--axes 0,2,1: the array is 2-D (2x3)", "--axes", "0,2,1", *raw)):
            done = self.run_xpose(*options)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, r"\Axpose: [^\n]+; see `xpose run --help`\n\Z")
            self.assertIn("xpose: " + sentence, done.stderr)
            self.assertFalse(self.target.exists())

    def test_tune_is_remembered_and_a_strategy_can_be_named(self):
        array = random_array("<f4", (20, 30, 40), random.Random(7))
        again = re.compile(r" with (\S+) in ")
        tuned = self.check_axes(array, (2, 1, 0), "--tune", "--budget", "60", "-v")
        self.assertEqual(again.findall(self.check_axes(array, (2, 1, 0), "-v").stderr), again.findall(tuned.stderr))
        named = "naive_col" if DEVICE == "cuda" else "host_naive_col"
        done = self.check_axes(array, (0, 2, 1), "--strategy", named, "-v")
        self.assertRegex(done.stderr, rf" with {named}[ {{]")


if __name__ == "__main__":
    for option in ("--files", "--seed"):
        if option in sys.argv:
            at = sys.argv.index(option)
            globals()[option[2:].upper()] = int(sys.argv[at + 1])
            del sys.argv[at:at + 2]
    main()

"""`xpose run --raw` on files without a header: run_raw_test.py PATH_TO_XPOSE [unittest arguments].

Elements come back as NumPy's transpose has them, and sizes that do not fit are refused.
"""

import subprocess

from npy_command import WAITING, InAListedFolder, command, main, random_array

import numpy as np


class Raw(InAListedFolder):
    def raw(self, array, *options, dtype=None):
        shape = "x".join(map(str, array.shape))
        return ("--raw", "--shape", shape, "--dtype", dtype or array.dtype.str, *options)

    def check(self, array, expected, *options, dtype=None):
        self.source.write_bytes(array.tobytes())
        done = self.run_xpose(*self.raw(array, *options, dtype=dtype))
        self.assertEqual((done.returncode, done.stdout, WAITING.sub("", done.stderr)), (0, "", ""))
        self.assertEqual(self.target.read_bytes(), np.ascontiguousarray(expected).tobytes())

    def test_matrices(self):
        for dtype, shape in (("<f4", (123, 217)), (">i2", (31, 1)), ("|u1", (701, 903)), ("<c16", (64, 64)),
                             ("|V3", (57, 91)), ("<f8", (0, 5))):
            with self.subTest(dtype=dtype, shape=shape):
                array = random_array(dtype, shape)
                self.check(array, array.T)

    def test_more_axes(self):
        array = random_array("<f4", (7, 11, 13, 5))
        self.check(array, array.T)
        self.check(array, array.transpose(0, 2, 1, 3), "--axes", "0,2,1,3")
        self.check(array, array.transpose(3, 0, 1, 2), "--pattern", "a b c d -> d a b c")

    def test_one_axis(self):
        array = random_array("<f4", (6 * 35,))
        self.check(array, array)
        self.check(array, array.reshape(6, 35).T, "--pattern", "(h w) -> w h", "--sizes", "h=6")
        self.check(array[:0], array[:0])

    def test_dtypes_as_numpy_and_people_write_them(self):
        array = random_array("|V12", (53, 31))
        for dtype in ("|V12", "V12", "[('x', '<f4'), ('y', '>i8')]", "S12", "U3"):
            with self.subTest(dtype=dtype):
                self.check(array, array.T, dtype=dtype)

    def test_in_tiles(self):
        for dtype, shape in (("<f8", (701, 903)), ("|u1", (700001, 3)), ("<i2", (3, 400003))):
            with self.subTest(dtype=dtype, shape=shape):
                array = random_array(dtype, shape)
                self.check(array, array.T, "--memory", "1M")

    def test_pipes(self):
        for shape in ((20, 30), (3001, 3011)):
            array = random_array("<f4", shape)
            done = subprocess.run(command("-", "-", *self.raw(array)), input=array.tobytes(), capture_output=True)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertTrue(done.stdout == array.T.tobytes())

    def test_sizes_that_do_not_fit(self):
        for size in (0, 79, 81, 160):
            self.source.write_bytes(bytes(size))
            before = self.listing()
            done = self.run_xpose("--raw", "--shape", "4x5", "--dtype", "<f4")
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr, f"xpose: {self.source} has {size} bytes, and 4x5 of <f4 has 80: "
                                          "give --shape and --dtype of the whole file\n")
            self.assertEqual(self.listing(), before)

    def test_wrong_usage(self):
        self.source.write_bytes(bytes(80))
        for options, words in (
                (("--raw",), "--raw needs --shape and --dtype"),
                (("--raw", "--shape", "4x5"), "--raw needs --shape and --dtype"),
                (("--raw", "--dtype", "<f4"), "--raw needs --shape and --dtype"),
                (("--shape", "4x5"), "--shape belongs to --raw"),
                (("--dtype", "<f4"), "--dtype belongs to --raw"),
                (("--raw", "--shape", "4x-5", "--dtype", "<f4"), "--shape 4x-5 is not a shape"),
                (("--raw", "--shape", "4x5", "--dtype", "float"), "the dtype 'float' is unknown"),
                (("--raw", "--shape", "4x5", "--dtype", "O"), "holds Python objects"),
                (("--raw", "--shape", "4x5", "--dtype", "[('x', '<f4')"), "--dtype and --shape: "),
                (("--raw", "--shape", "4294967296x4294967296", "--dtype", "<f4"), "the shape overflows")):
            with self.subTest(options=options):
                before = self.listing()
                done = self.run_xpose(*options)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(words, done.stderr)
                self.assertEqual(self.listing(), before)


if __name__ == "__main__":
    main()

"""permute_dims against NumPy's transpose: shapes, strides, dtypes, outputs."""

import datetime
import itertools
import random
import subprocess
import sys
import threading

import numpy
import pytest

import xpose

DTYPES = [
    "bool", "i1", "<i2", ">i4", "u8", "f2", "f4", "f8", "longdouble", "c8", "c16",
    "S1", "S3", "S17", "S256", "S400", "U5", "U100", "V7", "datetime64[ns]", "timedelta64[s]",
    [("a", "i4"), ("b", "f8")], [("a", "u1"), ("b", "S10"), ("c", "f2", (3,))],
]  # fmt: skip


def filled(shape, dtype):
    """An array of random bytes, but for bools."""
    dtype = numpy.dtype(dtype)
    count = int(numpy.prod(shape, dtype="int64"))
    data = numpy.random.default_rng(count).integers(0, 256, count * dtype.itemsize, "u1")
    if dtype == bool:
        data &= 1
    return data.view(dtype).reshape(shape)


def same(a, b):
    """Equal as bytes, shape and dtype: NaN is none of a move's business."""
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


def check(x, axes):
    result = xpose.permute_dims(x, axes)
    assert type(result) is numpy.ndarray and result.flags.c_contiguous
    assert same(result, numpy.ascontiguousarray(x.transpose(axes)).reshape(result.shape))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dtypes(dtype):
    check(filled((9, 14), dtype), (1, 0))
    check(filled((3, 5, 7), dtype), (2, 0, 1))
    check(filled((3, 5, 8), dtype)[::-1, :, ::2], (0, 2, 1))


def test_dtypes_of_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for dtype in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2):
        check(filled((33, 17), dtype), (1, 0))


def random_view(chance):
    rank = chance.randint(0, 6)
    shape = [chance.choice([1, 2, 3, 5, 8, 17][: 8 - rank]) for _ in range(rank)]
    dtype = chance.choice(["u1", "f2", "f4", "f8", "S3", "S12"])
    base = filled([2 * extent + 2 for extent in shape], dtype)
    view = base[tuple(
        slice(start, start + extent * step, step)
        for start, step, extent in ((chance.randint(0, 2), chance.randint(1, 2), e) for e in shape)
    )]  # fmt: skip
    for axis in range(rank):
        kind = chance.randint(0, 5)
        if kind == 0:
            view = numpy.flip(view, axis)
        elif kind == 1:
            first = view[(slice(None),) * axis + (slice(0, 1),)]
            view = numpy.broadcast_to(first, view.shape)
    return view.transpose(chance.sample(range(rank), rank))


def test_random_views():
    chance = random.Random(7)
    for _ in range(300):
        x = random_view(chance)
        axes = chance.sample(range(x.ndim), x.ndim)
        if chance.random() < 0.3:
            axes = [axis - x.ndim for axis in axes]
        check(x, axes)


@pytest.mark.parametrize("dtype", ["u1", "f4", "S12", "V272"])
def test_out_whose_axes_interlock(dtype):
    step = numpy.dtype(dtype).itemsize
    for shape, steps in (((7, 3, 20), (3 * 41, 7 * 41, 2)), ((2, 3), (-3, 2)), ((3, 5, 4), (20, 3, 15))):
        x, memory = filled(shape[::-1], dtype), filled((2000,), dtype)
        wanted = memory.copy()
        first = 10 if steps[0] < 0 else 0

        def placed(base):
            return numpy.lib.stride_tricks.as_strided(base[first:], shape, [step * s for s in steps])

        placed(wanted)[...] = x.transpose()
        for call in (xpose.permute_dims, lambda x, out: xpose.plan(x, out=out)(x, out)):
            taken = memory.copy()
            call(x, out=placed(taken))
            assert same(taken, wanted)


def test_any_byte():
    records = filled((40, 30), [("a", "u1"), ("b", "f4"), ("c", "f8")])
    check(records["b"], (1, 0))  # at any byte, and strides of 13
    check(records["c"], (1, 0))
    odd = filled((8 * 300 + 3,), "u1")[3:].view("f8")
    check(odd.reshape(20, 15), (1, 0))


def test_large():
    check(filled((1200, 900), "f4"), (1, 0))
    check(filled((40, 50, 60, 5), "f4"), (3, 1, 0, 2))


def test_as_numpy_takes_them():
    x = filled((2, 3, 4), "i4")
    assert same(xpose.transpose(x), numpy.ascontiguousarray(x.T))
    assert same(xpose.permute_dims(x, numpy.array([1, 2, 0])), x.transpose(1, 2, 0).copy())
    assert same(xpose.permute_dims(x, [numpy.int64(2), 0, 1]), x.transpose(2, 0, 1).copy())
    assert same(xpose.permute_dims(filled((4,), "i4"), 0), filled((4,), "i4"))
    assert same(xpose.matrix_transpose(x), x.swapaxes(1, 2).copy())
    assert xpose.permute_dims([[1, 2], [3, 4]], (1, 0)).tolist() == [[1, 3], [2, 4]]
    assert xpose.permute_dims(memoryview(b"abc"), None).tolist() == list(b"abc")
    assert xpose.permute_dims(numpy.float32(3), ()).shape == ()
    records = numpy.zeros((2, 3), "f4,i2").view(numpy.recarray)
    assert xpose.permute_dims(records, (1, 0)).shape == (3, 2)
    day = numpy.array([[datetime.date(2020, 1, 1)]], "datetime64[D]")
    assert xpose.transpose(day).dtype == day.dtype


def test_empty_and_of_no_bytes():
    assert xpose.permute_dims(numpy.zeros((0, 3)), (1, 0)).shape == (3, 0)
    assert xpose.permute_dims(numpy.zeros((2, 3), "V0"), (1, 0)).shape == (3, 2)
    with pytest.raises(ValueError, match="shape"):
        xpose.permute_dims(numpy.zeros((0, 3)), (1, 0), out=numpy.zeros((0, 3)))


class Own(numpy.ndarray):
    pass


@pytest.mark.parametrize("dtype", ("S0", "U0", "V0"))
def test_texts_without_characters(dtype):
    x = numpy.ndarray((2, 3), dtype)
    for result in xpose.permute_dims(x), xpose.plan(x)(x), xpose.permute_dims(x.view(Own)):
        assert (result.shape, result.dtype) == ((3, 2), x.dtype)
    out = numpy.ndarray((3, 2), dtype)
    assert xpose.permute_dims(x, out=out) is out


def test_read_only_input():
    x = filled((5, 6), "f4")
    x.flags.writeable = False
    check(x, (1, 0))


def test_out():
    x = filled((30, 40, 3), "f4")
    padded = numpy.zeros((3, 30, 64), "f4")
    out = padded[:, :, ::-1][:, :, :40]
    assert xpose.permute_dims(x, (2, 0, 1), out=out) is out
    assert same(out.copy(), x.transpose(2, 0, 1).copy())
    assert not padded[:, :, :24].any()


@pytest.mark.parametrize("shape", [(64, 64), (7, 7), (5, 33, 33)])
def test_in_place(shape):
    x = filled(shape, "f8")
    expected = x.swapaxes(-1, -2).copy()
    assert xpose.matrix_transpose(x, out=x) is x
    assert same(x, expected)
    same_order = xpose.permute_dims(x, tuple(range(x.ndim)), out=x)
    assert same(same_order, expected)


def test_refusals_in_place_are_of_the_callers_axes():
    pixels = filled((8, 8, 3), "u1")
    words = "cannot permute an array of 8x8x3 elements of 1 byte by the axes 1,0,2 in place: axes 0 and 1 change places"
    for call in xpose.permute_dims, xpose.plan, xpose.tune:
        with pytest.raises(ValueError, match=words):
            call(pixels, (1, 0, 2), out=pixels)
    backwards = filled((4, 4), "f4")[::-1]
    with pytest.raises(ValueError, match="no axis lies backwards, and axis 0 does, with the stride -4"):
        xpose.transpose(backwards, out=backwards)


def test_in_place_of_any_view_is_right_or_refused():
    for shape in ((3, 3), (2, 2, 2), (2, 3, 3)):
        for axes in itertools.permutations(range(len(shape))):
            if tuple(shape[axis] for axis in axes) != shape:
                continue
            for steps in itertools.product((1, -1, 2, -2), repeat=len(shape)):
                base = filled([abs(step) * n for n, step in zip(shape, steps)], "f4")
                x = base[tuple(slice(None, None, step) for step in steps)]
                before, expected = base.copy(), x.transpose(axes).copy()
                try:
                    xpose.permute_dims(x, axes, out=x)
                except ValueError:
                    assert same(base, before)
                else:
                    assert same(x.copy(), expected)


@pytest.mark.parametrize(
    "error, words, x, axes, out",
    [
        (ValueError, "out of bounds", "(2, 3)", (0, 2), None),
        (ValueError, "out of bounds", "(2, 3)", (0, -3), None),
        (ValueError, "twice", "(2, 3)", (0, 0), None),
        (ValueError, "twice", "(2, 3)", (1, -1), None),
        (ValueError, "names 1 axes", "(2, 3)", (1,), None),
        (TypeError, "", "(2, 3)", (0.0, 1), None),
        (TypeError, "", "(2, 3)", "10", None),
        (ValueError, "shape", "(2, 3)", (1, 0), "(2, 3)"),
        (TypeError, "dtype", "(2, 3)", (1, 0), "(3, 2), 'i8'"),
        (TypeError, "", "(2, 3)", (1, 0), None.__class__),
    ],
)
def test_errors(error, words, x, axes, out):
    array = eval(f"numpy.zeros({x})")
    given = eval(f"numpy.zeros({out})") if isinstance(out, str) else out
    with pytest.raises(error, match=words or None):
        xpose.permute_dims(array, axes, out=given)


def test_errors_of_arrays():
    with pytest.raises(TypeError, match="objects"):
        xpose.permute_dims(numpy.array([[None, 1]]), (1, 0))
    with pytest.raises(TypeError, match="mask"):
        xpose.permute_dims(numpy.ma.zeros((2, 3)), (1, 0))
    frozen = numpy.zeros((3, 2))
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        xpose.permute_dims(numpy.zeros((2, 3)), (1, 0), out=frozen)
    x = filled((4, 6), "f8")
    before = x.copy()
    with pytest.raises(ValueError, match="overlap"):
        xpose.permute_dims(x[:, 1:5], (1, 0), out=x[:, :4])
    with pytest.raises(ValueError):
        xpose.permute_dims(x, (1, 0), out=x.reshape(6, 4))
    assert same(x, before)
    with pytest.raises(ValueError, match="policy"):
        xpose.permute_dims(x, (1, 0), policy="fast")
    with pytest.raises(ValueError, match="two axes"):
        xpose.matrix_transpose(numpy.zeros(3))


def test_parts_of_one_array_that_interleave():
    for dtype in ("u1", "S3", "f4", "c16", "S40"):
        x = filled((40, 90), dtype)
        before = x.copy()
        xpose.permute_dims(x[:, :40], (1, 0), out=x[:, 50:])
        assert same(x[:, 50:], before[:, :40].T) and same(x[:, :50], before[:, :50])
        before = x.copy()
        xpose.permute_dims(x[::2, 1::3], (1, 0), out=x[1::2, ::3].T)
        assert same(x[1::2, ::3], before[::2, 1::3]) and same(x[::2], before[::2])
    z = numpy.zeros((70, 70), "c16")
    z.real = filled((70, 70), "f8")
    before = z.real.copy()
    xpose.matrix_transpose(z.real, out=z.imag)
    assert same(z.real, before) and same(z.imag, before.T)


def test_threads():
    arrays = [filled((rows, 50, 3), "f4") for rows in range(20, 60)]
    faults = []

    def work():
        for x in arrays:
            if not same(xpose.permute_dims(x, (2, 1, 0)), x.transpose(2, 1, 0).copy()):
                faults.append(x.shape)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults


MANY_LAYOUTS = """
import numpy, xpose
def resident(): return int(open("/proc/self/statm").read().split()[1]) * 4096
engine = xpose.Engine(remember=False)
engine.permute_dims(numpy.zeros((300, 300), "V3"))
before = resident()
for n in range(2048): engine.permute_dims(numpy.zeros((300 + n % 64, 300 + n // 64), "V3"))
print(resident() - before >> 20)
"""


def test_many_layouts_keep_little_memory():
    ran = subprocess.run([sys.executable, "-c", MANY_LAYOUTS], capture_output=True, text=True)
    assert ran.returncode == 0 and int(ran.stdout) < 160, ran.stdout + ran.stderr

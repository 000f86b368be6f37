"""Wrong arguments: an exception of the right kind, with a sentence."""

import ctypes
import os

import numpy
import pytest

import xpose

X = numpy.arange(12.0).reshape(3, 4)


@pytest.mark.parametrize(
    "error, words, axes",
    [
        (ValueError, "64 bits", (2**70, 0)),
        (ValueError, "64 bits", (-(2**70), 0)),
        (TypeError, "sequence of integers, not float", 1.5),
        (TypeError, "sequence of integers, not set", {0, 1}),  # without an order
        (TypeError, "sequence of integers, not generator", (axis for axis in (1, 0))),
        (ValueError, "at most 64 axes", range(100)),
        (TypeError, "axes, extents and strides are integers, not float", (0, 1.5)),
        (TypeError, "only integer scalar arrays", numpy.array(0.5)),
    ],
)
def test_axes(error, words, axes):
    with pytest.raises(error, match=words):
        xpose.permute_dims(X, axes)


@pytest.mark.parametrize("axes", [0, -1, numpy.int64(0), numpy.array(0), [0], numpy.array([0])], ids=repr)
def test_one_axis(axes):
    assert xpose.permute_dims(X[0], axes).tolist() == X[0].tolist()


@pytest.mark.parametrize("x", [None, {}, {1, 2}, object()], ids=repr)
def test_no_array(x):
    words = f"x is no array, but {type(x).__name__}"
    with pytest.raises(TypeError, match=words):
        xpose.permute_dims(x)
    with pytest.raises(TypeError, match=words):
        xpose.matrix_transpose(x)
    with pytest.raises(TypeError, match=words):
        xpose.plan(X)(x)


def test_out_is_no_array():
    for x in (X, X.tolist()):
        with pytest.raises(TypeError, match="out is no array, but list"):
            xpose.transpose(x, out=numpy.zeros((4, 3)).tolist())


def test_out_with_the_buffer_protocol():
    place = numpy.zeros((4, 3))
    for x in (X, memoryview(X)):
        place.fill(0)
        out = memoryview(place)
        assert xpose.transpose(x, out=out) is out and (place == X.T).all()
    letters = bytearray(6)
    xpose.permute_dims(bytearray(b"abcdef"), out=letters)
    assert letters == b"abcdef"
    with pytest.raises(ValueError, match="read-only"):
        xpose.permute_dims(bytearray(b"abcdef"), out=b"123456")


def test_out_of_a_plan_without_elements():
    with pytest.raises(ValueError, match="shape"):
        xpose.plan(numpy.zeros((0, 3)), (1, 0), out=numpy.zeros((5, 5)))


def strided(dtype, shape, strides):
    return numpy.lib.stride_tricks.as_strided(numpy.zeros(1000, dtype), shape, strides)


@pytest.mark.parametrize("dtype, step", [("f4", 4), ("V3", 3), ("V272", 272)])
def test_out_whose_elements_overlap(dtype, step):
    x, out = numpy.zeros((4, 6), dtype), strided(dtype, (6, 4), (2 * step, step))
    words = (f"elements of out overlap: axis 0 steps over {2 * step} bytes, and {4 * step} bytes lie within a step; "
             f"its shape is (6, 4), its strides are ({2 * step}, {step}) bytes; "
             "permute into an array of its own, and copy from there")
    for call in (xpose.permute_dims, xpose.plan):
        with pytest.raises(ValueError) as refusal:
            call(x, out=out)
        assert str(refusal.value) == words
    with pytest.raises(ValueError, match="axis 1 steps over 0 bytes"):
        xpose.permute_dims(x, out=strided(dtype, (6, 4), (4 * step, 0)))


@pytest.mark.parametrize("size", [272, 288, 512, 1000])
def test_elements_that_are_too_long_in_place(size):
    x = numpy.zeros((5, 5), f"V{size}")
    with pytest.raises(ValueError) as refusal:
        xpose.transpose(x, out=x)
    assert str(refusal.value) == f"in place elements have at most 256 bytes, not {size}; use a separate output"
    assert xpose.permute_dims(x, (0, 1), out=x) is x  # nothing moves


def test_parts_of_structures_in_place():
    x = numpy.zeros((5, 5), [("a", "f4"), ("b", "u1")])["a"]
    words = "in place strides are multiples of the 4 bytes of an element, and here its shape is .5, 5., its strides are .25, 5. bytes"
    with pytest.raises(ValueError, match=words):
        xpose.transpose(x, out=x)


@pytest.mark.parametrize("x", [X, X.tolist()], ids=type)
def test_policy(x):
    for policy in (3, None):
        with pytest.raises(TypeError, match="policy is a text"):
            xpose.permute_dims(x, policy=policy)
        with pytest.raises(TypeError, match="policy is a text"):
            xpose.plan(x, policy=policy)
    for policy, shown in ("estimate\0", "estimate "), ("\x1b[31m", " .31m"), ("\ud800", "..d800"):
        words = f"policy '{shown}' is none of 'estimate', 'measure' and 'cached_only'"
        with pytest.raises(ValueError, match=f"^{words}$"):
            xpose.permute_dims(x, policy=policy)
        with pytest.raises(ValueError, match="policy is '.*'; it may have printable characters alone"):
            xpose.plan(x, policy=policy)


@pytest.mark.parametrize(
    "error, words, given",
    [
        (ValueError, "budget is -1.0", {"budget": -1}),
        (ValueError, "budget is nan", {"budget": float("nan")}),
        (TypeError, "budget is a number of seconds", {"budget": "a"}),
        (ValueError, "max_rounds is 0", {"max_rounds": 0}),
        (ValueError, "max_rounds is 1099511627776", {"max_rounds": 2**40}),
        (TypeError, "max_rounds is a whole number, not float", {"max_rounds": 1.5}),
        (TypeError, "variants is a text, not int", {"variants": [3]}),
        (TypeError, "variants is a text, not bytes", {"variants": b"smem"}),
        (TypeError, "variants is a text or a sequence of them, not NoneType", {"variants": None}),
        (ValueError, r"variants is 'smem.x00'; it may have printable", {"variants": ["smem\0"]}),
        (ValueError, r"variants is '.ud800'; it may have printable", {"variants": "\ud800"}),
        (xpose.NoStrategyError, "no_such", {"variants": "no_such"}),  # one text, not its letters
    ],
)
def test_tune(error, words, given):
    with pytest.raises(error, match=words):
        xpose.tune(X, progress=False, **given)


@pytest.mark.parametrize("progress", [5, "yes", 0], ids=repr)
def test_progress(progress):
    kind = type(progress).__name__
    with pytest.raises(TypeError, match=f"progress is True, False, None or a function, not {kind}"):
        xpose.tune(X, progress=progress)


def test_report_of_no_elements():
    for dtype, size in ("f8", 8), ("V3", 3), ("V256", 256), ("V1000", 1), ("V0", 1):
        report = xpose.tune(numpy.zeros((0, 3), dtype), progress=False)
        assert repr(report) == f"<xpose.TuneReport of 0x0 of {size} bytes on host: no winner>"


@pytest.mark.parametrize(
    "error, words, given",
    [
        (ValueError, "threads is -1", {"threads": -1}),
        (TypeError, "threads is a whole number", {"threads": "2"}),
        (ValueError, "stage_seconds is 0", {"stage_seconds": 0}),
        (ValueError, "stage_seconds is -1.0", {"stage_seconds": -1}),
        (TypeError, "worker is a path", {"worker": 3}),
        (TypeError, "plugin_folders is a path, not int", {"plugin_folders": [3]}),
        (TypeError, "plugin_folders is a path or a sequence of them, not int", {"plugin_folders": 1}),
        (ValueError, "worker is '.ud800'; the system's encoding has no bytes", {"worker": "\ud800"}),
        (ValueError, "cache is 'a.x00b'; a path has no null byte", {"cache": "a\0b"}),
        (ValueError, "plugin_folders is .*; a path has no null byte", {"plugin_folders": b"/a\0b"}),
    ],
)
def test_engine(error, words, given):
    with pytest.raises(error, match=words):
        xpose.Engine(remember=False, **given)


def test_one_folder_of_plugins(tmp_path):
    (folder,) = xpose.Engine(plugin_folders=str(tmp_path / "none"), remember=False).plugins()
    assert folder["file"] == str(tmp_path / "none") and "cannot be read" in folder["refused"]
    engine = xpose.Engine(cache=bytes(tmp_path / "a.sqlite"))
    assert engine.permute_dims(X).tolist() == X.T.tolist()


def test_paths_of_any_bytes(tmp_path):
    name = bytes(tmp_path) + b"/\xff"
    (folder,) = xpose.Engine(plugin_folders=name, remember=False).plugins()
    assert folder["file"] == os.fsdecode(name) and "cannot be read" in folder["refused"]
    xpose.Engine(cache=name).plan(X, policy="measure", budget=0.01)
    assert os.path.exists(name)
    with pytest.raises(xpose.Error, match="cannot start the worker .*/\ufffd: No such file"):
        xpose.Engine(worker=bytes(tmp_path) + b"/none/\xff", remember=False).plan(X, policy="measure")


def test_explain():
    with pytest.raises(TypeError, match="variant is a text"):
        xpose.explain(X, variant=3)
    with pytest.raises(ValueError, match="variant is '.ud800'; it may have printable"):
        xpose.explain(X, variant="\ud800")


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("offset", ctypes.c_uint64),
    ]  # fmt: skip


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class OfBfloat16:
    """States any shape and strides, in elements, for six elements."""

    def __init__(self, shape=(2, 3), strides=None):
        self.array = numpy.arange(6, dtype="u2").reshape(2, 3)
        self.shape = (ctypes.c_int64 * 2)(*shape)
        self.strides = strides and (ctypes.c_int64 * 2)(*strides)
        self.tensor = (ctypes.c_char * 80)()  # a managed tensor without a deleter

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **given):
        if given:
            raise TypeError("an old one")
        stated = Tensor.from_buffer(self.tensor)
        stated.data, stated.device, stated.ndim = self.array.ctypes.data, (1, 0), 2
        stated.code, stated.bits, stated.lanes = 4, 16, 1
        stated.shape = ctypes.addressof(self.shape)
        stated.strides = self.strides and ctypes.addressof(self.strides)
        return new_capsule(ctypes.addressof(self.tensor), b"dltensor", None)


def test_dlpack_without_a_dtype_of_numpy():
    x, out = OfBfloat16(), numpy.zeros((3, 2), "u2")
    with pytest.raises(TypeError, match="OfBfloat16, pass out="):
        xpose.transpose(x)
    assert (xpose.transpose(x, out=out) == x.array.T).all()


@pytest.mark.parametrize("strides", [(-(2**63), 1), (2**62, 1), (3, 2**63 - 1)])
def test_dlpack_with_strides_beyond_64_bits(strides):
    with pytest.raises(ValueError, match="more than 2.63 bytes apart"):
        xpose.plan(OfBfloat16(strides=strides))
    for shape in ((0, 3), (3, 0), (1, 1)):  # of which strides mean nothing
        xpose.plan(OfBfloat16(shape, strides))


def test_dlpack_of_more_bytes_than_64_bits_count():
    with pytest.raises(ValueError, match="has more than 2.63 bytes"):
        xpose.plan(OfBfloat16((2**62, 2**62)))


def test_dlpack_without_a_capsule():
    class Empty(OfBfloat16):
        def __dlpack__(self, **given):
            return None

    with pytest.raises(TypeError, match="__dlpack__ returned no DLPack capsule"):
        xpose.transpose(Empty(), out=numpy.zeros((3, 2), "u2"))


def test_axes_that_change_their_list():
    class Changing:
        def __index__(self):
            axes.clear()
            axes.extend(range(100))
            kept.extend([["an axis", "no axis", "none"] for _ in range(100)])
            return 0

    kept, axes = [], [Changing(), 1]
    with pytest.raises(ValueError, match="at most 64 axes"):
        xpose.permute_dims(X, axes)

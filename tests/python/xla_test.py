"""The handlers that XLA calls, by calls as XLA makes them: no JAX is needed."""

import ctypes
from ctypes import POINTER, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_void_p

import numpy
import pytest

from xpose import _functions, _xpose

PREFIX = [("struct_size", c_size_t), ("extensions", c_void_p)]
EXECUTE, METADATA = 3, 1


def struct(name, *fields):
    return type(name, (ctypes.Structure,), {"_fields_": list(fields)})


Version = struct("Version", *PREFIX, ("major", c_int), ("minor", c_int))
Metadata = struct("Metadata", ("struct_size", c_size_t), ("version", Version), ("traits", c_uint32))
Extension = struct(
    "Extension",
    ("struct_size", c_size_t),
    ("type", c_int),
    ("next", c_void_p),
    ("metadata", POINTER(Metadata)),
)
Failure = struct("Failure", *PREFIX, ("message", c_char_p), ("code", c_int))
MAKE_FAILURE = ctypes.CFUNCTYPE(c_void_p, POINTER(Failure))
Stream = struct("Stream", *PREFIX, ("context", c_void_p), ("stream", c_void_p))
GET_STREAM = ctypes.CFUNCTYPE(c_void_p, POINTER(Stream))
Api = struct(
    "Api",
    *PREFIX,
    ("version", Version),
    ("internal", c_void_p),
    ("make_failure", MAKE_FAILURE),
    ("unused", c_void_p * 3),
    ("get_stream", GET_STREAM),
    ("more", c_void_p * 12),
    ("get_ordinal", c_void_p),
)
Buffer = struct(
    "Buffer", *PREFIX, ("type", c_int), ("data", c_void_p), ("rank", c_int64), ("extents", c_void_p)
)
Some = [("size", c_int64), ("types", c_void_p)]
Buffers = struct("Buffers", *PREFIX, *Some, ("buffers", POINTER(c_void_p)))
Text = struct("Text", ("begin", c_char_p), ("size", c_size_t))
Scalar = struct("Scalar", ("type", c_int), ("value", c_void_p))
Array = struct("Array", ("type", c_int), ("size", c_size_t), ("values", c_void_p))
Attributes = struct(
    "Attributes", *PREFIX, *Some, ("names", POINTER(POINTER(Text))), ("values", POINTER(c_void_p))
)
Frame = struct(
    "Frame",
    *PREFIX,
    ("api", POINTER(Api)),
    ("context", c_void_p),
    ("stage", c_int),
    ("inputs", Buffers),
    ("outputs", Buffers),
    ("attributes", Attributes),
)


@pytest.fixture(scope="module")
def handlers():
    capsules = _xpose.xla_handlers(_functions._default()._core)
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = c_void_p, [ctypes.py_object, c_char_p]
    return [ctypes.CFUNCTYPE(c_void_p, POINTER(Frame))(pointer(c, None)) for c in capsules]


class Call:
    """A call of a handler, and what lives as long."""

    def __init__(self, inputs, outputs, stage=EXECUTE, minor=3, **attributes):
        self.failures, self.kept = [], []
        make = MAKE_FAILURE(self._fail)
        stream = GET_STREAM(lambda _: None)
        api = Api(make_failure=make, get_stream=stream, version=Version(minor=minor))
        api.struct_size = Api.get_ordinal.offset  # as before XLA told of devices
        self.kept += [make, stream, api]
        names = (POINTER(Text) * len(attributes))()
        values = (c_void_p * len(attributes))()
        for i, (name, value) in enumerate(attributes.items()):
            data = numpy.array(value, numpy.int64)
            text = Text(name.encode(), len(name))
            stated = (
                Scalar(0, data.ctypes.data) if data.ndim == 0 else Array(0, data.size, data.ctypes.data)
            )
            names[i], values[i] = ctypes.pointer(text), ctypes.addressof(stated)
            self.kept += [data, text, stated]
        self.frame = Frame(api=ctypes.pointer(api), stage=stage)
        self.frame.inputs, self.frame.outputs = self._buffers(inputs), self._buffers(outputs)
        self.frame.attributes = Attributes(size=len(attributes), names=names, values=values)

    def _fail(self, failure):
        self.failures.append((failure.contents.code, failure.contents.message.decode()))
        return 1  # any address

    def _buffers(self, arrays):
        pointers = (c_void_p * len(arrays))()
        for i, array in enumerate(arrays):
            extents = (c_int64 * array.ndim)(*array.shape)
            buffer = Buffer(
                data=array.ctypes.data, rank=array.ndim, extents=ctypes.addressof(extents)
            )
            pointers[i] = ctypes.addressof(buffer)
            self.kept += [extents, buffer]
        return Buffers(size=len(arrays), buffers=pointers)

    def by(self, handler):
        result = handler(ctypes.byref(self.frame))
        assert (result is None) == (not self.failures)
        return self.failures


ESTIMATE = _xpose.policy_number("estimate")
X = numpy.arange(3 * 40 * 5, dtype="f4").reshape(3, 40, 5)


def test_moves_by_the_axes(handlers):
    for axes in ((2, 0, 1), (0, 1, 2), (1, 2, 0)):
        out = numpy.full(X.transpose(axes).shape, -1, "f4")
        call = Call([X], [out], axes=axes, element_bytes=4, policy=ESTIMATE)
        for _ in range(2):  # with a plan, the second time
            out.fill(-1)
            assert call.by(handlers[0]) == []
            assert (out == X.transpose(axes)).all()


def test_says_its_version_no_newer_than_the_caller(handlers):
    for theirs, ours in ((0, 0), (1, 1), (3, 3), (9, 3)):
        metadata = Metadata()
        extension = Extension(type=METADATA, metadata=ctypes.pointer(metadata))
        call = Call([], [], stage=0, minor=theirs)
        call.frame.extensions = ctypes.addressof(extension)
        for handler in handlers:
            metadata.version.major, metadata.version.minor = 7, 7
            assert call.by(handler) == []
            assert (metadata.version.major, metadata.version.minor) == (0, ours)


def test_does_nothing_in_other_stages(handlers):
    for stage in (0, 1, 2):
        assert Call([], [], stage=stage).by(handlers[0]) == []


def test_wrong_calls_are_failures_with_a_sentence(handlers):
    good = {"axes": (2, 0, 1), "element_bytes": 4, "policy": ESTIMATE}
    out = numpy.empty((5, 3, 40), "f4")
    for name in good:
        lacking = {key: value for key, value in good.items() if key != name}
        assert Call([X], [out], **lacking).by(handlers[0])[0] == (
            3, f"a call of xpose lacks the attribute {name}",
        )  # fmt: skip
    ((code, message),) = Call([X, X], [out], **good).by(handlers[0])
    assert code == 3 and "one input and one output" in message
    ((code, message),) = Call([X], [out[:4]], **good).by(handlers[0])
    assert code == 3 and message
    cached = _xpose.policy_number("cached_only")
    odd, out = numpy.zeros((37, 41, 3), "f4"), numpy.empty((3, 37, 41), "f4")
    ((code, message),) = Call([odd], [out], **{**good, "policy": cached}).by(handlers[0])
    assert code == 12 and message


def test_a_runtime_without_devices_is_refused_on_cuda(handlers):
    out = numpy.empty((5, 3, 40), "f4")
    call = Call([X], [out], axes=(2, 0, 1), element_bytes=4, policy=ESTIMATE)
    assert call.by(handlers[1]) == [
        (12, "this version of JAX does not tell its device to xpose: update JAX")
    ]

"""Arrays of other libraries by DLPack and by the CUDA array interface, on the CPU."""

import ctypes

import numpy
import pytest

import xpose


class OfDLPack:
    """An array with __dlpack__ alone, of a library that knows versions or does not."""

    def __init__(self, array, versioned=True):
        self.array, self.versioned = array, versioned

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **given):
        if not self.versioned and "max_version" in given:
            raise TypeError("max_version")
        try:
            return self.array.__dlpack__(**given)
        except TypeError:  # NumPy before 2.1
            return self.array.__dlpack__()


@pytest.mark.parametrize("versioned", [True, False])
def test_dlpack(versioned):
    x = numpy.arange(24.0).reshape(2, 3, 4)[:, ::-1]
    out = xpose.permute_dims(OfDLPack(x, versioned), (2, 0, 1))
    assert (out == x.transpose(2, 0, 1)).all() and out.dtype == x.dtype
    place = numpy.zeros((4, 2, 3))
    xpose.permute_dims(x, (2, 0, 1), out=OfDLPack(place, versioned))
    assert (place == x.transpose(2, 0, 1)).all()


class Named(OfDLPack):
    """An array that also names its dtype, in words of its own."""

    dtype = "f8,(f64 of a library"


@pytest.mark.parametrize("of", [OfDLPack, lambda array: OfDLPack(array, versioned=False), Named])
def test_dlpack_has_a_dtype(of):
    x = numpy.arange(6.0).reshape(2, 3)
    for dtype in ("i8", "u8", "c8"):
        out = numpy.zeros((3, 2), dtype)
        for source, target in (x, of(out)), (of(x), out), (of(x), of(out)), (of(x), OfDLPack(out)):
            for call in (xpose.transpose, xpose.plan):
                with pytest.raises(TypeError, match=f"out has dtype {out.dtype}, x float64"):
                    call(source, out=target)
        assert not out.any()
    for dtype in ("?", "i1", "u2", "f2", "f4", "f8", "c16"):
        array, out = numpy.ones((2, 3), dtype), numpy.zeros((3, 2), dtype)
        assert xpose.transpose(of(array), out=out) is out and out.all()
        xpose.transpose(array, out=of(out))
        xpose.transpose(of(array), out=of(out))


def test_dlpack_without_a_device():
    class Capsule:  # of a library older than __dlpack_device__
        def __dlpack__(self):
            return numpy.arange(6.0).reshape(2, 3).__dlpack__()

    out = numpy.zeros((3, 2))
    assert xpose.transpose(Capsule(), out=out).tolist() == [[0, 3], [1, 4], [2, 5]]


def test_dlpack_is_told_of_the_stream():
    class OnCuda(OfDLPack):
        streams = []

        def __dlpack_device__(self):
            return 2, 0

        def __dlpack__(self, stream, **given):
            self.streams.append(stream)
            return super().__dlpack__()

    for stream in (None, 0, 77):
        with pytest.raises(TypeError, match="out="):
            xpose.transpose(OnCuda(numpy.zeros((2, 3))), stream=stream)
    assert OnCuda.streams == [1, 1, 77]


def test_read_only_dlpack():
    x = numpy.arange(6.0).reshape(2, 3)
    x.flags.writeable = False
    try:
        x.__dlpack__(max_version=(1, 0))
    except (TypeError, BufferError):
        pytest.skip("this NumPy exports no read-only arrays")
    assert xpose.transpose(OfDLPack(x)).tolist() == x.T.tolist()
    frozen = numpy.zeros((3, 2))
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        xpose.transpose(x, out=OfDLPack(frozen))


def test_another_device():
    class Elsewhere(OfDLPack):
        def __dlpack_device__(self):
            return 8, 0  # Metal

        def __dlpack__(self, **given):
            raise BufferError("not here")

    with pytest.raises((BufferError, TypeError)):
        xpose.transpose(Elsewhere(numpy.zeros((2, 3))))


def test_cuda_array_interface_is_of_cuda():
    class OnCuda:
        place = (ctypes.c_char * 64)()
        dtype = "<f4"
        __cuda_array_interface__ = {
            "shape": (2, 3), "typestr": "<f4", "data": (ctypes.addressof(place), True), "version": 3,
        }  # fmt: skip

    with pytest.raises(TypeError, match="out="):
        xpose.transpose(OnCuda())
    with pytest.raises(ValueError, match="device"):
        xpose.transpose(OnCuda(), out=numpy.zeros((3, 2), "f4"))

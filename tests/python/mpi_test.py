"""Routes within one process, and what placements and routes refuse. ../mpi has those between processes."""

import numpy
import pytest

import xpose
from xpose import mpi


def one(shape, dtype="f8"):
    return mpi.on_one_rank(shape, 0, dtype)


def test_one_process_transposes_and_copies():
    x = numpy.arange(35, dtype="i2").reshape(5, 7)
    route = mpi.Route(None, one((5, 7), "i2"), one((7, 5), "i2"))
    assert route.report is None
    assert (route(x) == x.T).all()
    assert route.report["bytes_kept"] == 70 and route.report["messages_sent"] == 0
    out = numpy.zeros((5, 7), "i2")
    kept = mpi.Route(None, one((5, 7), "i2"), one((5, 7), "i2"), transpose=False)
    assert kept(x, out) is out and (out == x).all()


def test_a_square_is_transposed_in_place():
    route = mpi.Route(None, one((5, 5), "i2"), one((5, 5), "i2"), in_place=True)
    x = numpy.arange(25, dtype="i2").reshape(5, 5)
    wanted = x.T.copy()
    assert route(x) is x and (x == wanted).all()
    assert route(x, x) is x and (x == wanted.T).all()
    with pytest.raises(ValueError, match="input and output of rank 0 differ"):
        route(x, x.copy())
    x.flags.writeable = False
    with pytest.raises(ValueError, match="x is read-only"):
        route(x)


def test_arrays_of_block_cyclic_placements_are_in_fortran_order():
    placement = mpi.block_cyclic((10, 6), (2, 3), (2, 2), "f4", first=(1, 0))
    assert placement.local_shape(0) == (4, 3) and placement.local_shape(3) == (6, 3)
    assert placement.local_shape(9) == (0, 0)
    assert placement.empty(3).flags.f_contiguous and placement.empty(3).dtype == "f4"
    assert repr(placement) == "<xpose.mpi.Placement of 10x6, float32>"
    x = numpy.asfortranarray(numpy.arange(60.0).reshape(10, 6))
    whole = mpi.block_cyclic((10, 6), (4, 4), (1, 1))
    y = mpi.Route(None, whole, mpi.block_cyclic((6, 10), (1, 9), (1, 1)))(x)
    assert y.flags.f_contiguous and (y == x.T).all()


@pytest.mark.parametrize(
    "shape, dtype, words",
    [
        ((5, 6), "f8", r"x has shape \(5, 6\), and its placement gives rank 0 \(5, 7\)"),
        ((5, 7), "f4", "x has dtype float32, and its placement float64"),
    ],
)
def test_another_array_is_refused(shape, dtype, words):
    route = mpi.Route(None, one((5, 7)), one((7, 5)))
    with pytest.raises(ValueError, match=words):
        route(numpy.zeros(shape, dtype))


def test_wrong_arrays_are_refused():
    route = mpi.Route(None, one((6, 6)), one((6, 6)))
    x = numpy.ones((6, 6))
    with pytest.raises(ValueError, match=r"x is not contiguous in C order; use numpy\.ascontiguousarray\(\)"):
        route(numpy.ones((6, 12))[:, ::2])
    with pytest.raises(ValueError, match="overlap"):
        route(x, x)
    out = numpy.zeros((6, 6))
    out.flags.writeable = False
    with pytest.raises(ValueError, match="out is read-only"):
        route(x, out)
    assert not out.any()
    with pytest.raises(TypeError, match="x is an array of NumPy or .*, not list"):
        route([[1.0]])


class Exchanged:
    """An array of a library that has DLPack's methods, in host memory."""

    def __init__(self, array):
        self.array, self.shape, self.dtype = array, array.shape, array.dtype

    def __dlpack__(self, **given):
        return self.array.__dlpack__(**given)

    def __dlpack_device__(self):
        return (1, 0)


class OnGpu:
    """An array that says that it is on a GPU."""

    def __init__(self, array):
        self.__cuda_array_interface__ = dict(array.__array_interface__, version=3)

    __cuda_array_interface__ = None


def test_arrays_of_another_library_in_host_memory():
    x, out = numpy.arange(35.0).reshape(5, 7), numpy.zeros((7, 5))
    route = mpi.Route(None, one((5, 7)), one((7, 5)))
    given = Exchanged(out)
    assert route(Exchanged(x), given) is given and (out == x.T).all()
    bits = mpi.Route(None, one((5, 7), "V8"), one((7, 5), "V8"))
    assert (bits(Exchanged(x)) == x.T).all() and route.report["direct"] is False
    with pytest.raises(ValueError, match="x has dtype float64, and its placement int64"):
        mpi.Route(None, one((5, 7), "i8"), one((7, 5), "i8"))(Exchanged(x))
    with pytest.raises(ValueError, match="x has elements of 8 bytes, and its placement of 4"):
        mpi.Route(None, one((5, 7), "f4"), one((7, 5), "f4"))(Exchanged(x))
    with pytest.raises(ValueError, match=r"x has shape \(7, 5\), and its placement gives rank 0 \(5, 7\)"):
        route(Exchanged(out))
    with pytest.raises(ValueError, match="x is not contiguous in C order"):
        route(Exchanged(out.T))


@pytest.mark.skipif(not xpose.cuda_unavailable_reason(), reason="CUDA is there")
def test_without_cuda_an_array_on_a_gpu_is_refused_with_a_remedy():
    route = mpi.Route(None, one((5, 7)), one((7, 5)))
    with pytest.raises(xpose.DeviceError, match="x is on cuda:0.*copy x to a NumPy array, or install"):
        route(OnGpu(numpy.zeros((5, 7))))


def test_ranks_with_devices_move_arrays_of_the_host():
    """The host stands for a device: the logic is the same."""
    x, out = numpy.arange(35.0).reshape(5, 7), numpy.zeros((7, 5))
    route = mpi.Route(None, one((5, 7)), one((7, 5)))
    core = route._on_device(False, 0)
    for _ in range(2):
        report = core.run(x.ctypes.data, out.ctypes.data, 0)
        assert (out == x.T).all() and report["bytes_kept"] == 280
        out[:] = 0
    with pytest.raises(ValueError, match="make another route for this device"):
        route._on_device(False, 1)


def test_wrong_placements_are_refused():
    with pytest.raises(ValueError, match="dtype float64, the target float32"):
        mpi.Route(None, one((2, 3)), one((3, 2), "f4"))
    with pytest.raises(ValueError):
        mpi.Route(None, one((2, 3)), one((2, 3)))
    with pytest.raises(ValueError):
        mpi.Route(None, mpi.row_slabs((8, 8), 4), one((8, 8)))
    with pytest.raises(ValueError):
        mpi.row_slabs((8, 8), 0)
    with pytest.raises(ValueError):
        mpi.block_cyclic((8, 8), (0, 1), (1, 1))
    with pytest.raises(TypeError, match="objects cannot be moved"):
        one((2, 2), object)
    with pytest.raises(TypeError, match="source is a Placement, not tuple"):
        mpi.Route(None, (2, 3), one((3, 2)))
    with pytest.raises(TypeError, match="communicator of mpi4py or None, not int"):
        mpi.Route(3, one((2, 3)), one((3, 2)))
    with pytest.raises(ValueError, match="a route in place is of a square matrix"):
        mpi.Route(None, one((2, 3)), one((3, 2)), in_place=True)
    with pytest.raises(ValueError, match="deadline"):
        mpi.Route(None, one((2, 3)), one((3, 2)), deadline=0)
    with pytest.raises(TypeError, match="deadline is a number of seconds, not 'soon'"):
        mpi.Route(None, one((2, 3)), one((3, 2)), deadline="soon")
    with pytest.raises(ValueError, match="deadline is nan seconds; it may be 0 or more"):
        mpi.Route(None, one((2, 3)), one((3, 2)), deadline=float("nan"))
    with pytest.raises(ValueError, match="memory is -1; it may be 0 to 9223372036854775807"):
        mpi.Route(None, one((2, 3)), one((3, 2)), memory=-1)
    with pytest.raises(TypeError, match="memory is a whole number, not float"):
        mpi.Route(None, one((2, 3)), one((3, 2)), memory=1e9)

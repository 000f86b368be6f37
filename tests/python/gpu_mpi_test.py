"""Routes of one process between arrays on a CUDA device. ../mpi has those between processes."""

import numpy
import pytest

import xpose
from xpose import mpi

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytestmark = pytest.mark.skipif(
    not torch.cuda.is_available() or bool(xpose.cuda_unavailable_reason()),
    reason=f"no CUDA device: {xpose.cuda_unavailable_reason() or 'PyTorch sees none'}",
)


def communicators():
    """None, and where mpi4py is installed the one of this process alone."""
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError):
        return [None]
    return [None, MPI.COMM_SELF]


def filled(*shape, dtype=torch.float32):
    return torch.randint(0, 1 << 20, shape, device="cuda").to(dtype)


@pytest.mark.parametrize("comm", communicators(), ids=str)
def test_tensors_in_rows_and_in_columns(comm):
    x = filled(301, 203)
    rows, cols = mpi.on_one_rank((301, 203), 0, "f4"), mpi.on_one_rank((203, 301), 0, "f4")
    route = mpi.Route(comm, rows, cols)
    found = route(x)
    assert found.is_cuda and found.is_contiguous() and torch.equal(found, x.T)
    out = torch.zeros_like(found)
    assert route(x, out) is out and torch.equal(out, x.T)
    assert route.report["bytes_kept"] == 301 * 203 * 4
    blocks = mpi.block_cyclic((203, 301), (7, 5), (1, 1), "f4")
    found = mpi.Route(comm, rows, blocks)(x)
    assert found.stride() == (1, 203) and torch.equal(found, x.T)


@pytest.mark.parametrize("comm", communicators(), ids=str)
def test_the_input_of_the_current_stream_is_awaited(comm):
    placement = mpi.on_one_rank((2048, 2048), 0, "f4")
    route = mpi.Route(comm, placement, placement)
    x, stream = torch.zeros(2048, 2048, device="cuda"), torch.cuda.Stream()
    route(x)
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        torch.cuda._sleep(50_000_000)  # what does not wait would read zeros
        x.add_(torch.arange(2048.0, device="cuda"))
        found = route(x)
    assert torch.equal(found, x.T)


@pytest.mark.parametrize("comm", communicators(), ids=str)
def test_a_square_in_place_and_bytes_of_any_dtype(comm):
    placement = mpi.on_one_rank((257, 257), 0, "V2")
    x = filled(257, 257, dtype=torch.bfloat16)
    wanted = x.T.contiguous()
    route = mpi.Route(comm, placement, placement, in_place=True)
    assert route(x) is x and torch.equal(x, wanted)


def test_what_does_not_fit_is_refused():
    placement = mpi.on_one_rank((4, 4), 0, "f4")
    route = mpi.Route(None, placement, placement)
    x = filled(4, 4)
    with pytest.raises(ValueError, match="out is on host, and x on cuda:0"):
        route(x, numpy.zeros((4, 4), "f4"))
    with pytest.raises(ValueError, match="x has dtype int32, and its placement float32"):
        route(x.int())
    with pytest.raises(ValueError, match="not contiguous in C order"):
        route(filled(4, 8)[:, ::2])
    with pytest.raises(ValueError, match="requires a gradient"):
        route(x.clone().requires_grad_())
    with pytest.raises(ValueError, match="overlap"):
        route(x, x)


def test_cupy():
    cupy = pytest.importorskip("cupy")
    x = cupy.arange(60 * 70, dtype="f8").reshape(60, 70)
    found = mpi.Route(None, mpi.on_one_rank((60, 70)), mpi.block_cyclic((70, 60), (8, 8), (1, 1)))(x)
    assert type(found) is type(x) and found.flags.f_contiguous and bool((found == x.T).all())

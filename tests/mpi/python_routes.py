"""Routes of the Python package on every process of a communicator, as python_test.py starts them.

python_routes.py exact SEED CASES | gpu SEED CASES | ended | lost FOLDER [device]
"""

import math
import os
import signal
import sys

import numpy
import xpose
from mpi4py import MPI
from xpose import mpi

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
DTYPES = ("u1", "<i2", "f4", "f8", "c16", "S3", "V201")


def drawn_placement(draw, shape, dtype):
    kind = draw.integers(4)
    if kind == 0:
        return mpi.row_slabs(shape, int(draw.integers(1, size + 1)), dtype)
    if kind == 1:
        return mpi.column_slabs(shape, int(draw.integers(1, size + 1)), dtype)
    if kind == 2:
        return mpi.on_one_rank(shape, int(draw.integers(size)), dtype)
    grid = [(1, size), (size, 1), (2, size // 2), (1, 1)][draw.integers(4)]
    first = tuple(int(draw.integers(n)) for n in grid)
    blocks = tuple(int(n) for n in draw.integers(1, 9, 2))
    return mpi.block_cyclic(shape, blocks, grid, dtype, first=first, column_major_grid=bool(draw.integers(2)))


def held(placement, whole):
    """What each rank has of a matrix, by asking the placement alone: a route from rank 0 to it."""
    mine = whole if rank == 0 else numpy.empty((0, 0), whole.dtype)
    return mpi.Route(comm, mpi.on_one_rank(whole.shape, 0, whole.dtype), placement, transpose=False)(mine)


def whole_of(placement, mine):
    """The matrix on rank 0, likewise."""
    return mpi.Route(comm, placement, mpi.on_one_rank(placement.shape, 0, placement.dtype), transpose=False)(mine)


class OnDevices:
    """A route between arrays of the host as if it were a device of each rank's own."""

    def __init__(self, route, target):
        self.route, self.target = route, target

    def __call__(self, x):
        out = self.target.empty(rank)
        self.report = self.route._on_device(False, 0).run(x.ctypes.data, out.ctypes.data, 0)
        return out


def slab(whole):
    """NumPy's view of what row_slabs() gives this rank."""
    return numpy.array_split(whole, size)[rank]


def exact(seed, cases):
    draw = numpy.random.default_rng(seed)  # the same on every rank
    for _ in range(cases):
        shape = tuple(int(n) for n in draw.integers(0, 70, 2))
        dtype = numpy.dtype(DTYPES[draw.integers(len(DTYPES))])
        whole = numpy.frombuffer(draw.bytes(math.prod(shape) * dtype.itemsize), dtype).reshape(shape)
        transpose = bool(draw.integers(2))
        source = drawn_placement(draw, shape, dtype)
        target = drawn_placement(draw, shape[::-1] if transpose else shape, dtype)
        route = mpi.Route(comm, source, target, transpose=transpose, memory=int(draw.integers(1, 1 << 16)))
        mine = held(source, whole)
        result = route(mine)
        assert (route(mine, result) is result) and route.report["seconds"] > 0
        again = OnDevices(route, target)
        assert again(mine).tobytes() == result.tobytes() and again.report["direct"] is False
        found = whole_of(target, result)
        if rank == 0:
            wanted = whole.T if transpose else whole
            assert found.tobytes() == wanted.tobytes(), (shape, dtype, transpose)
    for _ in range(cases):
        dtype = numpy.dtype(DTYPES[draw.integers(len(DTYPES))])
        side = int(draw.integers(0, 50))
        whole = numpy.frombuffer(draw.bytes(side * side * dtype.itemsize), dtype).reshape(side, side)
        placement = drawn_placement(draw, whole.shape, dtype)
        route = mpi.Route(comm, placement, placement, in_place=True, memory=int(draw.integers(1, 1 << 16)))
        mine = held(placement, whole)
        assert route(mine) is mine
        found = whole_of(placement, mine)
        if rank == 0:
            assert found.tobytes() == whole.T.tobytes(), (side, dtype)
    # Slabs are those of NumPy, not merely what comes back.
    whole = numpy.arange(37 * 23.0).reshape(37, 23)
    result = mpi.Route(comm, mpi.row_slabs((37, 23), size), mpi.row_slabs((23, 37), size))(slab(whole).copy())
    assert (result == slab(numpy.ascontiguousarray(whole.T))).all()
    # Relabelling keeps all bytes of a copy where they are.
    source = mpi.row_slabs((8 * size, 3), size)
    turned = mpi.relabelled(source, mpi.block_cyclic((8 * size, 3), (8, 3), (size, 1), first=(1, 0)), transpose=False)
    route = mpi.Route(comm, source, turned, transpose=False)
    route(slab(numpy.arange(24.0 * size).reshape(-1, 3)).copy())
    assert route.report["bytes_sent"] == 0
    # A message in more pieces than one, and a communicator that is freed.
    xpose._mpi.PIECE = 1000
    part = comm.Dup()
    route = mpi.Route(part, mpi.row_slabs((64, 60), size), mpi.row_slabs((60, 64), size))
    whole = numpy.arange(64 * 60.0).reshape(64, 60)
    assert (route(slab(whole).copy()) == slab(numpy.ascontiguousarray(whole.T))).all()
    part.Free()


def gpu(seed, cases):
    """Between tensors of PyTorch, on a GPU that all ranks share."""
    import torch

    draw = numpy.random.default_rng(seed)
    for case in range(cases):
        shape = tuple(int(n) for n in draw.integers(1, 300, 2))
        whole = numpy.frombuffer(draw.bytes(math.prod(shape) * 4), "i4").reshape(shape)
        source = drawn_placement(draw, shape, "i4")
        target = drawn_placement(draw, shape[::-1], "i4")
        route = mpi.Route(comm, source, target, memory=int(draw.integers(1, 1 << 20)))
        mine = held(source, whole)
        in_rows = torch.from_numpy(numpy.ascontiguousarray(mine if source._order == "C" else mine.T)).cuda()
        tensor = in_rows if source._order == "C" else in_rows.T
        with torch.cuda.stream(torch.cuda.Stream()) if case % 2 else torch.cuda.stream(None):
            torch.cuda.current_stream().wait_stream(torch.cuda.default_stream())
            found = route(tensor)
            assert found.is_cuda and found.dtype == torch.int32
            assert route(tensor, found) is found
        torch.cuda.synchronize()
        total = whole_of(target, numpy.array(found.cpu(), order=target._order))
        if rank == 0:
            assert total.tobytes() == whole.T.tobytes(), (shape, case)
    if rank == 0:
        print(f"{cases} routes are exact, direct: {route.report['direct']}")


def lost(folder):
    """Rank 2 ends in the midst of a route; every other one names it."""
    source, target = mpi.row_slabs((400, 400), size), mpi.row_slabs((400, 400), size)
    route = mpi.Route(comm, source, target, deadline=5)
    x = numpy.ones(source.local_shape(rank))
    if "device" in sys.argv:
        route = OnDevices(route, target)
    route(x)
    comm.Barrier()  # a rank may return before others
    if rank == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    try:
        route(x)
    except xpose.Error as error:
        with open(os.path.join(folder, f"rank{rank}"), "w", encoding="utf-8") as file:
            file.write(str(error))
    try:
        route(x)
    except xpose.Error as error:
        with open(os.path.join(folder, f"rank{rank}"), "a", encoding="utf-8") as file:
            file.write("\n" + str(error))
    os._exit(0)


def ended():
    """Routes are dropped in an order of each rank's own, and one is called after MPI has ended."""
    source, target = mpi.row_slabs((40, 60), size), mpi.row_slabs((60, 40), size)
    x = numpy.ones(source.local_shape(rank))
    comms = [comm.Dup() for _ in range(4)]
    routes = [mpi.Route(one, source, target) for one in comms]
    for route in routes:
        route(x)
    for place in range(4):
        routes[(place + rank) % 4] = None
    for one in comms[:3]:
        one.Free()
    route = mpi.Route(comms[3], source, target)
    route(x)
    MPI.Finalize()
    try:
        route(x)
    except ValueError as error:
        os.write(1, f"{error}\n".encode())  # at once: lines of ranks mix


if sys.argv[1] == "ended":
    ended()
elif sys.argv[1] in ("exact", "gpu"):
    {"exact": exact, "gpu": gpu}[sys.argv[1]](int(sys.argv[2]), int(sys.argv[3]))
else:
    lost(sys.argv[2])

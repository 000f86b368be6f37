"""Matrices that several processes hold, brought into another placement: transposed, or as they are.

Run by `mpiexec -n 4 python program.py`:

    from mpi4py import MPI
    import numpy
    from xpose import mpi

    comm = MPI.COMM_WORLD
    source = mpi.row_slabs((6000, 4000), comm.size)  # of float64
    target = mpi.row_slabs((4000, 6000), comm.size)
    x = numpy.random.rand(*source.local_shape(comm.rank))
    y = mpi.Route(comm, source, target)(x)  # on every process: its rows of the transpose

Without a communicator, a route has one process:

>>> import numpy
>>> route = Route(None, on_one_rank((2, 3)), on_one_rank((3, 2)))
>>> route(numpy.arange(6.0).reshape(2, 3))
array([[0., 3.],
       [1., 4.],
       [2., 5.]])
"""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy

from . import _checks, _functions, _xpose
from ._engine import Engine
from ._held import empty, held, moved
from ._mpi import ranks_of, takes_device_memory

__all__ = [
    "Placement",
    "Route",
    "block_cyclic",
    "column_slabs",
    "on_one_rank",
    "relabelled",
    "row_slabs",
]


class Placement:
    """Where the elements of a matrix lie. Made by the functions of this module.

    Attributes
    ----------
    shape : tuple of int
        Rows and columns of the whole matrix.
    dtype : numpy.dtype
        Of its elements.
    """

    def __init__(self, shape: tuple[int, int], dtype: numpy.dtype[Any], core: Any) -> None:
        self.shape = shape
        self.dtype = dtype
        self._core = core

    def local_shape(self, rank: int) -> tuple[int, int]:
        """The rows and columns that a rank holds; (0, 0) for one that holds none."""
        rows, columns = self._core.local_shape(operator.index(rank))
        return rows, columns

    def empty(self, rank: int) -> numpy.ndarray[Any, Any]:
        """A new array for what a rank holds, with elements of any value."""
        return numpy.empty(self.local_shape(rank), self.dtype, self._order)

    @property
    def _order(self) -> Any:
        return "C" if self._core.is_row_major else "F"

    def __repr__(self) -> str:
        return f"<xpose.mpi.Placement of {self.shape[0]}x{self.shape[1]}, {self.dtype}>"


def _placement(make: Any, shape: Any, dtype: Any, *rest: Any) -> Placement:
    rows, columns = (operator.index(extent) for extent in shape)
    element = numpy.dtype(dtype)
    if element.hasobject:
        raise TypeError("elements are bytes; objects cannot be moved to another process")
    return Placement((rows, columns), element, make(rows, columns, element.itemsize, *rest))


def on_one_rank(shape: tuple[int, int], rank: int = 0, dtype: Any = numpy.float64) -> Placement:
    """The whole matrix on one rank, in C order."""
    return _placement(_xpose.on_one_rank, shape, dtype, operator.index(rank))


def row_slabs(shape: tuple[int, int], ranks: int, dtype: Any = numpy.float64) -> Placement:
    """Rows in slabs over ranks 0 to `ranks` - 1, the first longer by one where they are no multiple.

    The arrays are in C order. ValueError for a negative extent or no rank.
    """
    return _placement(_xpose.row_slabs, shape, dtype, operator.index(ranks))


def column_slabs(shape: tuple[int, int], ranks: int, dtype: Any = numpy.float64) -> Placement:
    """Columns in slabs, as `row_slabs` has rows."""
    return _placement(_xpose.column_slabs, shape, dtype, operator.index(ranks))


def block_cyclic(
    shape: tuple[int, int],
    blocks: tuple[int, int],
    grid: tuple[int, int],
    dtype: Any = numpy.float64,
    *,
    first: tuple[int, int] = (0, 0),
    column_major_grid: bool = False,
) -> Placement:
    """A matrix as ScaLAPACK deals it out: blocks in turn over the rows and columns of a grid of ranks.

    Parameters
    ----------
    shape : (int, int)
        Rows and columns of the matrix.
    blocks : (int, int)
        Rows and columns of a block: MB and NB.
    grid : (int, int)
        Rows and columns of the grid of ranks: NPROW and NPCOL.
    dtype : dtype, optional
        Of the elements; any of 1 to 256 bytes but objects.
    first : (int, int), optional
        The row and column of the grid that hold the first block: RSRC and CSRC.
    column_major_grid : bool, optional
        True: ranks 0, 1, ... follow each other down the columns of the grid.

    Returns
    -------
    Placement
        With arrays in Fortran order.

    Raises
    ------
    ValueError
        A number is out of its range.
    """
    numbers = [operator.index(n) for pair in (blocks, first, grid) for n in pair]
    return _placement(_xpose.block_cyclic, shape, dtype, *numbers, column_major_grid)


def relabelled(source: Placement, target: Placement, *, transpose: bool = True) -> Placement:
    """The target with its ranks in another order, of which most bytes stay where they are.

    For callers to whom it is equal which rank holds which part. The target itself where no order
    is better. The time is of the third power of the number of ranks.
    """
    core = _xpose.relabelled(source._core, target._core, transpose)
    return Placement(target.shape, target.dtype, core)


class Route:
    """The way from one placement to another, for any number of runs.

    Parameters
    ----------
    comm : mpi4py.MPI.Intracomm or None
        The processes. All of them make the route, with the same arguments. None: this one alone.
    source, target : Placement
        Of one dtype. The target's shape is the source's, reversed where the route transposes.
    transpose : bool, optional
        False: element (r, c) stays at (r, c).
    in_place : bool, optional
        True: the result is the array that is given. Of squares, with one placement for both, and
        transposed; ValueError for others.
    memory : int, optional
        Bytes of the buffers on each process.
    deadline : float, optional
        Seconds after which a process from which nothing came is taken for lost.
    engine : Engine, optional
        Whose strategies move the elements within a process.

    Attributes
    ----------
    report : dict or None
        Messages, bytes and seconds of the last run on this process.

    Raises
    ------
    ValueError
        A placement does not fit the communicator, or the other placement.
    """

    def __init__(
        self,
        comm: Any,
        source: Placement,
        target: Placement,
        *,
        transpose: bool = True,
        in_place: bool = False,
        memory: int = 256 << 20,
        deadline: float = 10.0,
        engine: Engine | None = None,
    ) -> None:
        for name, placement in (("source", source), ("target", target)):
            if not isinstance(placement, Placement):
                raise TypeError(f"{name} is a Placement, not {type(placement).__name__}")
        if source.dtype != target.dtype:
            raise ValueError(f"the source has dtype {source.dtype}, the target {target.dtype}")
        memory = _checks.number("memory", memory, 0, 2**63 - 1)
        deadline = _checks.seconds("deadline", deadline)
        core = (engine or _functions._default())._core
        ranks = None if comm is None else ranks_of(comm)
        self._rank = 0 if comm is None else comm.Get_rank()
        self._comm, self._ranks = comm, ranks
        self._source, self._target, self._in_place = source, target, bool(in_place)
        self._options = (bool(transpose), self._in_place, memory, deadline)
        self._make = functools.partial(_xpose.Route, core, source._core, target._core)
        self._core = self._make(ranks, None, *self._options)
        self._device: tuple[bool, int] | None = None  # on CUDA, ordinal: of the first arrays there
        self._core_of_device: Any = None
        self.report: dict[str, Any] | None = None

    def __call__(self, x: Any, out: Any = None) -> Any:
        """Move what this process holds to where it belongs, together with all other processes.

        Parameters
        ----------
        x : array
            Of `source.local_shape(rank)`, in the order of the placement: of NumPy, or of a library
            that `permute_dims` takes. Where it is on a GPU, so are those of all other processes;
            a process without elements gives an empty one. A placement of dtype ``'V2'`` takes
            every dtype of two bytes, and so on.
        out : array, optional
            Of `target.local_shape(rank)`, where `x` is; it must not overlap `x`. Default: a new
            array of the library of `x`. In place it is `x`, which is the default then.

        Returns
        -------
        array
            What this process holds of the target. It is there when the call returns.

        Raises
        ------
        ValueError, TypeError
            An array is not what its placement says. The other processes wait for the deadline.
        DeviceError
            The array is on a GPU that cannot be used.
        Error
            A process is lost, has failed, or has made another route; which one, is told. The
            communicator's routes cannot run again: end the program by ``comm.Abort()``.
        """
        given = held(self._source, x, self._rank, "x")
        with given.scope():
            core = self._on_device(True, given.ordinal) if given.on_cuda else self._core
            if self._in_place and out is None:
                result, taken = x, held(self._target, x, self._rank, "x", is_written=True)
            elif out is None:
                result, taken = empty(self._target, given, self._rank)
            else:
                result, taken = out, held(self._target, out, self._rank, "out", is_written=True)
            if given.where != taken.where:
                raise ValueError(f"out is on {taken.where}, and x on {given.where}")
            self.report = moved(core, given, taken)
        return result

    def _on_device(self, on_cuda: bool, ordinal: int) -> Any:
        """The route between arrays on a device, made together with all other processes."""
        if self._device is None:
            reason = _xpose.cuda_unavailable_reason() if on_cuda else ""
            if reason:
                raise _xpose.DeviceError(
                    f"x is on cuda:{ordinal}, and this xpose cannot use it: {reason}; copy x to a "
                    "NumPy array, or install xpose where nvcc and a GPU are"
                )
            direct = self._comm is not None and on_cuda and takes_device_memory()
            _transpose, _in_place, memory, deadline = self._options
            devices = _xpose.DeviceRanks(self._ranks, on_cuda, ordinal, direct, memory, deadline)
            self._core_of_device = self._make(self._ranks, devices, *self._options)
            self._device = on_cuda, ordinal
        if self._device != (on_cuda, ordinal):
            raise ValueError(
                f"x is on cuda:{ordinal}, and the route was run on cuda:{self._device[1]}; make "
                "another route for this device, on all processes"
            )
        return self._core_of_device

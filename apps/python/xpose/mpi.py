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

import operator
from typing import Any

import numpy

from . import _functions, _xpose
from ._engine import Engine
from ._mpi import ranks_of

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

    def _address(self, array: Any, rank: int, name: str) -> int:
        """The address of the array of a rank. ValueError, TypeError where it is no such array."""
        if not isinstance(array, numpy.ndarray):
            raise TypeError(f"{name} is a NumPy array, not {type(array).__name__}")
        if array.dtype != self.dtype:
            raise ValueError(f"{name} has dtype {array.dtype}, and its placement {self.dtype}")
        if array.shape != self.local_shape(rank):
            raise ValueError(
                f"{name} has shape {array.shape}, and its placement gives rank {rank} "
                f"{self.local_shape(rank)}"
            )
        flags = array.flags
        if not (flags.c_contiguous if self._order == "C" else flags.f_contiguous):
            copy = {"C": "numpy.ascontiguousarray", "F": "numpy.asfortranarray"}[self._order]
            raise ValueError(f"{name} is not contiguous in {self._order} order; use {copy}()")
        return array.ctypes.data

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
        core = (engine or _functions._default())._core
        ranks = None if comm is None else ranks_of(comm)
        self._rank = 0 if comm is None else comm.Get_rank()
        self._source, self._target, self._in_place = source, target, bool(in_place)
        self._core = _xpose.Route(
            core,
            source._core,
            target._core,
            ranks,
            bool(transpose),
            self._in_place,
            memory,
            deadline,
        )
        self.report: dict[str, Any] | None = None

    def __call__(
        self, x: numpy.ndarray[Any, Any], out: numpy.ndarray[Any, Any] | None = None
    ) -> numpy.ndarray[Any, Any]:
        """Move what this process holds to where it belongs, together with all other processes.

        Parameters
        ----------
        x : numpy.ndarray
            Of `source.local_shape(rank)`, in the order of the placement.
        out : numpy.ndarray, optional
            Of `target.local_shape(rank)`; it must not overlap `x`. Default: a new array. In place
            it is `x`, which is the default then.

        Returns
        -------
        numpy.ndarray
            What this process holds of the target.

        Raises
        ------
        ValueError, TypeError
            An array is not what its placement says. The other processes wait for the deadline.
        Error
            A process is lost, has failed, or has made another route; which one, is told. The
            communicator's routes cannot run again: end the program by ``comm.Abort()``.
        """
        given = self._source._address(x, self._rank, "x")
        if out is None:
            result, name = (x, "x") if self._in_place else (self._target.empty(self._rank), "out")
        else:
            result, name = out, "out"
        taken = self._target._address(result, self._rank, name)
        if not result.flags.writeable:
            raise ValueError(f"{name} is read-only; pass one that is not")
        self.report = self._core.run(given, taken)
        return result

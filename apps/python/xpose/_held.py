"""The arrays that a process holds of a placement, of NumPy or another library."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy

from ._arrays import dtype_name, needs_gradient
from ._libraries import library_of
from ._library import NumPy


@dataclasses.dataclass(frozen=True)
class Held:
    """The memory of an array, and whatever must live as long as that is used."""

    address: int
    on_cuda: bool
    ordinal: int
    library: Any
    array: Any
    layout: Any = None

    @property
    def where(self) -> str:
        return f"cuda:{self.ordinal}" if self.on_cuda else "host"

    def scope(self) -> Any:
        return self.library.scope(self.array, None)


def _check(
    placement: Any, rank: int, name: str, dtype: Any, shape: tuple[int, ...], is_dense: bool
) -> None:
    """ValueError where an array is not what its placement gives a rank."""
    if dtype is not None and dtype != str(placement.dtype):
        raise ValueError(f"{name} has dtype {dtype}, and its placement {placement.dtype}")
    if shape != placement.local_shape(rank):
        raise ValueError(
            f"{name} has shape {shape}, and its placement gives rank {rank} "
            f"{placement.local_shape(rank)}"
        )
    if not is_dense:
        order = placement._order
        copy = {"C": "numpy.ascontiguousarray", "F": "numpy.asfortranarray"}[order]
        raise ValueError(
            f"{name} is not contiguous in {order} order; use {copy}(), or a copy of its library"
        )


def _is_dense(layout: Any, order: str) -> bool:
    axes = list(zip(layout[1], layout[2]))
    if any(extent == 0 for extent, _stride in axes):
        return True
    expected = layout[4] // layout[3]  # bytes of an element, and of a stride's unit
    for extent, stride in reversed(axes) if order == "C" else axes:
        if extent != 1 and stride != expected:
            return False
        expected *= extent
    return True


def held(placement: Any, array: Any, rank: int, name: str, *, is_written: bool = False) -> Held:
    """The array of a rank. ValueError, TypeError where it is no such array."""
    library = library_of(array)
    if isinstance(array, numpy.ndarray):
        flags = array.flags
        is_dense = flags.c_contiguous if placement._order == "C" else flags.f_contiguous
        dtype = None if array.dtype == placement.dtype else array.dtype
        _check(placement, rank, name, dtype, array.shape, is_dense)
        found, writable = Held(array.ctypes.data, False, 0, library, array), flags.writeable
    elif type(library) is NumPy:
        raise TypeError(
            f"{name} is an array of NumPy or of a library with arrays on GPUs, not "
            f"{type(array).__name__}"
        )
    else:
        if needs_gradient(library, array):
            raise ValueError(f"{name} requires a gradient, which a route has not: detach it")
        array = library.place(array) if is_written else library.plain(array)
        layout = library.read(array)
        if layout[4] != placement.dtype.itemsize:
            raise ValueError(
                f"{name} has elements of {layout[4]} bytes, and its placement of "
                f"{placement.dtype.itemsize}"
            )
        dtype = None if placement.dtype.kind == "V" else dtype_name(library, array)
        _check(placement, rank, name, dtype, tuple(layout[1]), _is_dense(layout, placement._order))
        found = Held(layout[0] or 0, layout[5], layout[6], library, array, layout)
        writable = layout[7]
    if is_written and not writable:
        raise ValueError(f"{name} is read-only; pass one that is not")
    return found


def empty(placement: Any, like: Held, rank: int) -> tuple[Any, Held]:
    """A new array for what a rank holds, of the library of another one, and its memory."""
    shape = placement.local_shape(rank)
    if isinstance(like.array, numpy.ndarray):
        array = placement.empty(rank)
    elif placement._order == "C":
        array = like.library.empty(like.array, shape)
    else:
        array = like.library.empty(like.array, shape[::-1]).T
    if isinstance(array, numpy.ndarray):  # of the dtype of the other array
        return array, held(placement, array.view(placement.dtype), rank, "the result")
    return array, held(placement, array, rank, "the result, without out=,")


def moved(core: Any, given: Held, taken: Held) -> Any:
    """Runs a route from one array to another, in the scope of the first; returns its report."""
    stream = given.library.stream(given.array) if given.on_cuda else 0
    report = core.run(given.address, taken.address, stream)
    given.library.finish(given.array)
    return report

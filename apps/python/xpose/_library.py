"""The arrays of one library of Python: their layout, their allocator and their stream.

A library here has
  plain(x)          x as an array that read() takes; a copy where its memory has other numbers
  read(x, stream)   a tuple (address, shape, strides, bytes of a stride's unit, bytes of an element,
                    on CUDA, ordinal, writable), and after that whatever must live during the call
  place(out)        an output as an array over the same memory
  empty(x, shape)   a new array like x, by the library's own allocator
  target(x)         the same of a new one, or its address alone where it is dense in C order
  stream(x)         the address of the current stream; only asked for arrays on CUDA
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Sequence, SupportsIndex, Tuple, Union

import numpy

if TYPE_CHECKING:
    import numpy.typing

Layout = Tuple[Any, ...]  # what read() returns
Axes = Union[Sequence[SupportsIndex], "numpy.typing.NDArray[numpy.integer[Any]]"]  # what a caller names
NO_SCOPE = contextlib.nullcontext()


class Library:
    """The libraries' common ways."""

    def plain(self, x: Any) -> Any:
        return x

    def place(self, out: Any) -> Any:
        return self.plain(out)

    def read(self, x: Any, stream: Any = None) -> Layout:
        raise NotImplementedError

    def empty(self, x: Any, shape: tuple[int, ...]) -> Any:
        raise NotImplementedError

    def dtype(self, x: Any) -> Any:
        return x.dtype

    def has_operation(self) -> bool:
        """Whether operation(x, axes, policy) is one of the library, by the package's engine."""
        return False

    def operation(self, x: Any, axes: Any, policy: str) -> Any:
        raise NotImplementedError

    def scope(self, x: Any, stream: Any) -> Any:
        return NO_SCOPE

    def target(self, x: Any) -> Any:
        return self.read(x)

    def stream(self, x: Any) -> Any:
        return 0

    def finish(self, x: Any) -> None:
        pass


class NumPy(Library):
    """NumPy's arrays, and all that numpy.asarray takes: those of subclasses, buffers, sequences."""

    def plain(self, x: Any) -> Any:
        if isinstance(x, numpy.ma.MaskedArray):
            raise TypeError("a masked array has two arrays: permute its data and its mask")
        array = numpy.asarray(x)
        if array.dtype.hasobject:
            if array.ndim == 0 and not isinstance(x, (numpy.ndarray, numpy.generic)):
                raise TypeError(f"x is no array, but {type(x).__qualname__}")
            raise TypeError(
                "arrays of references, such as Python objects and StringDType, are not moved: only the "
                "interpreter may copy these; numpy.transpose serves them"
            )
        return array

    def place(self, out: Any) -> Any:
        if not isinstance(out, numpy.ndarray):
            try:
                out = memoryview(out)  # numpy.asarray would copy a sequence
            except TypeError:
                raise TypeError(f"out is no array, but {type(out).__qualname__}") from None
        return self.plain(out)

    def read(self, x: Any, stream: Any = None) -> Layout:
        address = x.__array_interface__["data"][0]
        return address, x.shape, x.strides, 1, x.itemsize, False, 0, x.flags.writeable

    def empty(self, x: Any, shape: tuple[int, ...]) -> Any:
        # numpy.empty makes texts of no characters one character long.
        return numpy.empty(shape, x.dtype) if x.itemsize else numpy.ndarray(shape, x.dtype)


def stream_address(stream: Any) -> int:
    """The address of a stream: a number, or a stream of PyTorch, CuPy or CUDA Python."""
    if isinstance(stream, int):
        return stream
    if hasattr(stream, "__cuda_stream__"):
        protocol = stream.__cuda_stream__
        return int((protocol() if callable(protocol) else protocol)[1])
    for name in ("cuda_stream", "ptr", "handle"):
        address = getattr(stream, name, None)
        if isinstance(address, int):
            return address
    raise TypeError(f"a stream is an address or a stream of a CUDA library, not {stream!r}")

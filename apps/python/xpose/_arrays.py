"""Arrays of any library as the extension takes them, and the calls that move them."""

from __future__ import annotations

import functools
from typing import Any

import numpy

from . import _xpose
from ._libraries import library_of
from ._library import Layout, Library, stream_address
from ._torch_library import Torch


def dtype_name(library: Library, x: Any) -> str | None:
    dtype = library.dtype(x)
    if isinstance(dtype, str):
        dtype = numpy.dtype(dtype)
    return None if dtype is None else str(dtype).split(".")[-1]  # "torch.float32"


def _same_dtype(library: Library, x: Any, out_library: Library, out: Any) -> bool:
    if out_library is library:
        return bool(library.dtype(x) == library.dtype(out))
    names = dtype_name(library, x), dtype_name(out_library, out)
    return None in names or names[0] == names[1]


def read_target(x: Any, library: Library, out: Any, stream: Any = None) -> Layout:
    """The layout of `out`, which receives the elements of `x`, and after it what must live."""
    out_library = library_of(out)
    place = out_library.place(out)
    if not _same_dtype(library, x, out_library, place):
        raise TypeError(
            f"out has dtype {out_library.dtype(place)}, x {library.dtype(x)}: "
            "elements are moved, not converted"
        )
    target = out_library.read(place, stream)
    if not target[7]:
        raise ValueError("out is read-only; pass an array that may be written")
    return (*target, place)


def needs_gradient(library: Library, x: Any) -> bool:
    return type(library) is Torch and x.requires_grad and library.torch.is_grad_enabled()


def permute_other(core: Any, x: Any, axes: Any, out: Any, stream: Any, policy: str) -> Any:
    """permute_dims for all but NumPy's own arrays."""
    library = library_of(x)
    if needs_gradient(library, x):
        if out is not None or stream is not None:
            raise ValueError("x requires a gradient: detach it, or omit out= and stream=")
        return library.operation(x, axes, policy)
    if out is None and stream is None and library.has_operation() and core is _default_core():
        return library.operation(x, axes, policy)
    return move(core, library, library.plain(x), axes, out, stream, policy)


@functools.lru_cache(maxsize=None)
def _default_core() -> Any:
    from . import _functions

    return _functions._default()._core


def move(
    core: Any, library: Library, x: Any, axes: Any, out: Any, stream: Any, policy: str
) -> Any:
    """Moves a plain array, whatever follows it."""
    source = library.read(x, stream)
    with library.scope(x, stream):
        if out is None:
            out = library.empty(x, _xpose.permuted_shape(source[1], axes))
            target = library_of(out).target(out)
        else:
            target = read_target(x, library, out, stream)
        address = 0
        if source[5]:
            address = library.stream(x) if stream is None else stream_address(stream)
        core.move(source, axes, target, address, policy)
    library.finish(x)
    return out


def call_other(plan: Any, x: Any, out: Any, stream: Any) -> Any:
    """A plan's call for all but NumPy's own arrays."""
    library = library_of(x)
    if needs_gradient(library, x):
        raise ValueError("a plan has no gradient: call permute_dims, or detach the tensor")
    x = library.plain(x)
    source = library.read(x, stream)
    with library.scope(x, stream):
        if out is None:
            out = library.empty(x, plan.shape)
            target = library_of(out).target(out)
        else:
            target = read_target(x, library, out, stream)
        address = 0
        if source[5]:
            address = library.stream(x) if stream is None else stream_address(stream)
        plan.execute(source, target, address)
    library.finish(x)
    return out


def described(x: Any, out: Any = None) -> tuple[Layout, Layout | None, Any]:
    """The layouts of an input and of an output, if there is one, and what must live beside."""
    library = library_of(x)
    x = library.plain(x)
    target = None if out is None else read_target(x, library, out)
    return library.read(x), target, x


_xpose.set_python_side(numpy.ndarray, numpy.empty, permute_other, call_other)

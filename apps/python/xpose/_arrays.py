"""Arrays of any library as the extension takes them, and the calls that move them."""

from __future__ import annotations

from typing import Any

import numpy

from . import _xpose
from ._libraries import NumPy, Torch, library_of, stream_address


def _dtype_name(library: NumPy, x: Any) -> str | None:
    dtype = library.dtype(x)
    if isinstance(dtype, str):
        dtype = numpy.dtype(dtype)
    return None if dtype is None else str(dtype).split(".")[-1]  # "torch.float32"


def _same_dtype(library: NumPy, x: Any, out_library: NumPy, out: Any) -> bool:
    if out_library is library:
        return library.dtype(x) == library.dtype(out)
    names = _dtype_name(library, x), _dtype_name(out_library, out)
    return None in names or names[0] == names[1]


def read_target(x: Any, library: NumPy, out: Any) -> tuple:
    """The layout of `out`, which receives the elements of `x`."""
    out_library = library_of(out)
    if out_library is not library and not hasattr(type(out), "__dlpack__"):
        if not hasattr(type(out), "__cuda_array_interface__"):
            raise TypeError(f"out is no array, but {type(out).__qualname__}")
    if not _same_dtype(library, x, out_library, out):
        raise TypeError(
            f"out has dtype {out_library.dtype(out)}, x {library.dtype(x)}: "
            "elements are moved, not converted"
        )
    if type(out_library) is Torch and out.requires_grad:
        raise ValueError("out requires a gradient; results of autograd are new tensors")
    target = out_library.read(out_library.plain(out))
    if not target[7]:
        raise ValueError("out is read-only; pass an array that may be written")
    return target


def _needs_gradient(library: NumPy, x: Any) -> bool:
    return type(library) is Torch and x.requires_grad and library.torch.is_grad_enabled()


def permute_other(core: Any, x: Any, axes: Any, out: Any, stream: Any, policy: str) -> Any:
    """permute_dims for all but NumPy's own arrays."""
    library = library_of(x)
    if _needs_gradient(library, x):
        if out is not None:
            raise ValueError("x requires a gradient, which out= cannot have: detach it, or omit out")
        from .torch import permute

        return permute(x, axes)
    if out is None and stream is None and library.has_operation(core):
        return library.operation(x, axes, policy)
    x = library.plain(x)
    source = library.read(x)
    with library.scope(x, stream):
        if out is None:
            out = library.empty(x, _xpose.permuted_shape(source[1], axes))
            target = library_of(out).target(out)
        else:
            target = read_target(x, library, out)
        address = 0
        if source[5]:
            address = library.stream(x) if stream is None else stream_address(stream)
        core.move(source, axes, target, address, policy)
    library.finish(x)
    return out


def call_other(plan: Any, x: Any, out: Any, stream: Any) -> Any:
    """A plan's call for all but NumPy's own arrays."""
    library = library_of(x)
    if _needs_gradient(library, x):
        raise ValueError("a plan has no gradient: call permute_dims, or detach the tensor")
    x = library.plain(x)
    source = library.read(x)
    with library.scope(x, stream):
        if out is None:
            out = library.empty(x, plan.shape)
            target = library_of(out).target(out)
        else:
            target = read_target(x, library, out)
        address = 0
        if source[5]:
            address = library.stream(x) if stream is None else stream_address(stream)
        plan.execute(source, target, address)
    library.finish(x)
    return out


def described(x: Any, out: Any = None) -> tuple:
    """The layouts of an input and of an output, if there is one, and what must live beside."""
    library = library_of(x)
    x = library.plain(x)
    target = None if out is None else read_target(x, library, out)
    return library.read(x), target, x


_xpose.set_python_side(numpy.ndarray, numpy.empty, permute_other, call_other)

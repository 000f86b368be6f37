"""torch.ops.xpose.permute: the operator with gradients, for torch.compile and CUDA graphs.

Once this module is imported, `xpose.permute_dims` becomes the operator inside `torch.compile`.
"""

from __future__ import annotations

from typing import Any, Sequence

import torch

from . import _arrays, _functions, _xpose
from ._libraries import library_of
from ._torch_library import Torch

__all__ = ["permute"]

_operators = torch.library.Library("xpose", "DEF")
_operators.define('permute(Tensor x, int[] axes, str policy="estimate") -> Tensor')
_forward = torch.autograd.forward_ad


def _permuted(x: torch.Tensor, axes: Sequence[int], policy: str = "estimate") -> torch.Tensor:
    with torch.no_grad():
        library = library_of(x)
        assert isinstance(library, Torch)
        plain = library.resolved(x.detach())
        engine = _functions._default()._core
        return _arrays.move(engine, library, plain, axes, None, None, policy)


_operators.impl("permute", _permuted, "CPU")
_operators.impl("permute", _permuted, "CUDA")


@torch.library.register_fake("xpose::permute", lib=_operators)
def _fake(x: torch.Tensor, axes: Sequence[int], policy: str = "estimate") -> torch.Tensor:
    return x.new_empty([x.shape[axis] for axis in _xpose.order_of(axes, x.dim())])


def _inverse(axes: Sequence[int]) -> list[int]:
    order = _xpose.order_of(axes, len(axes))
    return sorted(range(len(order)), key=order.__getitem__)


def _keep_axes(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    ctx.axes, ctx.policy = inputs[1:]
    ctx.inverse = _inverse(ctx.axes)


def _gradient(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None, None]:
    return torch.ops.xpose.permute(gradient, ctx.inverse, ctx.policy), None, None


def _batched(
    info: Any,
    dims: tuple[Any, ...],
    x: torch.Tensor,
    axes: Sequence[int],
    policy: str = "estimate",
) -> tuple[torch.Tensor, int]:
    """A batch at axis dims[0] of x; that of the result comes first."""
    order = [axis + (axis >= dims[0]) for axis in _xpose.order_of(axes, x.dim() - 1)]
    return permute(x, [dims[0], *order], policy), 0


torch.library.register_autograd(
    "xpose::permute", _gradient, setup_context=_keep_axes, lib=_operators
)
if hasattr(torch.library, "register_vmap"):
    torch.library.register_vmap("xpose::permute", _batched, lib=_operators)


class _Followed(torch.autograd.Function):
    """The operator, as torch.func and forward-mode gradients follow it."""

    @staticmethod
    def forward(x: torch.Tensor, axes: Sequence[int], policy: str) -> torch.Tensor:
        return torch.ops.xpose.permute(x, axes, policy)

    setup_context = staticmethod(_keep_axes)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        return permute(gradient, ctx.inverse, ctx.policy), None, None

    @staticmethod
    def jvp(ctx: Any, tangent: torch.Tensor, *_: None) -> torch.Tensor:
        return permute(tangent, ctx.axes, ctx.policy)

    vmap = staticmethod(_batched)


def permute(
    x: torch.Tensor, axes: Sequence[int] | None = None, policy: str = "estimate"
) -> torch.Tensor:
    """Move the axes of a tensor into another order, with a gradient.

    Parameters
    ----------
    x : torch.Tensor
        Dense, on the CPU or on CUDA, of any dtype. It may be one of torch.func's transforms.
    axes, policy
        As in `xpose.permute_dims`.

    Returns
    -------
    torch.Tensor
        A new contiguous tensor, on the current stream.

    Raises
    ------
    ValueError, TypeError
        As `xpose.permute_dims` does.
    """
    order = list(range(x.dim() - 1, -1, -1)) if axes is None else list(axes)
    if torch._C._are_functorch_transforms_active() or _forward._current_level >= 0:
        return _Followed.apply(x, order, policy)
    return torch.ops.xpose.permute(x, order, policy)


def _compiled(
    x: torch.Tensor, axes: Sequence[int] | None, out: torch.Tensor | None, stream: Any, policy: str
) -> Any:
    if stream is not None:
        raise ValueError("torch.compile knows the current stream alone: omit stream=")
    result = permute(x, axes, policy)
    if out is None:
        return result
    if out.shape != result.shape:
        raise ValueError(f"out has the shape {tuple(out.shape)}, the result {tuple(result.shape)}")
    if out.dtype != result.dtype:
        raise TypeError(f"out has dtype {out.dtype}, x {x.dtype}: elements are moved, not converted")
    return out.copy_(result)


_functions._compiled = _compiled
_functions._is_compiling = torch.compiler.is_compiling

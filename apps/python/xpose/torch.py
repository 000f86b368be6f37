"""torch.ops.xpose.permute: the operator with gradients, for torch.compile and CUDA graphs.

Once this module is imported, `xpose.permute_dims` becomes the operator inside `torch.compile`.
"""

from __future__ import annotations

from typing import Any, Sequence

import torch

from . import _functions

__all__ = ["permute"]

_operators = torch.library.Library("xpose", "DEF")
_operators.define("permute(Tensor x, int[] axes) -> Tensor")


def _permuted(x: torch.Tensor, axes: Sequence[int]) -> torch.Tensor:
    with torch.no_grad():
        return _functions._default()._core.permute(x.detach(), axes, None, None, "estimate")


_operators.impl("permute", _permuted, "CPU")
_operators.impl("permute", _permuted, "CUDA")


@torch.library.register_fake("xpose::permute", lib=_operators)
def _fake(x: torch.Tensor, axes: Sequence[int]) -> torch.Tensor:
    if sorted(axis % max(x.dim(), 1) for axis in axes) != list(range(x.dim())):
        raise ValueError(f"axes {list(axes)} are no permutation of {x.dim()} axes")
    return x.new_empty([x.shape[axis] for axis in axes])


def _keep_axes(ctx: Any, inputs: tuple[torch.Tensor, Sequence[int]], output: torch.Tensor) -> None:
    x, axes = inputs
    ctx.inverse = [0] * len(axes)
    for i, axis in enumerate(axes):
        ctx.inverse[axis % x.dim()] = i


def _gradient(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
    return torch.ops.xpose.permute(gradient, ctx.inverse), None


torch.library.register_autograd(
    "xpose::permute", _gradient, setup_context=_keep_axes, lib=_operators
)


def permute(x: torch.Tensor, axes: Sequence[int] | None = None) -> torch.Tensor:
    """Move the axes of a tensor into another order, with a gradient.

    Parameters
    ----------
    x : torch.Tensor
        Dense, on the CPU or on CUDA, of any dtype.
    axes : sequence of int, optional
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
    return torch.ops.xpose.permute(x, order)


def _compiled(x: torch.Tensor, axes: Sequence[int] | None, out: torch.Tensor | None) -> Any:
    result = permute(x, axes)
    return result if out is None else out.copy_(result)


_functions._compiled = _compiled
_functions._is_compiling = torch.compiler.is_compiling

"""Named axes in another order."""

from __future__ import annotations

from typing import Any

import numpy

from . import _checks, _functions, _pattern
from ._functions import permute_dims
from ._libraries import library_of


def _has_shapes(x: Any) -> bool:
    if isinstance(x, numpy.ndarray):
        return type(x) is numpy.ndarray  # numpy.matrix keeps two axes, whatever is asked
    return hasattr(x, "shape") and hasattr(x, "reshape")


def _check_reshape(name: str, array: Any) -> None:
    if not _has_shapes(array):
        raise TypeError(
            f"{name} is {type(array).__qualname__}, an array without the method reshape, which "
            "parentheses need: leave them out, or pass another array"
        )


def rearrange(
    x: Any,
    pattern: str,
    /,
    *,
    out: Any = None,
    stream: Any = None,
    policy: str = "estimate",
    **sizes: int,
) -> Any:
    """Reorder named axes, as einops writes it.

    Parameters
    ----------
    x : array
        As in `permute_dims`. For parentheses it needs a method ``reshape``.
    pattern : str
        The axes of `x`, ``->``, and those of the result. Parentheses group names that are one axis.
        ``...`` stands for all axes without a name, on the right in parentheses too.
    **sizes : int
        The sizes of names in parentheses on the left; one of a group may be left out. Every name
        may have one but those of the other parameters, ``out``, ``stream`` and ``policy``.
    out, stream, policy
        As in `permute_dims`.

    Returns
    -------
    array
        As of `permute_dims`.

    Raises
    ------
    ValueError
        The pattern is malformed, or does not fit the shape; else as `permute_dims` does.
    TypeError
        The pattern is no text, or a size no whole number; else as `permute_dims` does.

    Examples
    --------
    >>> import numpy
    >>> x = numpy.zeros((8, 32, 48, 3))
    >>> rearrange(x, "b h w c -> b c h w").shape
    (8, 3, 32, 48)
    >>> rearrange(x, "b (h p) (w q) c -> b (h w) (p q c)", p=16, q=16).shape
    (8, 6, 768)
    """
    if not _has_shapes(x):
        x = library_of(x).plain(x)
    if not hasattr(x, "shape"):
        kind = type(x).__qualname__
        raise TypeError(f"x is {kind}, an array without the attribute shape: permute_dims takes it")
    given = tuple([(name, _checks.number(name, size, 0, 2**63 - 1)) for name, size in sorted(sizes.items())])
    # torch.compile traces the function itself, and warns of its cache.
    fit = _pattern.fit.__wrapped__ if _functions.is_compiling() else _pattern.fit
    fitted = fit(_checks.text("pattern", pattern), tuple(x.shape), given)
    if fitted.split is not None:
        _check_reshape("x", x)
        x = x.reshape(fitted.split)
    if out is None:
        result = permute_dims(x, fitted.axes, stream=stream, policy=policy)
        return result if fitted.merged is None else result.reshape(fitted.merged)
    if _functions.is_compiling():
        raise ValueError("rearrange has no out= inside torch.compile")
    place = out
    if fitted.merged is not None:
        if not _has_shapes(out):
            place = library_of(out).place(out)
        _check_reshape("out", place)
        shape = tuple(place.shape)
        if shape != fitted.merged:
            raise ValueError(f"out has the shape {shape}, the result {fitted.merged}")
        place = place.reshape(fitted.permuted)  # a view, since axes are split
    permute_dims(x, fitted.axes, out=place, stream=stream, policy=policy)
    return out

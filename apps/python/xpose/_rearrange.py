"""Named axes in another order."""

from __future__ import annotations

from typing import Any

from . import _pattern
from ._functions import permute_dims
from ._libraries import library_of


def rearrange(
    x: Any, pattern: str, *, stream: Any = None, policy: str = "estimate", **sizes: int
) -> Any:
    """Reorder named axes, as einops writes it.

    Parameters
    ----------
    x : array
        As in `permute_dims`. For parentheses it needs a method ``reshape``.
    pattern : str
        The axes of `x`, ``->``, and those of the result. Parentheses group names that are one axis.
    **sizes : int
        The sizes of names in parentheses on the left; one of a group may be left out.
    stream, policy
        As in `permute_dims`.

    Raises
    ------
    ValueError
        The pattern is malformed, or does not fit the shape; else as `permute_dims` does.

    Examples
    --------
    >>> import numpy
    >>> x = numpy.zeros((8, 32, 48, 3))
    >>> rearrange(x, "b h w c -> b c h w").shape
    (8, 3, 32, 48)
    >>> rearrange(x, "b (h p) (w q) c -> b (h w) (p q c)", p=16, q=16).shape
    (8, 6, 768)
    """
    if not hasattr(x, "shape"):
        x = library_of(x).plain(x)
    fitted = _pattern.fit(pattern, tuple(x.shape), tuple(sorted(sizes.items())))
    if fitted.split is not None:
        x = x.reshape(fitted.split)
    result = permute_dims(x, fitted.axes, stream=stream, policy=policy)
    return result if fitted.merged is None else result.reshape(fitted.merged)

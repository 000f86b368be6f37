"""Patterns of einops: 'b (h p) w c -> b h w (p c)'."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple


class Fitted(NamedTuple):
    """A pattern for a shape: reshape to `split`, permute by `axes`, reshape to `merged`."""

    split: tuple[int, ...] | None
    axes: tuple[int, ...]
    permuted: tuple[int, ...]
    merged: tuple[int, ...] | None


_MERGED = "(...)"  # all axes without a name, merged with the rest of their group


def _side(text: str, pattern: str, is_left: bool) -> list[list[str]]:
    groups: list[list[str]] = []
    opened = False
    # torch.compile follows the methods of strings, and not every version of it regular expressions.
    for token in text.replace("(", " ( ").replace(")", " ) ").split():
        if token in "()":
            if opened == (token == "("):
                raise ValueError(f"the parentheses of {pattern!r} do not pair")
            opened = token == "("
            if opened:
                groups.append([])
            continue
        if not (token.isidentifier() or token in ("1", "...")):
            raise ValueError(f"{token!r} in {pattern!r} is neither a name, nor 1, nor '...'")
        if token == "..." and opened and is_left:
            raise ValueError(
                f"'...' in {pattern!r} stands in parentheses on the left, where each axis needs a name"
            )
        if opened:
            groups[-1].append(_MERGED if token == "..." else token)
        else:
            groups.append([token])
    if opened:
        raise ValueError(f"the parentheses of {pattern!r} do not pair")
    return groups


def _spread(groups: list[list[str]], rest: list[str]) -> list[list[str]]:
    """The groups with '...' as axes of its own, and 1 as a group of none."""
    result: list[list[str]] = []
    for group in groups:
        if group == ["..."]:
            result += [[name] for name in rest]
        else:
            spread = [rest if name == _MERGED else [name] for name in group if name != "1"]
            result.append([name for names in spread for name in names])
    return result


def _ellipses(groups: list[list[str]]) -> int:
    return groups.count(["..."]) + sum([group.count(_MERGED) for group in groups])


def _names(groups: list[list[str]], pattern: str) -> list[str]:
    names = [name for group in groups for name in group]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name!r} stands twice on one side of {pattern!r}")
    return names


def _sizes(
    groups: list[list[str]], shape: tuple[int, ...], sizes: dict[str, int], pattern: str
) -> None:
    """Adds the sizes that follow from the shape."""
    for group, extent in zip(groups, shape):
        unknown = [name for name in group if name not in sizes]
        known = math.prod([sizes[name] for name in group if name in sizes])
        if len(unknown) > 1:
            raise ValueError(f"{pattern!r} leaves the sizes of {', '.join(unknown)} open: give them")
        if unknown and known > 0 and extent % known == 0:
            sizes[unknown[0]] = extent // known
        elif unknown or known != extent:
            text = " ".join(group) or "1"
            raise ValueError(f"the axis ({text}) of {pattern!r} does not fit the extent {extent}")


@functools.lru_cache(maxsize=1024)
def fit(pattern: str, shape: tuple[int, ...], given: tuple[tuple[str, int], ...]) -> Fitted:
    """The steps of a pattern. ValueError where it is malformed or does not fit the shape."""
    sides = pattern.split("->")
    if len(sides) != 2:
        raise ValueError(f"{pattern!r} needs one '->' between two sides")
    left, right = _side(sides[0], pattern, True), _side(sides[1], pattern, False)
    if (_ellipses(left), _ellipses(right)) not in ((0, 0), (1, 1)):
        raise ValueError(f"'...' stands once on either side of {pattern!r}, or on none")
    more = len(shape) - len(left) + 1
    rest = [f"...{i}" for i in range(more)] if ["..."] in left else []
    left, right = _spread(left, rest), _spread(right, rest)
    if len(left) != len(shape):
        raise ValueError(f"{pattern!r} has {len(left)} axes on the left, the array {len(shape)}")
    names, wanted = _names(left, pattern), _names(right, pattern)
    if set(names) != set(wanted):
        odd = ", ".join(sorted(set(names) ^ set(wanted)))
        raise ValueError(f"{odd} stands on one side of {pattern!r} alone")
    sizes = dict(given)
    if not set(sizes) <= set(names):
        odd = ", ".join(sorted(set(sizes) - set(names)))
        raise ValueError(f"{pattern!r} does not name {odd}, whose size is given")
    _sizes(left, shape, sizes, pattern)
    split = tuple(sizes[name] for name in names)
    merged = tuple([math.prod([sizes[name] for name in group]) for group in right])
    axes = tuple(names.index(name) for name in wanted)
    permuted = tuple(sizes[name] for name in wanted)
    return Fitted(
        None if split == shape else split, axes, permuted, None if merged == permuted else merged
    )

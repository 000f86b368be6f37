"""Arguments that are no arrays. A wrong one is a sentence, with its name."""

from __future__ import annotations

import operator
import os
from typing import Any, Iterator, Sequence

_MOST = 2**31 - 1


def number(name: str, value: Any, least: int, most: int = _MOST) -> int:
    """A whole number of at least `least`."""
    try:
        whole = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is a whole number, not {type(value).__qualname__}") from None
    if not least <= whole <= most:
        raise ValueError(f"{name} is {whole}; it may be {least} to {most}")
    return whole


def seconds(name: str, value: Any) -> float:
    """A time that is not negative."""
    try:
        time = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is a number of seconds, not {value!r}") from None
    if not time >= 0:
        raise ValueError(f"{name} is {time} seconds; it may be 0 or more")
    return time


def text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} is a text, not {type(value).__qualname__}")
    return value


def line(name: str, value: Any) -> str:
    """A text for the library, without null characters and halves of surrogate pairs."""
    words = text(name, value)
    if not words.isprintable():
        raise ValueError(f"{name} is {value!r}; it may have printable characters alone")
    return words


def _several(name: str, value: Any, kind: str) -> Iterator[Any]:
    try:
        return iter(value)
    except TypeError:
        raise TypeError(f"{name} is {kind} or a sequence of them, not {type(value).__qualname__}") from None


def lines(name: str, value: str | Sequence[str]) -> list[str]:
    """Several texts; one stands for a list of itself."""
    several = [value] if isinstance(value, (str, bytes)) else _several(name, value, "a text")
    return [line(name, one) for one in several]


def path(name: str, value: str | bytes | os.PathLike[Any]) -> bytes:
    """The bytes of a path, as the system has it: they need not be UTF-8."""
    try:
        system = os.fsencode(value)
    except TypeError:
        raise TypeError(f"{name} is a path, not {type(value).__qualname__}") from None
    except UnicodeEncodeError:
        raise ValueError(f"{name} is {value!r}; the system's encoding has no bytes for this path") from None
    if b"\0" in system:
        raise ValueError(f"{name} is {value!r}; a path has no null byte")
    return system


def paths(name: str, value: Any) -> list[bytes]:
    """Several paths; one stands for a list of itself."""
    is_one = isinstance(value, (str, bytes, os.PathLike))
    return [path(name, one) for one in ([value] if is_one else _several(name, value, "a path"))]

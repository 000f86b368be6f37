"""Arguments that are no arrays. A wrong one is a sentence, with its name."""

from __future__ import annotations

import operator
import os
from typing import Any, Iterable, Sequence

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


def texts(name: str, value: str | Sequence[str]) -> list[str]:
    """Several texts; one stands for a list of itself."""
    return [text(name, one) for one in ([value] if isinstance(value, str) else value)]


def path(name: str, value: str | bytes | os.PathLike[Any]) -> bytes:
    """The bytes of a path, as the system has it: they need not be UTF-8."""
    try:
        system = os.fsencode(value)
    except TypeError:
        raise TypeError(f"{name} is a path, not {type(value).__qualname__}") from None
    if b"\0" in system:
        raise ValueError(f"{name} is {value!r}; a path has no null byte")
    return system


def paths(name: str, value: Any) -> list[bytes]:
    """Several paths; one stands for a list of itself."""
    several: Iterable[Any] = [value] if isinstance(value, (str, bytes, os.PathLike)) else value
    return [path(name, one) for one in several]

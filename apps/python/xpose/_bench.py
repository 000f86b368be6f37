"""The standard table, by the package's command."""

from __future__ import annotations

import os
from typing import Any, Sequence

from . import _checks, _xpose
from ._command import command

_USAGE = 2  # the command's exit code for wrong options


def bench(
    *,
    device: str | None = None,
    only: str | Sequence[str] = (),
    quick: bool = False,
    budget: float | None = None,
    threads: int = 0,
    cache: str | os.PathLike[str] | None = None,
) -> dict[str, Any]:
    """Measure the standard table of problems: winners, roofs, estimates and other libraries.

    It is `python -m xpose bench`, in a process of its own. The whole table takes minutes.

    Parameters
    ----------
    device : str, optional
        ``"host"``, ``"cuda"`` or ``"cuda:N"``. Default: every device.
    only : str or sequence of str, optional
        Problems whose name contains one of the texts, such as ``"square"``. Default: all.
    quick : bool, optional
        One problem of each kind.
    budget : float, optional
        Seconds to spend on a problem. Default: 3, with `quick` 0.3.
    threads : int, optional
        Of host strategies. 0: all processors.
    cache : path-like, optional
        The file of remembered choices. Default: the user's own.

    Returns
    -------
    dict
        The document "xpose.bench/1", which ``xpose bench --json`` writes.

    Raises
    ------
    ValueError
        `device` or `only` names nothing.
    TypeError
        An argument is of another kind.
    Error
        The command failed.

    Examples
    --------
    >>> report = bench(device="host", only="a side of 16, 1000000x16", quick=True, budget=0.05)
    >>> report["schema"], len(report["cells"])
    ('xpose.bench/1', 1)
    """
    import json  # here, for the sake of the package's import
    import subprocess

    words: list[str | bytes] = ["bench", "--json", "-", "--threads", str(_checks.number("threads", threads, 0))]
    if device is not None:
        words += ["--device", _checks.line("device", device)]
    for text in _checks.lines("only", only):
        words += ["--only", text]
    if quick:
        words.append("--quick")
    if budget is not None:
        words += ["--budget", str(_checks.seconds("budget", budget))]
    if cache is not None:
        words += ["--cache", _checks.path("cache", cache)]
    ran = subprocess.run([command(), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if ran.returncode != 0:
        told = ran.stderr.rstrip() or f"exit code {ran.returncode}"
        if ran.returncode == _USAGE:
            raise ValueError(told)  # also the names that a sentence says are above it
        raise _xpose.Error(told.splitlines()[-1])
    report: dict[str, Any] = json.loads(ran.stdout)
    return report

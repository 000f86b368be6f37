"""The engine: plugins, a worker and the memory of choices."""

from __future__ import annotations

import os
from typing import Any, Callable, Iterable, Sequence

from . import _arrays, _checks, _xpose
from ._library import Axes
from ._report import TuneReport, progress_bar


class Engine:
    """The plugins of some folders, a worker to try them in, and the memory of choices.

    The functions of the package use one engine that they make when it is first needed. Another is
    of use for other plugins, another cache or another number of threads. Any thread may use it.

    Parameters
    ----------
    plugin_folders : path-like or sequence of them, optional
        Absolute folders whose plugins are loaded. Default: ``$XPOSE_PLUGIN_PATH``, else those of
        the package.
    threads : int, optional
        Of host strategies. 0: the processors that this process may use.
    worker : path-like, optional
        The program that plugins are tried in. Default: that of the package.
    cache : path-like, optional
        The file of remembered choices. Default: the user's own.
    remember : bool, optional
        False: choices live in memory, and no cache file is read.
    in_process : bool, optional
        True: this process tries plugins, without a worker. For debuggers.
    stage_seconds : float, optional
        Of one stage of a trial, before the worker is ended.

    Raises
    ------
    TypeError, ValueError
        An argument is of another kind, or out of its range.
    Error
        The engine cannot be made.

    Examples
    --------
    >>> import numpy
    >>> engine = Engine(threads=1, remember=False)
    >>> engine.permute_dims(numpy.zeros((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """

    def __init__(
        self,
        *,
        plugin_folders: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
        threads: int = 0,
        worker: str | os.PathLike[str] = "",
        cache: str | os.PathLike[str] = "",
        remember: bool = True,
        in_process: bool = False,
        stage_seconds: float = 10.0,
    ) -> None:
        if _checks.seconds("stage_seconds", stage_seconds) == 0:
            raise ValueError("stage_seconds is 0: no stage of a trial would end in time")
        self._core = _xpose.Engine(
            _checks.paths("plugin_folders", plugin_folders),
            _checks.number("threads", threads, 0),
            _checks.path("worker", worker),
            _checks.path("cache", cache),
            bool(remember),
            bool(in_process),
            float(stage_seconds),
        )

    def permute_dims(
        self,
        x: Any,
        axes: Axes | None = None,
        *,
        out: Any = None,
        stream: Any = None,
        policy: str = "estimate",
    ) -> Any:
        """`xpose.permute_dims` by this engine."""
        return self._core.permute(x, axes, out, stream, policy)

    def plan(
        self,
        x: Any,
        axes: Axes | None = None,
        *,
        out: Any = None,
        policy: str = "estimate",
        budget: float = 2.0,
    ) -> _xpose.Plan:
        """`xpose.plan` by this engine."""
        source, target, _alive = _arrays.described(x, out)
        seconds = _checks.seconds("budget", budget)
        return self._core.prepare(source, axes, target, _checks.line("policy", policy), seconds)

    def tune(
        self,
        x: Any,
        axes: Axes | None = None,
        *,
        out: Any = None,
        budget: float = 2.0,
        max_rounds: int = 15,
        every_strategy: bool = False,
        warm: bool = False,
        whole: bool = False,
        variants: str | Sequence[str] = (),
        progress: bool | Callable[[str, int, int], Any] | None = None,
    ) -> TuneReport:
        """`xpose.tune` by this engine."""
        source, target, _alive = _arrays.described(x, out)
        with progress_bar(progress) as told:
            text = self._core.tune(
                source,
                axes,
                target,
                _checks.seconds("budget", budget),
                _checks.number("max_rounds", max_rounds, 1),
                bool(every_strategy),
                bool(warm),
                bool(whole),
                _checks.lines("variants", variants),
                told,
            )
        return TuneReport(text)

    def explain(
        self,
        x: Any,
        axes: Axes | None = None,
        *,
        variant: str,
        out: Any = None,
        measure: bool = True,
    ) -> dict[str, Any]:
        """`xpose.explain` by this engine."""
        source, target, _alive = _arrays.described(x, out)
        name = _checks.line("variant", variant)
        return self._core.explain(source, axes, target, name, bool(measure))

    def plugins(self) -> list[dict[str, Any]]:
        """`xpose.plugins` of this engine."""
        return self._core.plugins()

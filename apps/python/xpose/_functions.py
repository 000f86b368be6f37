"""The functions of the package, by one engine."""

from __future__ import annotations

import functools
from typing import Any, Callable, Sequence

from . import _xpose
from ._engine import Engine
from ._libraries import library_of
from ._library import Axes
from ._report import TuneReport


@functools.lru_cache(maxsize=None)
def _default() -> Engine:
    return Engine()


# Set by xpose.torch: the operator that torch.compile takes for a call, and what asks whether it is
# compiling.
_compiled: Callable[..., Any] | None = None
_is_compiling: Callable[[], bool] | None = None


def is_compiling() -> bool:
    """Whether torch.compile follows the call, once xpose.torch is imported."""
    return _is_compiling is not None and _is_compiling()


def permute_dims(
    x: Any,
    axes: Axes | None = None,
    *,
    out: Any = None,
    stream: Any = None,
    policy: str = "estimate",
) -> Any:
    """Move the axes of an array into another order.

    Parameters
    ----------
    x : array
        Of NumPy, PyTorch, CuPy or JAX, or with ``__dlpack__``, ``__cuda_array_interface__`` or the
        buffer protocol, or a sequence that ``numpy.asarray`` takes. Any shape, any strides, any
        dtype but objects. It may be read-only.
    axes : sequence of int, optional
        Axis ``i`` of the result is axis ``axes[i]`` of `x`; negative ones count from the end.
        Default: reversed.
    out : array, optional
        The result's place: of its shape and dtype, on the device of `x`. With ``out=x`` a square
        matrix with contiguous rows or columns, or a batch of them, is transposed in place; elements
        have 1, 2, 4, 8 or 16 bytes or a multiple of 16 up to 256, and strides are positive. Other
        overlap is refused.
    stream : int or stream, optional
        The CUDA stream to enqueue on: of PyTorch, CuPy or CUDA Python, or its address. Default: the
        current stream of PyTorch and CuPy, else that of the array, else the default stream. Work of
        the host is done when the call returns, and has no stream.
    policy : {'estimate', 'measure', 'cached_only'}
        The choice of a variant for arrays of a new layout, unless a measured one is remembered: by
        the cost model, by trials of up to two seconds, or not at all. Where 'measure' waits as long
        for another process that measures, the cost model chooses, and the next call asks again.

    Returns
    -------
    array
        `out`, or a new array in C order, of the library of `x` and on its device. On CUDA the work
        is enqueued.

    Raises
    ------
    ValueError
        `axes` is no permutation; `out` has another shape or device, is read-only, or overlaps `x` or
        itself.
    TypeError
        `x` holds Python objects or is on a device that is not served; `out` has another dtype. One
        that DLPack states and NumPy has not, as bfloat16, is not compared.
    MemoryError, NoStrategyError, DeviceError, WrongResultError, Error
        As their names say.

    Examples
    --------
    >>> import numpy
    >>> nhwc = numpy.zeros((8, 32, 32, 3), "float16")
    >>> permute_dims(nhwc, (0, 3, 1, 2)).shape
    (8, 3, 32, 32)
    >>> square = numpy.array([[1, 2], [3, 4]])
    >>> permute_dims(square, (1, 0), out=square)
    array([[1, 3],
           [2, 4]])
    """
    if _compiled is not None and is_compiling():
        return _compiled(x, axes, out, stream, policy)
    return _default()._core.permute(x, axes, out, stream, policy)


def transpose(
    x: Any,
    axes: Axes | None = None,
    *,
    out: Any = None,
    stream: Any = None,
    policy: str = "estimate",
) -> Any:
    """`permute_dims` by NumPy's name: without `axes` their order is reversed.

    Examples
    --------
    >>> transpose([[1, 2, 3]]).shape
    (3, 1)
    """
    return permute_dims(x, axes, out=out, stream=stream, policy=policy)


def matrix_transpose(
    x: Any, *, out: Any = None, stream: Any = None, policy: str = "estimate"
) -> Any:
    """Exchange the last two axes; see `permute_dims` for the rest.

    Raises
    ------
    ValueError
        `x` has less than two axes; else as `permute_dims` does.

    Examples
    --------
    >>> import numpy
    >>> matrix_transpose(numpy.zeros((5, 2, 3))).shape
    (5, 3, 2)
    """
    rank = _rank(x)
    if rank < 2:
        raise ValueError(f"matrix_transpose needs two axes or more, the array has {rank}")
    axes = (*range(rank - 2), rank - 1, rank - 2)
    return permute_dims(x, axes, out=out, stream=stream, policy=policy)


def plan(
    x: Any,
    axes: Axes | None = None,
    *,
    out: Any = None,
    policy: str = "estimate",
    budget: float = 2.0,
) -> _xpose.Plan:
    """Choose ahead of time, for the least cost of a call.

    Parameters
    ----------
    x : array
        Of the shape, strides, dtype size and device of later ones. It is not touched.
    axes, policy
        As in `permute_dims`.
    out : array, optional
        Of the layout of later outputs; `x` itself: in place. Default: a new array in C order.
    budget : float, optional
        Seconds of trials, for the policy 'measure'.

    Returns
    -------
    Plan
        Called with an array, and optionally ``out`` and ``stream=``, it does the work of
        `permute_dims`. Several threads may call it. Where a CUDA graph recorded a call, it must
        outlive the graph.

    Raises
    ------
    ValueError, TypeError, MemoryError, NoStrategyError, DeviceError, WrongResultError, Error
        As `permute_dims` does.

    Examples
    --------
    >>> import numpy
    >>> x = numpy.zeros((300, 200), "float32")
    >>> transposed = plan(x, (1, 0))
    >>> transposed(x).shape
    (200, 300)
    """
    return _default().plan(x, axes, out=out, policy=policy, budget=budget)


def tune(
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
    """Try the strategies for a layout in a worker process, and remember the winner.

    Later calls of `permute_dims` and `plan` use the winner. So do engines with as many threads and
    the same cache, here and in other processes, unless they chose for the layout before. A plan
    keeps its variant. A tune with `warm` or `variants` is a report, which no choice follows.

    Parameters
    ----------
    x, axes, out
        As in `plan`: layouts alone are read.
    budget : float, optional
        Seconds to spend.
    max_rounds : int, optional
        Of the race.
    every_strategy : bool, optional
        Try one config of every strategy, until the budget is spent.
    warm : bool, optional
        Keep caches warm: every call uses the same buffers.
    whole : bool, optional
        MemoryError where the problem itself does not fit. Default: a smaller one is tried.
    variants : str or sequence of str, optional
        The candidates, such as ``"smem"`` or ``"smem{tile_y=32}"``. Default: all.
    progress : bool or callable, optional
        True: a bar of tqdm. A callable is told ``(stage, done, total)``. Default: a bar where tqdm
        is installed and stderr is a terminal or a notebook.

    Raises
    ------
    ValueError, TypeError, MemoryError, NoStrategyError, DeviceError, Error
        As `permute_dims` does. A problem whose strategies all fail has a report without a winner.

    Examples
    --------
    >>> import numpy
    >>> report = tune(numpy.zeros((500, 400), "float32"), budget=0.2, progress=False)
    >>> report.winner is not None and report.to_dict()["bytes"]
    1600000
    """
    return _default().tune(
        x,
        axes,
        out=out,
        budget=budget,
        max_rounds=max_rounds,
        every_strategy=every_strategy,
        warm=warm,
        whole=whole,
        variants=variants,
        progress=progress,
    )


def explain(
    x: Any,
    axes: Axes | None = None,
    *,
    variant: str,
    out: Any = None,
    measure: bool = True,
) -> dict[str, Any]:
    """Explain the speed of a CUDA variant on a layout: its accesses and its limiter.

    Parameters
    ----------
    x, axes, out
        As in `plan`. An array of the host stands for one on the first CUDA device.
    variant : str
        Such as ``"smem"`` or ``"smem{tile_y=32}"``.
    measure : bool, optional
        False: the device's counters are not asked, and kernels run on the simulator alone.

    Returns
    -------
    dict
        With the keys problem, variant, launch, limiter (a paragraph), bytes_in_flight, simulation
        and hardware (None, or dicts of counters) and the reasons no_simulation and no_hardware.

    Raises
    ------
    ValueError, NoStrategyError, MemoryError, Error
        The problem is empty, the strategy is unknown, does not run on CUDA or declines.
    """
    return _default().explain(x, axes, variant=variant, out=out, measure=measure)


def plugins() -> list[dict[str, Any]]:
    """List the plugin files, and why a file is refused.

    Returns
    -------
    list of dict
        With the keys file, name, version, build, refused (empty: it is in use) and strategies.

    Examples
    --------
    >>> "host_naive" in [plugin["name"] for plugin in plugins()]
    True
    """
    return _default().plugins()


def _rank(x: Any) -> int:
    shape = getattr(x, "shape", None)
    return len(library_of(x).plain(x).shape if shape is None else shape)

#!/usr/bin/env python3
"""xpose beside NumPy, PyTorch, CuPy and JAX: ten permutations, a table, and a plot if asked.

compare.py [--device cpu|cuda] [--quick] [--tune] [--markdown FILE.md] [--plot FILE.png]

Every library moves an array of its own to a new one in C order, and xpose the same array. Both
results are compared once. Times are of one call: the median of several rounds after a warm-up, with
warm caches, and the work on a device has ended. Libraries that are not installed, or have no such
device, are left out.
"""

from __future__ import annotations

import argparse
import importlib
import pathlib
import statistics
import time
from typing import Any, Callable

import numpy

import xpose

PROBLEMS = [
    ((8192, 8192), (1, 0), "float32"),
    ((8192, 8192), (1, 0), "uint8"),
    ((4096, 4096), (1, 0), "float64"),
    ((1000000, 16), (1, 0), "float32"),
    ((8191, 8193), (1, 0), "float32"),
    ((64, 56, 56, 256), (0, 3, 1, 2), "float16"),
    ((64, 256, 56, 56), (0, 2, 3, 1), "float16"),
    ((16, 2048, 32, 128), (0, 2, 1, 3), "float16"),
    ((256, 256, 512), (2, 1, 0), "float32"),
    ((32, 24, 40, 16, 32), (4, 2, 0, 3, 1), "float32"),
]

Call = Callable[[], Any]
ROUNDS = 9


def seconds(call: Call, wait: Call) -> float:
    """Of one call, the median of the rounds; each is long enough for the clock."""
    calls, start = 0, time.perf_counter()
    while calls < 2 or time.perf_counter() - start < 0.05:  # the warm-up
        call()
        wait()
        calls += 1
    calls = max(1, min(100, calls // 5))
    rounds = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(calls):
            call()
        wait()
        rounds.append((time.perf_counter() - start) / calls)
    return statistics.median(rounds)


def nothing() -> None:
    """The work of the host is done when a call returns."""


def of_numpy(x: Any, axes: tuple[int, ...]) -> tuple[Call, Call, Call]:
    theirs = lambda: numpy.ascontiguousarray(x.transpose(axes))  # noqa: E731
    return theirs, lambda: xpose.permute_dims(x, axes), nothing


def of_torch(x: Any, axes: tuple[int, ...], device: str) -> tuple[Call, Call, Call]:
    import torch

    t = torch.from_numpy(x).to(device)
    wait = torch.cuda.synchronize if device == "cuda" else nothing
    return lambda: t.permute(axes).contiguous(), lambda: xpose.permute_dims(t, axes), wait


def of_cupy(x: Any, axes: tuple[int, ...]) -> tuple[Call, Call, Call]:
    import cupy

    c = cupy.asarray(x)
    wait = cupy.cuda.get_current_stream().synchronize
    theirs = lambda: cupy.ascontiguousarray(c.transpose(axes))  # noqa: E731
    return theirs, lambda: xpose.permute_dims(c, axes), wait


def of_jax(x: Any, axes: tuple[int, ...], device: str) -> tuple[Call, Call, Call]:
    import jax

    jax.config.update("jax_enable_x64", True)  # else elements of 8 bytes become shorter
    j = jax.device_put(x)
    moved = jax.jit(lambda a: a.transpose(axes))
    newest: list[Any] = [j]
    wait = lambda: newest[0].block_until_ready()  # noqa: E731

    def kept(call: Call) -> Call:
        def one() -> Any:
            newest[0] = call()
            if device == "cpu":
                wait()  # calls would run beside each other; those of a GPU end in their order
            return newest[0]

        return one

    return kept(lambda: moved(j)), kept(lambda: xpose.permute_dims(j, axes)), wait


def libraries(device: str) -> dict[str, Callable[..., tuple[Call, Call, Call]]]:
    """Those that are here and have the device, by name."""

    def has(name: str) -> bool:
        try:
            importlib.import_module(name)
        except ImportError:
            return False
        return True

    found: dict[str, Callable[..., tuple[Call, Call, Call]]] = {}
    if device == "cpu":
        found["NumPy"] = of_numpy
    if has("torch"):
        found["PyTorch"] = lambda x, axes: of_torch(x, axes, device)
    if device == "cuda" and has("cupy"):
        found["CuPy"] = of_cupy
    if has("jax"):
        import jax

        if (jax.default_backend() == "cpu") == (device == "cpu"):
            found["JAX"] = lambda x, axes: of_jax(x, axes, device)
    return found


def same(ours: Any, theirs: Any) -> bool:
    return ours.dtype == theirs.dtype and ours.shape == theirs.shape and bool((ours == theirs).all())


def measured(device: str, tune: bool, quick: bool) -> list[dict[str, Any]]:
    """A row a problem: its name, and GB/s by library, and of xpose with arrays of that library."""
    rows = []
    for shape, axes, dtype in PROBLEMS[:3] if quick else PROBLEMS:
        if quick:
            shape = tuple(max(1, extent // 8) for extent in shape)
        x = numpy.resize(numpy.arange(251).astype(dtype), shape)
        row: dict[str, Any] = {"problem": f"{'x'.join(map(str, shape))} {axes} {dtype}"}
        for name, make in libraries(device).items():
            theirs, ours, wait = make(x, axes)
            if tune and name in ("NumPy", "PyTorch"):
                array = x if name == "NumPy" else importlib.import_module("torch").from_numpy(x)
                xpose.tune(array.to(device) if name == "PyTorch" else array, axes, progress=False)
            if not same(ours(), theirs()):
                raise SystemExit(f"xpose and {name} differ on {row['problem']}")
            for column, call in ((name, theirs), (f"xpose, {name}", ours)):
                row[column] = 2e-9 * x.nbytes / seconds(call, wait)
        rows.append(row)
    return rows


def machine(device: str) -> str:
    """The device by its name, and the versions of all that was measured."""
    kind = "host" if device == "cpu" else "cuda"
    found = next(one for one in xpose.devices() if one["device"].startswith(kind))
    versions = [f"xpose {xpose.__version__}"]
    for name in libraries(device):
        module = importlib.import_module({"PyTorch": "torch"}.get(name, name.lower()))
        versions.append(f"{name} {module.__version__}")
    driver = f", driver {found['driver']}" if kind == "cuda" else ""
    return f"{found['name']}{driver}; {', '.join(versions)}"


def markdown(rows: list[dict[str, Any]], title: str) -> str:
    names = [name for name in rows[0] if name != "problem"]
    lines = [
        f"GB/s, read and written, median of {ROUNDS} rounds with warm caches. {title}.",
        "",
        f"| problem | {' | '.join(names)} |",
        "|---|" + "--:|" * len(names),
    ]
    for row in rows:
        cells = (f"{row[name]:.0f}" if row[name] >= 10 else f"{row[name]:.1f}" for name in names)
        lines.append(f"| {row['problem']} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def plot(rows: list[dict[str, Any]], file: str) -> None:
    from matplotlib import pyplot

    names = [name for name in rows[0] if name != "problem"]
    _figure, axes = pyplot.subplots(figsize=(9, 1 + 0.6 * len(rows)), layout="constrained")
    for i, name in enumerate(names):
        places = [row + i / (len(names) + 1) for row in range(len(rows))]
        axes.barh(places, [row[name] for row in rows], 1 / (len(names) + 1), label=name)
    axes.set_yticks(range(len(rows)), [row["problem"] for row in rows])
    axes.invert_yaxis()
    axes.set_xlabel("GB/s, read and written")
    axes.legend()
    pyplot.savefig(file)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--quick", action="store_true", help="three small problems")
    parser.add_argument("--tune", action="store_true", help="try the strategies first")
    parser.add_argument("--markdown", metavar="FILE.md", help="write the table")
    parser.add_argument("--plot", metavar="FILE.png", help="draw the table by matplotlib")
    given = parser.parse_args()
    if not libraries(given.device):
        parser.exit(77, f"no library here has arrays on {given.device}\n")
    rows = measured(given.device, given.tune, given.quick)
    table = markdown(rows, machine(given.device))
    print(table, end="")
    if given.markdown:
        pathlib.Path(given.markdown).write_text(table)
    if given.plot:
        plot(rows, given.plot)


if __name__ == "__main__":
    main()

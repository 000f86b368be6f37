#!/usr/bin/env python3
"""Other people's transposes on the problems of `xpose bench`: NumPy, PyTorch, CuPy, HPTT, cuTENSOR.

    xpose bench --only permutations --json bench.json
    peers.py --join bench.json --markdown table.md

Peers that are not installed are left out. The problems are those of the document, so that there is
one list of them. Buffers are as cold as the bench has them. On the host the caches are emptied before
each sample, which is one call. On a GPU calls follow each other without a pause, on as many pairs of
buffers in turn as the bench takes, behind one that is not timed: so every call meets what others left
to be written. A time is the median of all samples. Every output is compared with NumPy's before it
counts. A share is of the document's roof.
"""

import argparse
import json
import math
import os
import statistics
import sys
import time

try:
    import numpy as np
except ImportError:
    sys.exit("peers.py: NumPy is missing; install python3-numpy")

from peer_libraries import Case, Declined, peers_of

MOST_SAMPLES = 15


# ------------------------------------------------------------------------------------------ timing


class Host:
    """Buffers and time of the host."""

    def __init__(self, cache_bytes):
        self.cleaner = np.ones(max(3 * cache_bytes // 2, 1 << 20), "uint8")

    def pairs(self, _case):
        return 1

    def buffers(self, case):
        return case.buffers()

    def is_right(self, _case, source, target):
        return np.array_equal(target, source)

    def seconds(self, runs):
        self.cleaner.max()  # reading it pushes the buffers out of the caches
        begin = time.perf_counter()
        runs[0]()
        return time.perf_counter() - begin


class Cuda:
    """Buffers and time of a GPU, by PyTorch."""

    MOST_AXES = 25  # of a tensor that PyTorch compares; beyond, arrays must be dense
    COLD_CACHES, ALL_PAIRS_CACHES, MOST_PAIRS = 8, 4, 64  # as core/src/trial/buffer_pairs.cpp has them
    SAMPLE_SECONDS = 500e-6
    MOST_CALLS = 10_000

    def __init__(self, cache_bytes):
        import torch
        self.torch = torch
        self.cache_bytes = cache_bytes
        self.turn = 0

    def pairs(self, case):
        touched = case.touched_bytes()
        if touched >= self.COLD_CACHES * self.cache_bytes:
            return 1
        return min(max(self.ALL_PAIRS_CACHES * self.cache_bytes // touched + 1, 2), self.MOST_PAIRS)

    def buffers(self, case):
        return (case.require_dense() if len(case.shape) > self.MOST_AXES else case).tensors(self.torch)

    def is_right(self, _case, source, target):
        if target.dim() <= self.MOST_AXES:
            return self.torch.equal(target, source)
        rest = self.torch.arange(target.numel(), device=target.device)  # of dense arrays, element by element
        at = self.torch.zeros_like(rest)
        for extent, stride in zip(reversed(target.shape), reversed(source.stride())):
            at += rest % extent * stride
            rest //= extent
        moved, made = (tensor.as_strided((target.numel(),), (1,)) for tensor in (source, target))
        return self.torch.equal(made, moved[at])

    def seconds(self, runs):
        once = self._seconds(runs, 1)
        return once if once >= self.SAMPLE_SECONDS else self._seconds(
            runs, min(math.ceil(self.SAMPLE_SECONDS / max(once, 1e-7)), self.MOST_CALLS))

    def _seconds(self, runs, calls):
        """Of one of so many calls behind one that is not timed, each on the next pair."""
        begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        for call in range(-1, calls):
            if call == 0:
                begin.record()
            runs[self.turn % len(runs)]()
            self.turn += 1
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e-3 / calls


def measure(peer, case, device, budget):
    """The median seconds of one transpose. Raises Declined."""
    try:
        runs = []
        for _ in range(device.pairs(case)):
            source, target = device.buffers(case)
            target[...] = 0
            runs.append(peer(case, source, target))
            runs[-1]()
            if not device.is_right(case, source, target):
                raise Declined("is wrong")
        end = time.monotonic() + budget
        samples = []
        while len(samples) < MOST_SAMPLES and (len(samples) < 3 or time.monotonic() < end):
            samples.append(device.seconds(runs))
    except (RuntimeError, MemoryError) as error:  # of PyTorch and CuPy
        raise Declined(str(error).splitlines()[0]) from error
    return statistics.median(samples)


# ------------------------------------------------------------------------------------------- table


def figures_of(cell, peers, device, budget):
    """Each peer's seconds and share of the roof for a cell, or the reason why it has none."""
    case = Case(cell["problem"])
    figures = {}
    for name, peer in peers.items():
        try:
            seconds = measure(peer, case, device, budget)
            figures[name] = {"seconds": seconds, "share_of_roof": cell["roof"]["seconds"] / seconds}
        except Declined as error:
            figures[name] = {"declined": str(error)}
    return figures


def ahead(row):
    """How many times as fast as the fastest peer the winner is; None without a peer."""
    times = [figure["seconds"] for figure in row["peers"].values() if "seconds" in figure]
    return min(times) / row["seconds"] if times else None


def markdown(rows, names):
    lines = ["| problem | roof GB/s | xpose, % of roof | " + " | ".join(names) + " | times the best peer |",
             "|:--|" + "--:|" * (len(names) + 3)]
    for row in rows:
        shares = [row["peers"][name] for name in names]
        best = ahead(row)
        cells = [row["cell"].replace("|", "\\|"), f"{row['roof_gb_per_s']:.1f}", f"{100 * row['share_of_roof']:.1f}",
                 *(f"{100 * s['share_of_roof']:.1f}" if "seconds" in s else "-" for s in shares),
                 f"{best:.2f}" if best else ""]
        lines.append("| " + " | ".join(cells) + " |")
    lines.append("")
    for name in names:
        ratios = [row["peers"][name]["seconds"] / row["seconds"] for row in rows if "seconds" in row["peers"][name]]
        if ratios:
            lines.append(f"xpose is {statistics.mean(ratios):.2f} times as fast as {name} in the mean of {len(ratios)} "
                         f"problems, {min(ratios):.2f} times at least, and ahead in {sum(r > 1 for r in ratios)}.")
    return "\n".join(lines) + "\n"


def write(target, text):
    if target == "-":
        sys.stdout.write(text)
    elif target:
        with open(target, "w", encoding="utf-8") as file:
            file.write(text)


def document_of(rows):
    return json.dumps({"schema": "xpose.peers/1", "cells": rows}, indent=2) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--join", required=True, metavar="BENCH.JSON", help="a document of `xpose bench --json`")
    parser.add_argument("--device", metavar="D", help="cells of this device alone (default: the first cell's)")
    parser.add_argument("--only", action="append", default=[], metavar="TEXT", help="problems whose name contains it")
    parser.add_argument("--budget", type=float, default=2, metavar="S", help="seconds for a problem and a peer")
    parser.add_argument("--json", default="", metavar="FILE|-")
    parser.add_argument("--markdown", default="-", metavar="FILE|-")
    options = parser.parse_args()
    with open(options.join, encoding="utf-8") as file:
        document = json.load(file)
    if document.get("schema") != "xpose.bench/1":
        parser.error(f"{options.join} is no document of `xpose bench --json`")
    cells = [cell for cell in document["cells"] if cell["skipped"] is None and not cell["problem"]["in_place"]
             and (not options.only or any(text in cell["cell"] for text in options.only))]
    device = options.device or (cells[0]["device"] if cells else "")
    cells = [cell for cell in cells if cell["device"] == device]
    if not cells:
        parser.error(f"{options.join} has no measured problem of that device and name")
    kind = device.split(":")[0]
    if kind == "cuda":
        os.environ.setdefault("CUDA_VISIBLE_DEVICES", device.partition(":")[2] or "0")
    info, = (one for one in document["setup"]["devices"] if one["device"] == device)
    peers = peers_of(kind)
    if not peers or (kind == "cuda" and "PyTorch" not in peers):
        sys.exit(f"peers.py: no peer for {device} is installed" + (", or no PyTorch, which makes the arrays" if peers else ""))
    machine = (Cuda if kind == "cuda" else Host)(info["cache_bytes"])
    rows = []
    for cell in cells:
        rows.append({"cell": cell["cell"], "device": device, "seconds": cell["winner"]["seconds"],
                     "share_of_roof": cell["share_of_roof"], "roof_gb_per_s": cell["roof"]["gb_per_s"],
                     "peers": figures_of(cell, peers, machine, options.budget)})
        if options.json != "-":
            write(options.json, document_of(rows))
    write(options.markdown, markdown(rows, list(peers)))
    if options.json == "-":
        write("-", document_of(rows))


if __name__ == "__main__":
    main()

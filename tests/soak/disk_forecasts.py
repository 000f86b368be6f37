"""Seconds that `xpose run --plan-only` predicts beside those that a run takes: disk_forecasts.py PATH_TO_XPOSE FOLDER.

Draws matrices and permutations by a seed. The disk is that of the folder; with --rate one in memory that takes so many
bytes a second each way, as throttled_figures.py has it, which takes root and control groups of version 1. Inputs are
cold. Prints a line a file, and the share of them within 15 %.
"""

import argparse
import contextlib
import json
import os
import pathlib
import random
import statistics
import subprocess
import tempfile

import numpy as np

from figure_files import cool
from throttled_figures import MIB, made, seconds, throttled_folder


def drawn(draw):
    """rows, columns, bytes of an element, --memory in MiB, what else."""
    item = draw.choice([1, 2, 4, 8, 16])
    elements = draw.randint(300, 1200) * MIB // item
    rows = int(elements ** draw.uniform(0.3, 0.7))
    more = ["--passes", "2"] if draw.random() < 0.2 else []
    return rows, elements // rows, item, draw.choice([64, 128, 256, 512, 1024]), more


def forecast(command, cache, source):
    cool(source)
    told = subprocess.run([*command, "--plan-only", "--json", "--cache", str(cache)], check=True, capture_output=True, text=True)
    return json.loads(told.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("xpose", type=os.path.abspath)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--files", type=int, default=12)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=int, default=0, help="bytes a second")
    arguments = parser.parse_args()
    draw = random.Random(arguments.seed)
    ratios = []
    with contextlib.ExitStack() as stack:
        temporary = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(dir=arguments.folder)))
        disk = stack.enter_context(throttled_folder(temporary, arguments.rate)) if arguments.rate else temporary
        cache = temporary / "trials.sqlite"
        source, target = disk / "in.npy", disk / "out.npy"
        for _ in range(arguments.files):
            rows, columns, item, memory, more = drawn(draw)
            made(source, rows, columns, item)
            command = [arguments.xpose, "run", str(source), str(target), "--memory", f"{memory}M", *more]
            predicted = forecast(command, cache, source)["seconds"]
            taken = statistics.median(
                seconds(lambda: subprocess.run(command, check=True, stderr=subprocess.DEVNULL), source, target)
                for _ in range(arguments.runs))
            ratios.append(predicted / taken)
            print(f"{rows}x{columns} of {item} bytes, --memory {' '.join([f'{memory}M', *more]):16} predicted "
                  f"{predicted:6.2f} s  taken {taken:6.2f} s  {100 * (ratios[-1] - 1):+6.1f} %", flush=True)
            target.unlink()
    near = sum(abs(np.array(ratios) - 1) <= 0.15)
    print(f"{near} of {len(ratios)} within 15 %")


if __name__ == "__main__":
    main()

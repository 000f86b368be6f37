#!/usr/bin/env python3
"""The answer of `xpose run` to Ctrl-C while it moves 4 GiB.

    interrupted_runs.py PATH_TO_XPOSE [FOLDER] [--times N] [--seed N]

Runs on files of zeros that take no room, one of each element size in turn. Each run gets SIGINT at a moment of its
own, up to the time that a whole run takes. Its exit status, its last words and the folder behind it are verified,
and how long the answers took is printed. The folder needs 5 GiB.
"""
import argparse
import contextlib
import math
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np

BYTES = 4 << 30
OLD = b"what was there"
HUNG = 120  # seconds


def hole(path, item):
    side = math.isqrt(BYTES // item)
    with open(path, "wb") as file:
        np.lib.format.write_array_header_1_0(
            file, {"descr": f"<u{item}", "fortran_order": False, "shape": (side, side)})
        file.truncate(file.tell() + item * side * side)


def started(xpose, source, target):
    """At work: its handlers are there before its first word."""
    target.write_bytes(OLD)
    process = subprocess.Popen([xpose, "run", str(source), str(target), "--device", "host", "-v", "--no-cache"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return process, process.stderr.readline()


def is_held(folder):
    """Whether any process has a file of the folder open."""
    for fd in pathlib.Path("/proc").glob("[0-9]*/fd/*"):
        with contextlib.suppress(OSError):  # gone, or another user's
            if os.readlink(fd).startswith(str(folder)):
                return True
    return False


def released(folder):
    """Seconds until no process holds a file of the folder any more."""
    begin = time.monotonic()
    while is_held(folder):
        if time.monotonic() - begin > HUNG:
            return math.inf
        time.sleep(0.01)
    return time.monotonic() - begin


def interrupted(xpose, source, target, moment):
    """Seconds to the end and to the release of the files, and what was wrong; None: the run was over before."""
    process, said = started(xpose, source, target)
    time.sleep(moment)
    process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    try:
        said += process.communicate(timeout=HUNG)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return HUNG, math.inf, [f"it did not end in {HUNG} s"]
    taken = time.monotonic() - begin
    if process.returncode == 0:
        return None
    wrong = []
    if process.returncode != 130:
        wrong.append(f"exit status {process.returncode}")
    if not re.search(rf"\nxpose: interrupted: {re.escape(str(target))} is unchanged\n\Z", said):
        wrong.append(f"its last words: {said[-300:]!r}")
    if target.read_bytes() != OLD:
        wrong.append("the target has changed")
    if left := set(os.listdir(source.parent)) - {source.name, target.name}:
        wrong.append(f"left behind: {sorted(left)}")
    free = released(source.parent)
    if free == math.inf:
        wrong.append("a process still holds its files")
    return taken, free, wrong


def whole_run(xpose, source, target):
    begin = time.monotonic()
    process, _ = started(xpose, source, target)
    process.communicate()
    if process.returncode != 0:
        sys.exit(f"xpose run without a signal ended with {process.returncode}")
    return time.monotonic() - begin


def distribution(seconds):
    seconds = sorted(seconds)
    return ", ".join(f"{name} {1000 * seconds[min(int(share * len(seconds)), len(seconds) - 1)]:.0f}"
                     for name, share in (("least", 0), ("median", 0.5), ("90 %", 0.9), ("most", 1)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("xpose", type=os.path.abspath)
    parser.add_argument("folder", type=pathlib.Path, nargs="?", default=pathlib.Path(tempfile.gettempdir()))
    parser.add_argument("--times", type=int, default=40)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    moments = random.Random(arguments.seed)
    ends, releases, failed, over = [], [], 0, 0
    with tempfile.TemporaryDirectory(dir=arguments.folder.resolve()) as folder:
        source, target = pathlib.Path(folder) / "in.npy", pathlib.Path(folder) / "out.npy"
        for item in (1, 2, 4, 8):
            hole(source, item)
            whole = whole_run(arguments.xpose, source, target)
            print(f"elements of {item} bytes: a whole run takes {whole:.1f} s", flush=True)
            for _ in range(math.ceil(arguments.times / 4)):
                # Half of them early: there it chooses, reads its first tile and reserves its output.
                moment = moments.uniform(0, whole if moments.random() < 0.5 else whole / 10)
                outcome = interrupted(arguments.xpose, source, target, moment)
                if outcome is None:
                    over += 1
                    continue
                taken, free, wrong = outcome
                ends.append(taken)
                releases.append(free)
                failed += bool(wrong)
                for words in wrong:
                    print(f"WRONG, {item} bytes, SIGINT after {moment:.4f} s: {words}", flush=True)
    if not ends:
        sys.exit("every run was over before its signal")
    print(f"{len(ends)} runs interrupted, {over} over before, {failed} wrong")
    print(f"milliseconds from the signal to the end: {distribution(ends)}; "
          f"{sum(seconds > 0.5 for seconds in ends)} took more than 500")
    print(f"milliseconds from there until no process held its files: {distribution(releases)}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

"""The figures of `xpose run` beside `cp` + `sync` and NumPy: run_figures.py PATH_TO_XPOSE FOLDER.

Prints a line a case: seconds, bytes written to the disk over those of the file, peak memory in MiB. The
page cache is warm, but for the lines with a limit, whose input lies on the disk. The folder needs 9
GiB; what is made there is removed. As root, and with cgroups of version 1 or 2, also under 1 GiB.
"""

import argparse
import contextlib
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

from figure_files import cool, is_transpose

GIB = 1 << 30
LIMIT = GIB
PATIENCE = 120  # seconds
NUMPY = ("import numpy as np, sys; "
         "np.save(sys.argv[2], np.ascontiguousarray(np.load(sys.argv[1], mmap_mode='r').T))")


def disk_of(folder):
    """The statistics of the block device under a folder, or None."""
    number = os.stat(folder).st_dev
    path = pathlib.Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}/stat")
    return path if path.exists() else None


def bytes_written(disk):
    return 512 * int(disk.read_text().split()[6]) if disk else math.nan


@contextlib.contextmanager
def limited_group(limit):
    """A control group of that limit, or None where none can be made."""
    for root, file in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
                       ("/sys/fs/cgroup", "memory.max")):
        group = pathlib.Path(root) / f"xpose-figures-{os.getpid()}"
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            if (group / file).exists():
                (group / file).write_text(str(limit))
                yield group
                return
        finally:
            group.rmdir()
    yield None


def peak_of(process):
    """The most that the process had resident, in MiB, until it ends. A patient reader's time is
    limited: then it is killed."""
    peak = 0
    end = time.monotonic() + PATIENCE
    while process.poll() is None:
        if time.monotonic() > end:
            process.kill()
        with contextlib.suppress(OSError):
            for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
                if line.startswith("VmHWM:"):
                    peak = int(line.split()[1])
        time.sleep(0.002)
    return peak / 1024


def measured(command, target, disk, group):
    """Seconds with the sync of the target, bytes written, peak."""
    target.unlink(missing_ok=True)
    os.sync()
    before = bytes_written(disk)
    begin = time.monotonic()
    enter = (lambda: (group / "cgroup.procs").write_text(str(os.getpid()))) if group else None
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, preexec_fn=enter)
    peak = peak_of(process)
    if process.returncode != 0:
        return None
    subprocess.run(["sync", str(target)], check=True)
    seconds = time.monotonic() - begin
    os.sync()
    return seconds, bytes_written(disk) - before, peak


def made(path, size, item):
    side = max(1, math.isqrt(size // item))
    array = np.lib.format.open_memmap(path, mode="w+", dtype=f"u{item}", shape=(side, side))
    random = np.random.default_rng(item)
    step = max(1, (64 << 20) // (side * item))
    for row in range(0, side, step):
        part = array[row:row + step]
        part[...] = random.integers(0, 255, size=part.shape, dtype=array.dtype)
    array.flush()


def warm(path):
    with open(path, "rb") as file:
        while file.read(1 << 24):
            pass


def case(arguments, name, size, item, limit):
    source, target = arguments.folder / "in.npy", arguments.folder / "out.npy"
    made(source, size, item)
    disk = disk_of(arguments.folder)
    commands = {"cp": ["cp", source, target],
                "xpose run": [arguments.xpose, "run", source, target, "--device", "host"],
                "NumPy": [sys.executable, "-c", NUMPY, source, target]}
    seconds_of_cp = None
    with limited_group(LIMIT) if limit else contextlib.nullcontext() as group:
        if limit and group is None:
            print(f"{name:8} {item} bytes, 1 GiB: no control group can be made here")
            return
        for who, command in commands.items():
            if who == "NumPy" and not arguments.numpy:
                continue
            runs = []
            for _ in range(2 if who == "NumPy" else arguments.times + 1):
                (cool if limit else warm)(source)
                runs.append(measured([str(word) for word in command], target, disk, group))
                if runs[-1] is None:
                    break
            if None in runs:
                print(f"{name:8} {item} bytes {'1 GiB' if limit else '     '} {who:10} failed, or took over {PATIENCE} s")
                continue
            runs = runs[1:]  # a virtual machine's host backs memory when it is touched first
            seconds = statistics.median(run[0] for run in runs)
            seconds_of_cp = seconds_of_cp or seconds
            written = max(run[1] for run in runs) / source.stat().st_size
            right = who != "xpose run" or is_transpose(source, target)
            print(f"{name:8} {item} bytes {'1 GiB' if limit else '     '} {who:10} {seconds:8.3f} s "
                  f"{seconds / seconds_of_cp:6.2f} x cp  written {written:6.3f}  "
                  f"peak {max(run[2] for run in runs):7.1f} MiB{'' if right else '  WRONG'}",
                  flush=True)
    source.unlink()
    target.unlink(missing_ok=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("xpose", type=os.path.abspath)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--no-numpy", dest="numpy", action="store_false")
    parser.add_argument("--quick", action="store_true", help="nothing of 4 GiB")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        arguments.folder = pathlib.Path(folder)
        for name, size in (("6 KB", 6000), ("4 MB", 4 * 10**6), ("400 MB", 4 * 10**8),
                           ("4 GiB", 4 * GIB)):
            for limit in (False, True):
                if not (arguments.quick and size >= GIB):
                    case(arguments, name, size, 4, limit)
        arguments.numpy = False
        for name, size in (("0.5 GiB", GIB // 2), ("4 GiB", 4 * GIB)):
            for item in (1, 2, 4, 8):
                if not (arguments.quick and size >= GIB):
                    case(arguments, name, size, item, False)


if __name__ == "__main__":
    main()

"""The figures of `xpose run` on a slow disk beside a direct copy: throttled_figures.py PATH_TO_XPOSE FOLDER.

A file system in memory lies behind a loop device that takes so many bytes a second each way. The copy reads and writes
past the page cache, both at once. Prints a line a case: the median of the pairs' ratios, and the peak of the control
group that xpose ran in. As root, with cgroups of version 1, 5 GiB of memory and an empty folder.
"""

import argparse
import contextlib
import mmap
import os
import pathlib
import statistics
import subprocess
import sys
import threading
import time

import numpy as np

from figure_files import cool, is_transpose

CONTROL = pathlib.Path("/sys/fs/cgroup")
MIB = 1 << 20
PIECE, COPIERS = 8 * MIB, 8
# rows, columns, bytes of an element, --memory, what else
CASES = [(17000, 17000, 4, "256M", []), (34000, 34000, 1, "256M", []), (8500, 8500, 16, "256M", []),
         (16999, 17003, 4, "256M", []), (33999, 34001, 1, "256M", []), (20224, 20224, 1, "80M", []),
         (10112, 10112, 4, "80M", []), (5056, 5056, 16, "80M", []),
         (17000, 17000, 4, "256M", ["--passes", "2"]), (20224, 20224, 1, "80M", ["--passes", "2"])]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@contextlib.contextmanager
def throttled_folder(folder, rate):
    """A mounted file system whose disk moves so many bytes a second each way."""
    memory, disk = folder / "memory", folder / "disk"
    with contextlib.ExitStack() as undo:
        for path in memory, disk:
            path.mkdir()
            undo.callback(path.rmdir)
        run("mount", "-t", "tmpfs", "-o", "size=5G", "tmpfs", memory)
        undo.callback(run, "umount", memory)
        run("fallocate", "-l", "4500M", memory / "image")
        loop = run("losetup", "-f", "--show", memory / "image")
        undo.callback(run, "losetup", "-d", loop)
        run("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", loop)
        run("mount", loop, disk)
        undo.callback(run, "umount", disk)
        number = run("lsblk", "-ndo", "MAJ:MIN", loop)
        for way in "read", "write":
            limit = CONTROL / f"blkio/blkio.throttle.{way}_bps_device"
            limit.write_text(f"{number} {rate}")
            undo.callback(limit.write_text, f"{number} 0")
        yield disk


@contextlib.contextmanager
def memory_group():
    group = CONTROL / f"memory/xpose-figures-{os.getpid()}"
    group.mkdir()
    try:
        yield group
    finally:
        group.rmdir()


def copy(source, target):
    size = os.path.getsize(source)
    reads = os.open(source, os.O_RDONLY | os.O_DIRECT)
    writes = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_DIRECT)
    os.posix_fallocate(writes, 0, size)
    places, lock = iter(range(0, size, PIECE)), threading.Lock()

    def work():
        buffer = mmap.mmap(-1, PIECE)
        while True:
            with lock:
                place = next(places, None)
            if place is None:
                return
            got = os.preadv(reads, [buffer], place)
            os.pwritev(writes, [memoryview(buffer)[:(got + 4095) & ~4095]], place)

    threads = [threading.Thread(target=work) for _ in range(COPIERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    os.ftruncate(writes, size)
    os.fsync(writes)
    os.close(reads)
    os.close(writes)


def made(path, rows, columns, item):
    array = np.lib.format.open_memmap(path, mode="w+", dtype=f"V{item}", shape=(rows, columns))
    random = np.random.default_rng(item)
    for row in range(0, rows, 1000):
        part = array[row:row + 1000]
        part[...] = np.frombuffer(random.bytes(part.nbytes), part.dtype).reshape(part.shape)
    array.flush()


def seconds(call, source, target):
    target.unlink(missing_ok=True)
    os.sync()
    cool(source)
    begin = time.monotonic()
    call()
    subprocess.run(["sync", str(target)], check=True)
    return time.monotonic() - begin


def case(xpose, folder, group, pairs, rows, columns, item, memory, more):
    source, target, copied = folder / "in.npy", folder / "out.npy", folder / "copy.npy"
    made(source, rows, columns, item)
    command = [xpose, "run", str(source), str(target), "--device", "host", "--memory", memory, *more]

    def transpose():
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL,
                       preexec_fn=lambda: (group / "cgroup.procs").write_text(str(os.getpid())))

    ratios, times, copies = [], [], []
    (group / "memory.max_usage_in_bytes").write_text("0")
    for _ in range(pairs):
        copies.append(seconds(lambda: copy(source, copied), source, copied))
        copied.unlink()
        times.append(seconds(transpose, source, target))
        ratios.append(copies[-1] / times[-1])
    peak = int((group / "memory.max_usage_in_bytes").read_text()) / MIB
    right = "" if is_transpose(source, target) else "  WRONG"
    print(f"{rows}x{columns} of {item} bytes, --memory {' '.join([memory, *more]):17} copy {statistics.median(copies):6.2f} s"
          f"  run {statistics.median(times):6.2f} s  {100 * statistics.median(ratios):5.1f} %  peak {peak:6.1f} MiB{right}",
          flush=True)
    source.unlink()
    target.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("xpose", type=os.path.abspath)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--only", default="", metavar="TEXT", help="cases whose name begins with it")
    parser.add_argument("--rate", type=int, default=300_000_000, help="bytes a second")
    arguments = parser.parse_args()
    if os.geteuid() != 0 or not (CONTROL / "blkio").is_dir():
        sys.exit("throttled_figures.py: this takes root, and cgroups of version 1")
    with throttled_folder(arguments.folder, arguments.rate) as disk, memory_group() as group:
        for one in CASES:
            if f"{one[0]}x{one[1]}".startswith(arguments.only):
                case(arguments.xpose, disk, group, arguments.pairs, *one)


if __name__ == "__main__":
    main()

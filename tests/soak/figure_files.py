"""Files of the figures of `xpose run`."""

import os

import numpy as np


def cool(path):
    """Has the page cache hold nothing of a file."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def is_transpose(source, target):
    """Of samples of large arrays."""
    a, b = (np.load(path, mmap_mode="r") for path in (source, target))
    rows = range(0, a.shape[0], max(1, a.shape[0] // 64))
    return a.shape == b.T.shape and all(np.array_equal(a[row], b[:, row]) for row in rows)

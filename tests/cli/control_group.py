"""Control groups for programs that a test starts."""

import contextlib
import errno
import os
import pathlib
import sys
import time

# By version, 1 and 2: the folder of the groups, the file of the limit, and the text for a value.
MEMORY = (("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "{}"), ("/sys/fs/cgroup", "memory.max", "{}"))  # bytes
PROCESSOR_TIME = (("/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "{}"),
                  ("/sys/fs/cgroup", "cpu.max", "{} 100000"))  # microseconds in each tenth of a second


def made(limits, value):
    """A group with that limit. Throws OSError where none can be made."""
    for root, file, text in limits:
        group = pathlib.Path(root) / f"xpose-test-{os.getpid()}"
        if not os.path.isdir(root):
            continue
        group.mkdir()
        if (group / file).exists():
            try:
                (group / file).write_text(text.format(value))
                return group
            except OSError:
                group.rmdir()
                raise
        group.rmdir()
    raise OSError(errno.ENOTSUP, "no such controller")


@contextlib.contextmanager
def control_group(test, limits, value):
    """Options of subprocess.Popen by which a program starts in a group with that limit."""
    try:
        group = made(limits, value)
    except OSError as error:
        print(f"SKIPPED: no control group can be made: {error}", file=sys.stderr)
        test.skipTest(f"no control group can be made: {error}")
    try:
        yield {"preexec_fn": lambda: (group / "cgroup.procs").write_text(str(os.getpid()))}
    finally:
        for _ in range(100):  # until the worker has left it
            with contextlib.suppress(OSError):
                group.rmdir()
                break
            time.sleep(0.05)

"""The command on the host, for scripts that are given PATH_TO_XPOSE HANGS [unittest arguments]."""

import os
import subprocess
import sys
import tempfile
import unittest

XPOSE = os.path.abspath(sys.argv.pop(1))
HANGS = os.path.abspath(sys.argv.pop(1))  # the folder of a plugin whose launch never returns
HOST = ["host_naive_row", "host_naive_col", "host_unroll4_row", "host_unroll4_col", "host_blocked",
        "host_blocked_pad"]
WAITING = "xpose: warning: another process measures on host; waiting for it\n"


def xpose(*arguments, **more):
    result = subprocess.run([XPOSE, *arguments], capture_output=True, text=True, **more)
    result.stderr = result.stderr.replace(WAITING, "")  # other tests measure at the same time
    return result


def tune(*arguments):
    budget = [] if "--budget" in arguments else ["--budget", "0.2"]
    return xpose("tune", "--device", "host", *budget, *arguments)


def main():
    """The tests of the script, with a cache of their own."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XPOSE_CACHE"] = os.path.join(folder, "trials.sqlite")
        unittest.main()

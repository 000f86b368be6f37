"""The end of an interpreter whose daemon threads still transpose."""

import subprocess
import sys

import pytest

SCRIPT = """
import sys, threading, time
import numpy, xpose

x = numpy.zeros((300, 200), "f4")
plan = xpose.plan(x)
loops = {
    "plan": lambda: plan(x),
    "permute_dims": lambda: xpose.permute_dims(x),
    "list": lambda: xpose.permute_dims([[1, 2, 3]]),
    "tune": lambda: xpose.tune(x, budget=1, progress=False),
    "progress": lambda: xpose.tune(x, budget=1, progress=lambda *state: None),
}
begun = threading.Event()

def endless():
    while True:
        begun.set()
        loops[sys.argv[1]]()

for _ in range(3):
    threading.Thread(target=endless, daemon=True).start()
begun.wait()
time.sleep(0.1)
sys.exit(3)
"""


@pytest.mark.parametrize("loop", ("plan", "permute_dims", "list", "tune", "progress"))
def test_daemon_threads_do_not_end_the_process(loop):
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT, loop]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stderr) == (3, "")

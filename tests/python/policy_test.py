"""XPOSE_POLICY, as the package has it."""

import os
import subprocess
import sys

SCRIPT = """
import numpy, xpose
engine = xpose.Engine(remember=True)
x = numpy.zeros((200, 300), "f4")
if {tunes}: engine.tune(x, budget=0.3)
plan = engine.plan(x, policy="measure")
print(plan.variant, plan.is_estimate)
"""


def run(policy, cache, tunes=False):
    return subprocess.run([sys.executable, "-c", SCRIPT.format(tunes=tunes)], capture_output=True, text=True,
                          env=dict(os.environ, XPOSE_POLICY=policy, XPOSE_CACHE=str(cache)))


def test_estimate_is_imposed_whatever_was_measured(tmp_path):
    first = run("estimate", tmp_path / "a.sqlite")
    assert first.returncode == 0 and first.stdout.endswith(" True\n"), first.stderr
    assert run("estimate", tmp_path / "b.sqlite", tunes=True).stdout == first.stdout


def test_another_word_is_refused(tmp_path):
    refused = run("fast", tmp_path / "a.sqlite")
    assert refused.returncode != 0
    assert "XPOSE_POLICY is 'fast', which names no policy" in refused.stderr

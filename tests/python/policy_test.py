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


MEASURING = """
import numpy, xpose
def wait(*step): print("measuring", flush=True); input()
xpose.Engine(remember=False).tune(numpy.zeros((50, 60)), progress=wait)
"""
WAITING = """
import numpy, sys, warnings, xpose
engine, x = xpose.Engine(remember=False), numpy.arange(60000.0).reshape(200, 300)
def call():
    assert (engine.permute_dims(x, policy="measure") == x.T).all()
    try: return engine.plan(x, policy="cached_only").is_estimate
    except xpose.NoStrategyError: return "estimated"
planned = engine.plan(x, policy="measure", budget=0)
print(call(), flush=True)
input()
measured = call()
planned(x)  # a plan stays what it is
print(measured, planned.is_estimate)
"""


def test_an_estimate_in_place_of_a_measurement_is_asked_for_again(tmp_path):
    environment = dict(os.environ, XPOSE_LOCK_FOLDER=str(tmp_path), PYTHONUNBUFFERED="1")

    def started(script):
        return subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, env=environment)

    with started(MEASURING) as measuring:
        assert measuring.stdout.readline() == "measuring\n"
        with started(WAITING) as waiting:
            assert waiting.stdout.readline() == "estimated\n"
            measuring.kill()  # which ends its turn
            measuring.communicate()
            told, warned = waiting.communicate("\n")
    assert told == "False True\n", warned
    assert "another process measures" in warned

#!/usr/bin/env python3
"""Runs compute-sanitizer over the kernels of every CUDA plugin, the most important first.

A run is one tool, one strategy and one element size over a part of the conformance suite. What was
covered is printed run by run and summed up at the end, also where the time runs out before the list
does. Exit status: 0 without findings, 1 with them, 2 where a tool could not do its work or no run
came to its end, 77 without a device.
"""

import argparse
import collections
import dataclasses
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# Every kernel meets small problems first, each of them by the default config and another, which take
# turns. Classic strategies have small tiles, the others tiles of 256x256. Then the default config
# meets every problem, which has sides beyond what a grid counts; then more of both. Elements: the
# largest problem of a scope.
SCOPES = {
    "small": "configs in turn, problems of at most 20 000 elements",
    "tiles": "configs in turn, problems of at most 70 000 elements",
    "whole": "the default config, all problems",
    "medium": "all configs, problems of at most 200 000 elements",
    "full": "all configs, all problems",
}
MOST_ELEMENTS = {"small": 20_000, "tiles": 70_000, "medium": 200_000}
MOST_CONFIGS = {"small": 2, "tiles": 2}  # of a problem

# Every strategy meets a tool with the first of these sizes of elements before one meets it with the next.
SIZES = [4, 1, 16, 2, 8]

CLASSIC = ["smem", "smem_pad", "smem_unroll2", "smem_unroll2_pad"]
FAST = ["tile", "tile_512", "unaligned", "lanes", "skinny", "batch", "permute", "swap_vectors", "swap_unaligned"]
WITHOUT_SHARED_MEMORY = ["naive_row", "naive_col", "unroll4_row", "unroll4_col", "copy_row",
                         "copy_col", "copy_wide", "copy_device_memcpy"]
OTHERS_KERNELS = ["cublas_geam", "cublaslt_transform"]

# Kernels of plugins stand in a namespace `kernels`. Those that fill and compare buffers would take
# most of the time.
KERNELS = "kns=kernel"
FINDING = 9

# Planted faults: what a tool has to see before its silence counts.
CONTROLS = [("racecheck", "tile_no_barrier"), ("memcheck", "tile_past_tile")]


@dataclasses.dataclass(frozen=True)
class Run:
    tool: str
    scope: str
    strategy: str
    bytes: int
    file: str
    default: str  # variant, as --strategy takes it

    def title(self):
        return f"{self.tool:9} {self.strategy:18} {self.bytes:2} bytes  {self.scope:6}"


def command(run, xpose):
    variant = run.default if run.scope == "whole" else run.strategy
    check = [xpose, "check", run.file, "--strategy", variant, "--bytes", str(run.bytes), "--in-process"]
    if run.scope in MOST_ELEMENTS:
        check += ["--max-elements", str(MOST_ELEMENTS[run.scope])]
    if run.scope in MOST_CONFIGS:
        check += ["--max-configs", str(MOST_CONFIGS[run.scope])]
    return ["compute-sanitizer", "--tool", run.tool, "--kernel-regex", KERNELS,
            "--error-exitcode", str(FINDING), *check]


def planned(plugins, tools, scopes, only):
    """Runs, the most important first. plugins: what `xpose plugins --json` says."""
    strategies = {}
    for plugin in plugins:
        for strategy in plugin["strategies"]:
            if strategy["device"] == "cuda" and strategy["name"] not in OTHERS_KERNELS:
                if not only or strategy["name"] in only:
                    strategies[strategy["name"]] = (plugin["file"], strategy)
    others = sorted(set(strategies) - set(CLASSIC + FAST + WITHOUT_SHARED_MEMORY))
    names = [n for n in CLASSIC + FAST + others + WITHOUT_SHARED_MEMORY if n in strategies]

    def runs(tool, scope, of):
        for name in names:
            if name not in of or (tool != "memcheck" and name in WITHOUT_SHARED_MEMORY):
                continue
            file, strategy = strategies[name]
            config = ",".join(f"{axis}={values[0]}" for axis, values in strategy["axes"].items())
            default = f"{name}{{{config}}}" if config else name
            for size in strategy["element_sizes"]:
                yield Run(tool, scope, name, size, file, default)

    rest = [n for n in names if n not in CLASSIC]
    # memcheck and synccheck take seconds where racecheck takes minutes, which slows others on the GPU.
    stages = [(tool, [("small", CLASSIC), ("tiles", rest)]) for tool in ("memcheck", "synccheck", "racecheck")]
    stages += [(tool, [(scope, names)]) for tool, scope in (
        ("memcheck", "whole"), ("racecheck", "whole"), ("racecheck", "medium"), ("memcheck", "medium"),
        ("racecheck", "full"))]
    ordered = []
    for tool, parts in stages:
        found = [run for scope, of in parts if tool in tools and scope in scopes for run in runs(tool, scope, of)]
        ordered += sorted(found, key=lambda run: SIZES.index(run.bytes) if run.bytes in SIZES else len(SIZES))
    return ordered


@dataclasses.dataclass
class Outcome:
    verdict: str  # clean, finding, broken, declined: nothing to run, or no device
    detail: str


def judged(status, output):
    """What a finished run says. Clean needs the tool's summary and the suite's."""
    suite = re.search(r": (\d+) right, (\d+) declined, (\d+) failed\n  of (.*)\n", output)
    summary = re.search(r"={3,} (?:\w+ )?SUMMARY: (.*)", output)
    if status == 77:
        return Outcome("no device", output.strip().splitlines()[-1])
    found = summary and not re.match(r"0 (?:hazards?|errors?)\b", summary[1])
    if found or status == FINDING:
        return Outcome("finding", summary[1] if summary else "no summary")
    if not summary or not suite:
        lines = [line for line in output.splitlines() if line.strip()]
        return Outcome("broken", f"exit status {status}: {lines[-1] if lines else 'no output'}")
    if suite[1] == suite[3] == "0":
        return Outcome("declined", f"all {suite[2]}")
    if status != 0 or suite[3] != "0":
        return Outcome("finding", f"{suite[3]} wrong results, exit status {status}")
    return Outcome("clean", f"{suite[1]} right, {suite[2]} declined, of {suite[4]}")


def execute(runs, xpose, jobs, deadline, logs, say):
    """Runs all that the deadline allows. Yields (run, outcome); says nothing of what it ended."""
    waiting = collections.deque(runs)
    running = []
    while (waiting or running) and time.monotonic() < deadline:
        while waiting and len(running) < jobs:
            run = waiting.popleft()
            path = os.path.join(logs, "-".join(run.title().split()) + ".log")
            log = open(path, "w+", encoding="utf-8", errors="replace")
            process = subprocess.Popen(command(run, xpose), stdin=subprocess.DEVNULL, stdout=log,
                                       stderr=subprocess.STDOUT, start_new_session=True)
            running.append((run, process, log, time.monotonic()))
        time.sleep(0.05)
        for entry in [e for e in running if e[1].poll() is not None]:
            running.remove(entry)
            run, process, log, start = entry
            log.seek(0)
            outcome = judged(process.returncode, log.read())
            log.close()
            say(f"{run.title()}  {time.monotonic() - start:6.1f} s  {outcome.verdict}: "
                f"{outcome.detail}" + ("" if outcome.verdict in ("clean", "declined") else f" ({log.name})"))
            yield run, outcome
    for run, process, log, start in running:
        os.killpg(process.pid, signal.SIGKILL)  # the tool and what it runs
        process.wait()
        log.close()
        say(f"{run.title()}  {time.monotonic() - start:6.1f} s  ended: the time is up")


def blind_tools(arguments, deadline, logs, say):
    """The tools whose silence does not count, as they miss a planted fault; None without a device."""
    runs = [Run(tool, "small", name, 4, arguments.control, "") for tool, name in CONTROLS
            if tool in arguments.tool]
    missed = [run.tool for run in runs]
    for run, outcome in execute(runs, arguments.xpose, arguments.jobs, deadline, logs, say):
        if outcome.verdict == "no device":
            return None
        # A wrong result alone is not what the tool was to see.
        if outcome.verdict == "finding" and "wrong results" not in outcome.detail:
            missed.remove(run.tool)
    return missed


def sizes_of(runs):
    """'smem 1 2 4, tile 8' of runs."""
    sizes = {}
    for run in runs:
        sizes.setdefault(run.strategy, []).append(run.bytes)
    return ", ".join(f"{name} {' '.join(map(str, sorted(s)))}" for name, s in sizes.items())


def report(runs, outcomes, say):
    """What was covered and what was not, tool by tool."""
    for tool, scope in dict.fromkeys((r.tool, r.scope) for r in runs):
        mine = [r for r in runs if (r.tool, r.scope) == (tool, scope)]
        clean = [r for r in mine if r in outcomes and outcomes[r].verdict == "clean"]
        declined = [r for r in mine if r in outcomes and outcomes[r].verdict == "declined"]
        bad = [r for r in mine if r in outcomes and r not in clean + declined]
        missing = [r for r in mine if r not in outcomes]
        say(f"{tool}, {SCOPES[scope]}: {len(clean)} of {len(mine)} clean")
        for what, some in (("clean", clean), ("NOT CLEAN", bad), ("not run", missing),
                           ("declined by the strategy", declined)):
            if some:
                say(f"  {what}: {sizes_of(some)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("xpose")
    parser.add_argument("--control", required=True, help="a plugin with planted faults")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--jobs", type=int, default=3, help="more starve each other on one GPU")
    parser.add_argument("--tool", action="append", choices=["racecheck", "memcheck", "synccheck"])
    parser.add_argument("--scope", action="append", choices=list(SCOPES))
    parser.add_argument("--strategy", action="append")
    parser.add_argument("--bytes", action="append", type=int, help="of an element")
    parser.add_argument("--logs", help="folder for the tools' output")
    arguments = parser.parse_args()
    arguments.tool = arguments.tool or ["racecheck", "memcheck", "synccheck"]
    arguments.scope = arguments.scope or list(SCOPES)
    deadline = time.monotonic() + arguments.seconds

    def say(text):
        print(text, flush=True)

    listed = json.loads(subprocess.run([arguments.xpose, "plugins", "--json", "-"], check=True,
                                       capture_output=True, text=True).stdout)
    runs = planned(listed["plugins"], arguments.tool, arguments.scope, arguments.strategy)
    runs = [run for run in runs if not arguments.bytes or run.bytes in arguments.bytes]
    if not runs:
        say("no CUDA strategy to check")
        return 2
    if not shutil.which("compute-sanitizer"):
        say("compute-sanitizer is not on the PATH; it comes with the CUDA Toolkit")
        return 2
    logs = arguments.logs or tempfile.mkdtemp(prefix="xpose-gpu-check-")
    os.makedirs(logs, exist_ok=True)
    blind = blind_tools(arguments, deadline, logs, say)
    if blind is None:
        say("gpu-check: no device")
        return 77
    if blind:
        say(f"gpu-check: left out, the planted fault was not seen by: {', '.join(blind)}")
    runs = [run for run in runs if run.tool not in blind]
    outcomes = dict(execute(runs, arguments.xpose, arguments.jobs, deadline, logs, say))
    report(runs, outcomes, say)
    verdicts = {outcome.verdict for outcome in outcomes.values()}
    if runs and not outcomes:
        say(f"gpu-check: no run came to its end in {arguments.seconds:g} s; give it more")
    if "finding" in verdicts:
        return 1
    return 2 if blind or not outcomes or verdicts - {"clean", "declined"} else 0


if __name__ == "__main__":
    sys.exit(main())

"""A tune that is killed at any moment costs nothing but itself, and many tunes share one cache.

usage: crash_test.py XPOSE
XPOSE_KILLS is how many tunes are killed (default 25).
"""

import json
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

xpose = sys.argv[1]
kills = int(os.environ.get("XPOSE_KILLS", "25"))
writers = 16


def tune(cache, shape, *options):
    return [xpose, "tune", "--device", "host", "--shape", shape, "--bytes", "4", "--budget", "0.05",
            "--cache", str(cache), *options]


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def expect_sound(cache):
    connection = sqlite3.connect(cache)
    answer = connection.execute("PRAGMA integrity_check").fetchall()
    connection.close()
    check(answer == [("ok",)], f"{cache} is damaged: {answer}")
    leftovers = [f.name for f in cache.parent.iterdir() if ".corrupt-" in f.name]
    check(not leftovers, f"a sound file was moved aside: {leftovers}")


def shown(cache):
    done = subprocess.run([xpose, "cache", "show", "--cache", str(cache), "--json", "-"],
                          check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def processes_of(cache):
    """Workers whose host had this cache: they carry its name in their environment."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if f"XPOSE_TEST_RUN={cache}".encode() in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                pass  # gone, or another user's
    return found


def kill_tunes(folder):
    cache = folder / "killed.sqlite"
    seconds = random.Random(1)
    killed = 0
    environment = dict(os.environ, XPOSE_TEST_RUN=str(cache))
    turn = 0
    while killed < kills:
        turn += 1
        check(turn < 20 * kills, f"only {killed} of {turn} tunes could be killed before they ended")
        process = subprocess.Popen(tune(cache, f"{100 + turn % 900}x97"), env=environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(seconds.uniform(0, 0.15))
        if process.poll() is None:
            killed += 1
        process.send_signal(signal.SIGKILL)
        process.wait()
        if cache.exists():
            expect_sound(cache)
    done = subprocess.run(tune(cache, "211x97", "--json", "-"), capture_output=True, text=True)
    check(done.returncode == 0, f"the tune after {killed} kills failed: {done.stderr}")
    report = json.loads(done.stdout)
    check(report["winner"], "the tune after the kills has no winner")
    wrong = [t for t in report["trials"] if t["verdict"] not in ("ok", "unsupported")]
    check(not wrong, f"after the kills, trials end otherwise: {wrong}")
    check("quarantine" not in done.stderr, f"a kill accused a plugin: {done.stderr}")
    check(not shown(cache)["quarantine"], "a kill put a plugin into quarantine")
    for _ in range(600):  # they see that their host is gone; a loaded machine lets them wait
        if not processes_of(cache):
            break
        time.sleep(0.1)
    check(not processes_of(cache), "workers outlive the tunes that started them")
    print(f"{killed} tunes killed while they ran, {turn - killed} ended first; the cache is sound, the "
          "next tune right")


def tune_together(folder):
    cache = folder / "shared.sqlite"
    shapes = [f"{200 + i}x{300 + i}" for i in range(writers)]
    running = [subprocess.Popen(tune(cache, shape), stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True) for shape in shapes]
    for process in running:
        _, words = process.communicate()
        check(process.returncode == 0, f"one of {writers} tunes failed: {words}")
    expect_sound(cache)
    decisions = shown(cache)["decisions"]
    check(len(decisions) == writers, f"{len(decisions)} of {writers} decisions are in the cache")
    print(f"{writers} tunes wrote into one cache at once, none was lost")


with tempfile.TemporaryDirectory() as name:
    kill_tunes(pathlib.Path(name))
    tune_together(pathlib.Path(name))

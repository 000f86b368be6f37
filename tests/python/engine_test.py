"""Plans, tuning, reports, plugins, the command, and the documentation's examples."""

import doctest
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import types

import numpy
import pytest

import xpose
import xpose.mpi


def test_plan():
    x = numpy.arange(600, dtype="f4").reshape(20, 30)
    plan = xpose.plan(x, (1, 0))
    assert plan.shape == (30, 20) and plan.variant and plan.is_estimate in (True, False)
    assert (plan(x) == x.T).all()
    out = numpy.zeros((30, 20), "f4")
    assert plan(x, out) is out and (out == x.T).all()
    with pytest.raises(ValueError, match="another plan"):
        plan(x.T)
    with pytest.raises(ValueError, match="another plan"):
        plan(x, numpy.zeros((20, 30), "f4"))
    with pytest.raises(TypeError, match="dtype"):
        plan(x, numpy.zeros((30, 20), "i4"))
    in_place = xpose.plan(square := numpy.arange(9.0).reshape(3, 3), out=square)
    assert (in_place(square, square) == numpy.arange(9.0).reshape(3, 3).T).all()
    stays = xpose.plan(square, (0, 1), out=square)  # nothing moves in place
    assert stays(square, square) is square
    for plan in in_place, stays:
        for out in None, numpy.zeros((3, 3)):
            with pytest.raises(ValueError, match="the plan is for one: call it with out=x"):
                plan(square, out)


def test_plan_without_elements():
    x, out = numpy.zeros((4, 0, 14))[::-2, :, ::2], numpy.zeros((7, 0, 4))[:, :, ::2]
    assert xpose.plan(x, out=out)(x, out) is out
    assert xpose.plan(x)(x).shape == (7, 0, 2)


def test_plan_of_lesser_alignment():
    x = numpy.arange(600, dtype="f4").reshape(20, 30)
    plan = xpose.plan(x)
    odd = numpy.frombuffer(b"\0" + x.tobytes(), "u1")[1:].view("f4").reshape(20, 30)
    assert (plan(odd) == x.T).all()


def test_plan_of_threads():
    x = numpy.arange(2000.0).reshape(40, 50)
    plan, faults = xpose.plan(x), []

    def work():
        faults.extend(1 for _ in range(200) if not (plan(x) == x.T).all())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults


def test_tune(tmp_path):
    engine = xpose.Engine(cache=tmp_path / "trials.sqlite", threads=1)
    x = numpy.zeros((300, 200), "f4")
    with pytest.raises(xpose.NoStrategyError):
        engine.permute_dims(x, policy="cached_only")
    steps = []
    report = engine.tune(x, budget=0.3, progress=lambda *step: steps.append(step))
    assert steps and {step[0] for step in steps} <= {"verify", "measure"}
    document = report.to_dict()
    assert document["schema"] == "xpose.tune/1" and document["bytes"] == 2 * x.nbytes
    assert report.winner == document["winner"] and report.winner in str(report)
    assert report.winner.split("{")[0] in report._repr_html_()
    others = [trial for trial in report.trials if trial["verdict"] == "unsupported"]
    assert any(trial["strategy"] == "host_in_place" for trial in others)  # serves squares in place
    for text in str(report), report._repr_html_():
        assert f"{len(others)} more do not serve this problem" in text and "host_in_place" not in text
    assert not engine.plan(x, policy="cached_only").is_estimate
    assert engine.permute_dims(x, policy="cached_only").shape == (200, 300)


def test_an_engine_that_has_chosen_keeps_its_choice(tmp_path):
    x = numpy.zeros((200, 300), "f4")

    def engine():
        return xpose.Engine(cache=tmp_path / "choices.sqlite")

    before, tuning = engine(), engine()
    plan = before.plan(x)
    assert plan.is_estimate and tuning.plan(x).is_estimate
    for report in {"warm": True}, {"variants": "host_naive_row"}:
        assert tuning.tune(x, budget=0.3, progress=False, **report).winner
        assert tuning.plan(x).is_estimate and engine().plan(x).is_estimate
    tuning.tune(x, budget=0.3, progress=False)
    assert not tuning.plan(x).is_estimate and not engine().plan(x).is_estimate
    assert before.plan(x).is_estimate and plan.is_estimate


def test_progress_bar(monkeypatch):
    shown = []

    class Bar:
        def __init__(self, **given):
            pass

        def __enter__(self):
            return self

        def __exit__(self, *error):
            shown.append("closed")

        def set_description(self, stage, refresh):
            shown.append(stage)

        def refresh(self):
            assert self.n <= self.total

    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=Bar))
    xpose.tune(numpy.zeros((300, 200), "f4"), budget=0.1, progress=True)
    assert "verify" in shown and shown[-1] == "closed"


def test_child_of_fork():
    x = numpy.arange(6.0).reshape(2, 3)
    xpose.transpose(x)
    child = os.fork()
    if child == 0:
        right = xpose.transpose(x).tolist() == x.T.tolist()
        right = right and xpose.permute_dims(numpy.ones((4, 5, 6)), (2, 0, 1)).shape == (6, 4, 5)
        os._exit(0 if right else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_tune_ends_with_the_callback():
    def fail(stage, done, total):
        raise KeyError(stage)

    with pytest.raises(KeyError, match="verify"):
        xpose.tune(numpy.zeros((300, 200), "f4"), budget=30, progress=fail)


def test_tune_ends_with_a_signal():
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):  # else it takes longer than the test may
        xpose.tune(numpy.zeros((2000, 2000)), budget=3600, max_rounds=1000000, progress=False)


def test_variants():
    x = numpy.zeros((300, 200), "f4")
    report = xpose.tune(x, budget=0.2, variants=["host_naive_row"], progress=False)
    assert report.winner.startswith("host_naive_row")
    with pytest.raises(xpose.NoStrategyError, match="no_such"):
        xpose.tune(x, variants=["no_such"], progress=False)


def test_plugins(tmp_path):
    plugin = next(p for p in xpose.plugins() if p["name"] == "host_naive")
    assert not plugin["refused"] and plugin["strategies"][0]["device"] == "host"
    copied = pathlib.Path(shutil.copy(plugin["file"], tmp_path))
    copied.chmod(0o666)  # that others may write
    (refused,) = xpose.Engine(plugin_folders=[tmp_path]).plugins()
    assert "written by anyone" in refused["refused"]
    with pytest.raises(xpose.NoStrategyError):
        xpose.Engine(plugin_folders=[tmp_path], remember=False).permute_dims(numpy.zeros((2, 3)))


def test_a_refused_plugin_of_the_installation_is_a_warning(tmp_path):
    for plugin in xpose.plugins():
        if plugin["name"] in ("host_naive", "host_blocked"):
            copied = pathlib.Path(shutil.copy(plugin["file"], tmp_path))
            copied.chmod(0o666 if plugin["name"] == "host_blocked" else 0o644)
    code = "import numpy, xpose; xpose.transpose(numpy.zeros((2, 3))); print(len(xpose.plugins()))"
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True,
        env=dict(os.environ, XPOSE_PLUGIN_PATH=str(tmp_path), XDG_CACHE_HOME=str(tmp_path / "cache")),
    )  # fmt: skip
    assert ran.returncode == 0 and ran.stdout == "2\n", ran.stderr
    assert "RuntimeWarning: installed strategies are left out: host_blocked.so" in ran.stderr
    assert "chmod go-w" in ran.stderr


def test_errors_are_of_their_kinds(tmp_path):
    for kind in (xpose.NoStrategyError, xpose.DeviceError, xpose.WrongResultError):
        assert issubclass(kind, xpose.Error) and issubclass(kind, RuntimeError)
    with pytest.raises((xpose.Error, ValueError)):
        xpose.explain(numpy.zeros((64, 64)), variant="host_naive_row")


def test_explain():
    names = [s["name"] for p in xpose.plugins() for s in p["strategies"]]
    if "smem" not in names:
        pytest.skip("no CUDA plugins here")
    told = xpose.explain(numpy.zeros((64, 96), "f4"), variant="smem", measure=False)
    assert told["limiter"] and told["simulation"]["totals"]["load_sectors"] == 64 * 96 * 4 // 32


def test_devices():
    assert xpose.devices()[0]["device"] == "host"
    assert isinstance(xpose.cuda_unavailable_reason(), str)


def test_import_brings_nothing_that_few_calls_need():
    words = "import numpy, sys; before = set(sys.modules); import xpose; print(*set(sys.modules) - before)"
    ran = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True)
    assert not {"json", "html", "subprocess"} & set(ran.stdout.split()), ran.stdout + ran.stderr
    assert "xpose._engine" in ran.stdout


def test_command():
    ran = subprocess.run(
        [sys.executable, "-m", "xpose", "plugins", "--json"], capture_output=True, text=True
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "host_naive" in json.dumps(json.loads(ran.stdout))


def test_bench(tmp_path):
    report = xpose.bench(device="host", only="1000000x16", quick=True, budget=0.05, cache=tmp_path / "a.sqlite")
    assert report["schema"] == "xpose.bench/1" and report["setup"]["quick"]
    assert (tmp_path / "a.sqlite").exists()
    with pytest.raises(ValueError, match="  square, 4096x4096, 4 bytes\n(.*\n)+.*names no problem .* is listed above"):
        xpose.bench(only="no such problem")
    with pytest.raises(ValueError, match="device"):
        xpose.bench(device="abacus")
    with pytest.raises(TypeError, match="only is a text, not int"):
        xpose.bench(only=[3])
    with pytest.raises(TypeError, match="only is a text or a sequence of them, not int"):
        xpose.bench(only=3)


def test_nothing_else_is_imported():
    code = "import sys, xpose; sys.exit(any(m in sys.modules for m in ('torch', 'cupy', 'jax', 'mpi4py')))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize("module", [xpose, xpose._bench, xpose._engine, xpose._functions, xpose._rearrange, xpose.mpi])
def test_examples(module):
    result = doctest.testmod(module)
    assert result.failed == 0 and result.attempted > 0


def example(name, *arguments):
    script = pathlib.Path(__file__).parents[2] / "apps/python/examples" / name
    ran = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_compare(tmp_path):
    table = tmp_path / "table.md"
    printed = example("compare.py", "--quick", "--markdown", table)
    assert table.read_text() == printed
    lines = printed.splitlines()
    assert xpose.devices()[0]["name"] in lines[0] and f"xpose {xpose.__version__}" in lines[0]
    assert lines[2].startswith("| problem | NumPy | xpose, NumPy |")
    assert lines[4].startswith("| 1024x1024 (1, 0) float32 | ") and len(lines) == 7


def test_overhead():
    lines = example("overhead.py", "--calls", "20").splitlines()
    assert lines[0].startswith(f"NumPy: {xpose.plan(numpy.zeros((64, 64), 'f4')).variant}, ")
    assert [line[:36].rstrip() for line in lines[1:9]] == [
        "Plan::execute, by C", "plan(x, out)", "plan(x)", "permute_dims(x, (1, 0), out=out)",
        "permute_dims(x, (1, 0))", "transpose(x)", "numpy.empty(shape, dtype)",
        "numpy.ascontiguousarray(x.T)",
    ]  # fmt: skip
    assert all(float(line[36:].split()[0]) > 0 for line in lines[2:9])

"""Types: of the package, of a program that uses it, and the stub beside the extension."""

import ast
import pathlib
import re
import subprocess
import sys

import pytest

import xpose
from xpose import _xpose

ROOT = pathlib.Path(__file__).parents[2]
PACKAGE = pathlib.Path(xpose.__file__).parent

PROGRAM = """
import numpy
import xpose

x = numpy.zeros((2, 3, 4), "float32")
y = xpose.permute_dims(x, (2, 0, 1), out=None, stream=None, policy="estimate")
y = xpose.permute_dims(x, numpy.array([2, 0, 1]))
y = xpose.Engine().permute_dims(x, [numpy.int64(2), 0, 1])
y = xpose.transpose(x, numpy.argsort(x.shape))
y = xpose.rearrange(x, "a b c -> c (a b)", out=None)
plan: xpose.Plan = xpose.plan(x, (2, 0, 1), budget=1)
plan(x, y, stream=None)
shape: tuple[int, ...] = plan.shape
report: xpose.TuneReport = xpose.tune(x, progress=lambda stage, done, total: None, variants="smem")
winner: str | None = report.winner
names: list[str] = [str(plugin["name"]) for plugin in xpose.Engine(plugin_folders="/a").plugins()]
"""


def mypy(*arguments):
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", *arguments],
        capture_output=True, text=True, env={"MYPYPATH": str(PACKAGE.parent), "PATH": ""},
    )  # fmt: skip
    return ran.stdout + ran.stderr


def test_types(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "wrong.py").write_text("import xpose\nxpose.plan(1, ('a',), budget='much')\n")
    cache = f"--cache-dir={tmp_path / 'cache'}"
    told = mypy(cache, tmp_path / "program.py", PACKAGE)
    assert told.startswith("Success"), told
    refused = mypy(cache, tmp_path / "wrong.py")
    assert refused.count("[arg-type]") == 2, refused


def parameters(function):
    """Those of a function of the extension, without self."""
    text = function.__nb_signature__[0][0]
    stated = ast.parse(re.sub(r"\\\d+", "None", text) + ": ..." if text.startswith("def") else text)
    return names_of(stated.body[0])


def names_of(node):
    arguments = node.args
    names = [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return [name for name in names if name != "self"]


def test_stub():
    stub = ast.parse((PACKAGE / "_xpose.pyi").read_text())
    stated = {node.name: node for node in stub.body if hasattr(node, "name")}
    public = {name for name in vars(_xpose) if not name.startswith("_")}
    assert public == set(stated)
    for name, node in stated.items():
        if isinstance(node, ast.FunctionDef):
            assert names_of(node) == parameters(getattr(_xpose, name)), name
        for method in node.body if name in ("Engine", "Plan") else ():
            if isinstance(method, ast.FunctionDef) and not method.decorator_list:
                made = getattr(getattr(_xpose, name), method.name)
                assert names_of(method) == parameters(made), method.name
    members = {node.name for node in stated["Plan"].body if hasattr(node, "name")}
    assert {name for name in vars(_xpose.Plan) if not name.startswith("_")} <= members

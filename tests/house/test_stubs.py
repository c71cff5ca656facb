"""The stubs say what the tables say now."""

import importlib.util
import re
import sys

import pytest
from house import ROOT

import sporax as ms


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("stubs_tool", ROOT / "tools" / "stubs.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["stubs_tool"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def made(tool):
    return {path.relative_to(ROOT).as_posix(): text for path, text in tool.stubs().items()}


def test_stubs_are_current(made):
    old = [name for name, text in made.items() if (ROOT / name).read_text(encoding="utf-8") != text]
    assert old == [], "run `python tools/stubs.py`"
    assert sorted(made) == sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "sporax").rglob("*.pyi"))


def test_stubs_are_python(made):
    for name, text in made.items():
        compile(text, name, "exec")


def test_what_stubs_say(made):
    methods, ops = made["sporax/_src/core/tensor_methods.pyi"], made["sporax/_src/api/ops.pyi"]
    addmm = "def addmm(self, mat1: _Operand, mat2: _Operand, *, beta: _Operand = 1, alpha: _Operand = 1) -> Tensor: ..."
    assert f"    {addmm}" in methods
    assert "    @property\n    def T(self) -> Tensor: ..." in methods
    assert "    def __rsub__(self, other: Any) -> Tensor: ..." in methods
    assert "    def kthvalue(self, k: builtins.int, dim: builtins.int = -1, " in methods  # `int` is a method of Tensor
    assert "\ndef std_mean(" in ops and "-> tuple[Tensor, Tensor]: ..." in ops
    assert (
        "\nclass ReduceSum(Primitive):\n    def __init__(self, keep_dims: bool = False, skip_mode: bool = False) -> None: ..."
        "\n    def __call__(self, x: _Operand, axis: _Axis = ()) -> Tensor: ..." in ops
    )
    assert (
        "\ndef sub(input: _Operand, other: _Operand, *, alpha: Any = 1) -> Tensor: ..."
        in made["sporax/_src/api/mint/namespace.pyi"]
    )
    dataset = made["sporax/_src/data/dataset_methods.pyi"]
    assert "\n    def take(self, count: int = -1) -> Self: ...\n" in dataset
    assert "\nfrom sporax._src.data.transformations.padded_batch import PadInfo\n" in dataset  # an alias, not a class
    relu = "\nclass ReLU(Cell):\n    def __init__(self) -> None: ...\n    def construct(self, input: Tensor) -> Tensor: ..."
    assert relu in made["sporax/_src/nn/mint/namespace.pyi"]


def test_stubs_name_what_there_is(made):
    methods = re.findall(r"^    def (\w+)", made["sporax/_src/core/tensor_methods.pyi"], re.MULTILINE)
    assert [name for name in methods if not hasattr(ms.Tensor, name)] == [] and len(methods) > 400
    methods = re.findall(r"^    def (\w+)", made["sporax/_src/data/dataset_methods.pyi"], re.MULTILINE)
    assert [name for name in methods if not hasattr(ms.dataset.Dataset, name)] == [] and len(methods) > 15
    for path, module in (
        ("api/ops", ms.ops),
        ("api/mint/namespace", ms.mint),
        ("api/numpy/namespace", ms.numpy),
        ("nn/mint/namespace", ms.mint.nn),
    ):
        names = re.findall(r"^(?:def|class) (\w+)", made[f"sporax/_src/{path}.pyi"], re.MULTILINE)
        assert [name for name in names if not hasattr(module, name)] == [] and len(names) > 50


def test_changes_are_written(tool, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(tool, "stubs", lambda: {tmp_path / "a.pyi": "x: int\n"})
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    assert tool.main(["--check"]) == 1 and not (tmp_path / "a.pyi").exists()
    assert tool.main([]) == 0 and (tmp_path / "a.pyi").read_text() == "x: int\n"
    assert capsys.readouterr().out == "a.pyi\na.pyi\n"
    assert tool.main(["--check"]) == 0


def test_the_package_says_it_has_types():
    assert (ROOT / "sporax" / "py.typed").read_text() == ""

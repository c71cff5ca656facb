"""The tables of layers are whole: every public layer has its rows, and every row is run by a file that mirrors a module."""

import inspect
import re
from pathlib import Path

import layer_cases
import layer_tables
import pytest
from layer_tables.wrong_arguments import BAD as WRONG_ARGUMENTS
from layer_tables.wrong_calls import BAD as WRONG_CALLS

from sporax import mint, nn
from sporax._src.base.public_names import defined_in
from sporax._src.nn.cell.cell import Cell

FOLDER = Path(__file__).parents[2] / "goldens"
TEXT = " ".join(
    (FOLDER / f"{name}.json").read_text()
    for name in ("layers", "losses", "mint_layers", "wraps", "optimizers", "lr", "metrics", "sparse")
)
_BASE = "a base class: its subclasses are recorded"
_PROCESSES = "needs several processes; see test_communication.py and tests/dist"
WITHOUT = {
    "Cell": _BASE,
    "LearningRateSchedule": _BASE,
    "Metric": _BASE,
    "EvaluationBase": _BASE,
    "Optimizer": _BASE,
    "DistributedGradReducer": _PROCESSES,
    "PipelineGradReducer": _PROCESSES,
    "GraphCell": "runs an exported file; see test_export.py",
    "OcclusionSensitivity": "calls a network of many outputs; see train/metrics/test_occlusion.py",
    "TensorArray": "is no layer: it is written and read; see nn/test_tensor_array.py",
    "SparseToDense": "takes sparse Tensors; see test_sparse.py",
}


@pytest.mark.parametrize("module", [nn, mint.nn], ids=["nn", "mint.nn"])
def test_every_class_is_recorded(module: object) -> None:
    """A class is recorded if a case calls it."""
    prefix = module.__name__.removeprefix("sporax.").replace(".", r"\.")
    names = [name for name in module.__all__ if inspect.isclass(getattr(module, name))]
    metrics = {name for name in names if ".train." in defined_in(getattr(module, name))}
    lacking = [
        name
        for name in names
        if name not in WITHOUT
        and not re.search(rf"\b{prefix}\.{name}\(" if name not in metrics else rf"\b{name}\b", TEXT)
    ]
    assert lacking == []


def test_the_exceptions_exist() -> None:
    """What has a reason for being left out is public."""
    assert set(WITHOUT) <= set(nn.__all__)


def test_every_layer_is_in_the_table() -> None:
    """A layer is tested by a row; what has none is a base class or container, needs another process, or takes no plain Tensors."""
    tested = " ".join(constructor for constructor, _ in layer_cases.ALL)
    modules = ("optim", "wrap", "cell", "reducer", "pipeline", "schedule", "train", "export", "nn.grad", "nn.sparse")
    layers = [
        n
        for n in nn.__all__
        if isinstance(getattr(nn, n), type)
        and issubclass(getattr(nn, n), Cell)
        and not any(m in defined_in(getattr(nn, n)) for m in modules)
    ]
    untested = [n for n in layers if f"{n}(" not in tested]
    assert sorted(untested) == ["CellDict", "CellList", "LossBase", "TensorArray"]


# Tested with what they belong to: tests/optim, tests/train, tests/checkpoint/test_export.py.
ELSEWHERE = ("optim", "cell", "schedule", "train", "export")


def test_every_layer_has_an_error() -> None:
    called = " ".join(text for text, _, _ in (*WRONG_ARGUMENTS, *WRONG_CALLS))
    classes = [(name, getattr(nn, name)) for name in nn.__all__ if isinstance(getattr(nn, name), type)]
    layers = [n for n, c in classes if issubclass(c, Cell) and not any(m in defined_in(c) for m in ELSEWHERE)]
    assert [name for name in layers if not re.search(rf"\b{name}\(", called)] == []


def test_every_row_is_run() -> None:
    assert layer_tables.modules_without_a_file() == set()

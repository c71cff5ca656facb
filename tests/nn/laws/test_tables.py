"""The tables of layers are whole: every public layer has its rows, and every row is run by a file that mirrors a module."""

import re

import layer_cases
import layer_tables
from layer_tables.wrong_arguments import BAD as WRONG_ARGUMENTS
from layer_tables.wrong_calls import BAD as WRONG_CALLS

from sporax import nn
from sporax._src.base.public_names import defined_in
from sporax._src.nn.cell.cell import Cell


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

"""The table: rows, what a name may be, and the functions over Tensors that rows become."""

from __future__ import annotations

import pytest

import sporax as ms
from sporax import Tensor
from sporax._src.base.typing import Array, TensorArray
from sporax._src.engine import table


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> dict:
    """Keep rows that a test adds out of the table of all."""
    monkeypatch.setattr(table, "TABLE", {})
    return table.TABLE


def test_a_row_has_names_and_a_function_over_tensors(rows: dict) -> None:
    @table.op(aliases=("twice", "double_of(x)"), method="doubled", cases=("T(2)",))
    def doubled(x: Array, factor: float = 2.0) -> Array:
        return x * factor

    assert set(rows) == {"doubled", "twice", "double_of"}
    row = rows["doubled"]
    assert (row.method, row.cases, row.fn) == (("doubled",), ("T(2)",), doubled.raw)
    assert doubled(Tensor([1.0, 2.0])).tolist() == [2.0, 4.0]
    assert ms.grad(doubled)(Tensor([1.0])).tolist() == [2.0]


def test_a_composite_is_its_function(rows: dict) -> None:
    def halved(x):
        return x / 2

    assert table.composite(name="half_of", jit=False)(halved) is halved
    assert rows["half_of"].fn is None and not rows["half_of"].jit


def test_names_are_given_once(rows: dict) -> None:
    table.composite(name="one")(lambda x: x)
    with pytest.raises(ValueError, match="two operators are called 'one'"):
        table.composite(name="other", aliases="one(x)")(lambda x: x)


def test_operands_that_must_be_tensors(rows: dict) -> None:
    @table.op()
    def strict(x: TensorArray) -> Array:
        return x + 1

    assert strict(Tensor([1])).tolist() == [2]
    with pytest.raises(TypeError, match=r"ops\.strict: x must be a Tensor, got 1"):
        strict(1)


def test_annotations_of_operands_are_known(rows: dict) -> None:
    def wrong(x: MyArray) -> Array:  # noqa: F821
        return x

    with pytest.raises(TypeError, match=r"ops\.wrong: x must be annotated with one of"):
        table.op()(wrong)

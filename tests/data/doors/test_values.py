"""Rows of other packages become named arrays."""

from collections import namedtuple

import ml_dtypes
import numpy as np
import pytest
import torch

from sporax._src.data.doors.values import named, to_array, to_row

Point = namedtuple("Point", "x y")


@pytest.mark.parametrize(
    ("row", "names"),
    [
        (3, ["column_0"]),
        ((1, 2.0), ["column_0", "column_1"]),
        ([1, 2], ["column_0"]),
        ([torch.ones(1), ("cat", "dog")], ["column_0", "column_1"]),
        ({"a": [[1, 2], [3, 4]], "b": {"c": 1, "d": (torch.ones(1), 2)}}, ["a", "b.c", "b.d.0", "b.d.1"]),
        (Point(1, 2), ["x", "y"]),
        ({"text": ["one", "two"]}, ["text"]),
    ],
)
def test_names(row: object, names: list[str]) -> None:
    assert list(named(row)) == names


def test_a_tensor_is_not_copied() -> None:
    tensor = torch.arange(4.0, requires_grad=True)
    assert np.shares_memory(to_array(tensor), tensor.detach().numpy())
    assert not np.shares_memory(to_array(tensor, copy=True), tensor.detach().numpy())


def test_types_that_numpy_lacks() -> None:
    array = to_array(torch.tensor([1.5, -2.0], dtype=torch.bfloat16))
    assert array.dtype == ml_dtypes.bfloat16 and array.tolist() == [1.5, -2.0]
    assert to_array(b"a\0").tolist() == [97, 0]
    with pytest.raises(
        TypeError, match=r"expected a dense tensor, got one of layout torch\.sparse_coo and type torch\.float32"
    ):
        to_array(torch.eye(2).to_sparse())
    with pytest.raises(TypeError, match="expected numbers, text or arrays, got None"):
        to_array(None)


def test_rows_that_do_not_fit() -> None:
    assert to_row("here", ["b"], 0, {"a": 1, "b": 2}) == (2,)
    with pytest.raises(RuntimeError, match=r"here: row 4 has no \['c'\]; it has \['a', 'b'\]"):
        to_row("here", ["a", "c"], 4, {"a": 1, "b": 2})
    with pytest.raises(RuntimeError, match=r"here: row 1 has 2 columns, but there are names for 1: \['a'\]"):
        to_row("here", ["a"], 1, (1, 2))
    with pytest.raises(RuntimeError, match=r"here: column 'a' at row 1: expected numbers, text or arrays, got set"):
        to_row("here", ["a"], 1, {"a": {1}})

"""The functions that rewritten code calls for items, attributes, calls and classes."""

import functools

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor
from sporax._src.base.errors import NotCallable
from sporax._src.transform.controlflow import operators


class Box:
    """Has an attribute, a property and a method."""

    def __init__(self, value: object) -> None:
        self.value = value
        self.written = 0

    @property
    def twice(self):
        return self.value * 2

    @twice.setter
    def twice(self, value):
        self.value = value / 2

    def __call__(self, x):
        return self.value + x


def test_items() -> None:
    rows = {"a": [1, 2, 3]}
    operators.set_item(rows, ("a", 1), 5)
    operators.update_item(rows, ("a", 2), "Mult", lambda: 10)
    operators.del_item(rows["a"], 0)
    assert rows == {"a": [5, 30]} and operators.get_item(rows, "a") == [5, 30]


def test_an_item_of_an_item_changes_the_tensor() -> None:
    x = Tensor(np.zeros((2, 2), np.float32))
    operators.set_item(x, (1, 0), 3.0)
    operators.update_item(x, (1, 0), "Add", lambda: 1.0)
    assert x.asnumpy().tolist() == [[0.0, 0.0], [4.0, 0.0]]


def test_attributes() -> None:
    box = Box(3.0)
    assert operators.get_attr(box, "twice") == 6.0
    operators.set_attr(box, "twice", 8.0)
    operators.update_attr(box, "value", "Pow", lambda: 2)
    assert box.value == 16.0
    operators.del_attr(box, "value")
    assert not hasattr(box, "value")
    assert operators.get_attr({"k": 1}, "has_key")("k")


@pytest.mark.parametrize("symbol, want", [("Add", 9), ("FloorDiv", 3), ("Mod", 1), ("BitXor", 5), ("LShift", 28)])
def test_augmented_assignments(symbol: str, want: int) -> None:
    assert operators.augmented(7, symbol, 2) == want


def test_calls() -> None:
    assert operators.call(max, 1, 3) == 3
    assert operators.call(Box(1), 2) == 3
    assert operators.call("{}-{}".format, 1, 2) == "1-2"
    assert operators.call(functools.reduce, lambda a, b: a + b, [1, 2, 3]) == 6
    assert operators.call(sorted, [3, 1], reverse=True) == [3, 1]
    assert list(operators.call(map, lambda x: x + 1, [1, 2])) == [2, 3]
    assert operators.converted_call(Box, (4,)).value == 4
    with pytest.raises(NotCallable, match=r"^The object is not callable. Please check code. Got 3\.$"):
        operators.call(3)


def test_functions_of_python_on_values_of_a_graph() -> None:
    @functools.partial(ms.jit, fullgraph=True)
    def found(x: Tensor) -> tuple:
        number = int(x[0])
        largest, least = max(x[0], x[1], x[2]), min(x, key=lambda v: v * v)
        rows = [10, 20, 30]
        rows[number] = 99
        return (
            number + 0.5,
            largest,
            least,
            any([x[0] > 5, x[1] > 5]),
            all(x > -5),
            rows[number - 1],
            isinstance(number, int),
        )

    got = found(Tensor([1.0, -3.0, 2.0]))
    assert [float(value) for value in got] == [1.5, 2.0, 1.0, 0.0, 1.0, 10.0, 1.0]
    got = found(Tensor([2.0, 8.0, -1.0]))
    assert [float(value) for value in got] == [2.5, 8.0, -1.0, 1.0, 1.0, 20.0, 1.0]


def test_a_number_is_of_one_element() -> None:
    with pytest.raises(ValueError, match="Only one element tensors can be converted to Python scalars"):
        ms.jit(lambda x: int(x), fullgraph=True)(Tensor([1.0, 2.0]))

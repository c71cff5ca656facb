"""Nested values: taken apart into leaves and a structure, and put together again."""

from collections import namedtuple

import numpy as np
import pytest

from sporax import Tensor
from sporax._src.core import tree
from sporax._src.core.tensor import is_tensor

Pair = namedtuple("Pair", "a b")


def apart(value):
    leaves: list = []
    return tree.flatten(value, is_tensor, leaves), leaves


@pytest.mark.parametrize("value", [
    Tensor(1), (Tensor(1), [Tensor(2), 3]), {"a": Tensor(1), "b": {"c": ()}}, Pair(Tensor(1), "x"), 5,
    [Tensor(i) for i in range(50)],
])  # fmt: skip
def test_values_are_put_together_again(value) -> None:
    structure, leaves = apart(value)
    assert str(tree.unflatten(structure, iter(leaves))) == str(value)
    assert type(tree.unflatten(structure, iter(leaves))) is type(value)
    again, _ = apart(value)
    assert again == structure and hash(again) == hash(structure)


def test_structures_tell_what_differs() -> None:
    kinds = [
        [Tensor(1), 1],
        [Tensor(1), 1.0],
        [Tensor(1), True],
        (Tensor(1), 1),
        [Tensor(1)],
        {"a": Tensor(1)},
        {"b": Tensor(1)},
    ]
    structures = [apart(value)[0] for value in kinds]
    assert len(set(structures)) == len(kinds)


def test_arrays_in_structures_are_compared_by_content() -> None:
    array = np.arange(3)
    first = tree.Static(array)
    array[0] = 7
    assert first == tree.Static(np.arange(3)) and first != tree.Static(array)


def test_leaves_are_mapped_and_paths_joined() -> None:
    found = tree.map_leaves(lambda t: t.item() + 1, {"a": (Tensor(1), 2), "b": Pair(Tensor(3), None)}, is_tensor)
    assert found == {"a": (2, 2), "b": Pair(4, None)}
    assert tree.path("layers", 0, "", "weight") == "layers.0.weight"


def test_dictionaries_become_tuples() -> None:
    structure, leaves = apart([{"a": Tensor(1), "b": {"c": Tensor(2)}}])
    found = tree.unflatten(tree.without_dicts(structure), iter(leaves))
    assert str(found) == str([(Tensor(1), (Tensor(2),))])

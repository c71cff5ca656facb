"""The calls of layers on both sides, and in which of them a difference begins."""

import numpy as np
import pytest
from compared_networks import Tagger, TaggerCell
from comparisons import recording

from sporax._src.migrate.compare.calls import Call, begins_in, called_inside, calls_of_both, children
from sporax.migrate import compare


def test_calls_of_one_layer_are_told_apart() -> None:
    result = compare(Tagger(), TaggerCell(), np.array([[1, 2], [3, 4]]))
    assert [row.name for row in result.rows if row.stage == "forward" and row.layer == "tied"] == [
        "tied",
        "tied (call 2)",
    ]


OURS = [("a", 1, 1.0, 2.0), ("b.c", 2, 2.0, 2.0), ("b", 1, 2.0, 3.0), ("a", 1, 3.0, 4.0), ("", 0, 1.0, 4.0)]
PATHS = {"a": "a", "b": "b", "b.c": "b.c", "": ""}


def both(theirs: list[tuple], layers: dict[str, str] = PATHS) -> list[Call]:
    return calls_of_both((recording(OURS), recording(theirs)), layers, "forward")


def test_calls_that_both_sides_have_are_paired_by_path_and_number() -> None:
    theirs = [(path.replace("b", "x"), *rest) for path, *rest in OURS if path != "b.c"]
    calls = both(theirs, {"a": "a", "b": "x", "": ""})
    assert [(call.name, call.other, call.depth) for call in calls] == [
        ("a", "a", 1), ("b", "x", 1), ("a (call 2)", "a", 1), ("", "", 0)
    ]  # fmt: skip
    assert [side[0].tolist() for side in calls[1].outputs] == [[3.0, 3.0]] * 2
    assert calls[1].gradients == ([None], [None])


def test_the_calls_that_a_call_makes() -> None:
    calls = both(OURS)
    assert [children(calls, i) for i in range(5)] == [[], [], [1], [], [0, 2, 3]]


def test_layers_called_inside_and_those_that_change_what_they_are_given() -> None:
    side = recording(OURS)
    assert called_inside(side, "forward", "", 1) == (["a", "b", "a"], {"a", "b"})
    assert called_inside(side, "forward", "b", 1) == (["b.c"], set())


@pytest.mark.parametrize(
    ("errors", "begins"),
    [
        ([(0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.5)], [4]),  # after its last layer
        ([(0.0, 0.5), (0.0, 0.5), (0.5, 0.5), (0.5, 0.5), (0.0, 0.5)], [0, 1]),  # explained by the layer before
        ([(0.0, 0.0), (0.0, 0.0), (0.5, 0.5), (0.5, 0.5), (0.0, 0.5)], [4]),  # between its layers
        ([(None, 0.5), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0)], []),  # inputs that cannot be compared
    ],
)
def test_where_a_difference_begins(errors: list[tuple], begins: list[int]) -> None:
    calls = both(OURS)
    found = [i for i in range(5) if errors[i][1] and begins_in("forward", calls, errors, i, "different")]
    assert found == begins


def test_another_dtype_begins_where_the_inputs_agree() -> None:
    calls = both(OURS)
    assert begins_in("forward", calls, [(0.0, 0.0)] * 5, 0, "dtype")

"""Two recordings, stage by stage: rows for what differs, is missing, or cannot be compared."""

import numpy as np
import pytest
import torch
from compared_networks import MLP, ROWS, Two, TwoCell
from comparisons import recording

from sporax import nn, ops
from sporax._src.migrate.compare.recorder import Recording
from sporax._src.migrate.compare.stages import Stages, answers, both_shapes, given
from sporax.migrate import Comparison, compare


def outputs(result: Comparison) -> dict[str, float]:
    return {row.name: row.relative for row in result.rows if row.stage == "forward"}


def test_single_step_separates_two_errors() -> None:
    """The form of GELU differs by 1e-3, which the slope before it hides."""
    chained, alone = (compare(Two(), TwoCell(), ROWS, single_step=step) for step in (False, True))
    assert chained.first_difference == alone.first_difference == "a"
    assert outputs(chained)["b"] > 1e-2 > 1e-3 > outputs(alone)["b"] > 1e-5
    assert alone.single_step and alone.data()["single_step"]


def test_networks_of_other_structure() -> None:
    """Every layer has a row that says what it has no counterpart for; nothing stops."""
    result = compare(MLP(), nn.SequentialCell(nn.Dense(6, 4)), ROWS)
    assert result.stage == "parameters"
    assert {row.name for row in result.rows if row.status == "missing" and row.note == "not here"}


def test_outputs_that_are_no_numbers_agree_where_both_have_them() -> None:
    class Log(torch.nn.Module):
        def forward(self, x):
            return torch.log(x)

    class LogCell(nn.Cell):
        def construct(self, x):
            return ops.log(x)

    assert compare(Log(), LogCell(), ROWS).agrees


def test_a_network_of_integers_has_no_gradients() -> None:
    class Largest(torch.nn.Module):
        def forward(self, x):
            return torch.argmax(x, -1)

    class LargestCell(nn.Cell):
        def construct(self, x):
            return ops.argmax(x, -1)

    result = compare(Largest(), LargestCell(), ROWS)
    assert result.agrees and {row.stage for row in result.rows} == {"forward"}


def test_the_layer_where_a_difference_begins_is_the_first() -> None:
    ours = [("a", 1, 1.0, 2.0), ("b", 1, 2.0, 3.0), ("", 0, 1.0, 3.0)]
    theirs = [("a", 1, 1.0, 2.0), ("b", 1, 2.0, 4.0), ("", 0, 1.0, 4.0)]
    result = Stages(recording(ours), recording(theirs, framework="sporax")).run()
    assert (result.first_difference, result.stage) == ("b", "forward")
    assert [(row.name, row.status) for row in result.rows] == [("a", "same"), ("b", "different"), ("Net", "different")]
    assert (result.reference, result.candidate) == ("Net (torch 2)", "Net (sporax 2)")


def test_a_small_difference_without_a_beginning_is_rounding() -> None:
    ours = [("a", 1, 1.0, 2.0), ("", 0, 1.0, 2.0)]
    theirs = [("a", 1, 1.0 + 2e-6, 2.0 + 8e-5), ("", 0, 1.0 + 2e-6, 2.0 + 8e-5)]
    result = Stages(recording(ours), recording(theirs)).run()
    assert result.agrees and [row.status for row in result.rows] == ["rounding", "rounding"]


def test_settings_that_do_not_show_in_the_values_are_told() -> None:
    layer = {"kind": "Dropout", "library": True, "source": []}
    sides = [recording([("a", 1, 1.0, 1.0)], layers={"a": {**layer, "settings": {"p": p}}}) for p in (0.1, 0.5)]
    result = Stages(*sides).run()
    assert (result.first_difference, result.stage) == ("a", "settings")
    assert result.cause.startswith("p is 0.1 in the reference and 0.5 here")
    assert result.cause.endswith("; the values agree on these inputs")


def test_recordings_of_other_inputs_are_not_compared() -> None:
    one, other = recording([("", 0, 1.0, 1.0)]), recording([("", 0, 1.0, 1.0)])
    other.arrays["given/0"] = np.zeros(2, np.float32)
    with pytest.raises(
        ValueError, match=r"the recordings are of different inputs, float32\[2\] and float32\[2\]: record"
    ):
        Stages(one, other).run()


def test_inputs_stand_in_the_order_in_which_they_were_given() -> None:
    side = Recording({}, {f"given/{i}": np.array(i) for i in (10, 2, 0)})
    assert [int(array) for array in given(side)] == [0, 2, 10]


def test_shapes_and_answers_as_text() -> None:
    assert both_shapes(np.ones((2, 3)), np.ones((2, 3))) == "[2, 3]"
    assert both_shapes(np.ones((2, 3)), np.ones(3)) == "[2, 3], [3]"
    a, b = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[0.0, 2.0], [0.0, 2.0]])
    assert answers(a, b) == "largest output the same in 50 %" and answers(a[0], b[0]) == ""

"""Two recordings, stage by stage: rows for what differs, is missing, or cannot be compared."""

import torch
from compared_networks import MLP, ROWS, Two, TwoCell

from sporax import nn, ops
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

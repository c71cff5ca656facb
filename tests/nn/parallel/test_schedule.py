"""Which micro batch runs when on which stage. `transform/parallel/test_pipeline_stages.py` has trainings of several stages."""

import pytest

from sporax._src.nn.parallel.schedule import Unit, gpipe, interleaved, max_in_flight, one_forward_one_backward, schedule


def drawn(table: list[list[Unit]]) -> list[str]:
    return [" ".join(map(str, units)) for units in table]


def test_units_are_drawn() -> None:
    assert [str(Unit(True, 2)), str(Unit(False, 0, 1))] == ["F2", "B0.1"]


def test_tables() -> None:
    assert drawn(gpipe(1, 2, 2)) == ["F0 F1 F0.1 F1.1 B0.1 B1.1 B0 B1"]
    assert drawn(one_forward_one_backward(3, 2)) == ["F0 F1 B0 B1", "F0 F1 B0 B1", "F0 B0 F1 B1"]
    assert drawn(interleaved(2, 2, 2))[1] == "F0 F1 F0.1 B0.1 F1.1 B1.1 B0 B1"


@pytest.mark.parametrize(
    ("name", "chunks", "table"),
    [
        ("gpipe", 2, gpipe(2, 4, 2)),
        ("1f1b", 1, one_forward_one_backward(2, 4)),
        ("1f1b", 2, interleaved(2, 4, 2)),
        ("zero_bubble_v", 1, one_forward_one_backward(2, 4)),
    ],
)
def test_names_of_mindspore(name: str, chunks: int, table: list[list[Unit]]) -> None:
    assert schedule(name, 2, 4, chunks) == table


def test_what_a_stage_keeps() -> None:
    assert max_in_flight([]) == 0 and max_in_flight(gpipe(2, 5)[1]) == 5
    assert [max_in_flight(units) for units in one_forward_one_backward(3, 5)] == [3, 2, 1]

"""Workers that are chosen while a pipeline is read: how many, what is written, and that the rows do not change."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sporax.dataset as ds
from sporax._src.data import autotune
from sporax._src.data.autotune import Tuner


class Node:
    """A dataset whose crew is changed."""

    def __init__(self, *children: "Node") -> None:
        self.children, self.num_parallel_workers = children, 1

    def to_json(self) -> dict[str, Any]:
        """Return what is written of it."""
        return {"op_type": "Node"}


class Clock:
    """Says the times that a test gives."""

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        """Return the time."""
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Return the clock of tuners, on a machine of three processors."""
    found = Clock()
    monkeypatch.setattr(autotune, "time", found)
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    return found


def epoch(tuner: Tuner, clock: Clock, seconds: float, waited: dict[Node, float], rows: int = 100) -> None:
    """Let an epoch take some time, and its reader wait for some crews."""
    for _ in range(rows):
        tuner.end_row()
    clock.now += seconds
    for node, time in waited.items():
        tuner.crews[node].waited += time
    tuner.end_epoch()


def test_the_one_that_is_waited_for_gets_more(clock: Clock) -> None:
    one, two = Node(), Node()
    tuner = Tuner(one, 0, "")
    crew, other = tuner.crew(one, 1, 16), tuner.crew(two, 1, 16)
    assert tuner.crew(one, 9, 9) is crew and crew.is_tuned
    seen = []
    for seconds in (8.0, 4.0, 3.0, 3.0, 3.0, 3.0, 3.0):
        epoch(tuner, clock, seconds, {one: seconds / 2, two: seconds / 3})
        seen.append((crew.workers, crew.prefetch))
    assert seen == [(2, 16), (3, 16), (3, 32), (3, 64), (3, 128), (3, 128), (3, 128)]
    assert (other.workers, one.num_parallel_workers, two.num_parallel_workers) == (1, 3, 1)
    epoch(tuner, clock, 3.0, {two: 0.1})  # too little
    assert other.workers == 1
    epoch(tuner, clock, 3.0, {two: 0.2})
    assert other.workers == 2


def test_what_makes_it_slower_is_undone(clock: Clock) -> None:
    node = Node()
    tuner = Tuner(node, 0, "")
    crew = tuner.crew(node, 1, 16)
    epoch(tuner, clock, 4.0, {node: 2.0})
    assert crew.workers == 2
    epoch(tuner, clock, 4.1, {node: 2.0})  # about the same
    assert crew.workers == 3
    epoch(tuner, clock, 5.0, {node: 2.0})
    assert (crew.workers, node.num_parallel_workers) == (2, 2)
    epoch(tuner, clock, 5.0, {node: 4.0})
    assert crew.workers == 2


def test_changes_within_an_epoch(clock: Clock) -> None:
    node = Node()
    tuner = Tuner(node, 30, "")
    crew = tuner.crew(node, 1, 16)
    for row in range(1, 62):
        clock.now, crew.waited = clock.now + 0.1, crew.waited + 0.05
        tuner.end_row()
        assert crew.workers == 1 + row // 30
    tuner.end_epoch()
    assert crew.workers == 3


def test_what_was_chosen_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    source = Node()
    root = Node(source)
    monkeypatch.setenv("RANK_ID", "3")
    tuner = Tuner(root, 0, str(tmp_path / "tuned"))
    tuner.crew(root, 1, 16)
    with caplog.at_level("INFO", "sporax.dataset"):
        autotune._log.addHandler(caplog.handler)
        epoch(tuner, clock, 1.0, {root: 1.0})
        autotune._log.removeHandler(caplog.handler)
    found = json.loads((tmp_path / "tuned_3.json").read_text())
    assert found == {
        "remark": "The number of workers and of rows ahead, chosen by dataset.config.set_enable_autotune.",
        "summary": [
            "NodeOp(ID:2)        (num_parallel_workers: NA, prefetch_size: NA)",
            "NodeOp(ID:1)        (num_parallel_workers: 2, prefetch_size: 16)",
        ],
        "tree": {"op_type": "Node"},
    }
    assert "autotune: Node: num_parallel_workers 1 -> 2, prefetch_size 16 -> 16" in caplog.text


def numbered(x: np.ndarray) -> np.ndarray:
    """Return a row with a random number."""
    return x + np.random.default_rng(int(x)).random()


@pytest.mark.parametrize("processes", [False, True])
def test_the_rows_are_the_same(tmp_path: Path, processes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autotune, "_WAITED", 0.0)  # so that each epoch has a change
    monkeypatch.setattr(autotune, "_SLOWER", 0.0)
    monkeypatch.setattr(os, "cpu_count", lambda: 4)

    def pipeline() -> Any:
        source = ds.NumpySlicesDataset(np.arange(40.0), ["x"], shuffle=True)
        return source.map(numbered, "x", python_multiprocessing=processes).batch(5, per_batch_map=lambda x, info: (x,))

    def epochs(data: Any) -> list[list[Any]]:
        rows = data.create_tuple_iterator(num_epochs=3, output_numpy=True)
        return [[row[0].tolist() for row in rows] for _ in range(3)]

    expected = epochs(pipeline())
    ds.config.set_enable_autotune(True, str(tmp_path / "tuned"))
    for interval in (0, 3):
        ds.config.set_autotune_interval(interval)
        data = pipeline()
        assert epochs(data) == expected
        assert data.num_parallel_workers + data.children[0].num_parallel_workers > 2
    assert (tmp_path / "tuned_0.json").exists()


def test_a_tuned_file_is_a_pipeline(tmp_path: Path) -> None:
    ds.config.set_enable_autotune(True, str(tmp_path / "tuned"))
    data = ds.NumpySlicesDataset([3, 4], ["x"], shuffle=False).map(ds.transforms.Fill(7), "x", num_parallel_workers=2)
    for _ in data.create_tuple_iterator(num_epochs=1):
        pass
    made = ds.deserialize(json_filepath=str(tmp_path / "tuned_0.json"))
    assert made is not None and made.num_parallel_workers == data.num_parallel_workers
    assert [int(row[0]) for row in made.create_tuple_iterator(output_numpy=True, num_epochs=1)] == [7, 7]

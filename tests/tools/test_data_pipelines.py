"""`tools/data_pipelines.py`: how rows of two sides are compared."""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from house import ROOT


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("data_pipelines_tool", ROOT / "tools" / "data_pipelines.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["data_pipelines_tool"] = module  # its dataclasses look for it
    spec.loader.exec_module(module)
    return module


def rows(*numbers: float, kind: type = np.float32) -> dict[str, np.ndarray]:
    return {f"{number}/x": np.full(3, value, kind) for number, value in enumerate(numbers)}


def side(found: dict[str, np.ndarray], figures: list[dict[str, Any]] | None = None, size: int = 2) -> tuple[Any, Any]:
    """Return the answer of a side and its rows."""
    return {
        "count": [len(found)],
        "facts": {"size": size},
        "figures": figures or [{"x": [0.5, 0.3, 0.0, 1.0]}] * 5,
        "seconds": [0.1, 0.3, 0.2],
    }, found


class Places:
    """Stands for two sides whose answers are known: MindSpore's, those of its second run, and ours."""

    def __init__(self, theirs: Any, ours: Any, again: Any = None) -> None:
        self.told = {"mindspore": theirs, "sporax": ours, "mindspore_again": again or theirs}

    def make(self, pipeline: Any) -> Path:
        return Path()

    def answer(self, name: str, pipeline: Any, data: Path, turn: str = "") -> Any:
        return self.told[name + turn]

    def tried(self, name: str, pipeline: Any, data: Path, errors: dict[str, str]) -> Any:
        if isinstance(self.told[name], str):
            errors[name] = self.told[name]
            return None, {}
        return self.told[name]


def compared(tool: ModuleType, theirs: Any, ours: Any, again: Any = None, random: str = "") -> tuple[str, list[str]]:
    pipeline = tool.Pipeline("one", "owner/name", "0" * 40, "data", "", "", random=random)
    found = tool.compare(Places(theirs, ours, again), pipeline)
    return found["outcome"], [*found["differences"], *found["errors"].values()]


def test_equal_rows(tool: ModuleType) -> None:
    assert compared(tool, side(rows(1, 2)), side(rows(1, 2))) == ("equal", [])
    assert compared(tool, side(rows(1, 2)), side(rows(1, 2 + 1e-6))) == ("equal", [])
    text = {"0/t": np.array(["a", "b"])}
    assert compared(tool, side(text), side(dict(text))) == ("equal", [])
    nan = {"0/x": np.array([np.nan, 1])}
    assert compared(tool, side(nan), side(dict(nan))) == ("equal", [])


def test_other_rows(tool: ModuleType) -> None:
    assert compared(tool, side(rows(1, 2)), side(rows(2, 1))) == ("differs", ["the rows are equal, their order is not"])
    assert compared(tool, side(rows(1, 2)), side(rows(1, 4))) == ("differs", ["the rows are 1.0e+00 apart"])
    assert compared(tool, side({"0/t": np.array(["a"])}), side({"0/t": np.array(["b"])}))[0] == "differs"
    outcome, texts = compared(tool, side(rows(1, 2)), side(rows(1), size=3))
    assert outcome == "differs" and texts[:3] == ["size: 2, here 3", "rows: [2], here [1]", "x: row 1 is missing"]
    outcome, texts = compared(tool, side(rows(1)), side(rows(1, kind=np.float64)))
    assert (outcome, texts) == ("differs", ["x: float32, here float64"])
    outcome, texts = compared(tool, side({"0/x": np.ones((1, 3))}), side({"0/x": np.ones(3)}))
    assert outcome == "differs" and "x: shape (1, 3), here (3,)" in texts


@pytest.mark.parametrize("random", ["operations", ""])
def test_random_rows_are_compared_by_their_figures(tool: ModuleType, random: str) -> None:
    """Whether a pipeline is called random, or MindSpore gives other rows in a second run."""
    theirs, again = side(rows(1, 2)), side(rows(3, 4))
    near = [{"x": [0.5 + 0.01 * k, 0.3, 0.0, 1.0]} for k in range(5)]
    assert compared(tool, side(rows(1, 2), near), side(rows(5, 6), near[::-1]), again, random) == ("alike", [])
    apart = [{"x": [0.9 + 0.001 * k, 0.3, 0.0, 1.0]} for k in range(5)]
    outcome, texts = compared(tool, theirs, side(rows(5, 6), apart), again, random)
    assert outcome == "differs" and texts[0].startswith("x: mean and spread [0.5, 0.3], here [0.90")
    wide = [{"x": [0.5, 0.3, -9.0, 1.0]}] * 5
    assert compared(tool, theirs, side(rows(5, 6), wide), again, random)[1] == ["x: in [0.0, 1.0], here in [-9.0, 1.0]"]


def test_sides_that_raise(tool: ModuleType) -> None:
    fine = side(rows(1))
    assert compared(tool, "No", fine) == ("MindSpore raises", ["No"])
    assert compared(tool, fine, "No") == ("raises", ["No"])
    assert compared(tool, "No", "Not") == ("both raise", ["No", "Not"])


def test_the_tables_and_the_page(tool: ModuleType) -> None:
    known = {one.name: one for one in tool.table()}
    assert len(known) >= 35 and all(len(one.commit) == 40 and one.shows for one in known.values())
    results = json.loads(tool.RESULTS.read_text())
    assert results.keys() <= known.keys()
    assert tool.page(results) in tool.PAGE.read_text(encoding="utf-8"), "run tools/data_pipelines.py --page"
    newer = tool.updated(results, {"detr": {"outcome": "new"}})
    assert newer["detr"] == {"outcome": "new"} and list(newer) == [name for name in known if name in newer]

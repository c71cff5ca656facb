"""The report of weights: counts, failures, and the same as JSON and as a table."""

import json
from pathlib import Path

from rich.console import Console

from sporax._src.migrate.weights.report import FAILURES, STATUSES, WeightsReport, WeightsRow, describe_failure

ROWS = [
    WeightsRow("fc.weight", "fc.weight", "carried", (2, 3), "float32"),
    WeightsRow("norm.weight", "norm.gamma", "renamed", (3,), "float32"),
    WeightsRow("", "head.bias", "missing", (5,), reason="the source has no array for it"),
]
REPORT = WeightsReport("a.pth", "a.ckpt", ROWS)


def test_failures_are_counted_with_the_others() -> None:
    assert REPORT.counts() == {"carried": 1, "renamed": 1, "missing": 1}
    assert REPORT.failures == ROWS[2:] and not REPORT.ok
    assert WeightsReport("a", "b", ROWS[:2]).ok
    assert all(WeightsReport("", "", [WeightsRow("a", "", s)]).ok is (s not in FAILURES) for s in STATUSES)


def test_the_report_as_text() -> None:
    assert REPORT.summary() == "3 names: 1 carried, 1 renamed, 1 missing."
    assert str(REPORT) == f"{REPORT.summary()}\nhead.bias: the source has no array for it"
    assert describe_failure(ROWS[2]) == "head.bias: the source has no array for it"
    assert str(WeightsReport("a", "b")) == "no names."


def test_the_report_as_json(tmp_path: Path) -> None:
    REPORT.write_json(tmp_path / "r.json")
    data = json.loads((tmp_path / "r.json").read_text())
    assert (data["source"], data["target"], data["ok"], data["difference"]) == ("a.pth", "a.ckpt", False, None)
    assert data["rows"][0] == {
        "source": "fc.weight", "target": "fc.weight", "status": "carried", "shape": [2, 3], "dtype": "float32", "reason": ""
    }  # fmt: skip
    assert [p.name for p in tmp_path.iterdir()] == ["r.json"]


def test_the_report_as_a_table() -> None:
    console = Console(width=100, color_system=None)
    with console.capture() as capture:
        console.print(REPORT.table())
    lines = [" ".join(line.strip("│┃ ").split()) for line in capture.get().splitlines()]
    assert "a.pth → a.ckpt" in lines
    assert "norm.weight │ norm.gamma │ renamed │ float32[3]" in lines
    assert "– │ head.bias │ missing │ │ the source has no array for it" in lines

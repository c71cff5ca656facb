"""A comparison as text and as JSON."""

import json

from compared_networks import ROWS, Two, TwoCell
from comparisons import comparison

from sporax._src.migrate.compare.report import AGREE, DIFFER, Row
from sporax.migrate import compare


def test_json_is_the_result(tmp_path) -> None:
    result = compare(Two(), TwoCell(), ROWS)
    result.json(tmp_path / "r.json")
    data = json.loads((tmp_path / "r.json").read_text())
    assert data["schema"] == 1 and data["tool"] == "sporax compare" and data["first_difference"] == "a"
    assert data == json.loads(json.dumps(result.data()))
    assert {"stage", "name", "kind", "max", "mean", "relative", "cosine", "status", "note"} <= set(data["rows"][0])
    assert [p.name for p in tmp_path.iterdir()] == ["r.json"]


ROW = Row("forward", "a.b", "a.b", "output", "Linear", "[2, 3]", 0.5, 0.25, 0.125, 0.0, "different", "note")


def test_statuses_that_count_as_differences() -> None:
    differ = {status for status in (*AGREE, *DIFFER) if Row("loss", "", "", "", "", status=status).differs}
    assert differ == {"different", "missing", "shape", "dtype", "not a number", "random"}


def test_the_verdict_is_a_sentence() -> None:
    agrees = comparison(Row("loss", "", "", "", ""))
    assert agrees.agrees and str(agrees) == "Net (sporax) agrees with Net (torch 2)."
    differs = comparison(ROW, first_difference="a.b", stage="forward", cause="the sign is the opposite")
    assert not differs.agrees
    assert str(differs) == "Net (sporax) differs from Net (torch 2) first at a.b (forward): the sign is the opposite."


def test_the_data_have_every_field_of_a_row() -> None:
    (row,) = comparison(ROW).data()["rows"]
    assert [*row.values()] == [
        "forward", "a.b", "a.b", "output", "Linear", "[2, 3]", 0.5, 0.25, 0.125, 0.0, "different", "note"
    ]  # fmt: skip


def test_a_page_has_a_plot_for_each_stage_of_several_values(tmp_path) -> None:
    more = [
        Row(stage, "x", "x", "output", "", relative=1e-3) for stage in ("forward", "forward", "gradients", "metric")
    ]
    comparison(ROW, *more).html(tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text()
    assert text.count("<figure>") == 1 and "forward: relative error" in text
    assert [p.name for p in tmp_path.iterdir()] == ["r.html"]

"""A comparison as text and as JSON."""

import json

from compared_networks import ROWS, Two, TwoCell

from sporax.migrate import compare


def test_json_is_the_result(tmp_path) -> None:
    result = compare(Two(), TwoCell(), ROWS)
    result.json(tmp_path / "r.json")
    data = json.loads((tmp_path / "r.json").read_text())
    assert data["schema"] == 1 and data["tool"] == "sporax compare" and data["first_difference"] == "a"
    assert data == json.loads(json.dumps(result.data()))
    assert {"stage", "name", "kind", "max", "mean", "relative", "cosine", "status", "note"} <= set(data["rows"][0])
    assert [p.name for p in tmp_path.iterdir()] == ["r.json"]

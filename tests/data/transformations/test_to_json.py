"""`to_json`: pipelines as text."""

import json
from pathlib import Path

import sporax.dataset as ds


def test_to_json(tmp_path: Path) -> None:
    data = ds.NumpySlicesDataset([1, 2], ["a"], shuffle=False).map(abs, "a").batch(2)
    tree = data.to_json(str(tmp_path / "tree.json"))
    assert (tree["op_type"], tree["batch_size"], tree["drop_remainder"]) == ("Batch", 2, False)
    below = tree["children"][0]
    assert (below["op_type"], below["input_columns"], below["operations"]) == ("Map", ["a"], [{"python": "abs"}])
    assert below["children"][0]["op_type"] == "NumpySlicesDataset"
    assert json.loads((tmp_path / "tree.json").read_text()) == tree

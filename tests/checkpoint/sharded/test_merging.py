"""Slices of a Parameter merged, and checkpoints in segments."""

import json
from pathlib import Path

import numpy as np
import pytest
from sliced_files import GOLDENS, WHOLE, save

import sporax as ms
from sporax import Parameter, Tensor
from sporax._src.sharding.parameter_file import message_of
from sporax._src.sharding.parameter_layout import cut_of


def test_segments(tmp_path: Path) -> None:
    save(tmp_path / "a.ckpt", {"w": WHOLE["w"]})
    save(tmp_path / "b.ckpt", {"b": WHOLE["b"]})
    assert list(ms.load_segmented_checkpoints(str(tmp_path))) == ["w", "b"]


def test_sliced_parameters() -> None:
    merge = ms.merge_sliced_parameter
    rows = [Parameter(Tensor(a), "w") for a in np.split(WHOLE["w"], 2)]
    assert np.array_equal(merge(rows).asnumpy(), WHOLE["w"])
    recorded = json.loads((GOLDENS / "merged.json").read_text())
    for case in recorded.values():
        cut = cut_of(case["matrix"], case["tensor_map"], split=case["split"], field=case["field"])
        pieces = [Parameter(Tensor(np.array(a, np.float32)), "w") for a in case["pieces"]]
        assert merge(pieces, {"w": message_of(cut)}).asnumpy().tolist() == case["whole"]
        with pytest.raises(ValueError, match=f"cut over {cut.devices} devices by its strategy, and 1 pieces are given"):
            merge(pieces[:1], {"w": message_of(cut)})
        with pytest.raises(KeyError, match="the strategy has no 'w', only v"):
            merge(pieces, {"v": message_of(cut)})
        if cut.split:
            wrong = [*pieces[:-1], Parameter(Tensor(np.zeros((9, *pieces[0].shape[1:]), np.float32)), "w")]
            with pytest.raises(ValueError, match=r"the piece \d of 'w' must have \d rows, it has 9"):
                merge(wrong, {"w": message_of(cut)})
            short = cut_of(case["matrix"], case["tensor_map"], split=case["split"][:-1])
            with pytest.raises(ValueError, match="param_split_shape of 'w' must have"):
                merge(pieces, {"w": message_of(short)})
    for given, strategy, error, match in (
        ((), None, TypeError, r"must be a list, got \(\)"),
        ([], None, ValueError, "must not be empty"),
        ([3], None, TypeError, "must be Parameters, got 3 at 0"),
        (rows, [1], TypeError, r"strategy must be a dict, got \[1\]"),
        ([rows[0], Parameter(Tensor(WHOLE["b"]), "w")], None, ValueError, r"'w' \[8, 8\] at 0, 'w' \[16\] at 1"),
    ):
        with pytest.raises(error, match=match):
            merge(given, strategy)

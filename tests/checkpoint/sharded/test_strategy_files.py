"""Files of strategies: there and back, and what is none."""

from pathlib import Path
from typing import Any

import pytest
from sliced_files import GOLDENS, RECORDED, strategies

import sporax as ms
from sporax import Parameter, Tensor, parallel
from sporax._src.sharding.parameter_file import read_strategies
from sporax._src.sharding.parameter_layout import cut_of


@pytest.mark.parametrize("end", ["ckpt", "json"])
def test_strategies_come_back(end: str, tmp_path: Path) -> None:
    for name, case in RECORDED["cases"].items():
        for cuts in filter(None, (case["source"], case["target"])):
            path = strategies(tmp_path / f"s.{end}", cuts)
            assert read_strategies(path, name).cuts == {key: cut_of(*cut) for key, cut in cuts.items()}, name


@pytest.mark.parametrize(
    ("name", "content", "error", "match"),
    [
        ("s.ckpt", None, ValueError, "there is no file of strategies .*s.ckpt"),
        ("s.ckpt", b"", ValueError, "file of strategies .*s.ckpt is empty"),
        ("s.ckpt", b"\xff\xff\xff", TypeError, "is no file of strategies: it must be protobuf, or JSON"),
        ("s.ckpt", (GOLDENS / "plain.ckpt").read_bytes()[:-3], TypeError, "is no file of strategies"),
        ("s.json", b"{", ValueError, "s.json is damaged"),
        ("s.json", b"[" * 100_000, ValueError, "damaged: its JSON is nested too deep"),
        ("s.json", b"[1]", ValueError, r"damaged: expected an object of JSON, got \[1\]"),
        ("s.json", b"{}", ValueError, "names no Parameter"),
        ("s.json", b'{"parallel_layout_item": {"w": 3}}', ValueError, "expected an object of JSON, got 3"),
        ("s.json", b'{"parallel_layout_item": {"w": {}}}', ValueError, "'w': dev_matrix must be a list of up to 64"),
        (
            "s.json",
            b'{"parallel_layout_item": {"w": {"dev_matrix": [2], "tensor_map": [3]}}}',
            ValueError,
            r"'w': tensor_map \[3\] must name axes of dev_matrix \[2\], each once at most",
        ),
        (
            "s.json",
            b'{"parallel_layout_item": {"w": {"dev_matrix": [1048576, 2], "tensor_map": []}}}',
            ValueError,
            "of up to 65,536 devices",
        ),
        (
            "s.json",
            b'{"parallel_layout_item": {"w": {"dev_matrix": [4], "tensor_map": [-1], "opt_weight_shard_step": 1, '
            b'"opt_weight_shard_size": 3}}}',
            ValueError,
            "opt_weight_shard_size 3 must divide the 4 devices",
        ),
        (
            "s.json",
            b'{"parallel_layout_item": {"w": {"dev_matrix": [4], "tensor_map": [-1], "opt_weight_shard_step": -1, '
            b'"opt_weight_shard_size": 0}}}',
            ValueError,
            "opt_weight_shard_step -1 and field 0 must be >= 0",
        ),
        (
            "s.json",
            b'{"parallel_strategy_item": {"m": {"stage": "x"}}}',
            ValueError,
            "stages of operators must be ints",
        ),
        (
            "s.json",
            b'{"parallel_strategy_item": {"m": {"parallel_strategy": [3]}}}',
            ValueError,
            "a strategy must be a list of lists of ints",
        ),
    ],
)
def test_files_of_strategies_that_are_none(name: str, content: Any, error: type, match: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(error, match="rank_list_for_transform: .*" + match):
        ms.rank_list_for_transform(0, str(tmp_path / name))


def test_what_is_no_file_of_strategies(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="a file of strategies must be given by its name, got 3"):
        ms.rank_list_for_transform(0, 3)  # type: ignore[arg-type]
    layout = type(parallel.build_searched_strategy(str(GOLDENS / "plain.ckpt"))["w"])()  # type: ignore[index]
    with pytest.raises(ValueError, match="strategy of 'w' is not valid: 'w' has no dev_matrix or no tensor_map"):
        ms.merge_sliced_parameter([Parameter(Tensor([1.0]), "w")], {"w": layout})
    file = strategies(tmp_path / "s.ckpt", {"0-w": [[2], [0], 0, 0], "2-v": [[2], [0], 0, 0]})
    with pytest.raises(ValueError, match=r"must hold all stages of a pipeline, got \[0, 2\]"):
        ms.rank_list_for_transform(0, file)

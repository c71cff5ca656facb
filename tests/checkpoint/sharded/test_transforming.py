"""Files of slices made into files of other slices: MindSpore's files and ranks, errors."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sliced_files import GOLDENS, PLAIN, RECORDED, WHOLE, save, shown, sliced, strategies

import sporax as ms
from sporax import nn, parallel
from sporax._src.checkpoint.formats import FORMATS
from sporax._src.checkpoint.sharded.redundancy import names_saved_here
from sporax._src.sharding.parameter_file import read_strategies
from sporax._src.sharding.parameter_layout import cut_of

# There MindSpore takes the axes of a Parameter in order for those of the devices; its own `_load_tensor`, by which a network gets
# its slices, does not.
DIFFERENT = {"optimizer, axes in turn"}


@pytest.mark.parametrize("name", [n for n in RECORDED["cases"] if n not in DIFFERENT])
@pytest.mark.parametrize("format", FORMATS)
def test_files_and_ranks_are_those_of_mindspore(name: str, format: str, tmp_path: Path) -> None:
    case = RECORDED["cases"][name]
    source, target = strategies(tmp_path / "s.ckpt", case["source"]), strategies(tmp_path / "t.json", case["target"])
    save(tmp_path / "whole" / "rank_0" / f"net0.{format}", {**WHOLE, "global_step": np.int32(7)})
    folder = tmp_path / ("whole" if source is None else "cut")
    if "error" in case:
        with pytest.raises(
            ValueError, match=r"'t' float32\[.*\] does not fit the files of strategies: the shape \[8, 4, 16\]"
        ):
            ms.transform_checkpoints(str(tmp_path / "whole"), str(tmp_path / "cut"), "net", None, source, 1, format)
            ms.transform_checkpoints(str(tmp_path / "cut"), str(tmp_path / "new"), "net", source, target, 1, format)
        return
    if source is not None:
        ms.transform_checkpoints(str(tmp_path / "whole"), str(folder), "net", None, source, output_format=format)
    for rank, held in enumerate(case["before"]):
        assert shown(folder / f"rank_{rank}" / f"net{rank}.{format}") == held
    for rank, needed in enumerate(
        case["ranks"]
    ):  # where MindSpore goes by way of slices that it does not need, fewer do
        found = ms.rank_list_for_transform(rank, source, target)
        assert set(found) <= set(needed) and found == sorted(found, reverse=True)
    parallel.convert_checkpoints(str(folder), str(tmp_path / "new"), "net", source, target, output_format=format)
    for rank, held in enumerate(case["after"]):
        assert shown(tmp_path / "new" / f"rank_{rank}" / f"net{rank}.{format}") == held
    rank = len(case["after"]) - 1
    if format == "ckpt" and case["after"]:
        files = {
            r: str(folder / f"rank_{r}" / f"net{r}.ckpt") for r in parallel.rank_list_for_convert(rank, source, target)
        }
        parallel.convert_checkpoint_by_rank(rank, files, str(tmp_path / "one.ckpt"), source, target)
        assert shown(tmp_path / "one.ckpt") == case["after"][rank]


def test_most_ranks_are_those_of_mindspore(tmp_path: Path) -> None:
    equal = []
    for name, case in RECORDED["cases"].items():
        files = [strategies(tmp_path / f"{end}.ckpt", case[end]) for end in ("source", "target")]
        if name not in DIFFERENT and "ranks" in case:
            equal += [ms.rank_list_for_transform(rank, *files) == needed for rank, needed in enumerate(case["ranks"])]
    assert sum(equal) >= 0.85 * len(equal) and len(equal) > 200


def test_where_mindspore_takes_axes_in_order(tmp_path: Path) -> None:
    """The slice of a device is that of its place among the devices, whatever axis of the Parameter comes first."""
    case = RECORDED["cases"]["optimizer, axes in turn"]
    folder, _ = sliced(tmp_path, case["source"])
    matrix, tensor_map, _, parts = case["source"]["w"]
    for rank in range(8):
        place = np.unravel_index(rank, matrix)
        row, column = place[-1 - tensor_map[0]], place[-1 - tensor_map[1]]
        whole = WHOLE["w"][row * 8 : row * 8 + 8, column * 4 : column * 4 + 4]
        part = whole[place[0] * 4 : place[0] * 4 + 4]
        assert parts == 2 and np.array_equal(
            FORMATS["ckpt"].read(Path(folder) / f"rank_{rank}" / f"net{rank}.ckpt")["w"], part
        )


@pytest.mark.parametrize("name", ["plain.ckpt", "nested.ckpt"])
def test_files_of_mindspore_are_read(name: str) -> None:
    cuts = {"plain.ckpt": PLAIN, "nested.ckpt": RECORDED["cases"]["nested"]["source"]}[name]
    found = read_strategies(GOLDENS / name, "test")
    assert found.cuts == {key: cut_of(*cut) for key, cut in cuts.items()} and found.operators == {
        "MatMul-op0": [[2, 1]]
    }
    messages = parallel.build_searched_strategy(str(GOLDENS / name))
    assert messages is not None and list(messages["t"].dev_matrix[0].dim) == cuts["t"][0]
    assert parallel.build_searched_strategy(None) is None


def test_mindspore_reads_files_of_ours(tmp_path: Path) -> None:
    """The files are as they were when MindSpore read them."""
    recorded = json.loads((GOLDENS / "read_by_mindspore.json").read_text())
    cuts = {"plain": PLAIN, "nested": RECORDED["cases"]["nested"]["source"]}
    for name, found in recorded.items():
        kind = name.split("_")[2].split(".")[0]
        strategies(tmp_path / name, cuts[kind])
        assert (tmp_path / name).read_bytes() == (GOLDENS / name).read_bytes()
        for key, (matrix, tensor_map, *_) in cuts[kind].items():
            assert found[key][0] == matrix
            assert [[a] if isinstance(a, int) else a for a in found[key][1]] == [
                [a] if isinstance(a, int) else a for a in tensor_map
            ]
    assert {"sporax_strategy_plain.ckpt", "sporax_strategy_plain.json", "sporax_strategy_nested.ckpt"} == set(recorded)


def test_slices_that_are_missing_or_of_another_layout(tmp_path: Path) -> None:
    folder, file = sliced(tmp_path, PLAIN)
    new, path = str(tmp_path / "new"), Path(folder) / "rank_2" / "net2.ckpt"
    pieces = FORMATS["ckpt"].read(path)
    save(path, {**pieces, "w": np.zeros((2, 8), np.float32)})
    with pytest.raises(
        ValueError,
        match=r"the pieces of 'w' are not of one layout: float32\[.*\] of rank \d, and float32\[.*\] of rank",
    ):
        ms.transform_checkpoints(folder, new, "net", file)
    for rank in (2, 6):  # which have the same of it
        other = Path(folder) / f"rank_{rank}" / f"net{rank}.ckpt"
        save(
            other,
            {name: array for name, array in FORMATS["ckpt"].read(other).items() if name != "b"} | {"w": pieces["w"]},
        )
    with pytest.raises(ValueError, match="the piece of 'b' that rank 2 has is needed for rank 0, and missing"):
        ms.transform_checkpoints(folder, new, "net", file)
    path.unlink()
    with pytest.raises(ValueError, match="the checkpoint of rank 2 is needed for rank 0, and missing"):
        ms.transform_checkpoints(folder, new, "net", file)
    save(path, {**pieces, "w": pieces["w"][0]})
    for rank in (0, 1, 3, 4, 5, 6, 7):
        other = Path(folder) / f"rank_{rank}" / f"net{rank}.ckpt"
        save(other, {**FORMATS["ckpt"].read(other), "w": pieces["w"][0]})
    with pytest.raises(
        ValueError, match=r"'w' float32\[8\] does not fit the files of strategies: its strategy has 2 axes"
    ):
        ms.transform_checkpoints(folder, new, "net", file)
    unknown = strategies(tmp_path / "u.ckpt", {"nothing": [[8], [0], 0, 0]})
    with pytest.raises(ValueError, match="none of the Parameters of the checkpoint is in the files of strategies"):
        ms.transform_checkpoints(folder, new, "net", unknown)
    assert not Path(new).exists()


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda d: ms.rank_list_for_transform("a"), TypeError, "rank_id must be an int, got 'a'"),
        (lambda d: ms.rank_list_for_transform(-1), ValueError, "rank_id must be >= 0, got -1"),
        (lambda d: ms.rank_list_for_transform(9, d["f"], d["f"]), ValueError, "rank 9 is of stage 1, and there are 1"),
        (lambda d: ms.transform_checkpoint_by_rank(0, [], "a.ckpt"), TypeError, "checkpoint_files_map must be a dict"),
        (lambda d: ms.transform_checkpoint_by_rank(0, {}, 3), TypeError, "save_checkpoint_file_name must be a string"),
        (lambda d: ms.transform_checkpoint_by_rank(0, {}, "a.x"), ValueError, "must end with '.ckpt', got 'a.x'"),
        (
            lambda d: ms.transform_checkpoint_by_rank(0, {1: "no.ckpt"}, "a.ckpt"),
            ValueError,
            "the file of rank 1, no.ckpt",
        ),
        (lambda d: ms.transform_checkpoints(d["cut"], d["new"], 3), TypeError, "ckpt_prefix must be a string, got 3"),
        (
            lambda d: ms.transform_checkpoints(3, d["new"], "a"),
            TypeError,
            "the folder of checkpoints must be given by its name",
        ),
        (lambda d: ms.transform_checkpoints(d["f"], d["new"], "a"), NotADirectoryError, "is no folder"),
        (lambda d: ms.transform_checkpoints(d["empty"], d["new"], "a"), ValueError, "has no folders rank_0, rank_1"),
        (lambda d: ms.transform_checkpoints(d["mixed"], d["new"], "a"), ValueError, "has files of both formats"),
        (
            lambda d: ms.transform_checkpoints(d["cut"], d["new"], "a", output_format="x"),
            ValueError,
            "output_format must be one of ckpt, safetensors, got 'x'",
        ),
        (
            lambda d: ms.transform_checkpoints(d["cut"], d["new"], "a", output_format="safetensors"),
            ValueError,
            "output_format can not be 'safetensors' for files of the format 'ckpt'",
        ),
        (lambda d: ms.unified_safetensors(d["cut"], None, d["new"]), ValueError, r"must hold files '\*.safetensors'"),
        (
            lambda d: ms.load_distributed_checkpoint(None, d["files"][:3], None, d["f"]),
            ValueError,
            "the strategies are of 8 devices, and 3 checkpoint_filenames are given",
        ),
        (lambda d: ms.load_segmented_checkpoints(3), TypeError, "ckpt_file_dir must be a string, got 3"),
        (lambda d: ms.load_segmented_checkpoints(d["f"]), ValueError, "is no folder"),
        (lambda d: ms.restore_group_info_list(3), TypeError, "group_info_file_name must be a string, got 3"),
        (lambda d: ms.restore_group_info_list("no"), ValueError, "there is no file of groups no"),
        (
            lambda d: ms.restore_group_info_list(d["files"][0]),
            ValueError,
            "is not a file of groups, or it names no processes",
        ),
        (lambda d: parallel.set_op_strategy_config("SAVE", "a.json"), KeyError, "path must be an absolute path"),
        (lambda d: parallel.set_op_strategy_config("X", "/a.json"), KeyError, "mode must be 'SAVE' or 'LOAD', got 'X'"),
        (lambda d: ms.sync_pipeline_shared_parameters(3), TypeError, "net must be a Cell, got 3"),
        (
            lambda d: ms.load_distributed_checkpoint(None, None, d["f"], unified_safetensors_dir=d["one"], rank_id=9),
            ValueError,
            "rank 9 is of stage 1, and there are 1",
        ),
        (lambda d: ms.load_distributed_checkpoint(None, unified_safetensors_dir="no"), ValueError, "no is no folder"),
        (
            lambda d: ms.save_checkpoint({}, d["new"], integrated_save=3),
            TypeError,
            "integrated_save must be a bool, got 3",
        ),
        (
            lambda d: ms.load_param_into_net(nn.Dense(1, 1), {}, remove_redundancy=True),
            TypeError,
            "load_param_into_net: remove_redundancy is for runs of several processes, and there is one",
        ),
        (
            lambda d: names_saved_here(nn.Dense(1, 1)),
            TypeError,
            "CheckpointConfig: remove_redundancy is for runs of several processes, and there is one",
        ),
        (
            lambda d: ms.set_auto_parallel_context(strategy_ckpt_config=3),
            TypeError,
            "strategy_ckpt_config must be a dict, got 3",
        ),
        (
            lambda d: ms.set_auto_parallel_context(strategy_ckpt_config={"x": 1}),
            ValueError,
            "may have the keys .*, got 'x'",
        ),
        (
            lambda d: ms.set_auto_parallel_context(strategy_ckpt_save_file=3),
            TypeError,
            "strategy_ckpt_save_file must be a str, got 3",
        ),
    ],
)
def test_bad_arguments(call: Any, error: type, match: str, tmp_path: Path) -> None:
    folder, file = sliced(tmp_path, PLAIN)
    (tmp_path / "empty").mkdir()
    for format in FORMATS:
        save(tmp_path / "mixed" / "rank_0" / f"a.{format}", {"w": np.zeros(2)})
    save(tmp_path / "one" / "net.safetensors", WHOLE)
    files = [f"{folder}/rank_{r}/net{r}.ckpt" for r in range(8)]
    given = {"f": file, "cut": folder, "new": str(tmp_path / "new"), "files": files}
    with pytest.raises(error, match=match):
        call(given | {name: str(tmp_path / name) for name in ("empty", "mixed", "one")})

"""Checkpoints of several devices, cut anew as MindSpore cuts them; files of strategies, and what is refused."""

import json
import zlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from jax.sharding import Mesh

import sporax as ms
from sporax import Parameter, Tensor, nn, parallel
from sporax._src.checkpoint.formats import FORMATS
from sporax._src.checkpoint.sharded import distributed
from sporax._src.checkpoint.sharded.redundancy import names_saved_here
from sporax._src.sharding.mesh_layout import cut_on_mesh, spec_on_mesh
from sporax._src.sharding.parameter_file import Strategies, message_of, read_strategies, write_strategies
from sporax._src.sharding.parameter_layout import cut_of

GOLDENS = Path(__file__).parents[1] / "goldens" / "slices"
RECORDED = json.loads((GOLDENS / "cases.json").read_text())
WHOLE = {n: np.arange(np.prod(s), dtype=np.float32).reshape(s) for n, s in RECORDED["shapes"].items()}
# There MindSpore takes the axes of a Parameter in order for those of the devices; its own `_load_tensor`, by which a network gets
# its slices, does not.
DIFFERENT = {"optimizer, axes in turn"}


def strategies(path: Path, cuts: Any) -> str | None:
    if cuts is None:
        return None
    write_strategies(path, Strategies({name: cut_of(*cut) for name, cut in cuts.items()}, {"MatMul_w": [[2, 1]]}))
    return str(path)


def save(path: Path, arrays: dict[str, Any]) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    FORMATS[path.suffix[1:]].write(path, arrays)
    return str(path)


def shown(path: Path) -> dict[str, str]:
    arrays = FORMATS[path.suffix[1:]].read(path)
    return {
        name: f"{'x'.join(map(str, a.shape))}:{zlib.crc32(np.ascontiguousarray(a).tobytes()):08x}"
        for name, a in arrays.items()
    }


def sliced(folder: Path, cuts: Any, format: str = "ckpt") -> tuple[str, str]:
    """Write the whole Parameters as slices; return their folder and their file of strategies."""
    save(folder / "whole" / "rank_0" / f"net0.{format}", {**WHOLE, "global_step": np.int32(7)})
    file = strategies(folder / "before.ckpt", cuts)
    assert file is not None
    ms.transform_checkpoints(str(folder / "whole"), str(folder / "cut"), "net", None, file, output_format=format)
    return str(folder / "cut"), file


PLAIN = RECORDED["cases"]["to whole"]["source"]


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


# --- files ----------------------------------------------------------------------------------------------------------------


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
        ("s.ckpt", b"\xff\xff\xff", TypeError, "is no file of strategies: it must be one of protobuf, or of JSON"),
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


def test_cuts_are_those_of_a_mesh() -> None:
    """JAX cuts an array as the numbers say, and what it cuts further is told as the optimizer's share."""
    mesh = Mesh(np.empty((2, 2, 2), object), ("a", "b", "c"))
    for spec, cut in (
        ((None, ("a", "b")), cut_of([4, 2], [-1, 1])),
        (("c", "a"), cut_of([2, 2, 2], [0, 2])),
        ((("b", "a"), None), cut_of([2, 2, 2], [[1, 2], -1])),  # shares are those of the innermost axes
        ((("b", "c"), None), cut_of([2, 4], [0, -1])),
        ((("a", "c"), None), cut_of([2, 2, 2], [2, -1], 1, 2)),
        ((("c", "a", "b"), None), cut_of([4, 2], [0, -1], 2, 4)),
        ((("b", "a"), "c"), cut_of([2, 2, 2], [1, 0], 4, 2)),
        ((("c", "b"), "a"), cut_of([2, 2, 2], [0, 2], 2, 2)),
        ((None, ("b", "a")), cut_of([2, 2, 2], [-1, [1, 2]])),
    ):
        found = cut_on_mesh(SimpleNamespace(mesh=mesh, spec=spec), 2)  # type: ignore[arg-type]
        assert found == cut
        assert cut_on_mesh(SimpleNamespace(mesh=mesh, spec=spec_on_mesh(cut, mesh)), 2) == cut  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"dev_matrix \[3\] does not fit 8 devices"):
        spec_on_mesh(cut_of([3], [0]), mesh)
    with pytest.raises(ValueError, match=r"dev_matrix \[4\] is of 4 devices, and there are 8"):
        spec_on_mesh(cut_of([4], [0]), mesh)


def test_what_is_no_file_of_strategies(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="a file of strategies must be given by its name, got 3"):
        ms.rank_list_for_transform(0, 3)  # type: ignore[arg-type]
    layout = type(parallel.build_searched_strategy(str(GOLDENS / "plain.ckpt"))["w"])()  # type: ignore[index]
    with pytest.raises(ValueError, match="strategy of 'w' is none: 'w' has no dev_matrix or no tensor_map"):
        ms.merge_sliced_parameter([Parameter(Tensor([1.0]), "w")], {"w": layout})
    file = strategies(tmp_path / "s.ckpt", {"0-w": [[2], [0], 0, 0], "2-v": [[2], [0], 0, 0]})
    with pytest.raises(ValueError, match=r"must hold all stages of a pipeline, got \[0, 2\]"):
        ms.rank_list_for_transform(0, file)


# --- what does not fit ------------------------------------------------------------------------------------------------------


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
        (lambda d: ms.restore_group_info_list(d["files"][0]), ValueError, "is no file of groups that names processes"),
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


# --- put together, and loaded --------------------------------------------------------------------------------------------------


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        for name, array in WHOLE.items():
            setattr(self, name, Parameter(Tensor(np.zeros_like(array)), name=name))


def held(net: nn.Cell) -> dict[str, np.ndarray]:
    return {p.name: p.asnumpy() for p in net.get_parameters()}


def test_unified_and_loaded(tmp_path: Path) -> None:
    folder, file = sliced(tmp_path, PLAIN, "safetensors")
    ms.unified_safetensors(folder, file, str(tmp_path / "all"))
    told = json.loads((tmp_path / "all" / "param_name_map.json").read_text())
    assert told["weight_map"] == dict.fromkeys(WHOLE, "part0.safetensors")
    assert FORMATS["safetensors"].read(tmp_path / "all" / "hyper_param.safetensors") == {"global_step": 7}
    net = Net()
    assert ms.load_distributed_checkpoint(net, format="safetensors", unified_safetensors_dir=str(tmp_path / "all")) == (
        [],
        ["global_step"],
    )
    for name, array in held(net).items():
        assert np.array_equal(array, WHOLE[name])
    ms.load_distributed_checkpoint(
        None,
        None,
        file,
        format="safetensors",
        unified_safetensors_dir=tmp_path / "all",
        dst_safetensors_dir=tmp_path / "dst",
    )
    for rank in range(8):
        assert shown(tmp_path / "dst" / f"rank_{rank}" / "net.safetensors") == shown(
            Path(folder) / f"rank_{rank}" / f"net{rank}.safetensors"
        )
    layouts = {name: (cut[0], cut[1], [], 0, True, "") for name, cut in PLAIN.items()}
    piece = ms.load_distributed_checkpoint(
        None, None, layouts, unified_safetensors_dir=tmp_path / "all", rank_id=5, return_param_dict=True
    )
    assert np.array_equal(piece["w"].asnumpy(), WHOLE["w"][4:8])
    with pytest.raises(ValueError, match="'w' does not fit predict_strategy: the shape"):
        ms.load_distributed_checkpoint(
            None, None, {"w": ([3], [0, -1])}, unified_safetensors_dir=tmp_path / "all", rank_id=0
        )


def test_unified_of_files_without_what_others_have(tmp_path: Path) -> None:
    cuts = {"w": [[2, 2], [0, -1], 0, 0], "b": [[2, 2], [-1], 0, 0], "t": [[2, 2], [-1, -1, 1], 0, 0]}
    folder, file = sliced(tmp_path, cuts, "safetensors")
    for rank, lacks in ((0, {"w"}), (1, {"b", "t"}), (2, {"b"}), (3, {"b", "w"})):
        path = Path(folder) / f"rank_{rank}" / f"net{rank}.safetensors"
        kept = {name: array for name, array in FORMATS["safetensors"].read(path).items() if name not in lacks}
        FORMATS["safetensors"].write(path, kept, remove_redundancy=True)
    ms.unified_safetensors(
        folder, file, str(tmp_path / "all"), choice_func=lambda name: {"t": "tt", "b": False}.get(name, True)
    )
    found = FORMATS["safetensors"].read(tmp_path / "all" / "part0.safetensors")
    assert set(found) == {"w", "tt"} and all(np.array_equal(found[n], WHOLE[n[0]]) for n in found)
    (Path(folder) / "rank_2" / "net2.safetensors").unlink()
    with pytest.raises(ValueError, match="the piece of 'w' that rank 0 has is needed for rank 0, and missing"):
        ms.unified_safetensors(folder, file, str(tmp_path / "all"))
    with pytest.raises(ValueError, match="choice_func must return a bool or a string, got 3"):
        ms.unified_safetensors(folder, file, str(tmp_path / "all"), choice_func=lambda name: 3)
    for path in Path(folder).glob("*/*"):
        FORMATS["safetensors"].write(path, FORMATS["safetensors"].read(path))
    (Path(folder) / "rank_1" / "net1.safetensors").unlink()
    with pytest.raises(ValueError, match="the file of rank 1 is needed, and missing"):
        ms.unified_safetensors(folder, file, str(tmp_path / "all"))


def test_unified_in_shares(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sporax._src.checkpoint.sharded.distributed._PART", 1000)
    folder, file = sliced(tmp_path, PLAIN, "safetensors")
    for k in (1, 2):
        ms.unified_safetensors(folder, file, str(tmp_path / "all"), split_dst_file=(k, 2))
    assert {p.name for p in (tmp_path / "all").glob("part*")} == {f"part{i}.safetensors" for i in range(3)}
    net = Net()
    ms.load_distributed_checkpoint(net, format="safetensors", unified_safetensors_dir=str(tmp_path / "all"))
    assert all(np.array_equal(array, WHOLE[name]) for name, array in held(net).items())
    with pytest.raises(ValueError, match=r"split_dst_file must be a tuple \(k, n\) of ints, 1 <= k <= n, got \(3, 2\)"):
        ms.unified_safetensors(folder, file, str(tmp_path / "all"), split_dst_file=(3, 2))


@pytest.mark.parametrize("name", ["to whole", "nested with optimizer", "stages", "shared by stages"])
def test_load_distributed_checkpoint(name: str, tmp_path: Path) -> None:
    folder, file = sliced(tmp_path, RECORDED["cases"][name]["source"])
    files = [f"{folder}/rank_{r}/net{r}.ckpt" for r in range(len(RECORDED["cases"][name]["before"]))]
    net = Net()
    assert ms.load_distributed_checkpoint(net, files, None, file) == ([], ["global_step"])
    assert all(np.array_equal(array, WHOLE[name]) for name, array in held(net).items())
    ms.set_auto_parallel_context(strategy_ckpt_load_file=file)
    try:
        found = ms.load_distributed_checkpoint(None, files, strategies(tmp_path / "t.ckpt", PLAIN), rank_id=6)
    finally:
        ms.reset_auto_parallel_context()
    assert np.array_equal(found["w"].asnumpy(), WHOLE["w"][8:12]) and found["global_step"].asnumpy() == 7


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


def test_a_folder_that_is_replaced_while_it_is_read_is_told(tmp_path: Path) -> None:
    save(tmp_path / "run" / "rank_0" / "net.safetensors", WHOLE)
    ms.unified_safetensors(str(tmp_path / "run"), None, str(tmp_path / "all"))
    reading = distributed._Unified(tmp_path / "all", {})
    target = distributed._target(None)
    assert reading.read(target, 0).keys() == WHOLE.keys()
    ms.unified_safetensors(str(tmp_path / "run"), None, str(tmp_path / "all"))
    with pytest.raises(
        ValueError, match=r"load_distributed_checkpoint: .*all was replaced while it was read; load it again"
    ):
        reading.read(target, 0)


def test_what_strategies_do_not_name_does_not_stay_from_before(tmp_path: Path) -> None:
    for others in ({"global_step": np.int32(7)}, {}):
        save(tmp_path / "run" / "rank_0" / "net.safetensors", {**WHOLE, **others})
        file = strategies(tmp_path / "s.ckpt", {name: ([1], [-1] * a.ndim) for name, a in WHOLE.items()})
        ms.unified_safetensors(str(tmp_path / "run"), file, str(tmp_path / "all"))
        found = ms.load_distributed_checkpoint(
            None, unified_safetensors_dir=str(tmp_path / "all"), return_param_dict=True
        )
        assert found.keys() == {*WHOLE, *others}

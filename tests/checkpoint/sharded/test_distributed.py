"""Slices unified into whole files, and loaded."""

import json
from pathlib import Path

import numpy as np
import pytest
from sliced_files import PLAIN, RECORDED, WHOLE, held, save, shown, sliced, strategies

import sporax as ms
from sporax import Parameter, Tensor, nn
from sporax._src.checkpoint.formats import FORMATS
from sporax._src.checkpoint.sharded import distributed


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        for name, array in WHOLE.items():
            setattr(self, name, Parameter(Tensor(np.zeros_like(array)), name=name))


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

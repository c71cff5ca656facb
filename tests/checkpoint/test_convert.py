"""Checkpoint files in another format, looked at, loaded in the background, and put together from several processes."""

import threading
from pathlib import Path

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn
from sporax._src.checkpoint.formats import FORMATS

W = {"a.weight": np.arange(4, dtype=np.float32).reshape(2, 2), "b": np.array([1, 2], np.int64)}


def save(path: Path, values: dict = W, format: str = "ckpt") -> str:
    ms.save_checkpoint({n: Tensor(v) for n, v in values.items()}, str(path), format=format)
    return str(path)


def test_both_ways(tmp_path: Path) -> None:
    (tmp_path / "in/deep").mkdir(parents=True)
    save(tmp_path / "in/x.ckpt")
    save(tmp_path / "in/deep/y.ckpt")
    ms.ckpt_to_safetensors(str(tmp_path / "in"), str(tmp_path / "out"), name_map={"b": "c"}, file_name_regex="[xy]")
    assert sorted(p.name for p in (tmp_path / "out").rglob("*.*")) == ["x.safetensors", "y.safetensors"]
    ms.safetensors_to_ckpt(str(tmp_path / "out/deep/y.safetensors"))
    back = ms.load_checkpoint(str(tmp_path / "out/deep/y.ckpt"))
    np.testing.assert_array_equal(back["a.weight"].asnumpy(), W["a.weight"])
    assert back["c"].asnumpy().tolist() == [1, 2]
    with pytest.raises(TypeError, match="name_map must be a dict, got 3"):
        ms.ckpt_to_safetensors(str(tmp_path), name_map=3)
    with pytest.raises(ValueError, match=r"no '\.ckpt' file, and no folder that has one"):
        ms.ckpt_to_safetensors(str(tmp_path / "nothing"))


def test_check_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "bad.ckpt").write_bytes(b"garbage" * 10)
    save(tmp_path / "s.safetensors", format="safetensors")
    assert ms.check_checkpoint(save(tmp_path / "x.ckpt"))
    assert not ms.check_checkpoint(str(tmp_path / "bad.ckpt"))
    assert not ms.check_checkpoint(str(tmp_path / "s.safetensors"))
    with pytest.raises(FileNotFoundError):
        ms.check_checkpoint(str(tmp_path / "none.ckpt"))


def test_in_the_background(tmp_path: Path) -> None:
    net = nn.Dense(2, 1)
    values = {"weight": np.full((1, 2), 3, np.float32), "bias": np.zeros(1, np.float32)}
    future = ms.load_checkpoint_async(save(tmp_path / "x.ckpt", values), net)
    assert list(future.result()) == list(values) and net.weight.asnumpy().tolist() == [[3, 3]]
    with pytest.raises(ValueError, match="does not exist"):
        ms.load_checkpoint_async(str(tmp_path / "none.ckpt")).result()
    assert ms.async_ckpt_thread_status() is False


def test_several_in_the_background(tmp_path: Path) -> None:
    """The suffix tells the format; no thread stays."""
    files = [save(tmp_path / f"{i}.{kind}", {"w": np.full(3, i)}, kind) for i, kind in enumerate(FORMATS)]
    futures = [ms.load_checkpoint_async(file) for file in files]
    assert [future.result()["w"].asnumpy().tolist() for future in futures * 2] == [[0] * 3, [1] * 3] * 2
    for thread in threading.enumerate():
        if thread.name.startswith("sporax-load"):
            thread.join(30)
            assert not thread.is_alive()


def test_of_several_processes(tmp_path: Path) -> None:
    for rank in (0, 1):
        (tmp_path / f"rank_{rank}").mkdir()
        part = {"weight": np.full((1, 2), 3 + rank, np.float32)} | ({"bias": np.ones(1, np.float32)} if rank else {})
        save(tmp_path / f"rank_{rank}/net.safetensors", part, "safetensors")
    ms.unified_safetensors(str(tmp_path), None, str(tmp_path / "all"), choice_func=lambda n: f"net.{n}")
    found = ms.load_distributed_checkpoint(None, unified_safetensors_dir=str(tmp_path / "all"))
    assert {n: p.asnumpy().tolist() for n, p in found.items()} == {"net.weight": [[3, 3]], "net.bias": [1]}
    net = nn.Dense(2, 1)
    names = {"weight": "net.weight", "bias": "net.bias"}
    folder = str(tmp_path / "all")
    assert ms.load_distributed_checkpoint(net, unified_safetensors_dir=folder, name_map=names) == ([], [])
    assert net.bias.item() == 1
    files = [str(tmp_path / f"rank_{rank}/net.safetensors") for rank in (1, 0)]
    options = {"format": "safetensors", "dst_safetensors_dir": str(tmp_path / "dst")}
    ms.load_distributed_checkpoint(net, files, **options)
    assert net.weight.asnumpy().tolist() == [[4, 4]]
    assert list(ms.load_checkpoint(str(tmp_path / "dst/rank_0/net.safetensors"), format="safetensors")) == [
        "bias",
        "weight",
    ]
    for call, match in (
        (lambda: ms.load_distributed_checkpoint(net), "give checkpoint_filenames or unified_safetensors_dir"),
        (
            lambda: ms.load_distributed_checkpoint(net, files, {"weight": 3}, format="safetensors"),
            "predict_strategy must have lists by name that begin with dev_matrix and tensor_map, got 'weight': 3",
        ),
        (
            lambda: ms.load_distributed_checkpoint(net, unified_safetensors_dir=str(tmp_path)),
            "has no param_name_map.json",
        ),
        (
            lambda: ms.load_distributed_checkpoint(net, files, **options, output_format="x"),
            "output_format must be one of",
        ),
        (
            lambda: ms.unified_safetensors(str(tmp_path), "s.ckpt", "out"),
            "unified_safetensors: there is no file of strategies s.ckpt",
        ),
        (lambda: ms.unified_safetensors(str(tmp_path / "all"), None, "out"), "has no folders rank_0"),
    ):
        with pytest.raises(ValueError, match=match):
            call()


@pytest.mark.parametrize(
    "text", ['{"w": "../x.safetensors"}', '{"w": "/x.safetensors"}', '{"w": 3}', "[1]", "{", "[" * 100_000]
)
def test_maps_of_names_that_are_none(text: str, tmp_path: Path) -> None:
    """They name files beside them, and no others."""
    (tmp_path / "param_name_map.json").write_text(text)
    with pytest.raises(ValueError, match=r"param_name_map\.json must be JSON like \{"):
        ms.load_distributed_checkpoint(nn.Dense(2, 2), unified_safetensors_dir=str(tmp_path), format="safetensors")

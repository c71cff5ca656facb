"""Files of weights: whole and in parts, with what they say of themselves, and where they cannot be read or written."""

import json

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file
from weight_files import fails, pairs, saved, statuses
from weight_nets import small_net

import sporax as ms
from sporax import nn
from sporax.migrate import convert_weights


def test_numbers_of_no_axes_and_empty_arrays(tmp_path):
    state = {"scale": torch.tensor(2.5), "none": torch.zeros(0, 3)}
    convert_weights(saved(tmp_path, state), tmp_path / "net.safetensors")
    with safe_open(tmp_path / "net.safetensors", "np") as file:
        assert file.metadata()["format"] == "ms"
        assert file.get_tensor("scale").shape == () and file.get_tensor("none").shape == (0, 3)
    convert_weights(tmp_path / "net.safetensors", tmp_path / "back.pth")
    assert torch.load(tmp_path / "back.pth", weights_only=True)["scale"] == 2.5


def test_safetensors_say_whose_they_are(tmp_path):
    save_file({"a.weight": torch.ones(2, 2)}, tmp_path / "pt.safetensors", {"format": "pt"})
    convert_weights(tmp_path / "pt.safetensors", tmp_path / "ms.safetensors")
    convert_weights(tmp_path / "ms.safetensors", tmp_path / "back.safetensors")
    with safe_open(tmp_path / "back.safetensors", "np") as file:
        assert file.metadata()["format"] == "pt"


def test_safetensors_that_do_not_say_are_torchs(tmp_path):
    save_file({"bn.running_mean": torch.ones(2), "bn.running_var": torch.ones(2)}, tmp_path / "a.safetensors")
    report = convert_weights(tmp_path / "a.safetensors", tmp_path / "b.safetensors")
    assert pairs(report) == {"bn.running_mean": "bn.moving_mean", "bn.running_var": "bn.moving_variance"}


def test_files_in_parts(tmp_path):
    state = small_net().state_dict()
    names = list(state)
    parts = {"model-1.safetensors": names[:5], "model-2.safetensors": names[5:]}
    for part, held in parts.items():
        save_file({name: state[name] for name in held}, tmp_path / part, {"format": "pt"})
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {name: part for part, held in parts.items() for name in held}}))
    assert convert_weights(index, tmp_path / "net.ckpt", source_net=small_net()).ok
    for part, held in parts.items():
        torch.save({name: state[name] for name in held}, tmp_path / part.replace("safetensors", "bin"))
    text = index.read_text().replace(".safetensors", ".bin")
    (tmp_path / "pytorch_model.bin.index.json").write_text(text)
    assert convert_weights(tmp_path / "pytorch_model.bin.index.json", tmp_path / "same.ckpt", source_net=small_net()).ok
    assert (tmp_path / "net.ckpt").read_bytes() == (tmp_path / "same.ckpt").read_bytes()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "an index must be JSON like"),
        ('{"weight_map": {}}', "an index must be JSON like"),
        ('{"weight_map": {"a": "../a.bin"}}', "an index must be JSON like"),
        ('{"weight_map": {"a": "absent.bin"}}', "the index names absent.bin, which must lie beside it and do not"),
        ('{"weight_map": {"a": "part.bin", "b": "part.bin"}}', "promises what its parts do not hold: b in part.bin"),
    ],
)
def test_bad_indices_are_told(tmp_path, text, told):
    torch.save({"a": torch.ones(2)}, tmp_path / "part.bin")
    (tmp_path / "m.index.json").write_text(text)
    with pytest.raises((ValueError, FileNotFoundError), match=told):
        convert_weights(tmp_path / "m.index.json", tmp_path / "net.ckpt")


def test_text_in_a_checkpoint_is_left_out(tmp_path):
    ms.save_checkpoint(nn.Dense(2, 2), str(tmp_path / "net.ckpt"), append_dict={"note": "hello"})
    report = convert_weights(tmp_path / "net.ckpt", tmp_path / "net.pth")
    assert statuses(report) == {"weight": "carried", "bias": "carried", "note": "dropped"}


def test_places_that_cannot_be_read_or_written_are_told(tmp_path):
    src = saved(tmp_path, {"a": torch.ones(2)})
    (tmp_path / "folder.ckpt").mkdir()
    (tmp_path / "there.ckpt").write_bytes(b"old")
    (tmp_path / "link.pth").symlink_to(src)
    fails(tmp_path, tmp_path / "absent.pth", "absent.pth: there is no file", error=FileNotFoundError)
    fails(tmp_path, tmp_path / "folder.ckpt", "there is a folder; give the file", "o.pth", FileNotFoundError)
    fails(tmp_path, tmp_path / "net.h5", "the name must end in .pth, .pt, .bin, .ckpt, .safetensors, .index.json")
    fails(tmp_path, src, "there.ckpt: the file exists; give another name, or --force", "there.ckpt", FileExistsError)
    fails(tmp_path, src, "DST is a folder", "folder.ckpt")
    fails(tmp_path, src, "DST is SRC itself", "net.pth", force=True)
    fails(tmp_path, src, "DST is SRC itself", "link.pth", force=True)
    fails(tmp_path, src, "the folder .* does not exist", "deep/net.ckpt", FileNotFoundError)
    fails(tmp_path, src, "weights are written into one file", "net.index.json")
    fails(tmp_path, src, "One side must be PyTorch's .*, the other MindSpore's", "net.pt")
    fails(tmp_path, src, "target must be 'classic' or 'mint', got 'caffe'", target="caffe")
    assert convert_weights(src, tmp_path / "there.ckpt", force=True).ok


def test_nothing_is_left_behind_when_writing_fails(tmp_path, monkeypatch):
    src = saved(tmp_path, {"a": torch.ones(2)})
    monkeypatch.setattr(np, "ascontiguousarray", _broken)
    fails(tmp_path, src, "the disk is full", error=OSError)


def _broken(*args):
    raise OSError("the disk is full")

"""Files of weights: every suffix, whole and in parts, names by rule where no net is given, and one clear error for bad input."""

import builtins
import json
import subprocess
import sys
import zipfile

import ml_dtypes
import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

import sporax as ms
from sporax import mint, nn
from sporax.migrate import convert_weights

T = torch.nn


def small_net() -> torch.nn.Module:
    torch.manual_seed(0)
    net = T.Sequential(
        T.Conv2d(3, 4, 3), T.BatchNorm2d(4), T.PReLU(4), T.Conv1d(4, 2, 3), T.LayerNorm(5), T.Linear(5, 2)
    )
    for _, buffer in net.named_buffers():
        buffer.add_(torch.rand(buffer.shape).to(buffer.dtype))
    return net


def small_cell() -> nn.Cell:
    return nn.SequentialCell(
        nn.Conv2d(3, 4, 3, has_bias=True), nn.BatchNorm2d(4), nn.PReLU(4), nn.Conv1d(4, 2, 3, has_bias=True),
        nn.LayerNorm((5,)), nn.Dense(5, 2),
    )  # fmt: skip


CLASSIC = {
    "0.weight": "0.weight", "0.bias": "0.bias", "1.weight": "1.gamma", "1.bias": "1.beta", "1.running_mean": "1.moving_mean",
    "1.running_var": "1.moving_variance", "2.weight": "2.w", "3.weight": "3.weight", "3.bias": "3.bias", "4.weight": "4.gamma",
    "4.bias": "4.beta", "5.weight": "5.weight", "5.bias": "5.bias",
}  # fmt: skip


def pairs(report) -> dict[str, str]:
    return {row.source: row.target for row in report.rows if row.target}


def statuses(report) -> dict[str, str]:
    return {row.source or row.target: row.status for row in report.rows}


def saved(tmp_path, state, name="net.pth"):
    torch.save(state, tmp_path / name)
    return tmp_path / name


@pytest.mark.parametrize("suffix", [".pth", ".pt", ".bin", ".safetensors"])
def test_there_and_back_by_names_and_shapes(tmp_path, suffix):
    state = small_net().state_dict()
    src, middle, back = (tmp_path / name for name in (f"a{suffix}", "b.ckpt", f"c{suffix}"))
    save_file(state, src, {"format": "pt"}) if suffix == ".safetensors" else torch.save(state, src)
    report = convert_weights(src, middle)
    # a vector alone may as well be the scale of an RMS norm
    assert pairs(report) == CLASSIC | {"2.weight": "2.weight"}
    assert report.counts() == {"carried": 6, "renamed": 6, "reshaped": 1, "dropped": 1}
    assert statuses(report)["3.weight"] == "reshaped" and statuses(report)["1.num_batches_tracked"] == "dropped"
    doubted = {row.source for row in report.rows if "a rule, would tell" in row.reason}
    assert doubted == {"2.weight", "3.weight"}
    read = ms.load_checkpoint(str(middle))
    assert read["3.weight"].shape == (2, 4, 1, 3)
    assert convert_weights(middle, back, rules={"reshape": {"3.weight": [2, 4, 3]}}).ok
    found = load_file(back) if suffix == ".safetensors" else torch.load(back, weights_only=True)
    del state["1.num_batches_tracked"]
    assert set(found) == set(state)
    assert all(torch.equal(found[name], state[name]) for name in state)


def test_a_source_net_tells_the_kinds(tmp_path):
    net = small_net()
    report = convert_weights(saved(tmp_path, net.state_dict()), tmp_path / "net.ckpt", source_net=net)
    assert pairs(report) == CLASSIC
    assert not any("would tell" in row.reason for row in report.rows)
    cell = small_cell()
    assert ms.load_param_into_net(cell, ms.load_checkpoint(str(tmp_path / "net.ckpt"))) == ([], [])
    back = convert_weights(tmp_path / "net.ckpt", tmp_path / "back.pth", source_net=cell)
    assert back.ok and pairs(back)["3.weight"] == "3.weight"
    again = torch.load(tmp_path / "back.pth", weights_only=True)
    net.load_state_dict(again)  # batches counted are the one thing that torch may lack
    assert torch.equal(again["3.weight"], net[3].weight)


def test_a_target_net_tells_the_names(tmp_path):
    src = saved(tmp_path, small_net().state_dict())
    assert pairs(convert_weights(src, tmp_path / "net.ckpt", target_net=small_cell())) == CLASSIC
    back = convert_weights(tmp_path / "net.ckpt", tmp_path / "back.pth", target_net=small_net())
    assert {target: source for source, target in pairs(back).items() if source} == CLASSIC
    assert statuses(back)["1.num_batches_tracked"] == "derived"
    small_net().load_state_dict(torch.load(tmp_path / "back.pth", weights_only=True), strict=True)


@pytest.mark.parametrize(("groups", "kernel"), [(4, 3), (1, 1), (2, 1)])
def test_one_dimensional_convolutions_with_axes_of_length_one(tmp_path, groups, kernel):
    net = T.Conv1d(4, 4, kernel, groups=groups)
    src = saved(tmp_path, {f"conv.{name}": value for name, value in net.state_dict().items()})
    convert_weights(src, tmp_path / "net.ckpt")
    kept = ms.load_checkpoint(str(tmp_path / "net.ckpt"))["conv.weight"]
    assert kept.shape == nn.Conv1d(4, 4, kernel, group=groups).weight.shape
    cell = nn.Cell()
    cell.conv = nn.Conv1d(4, 4, kernel, group=groups, has_bias=True)
    convert_weights(tmp_path / "net.ckpt", tmp_path / "back.pth", source_net=cell)
    assert torch.equal(torch.load(tmp_path / "back.pth", weights_only=True)["conv.weight"], net.weight)


def test_layers_of_mint_keep_the_names(tmp_path):
    net = T.Sequential(T.Conv1d(3, 4, 3), T.BatchNorm1d(4), T.Embedding(3, 2))
    report = convert_weights(saved(tmp_path, net.state_dict()), tmp_path / "net.ckpt", target="mint")
    assert report.counts() == {"carried": 8}
    cell = nn.SequentialCell(mint.nn.Conv1d(3, 4, 3), mint.nn.BatchNorm1d(4), mint.nn.Embedding(3, 2))
    assert ms.load_param_into_net(cell, ms.load_checkpoint(str(tmp_path / "net.ckpt"))) == ([], [])


def test_dtypes_are_kept(tmp_path):
    kinds = [torch.bfloat16, torch.float16, torch.float64, torch.int8, torch.int64, torch.bool, torch.complex64]
    state = {f"x.{i}": torch.arange(6).reshape(2, 3).to(kind) for i, kind in enumerate(kinds)}
    convert_weights(saved(tmp_path, state), tmp_path / "net.ckpt")
    read = ms.load_checkpoint(str(tmp_path / "net.ckpt"))
    assert read["x.0"].asnumpy().dtype == ml_dtypes.bfloat16
    convert_weights(tmp_path / "net.ckpt", tmp_path / "back.pth")
    back = torch.load(tmp_path / "back.pth", weights_only=True)
    assert all(back[name].dtype == state[name].dtype and torch.equal(back[name], state[name]) for name in state)


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


def test_torch_is_loaded_where_it_is_needed_only(tmp_path):
    save_file({"a.weight": torch.ones(2, 2)}, tmp_path / "a.safetensors")
    code = (
        "import sys, sporax.migrate as m; m.convert_weights('a.safetensors', 'a.ckpt'); "
        "from sporax._src.cli.commands import weights; print('torch' in sys.modules)"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path).stdout == "False\n"
    )


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


def test_what_wraps_a_net_is_left_out_and_told(tmp_path):
    state = {f"module._orig_mod.{name}": tensor for name, tensor in small_net().state_dict().items()}
    src = saved(tmp_path, {"epoch": 3, "state_dict": state, "args": {"lr": 0.1}})
    report = convert_weights(src, tmp_path / "net.ckpt", source_net=small_net())
    assert pairs(report)["module._orig_mod.1.weight"] == "1.gamma"
    assert {row.source for row in report.rows if "stand below 'state_dict'" in row.reason} == {"epoch", "args"}


def test_text_in_a_checkpoint_is_left_out(tmp_path):
    ms.save_checkpoint(nn.Dense(2, 2), str(tmp_path / "net.ckpt"), append_dict={"note": "hello"})
    report = convert_weights(tmp_path / "net.ckpt", tmp_path / "net.pth")
    assert statuses(report) == {"weight": "carried", "bias": "carried", "note": "dropped"}


def test_transformers_call_their_linear_layers_otherwise(tmp_path):
    net = T.TransformerEncoderLayer(4, 2, 8)
    report = convert_weights(saved(tmp_path, {f"a.{k}": v for k, v in net.state_dict().items()}), tmp_path / "net.ckpt")
    assert pairs(report)["a.linear1.weight"] == "a.dense1.weight" and pairs(report)["a.norm1.bias"] == "a.norm1.beta"
    back = convert_weights(tmp_path / "net.ckpt", tmp_path / "back.pth")
    assert pairs(back)["a.dense2.bias"] == "a.linear2.bias"


# --- errors ---------------------------------------------------------------------------------------------------------


def fails(tmp_path, src, told, dst="out.ckpt", error=ValueError, **options):
    """Expect one error, and a folder in which nothing was written."""
    before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    with pytest.raises(error, match=told):
        convert_weights(src, tmp_path / dst, **options)
    assert {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before


def test_files_that_are_no_weights_are_told(tmp_path):
    (tmp_path / "junk.pth").write_bytes(b"hello world")
    (tmp_path / "empty.pt").write_bytes(b"")
    torch.save([1, 2], tmp_path / "list.pth")
    torch.save({"a": 1}, tmp_path / "numbers.pth")
    torch.save(small_net(), tmp_path / "whole.pth")
    with zipfile.ZipFile(tmp_path / "zip.bin", "w") as archive:
        archive.writestr("x", "y")
    (tmp_path / "junk.ckpt").write_bytes(b"hello world")
    (tmp_path / "junk.safetensors").write_bytes(b"hello world")
    for name in ("junk.pth", "empty.pt", "zip.bin"):
        fails(tmp_path, tmp_path / name, f"{name}: it is no file that torch.save wrote, or it is damaged")
    fails(tmp_path, tmp_path / "list.pth", "expected tensors by name, as net.state_dict.. gives them, got a list")
    fails(tmp_path, tmp_path / "numbers.pth", "expected tensors by name, or below state_dict, .* it holds a")
    fails(tmp_path, tmp_path / "whole.pth", r"holds an object of torch.*write torch.save\(net.state_dict\(\), FILE\)")
    fails(tmp_path, tmp_path / "junk.ckpt", "is not a readable MindSpore checkpoint", "out.pth")
    fails(tmp_path, tmp_path / "junk.safetensors", "is not a readable safetensors file")


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
def test_programs_of_torchscript_are_told(tmp_path):
    torch.jit.script(T.Linear(2, 2)).save(tmp_path / "net.pt")
    fails(tmp_path, tmp_path / "net.pt", "it is a TorchScript program; write torch.save")


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


@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor:UserWarning", "ignore:TypedStorage:UserWarning")
def test_tensors_without_an_array_are_told(tmp_path):
    quantized = torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8)
    fails(tmp_path, saved(tmp_path, {"a": torch.ones(2, 2).to_sparse()}), "net.pth: a is sparse; save it as a dense")
    fails(tmp_path, saved(tmp_path, {"a": torch.empty(2, device="meta")}), "a has no values")
    fails(
        tmp_path,
        saved(tmp_path, {"a": torch.ones(2).to(torch.float8_e5m2)}),
        "a is of torch.float8_e5m2, which has no array",
    )
    fails(tmp_path, saved(tmp_path, {"a": quantized}), "a is quantized; save it as a dense tensor of numbers")


def test_torch_that_is_missing_is_told(tmp_path, monkeypatch):
    src, real = saved(tmp_path, {"a": torch.ones(2)}), builtins.__import__

    def without_torch(name, *args, **kwargs):
        if name == "torch":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_torch)
    fails(tmp_path, src, "torch is needed to read and write its files; run: pip install torch", error=ImportError)


def test_nothing_is_left_behind_when_writing_fails(tmp_path, monkeypatch):
    src = saved(tmp_path, {"a": torch.ones(2)})
    monkeypatch.setattr(np, "ascontiguousarray", _broken)
    fails(tmp_path, src, "the disk is full", error=OSError)


def _broken(*args):
    raise OSError("the disk is full")

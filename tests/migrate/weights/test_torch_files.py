"""torch's own files: tensors of every dtype, and one clear error for what is no file of weights."""

import builtins
import subprocess
import sys
import zipfile

import ml_dtypes
import pytest
import torch
from converted_programs import execute
from safetensors.torch import save_file
from weight_files import fails, pairs, saved
from weight_nets import small_net

import sporax as ms
from sporax._src.migrate.source.convert import convert
from sporax.migrate import convert_weights

T = torch.nn


def test_dtypes_are_kept(tmp_path):
    kinds = [torch.bfloat16, torch.float16, torch.float64, torch.int8, torch.int64, torch.bool, torch.complex64]
    state = {f"x.{i}": torch.arange(6).reshape(2, 3).to(kind) for i, kind in enumerate(kinds)}
    convert_weights(saved(tmp_path, state), tmp_path / "net.ckpt")
    read = ms.load_checkpoint(str(tmp_path / "net.ckpt"))
    assert read["x.0"].asnumpy().dtype == ml_dtypes.bfloat16
    convert_weights(tmp_path / "net.ckpt", tmp_path / "back.pth")
    back = torch.load(tmp_path / "back.pth", weights_only=True)
    assert all(back[name].dtype == state[name].dtype and torch.equal(back[name], state[name]) for name in state)


def test_torch_is_loaded_where_it_is_needed_only(tmp_path):
    save_file({"a.weight": torch.ones(2, 2)}, tmp_path / "a.safetensors")
    code = (
        "import sys, sporax.migrate as m; m.convert_weights('a.safetensors', 'a.ckpt'); "
        "from sporax._src.cli.commands import weights; print('torch' in sys.modules)"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path).stdout == "False\n"
    )


def test_what_wraps_a_net_is_left_out_and_told(tmp_path):
    state = {f"module._orig_mod.{name}": tensor for name, tensor in small_net().state_dict().items()}
    src = saved(tmp_path, {"epoch": 3, "state_dict": state, "args": {"lr": 0.1}})
    report = convert_weights(src, tmp_path / "net.ckpt", source_net=small_net())
    assert pairs(report)["module._orig_mod.1.weight"] == "1.gamma"
    assert {row.source for row in report.rows if "stand below 'state_dict'" in row.reason} == {"epoch", "args"}


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


@pytest.mark.parametrize("target", ["mint", "classic"])
def test_files_of_converted_programs_are_read(tmp_path, target):
    """Their names are those of the converted network."""
    text = "import torch\nfrom torch import nn\nnet = nn.Sequential(nn.Conv1d(2, 4, 3), nn.BatchNorm1d(4), nn.Embedding(3, 2))\n"
    scope = {"path": tmp_path / "net.pt"}
    execute(
        convert(
            text + 'torch.save({"model": net.state_dict(), "optimizer": {"state": {}, "param_groups": []}}, path)',
            target=target,
        ),
        scope,
    )
    theirs: dict = {}
    exec(text, theirs)
    report = convert_weights(
        tmp_path / "net.pt", tmp_path / "out.pth", source_net=scope["net"], target_net=theirs["net"]
    )
    assert report.ok
    theirs["net"].load_state_dict(torch.load(tmp_path / "out.pth", weights_only=True))
    assert torch.equal(
        theirs["net"][2].weight.detach(), torch.from_numpy(scope["net"][2].parameters_dict().popitem()[1].asnumpy())
    )
    assert {row.source: row.reason for row in report.rows}["optimizer"].startswith(
        "the state of a converted program's optimizer"
    )

"""Saving and loading: the row of the torch map that uses these helpers, and what comes back from a file."""

import collections
import io
import os
import pickle
import warnings
import zipfile

import numpy as np
import pytest
import torch
from converted_programs import execute
from torch_map_rows import rows_of

import sporax as ms
from sporax._src.migrate.helpers.training.storage import _load, _save
from sporax._src.migrate.source.convert import convert

TestRows = rows_of("sporax._src.migrate.helpers.training.storage")

Pair = collections.namedtuple("Pair", "a b")


def again(value, **options):
    """Return what comes back of a value."""
    file = io.BytesIO()
    _save(value, file)
    file.seek(0)
    return _load(file, **options)


@pytest.mark.parametrize("dtype", ["bool_", "uint8", "int64", "float16", "bfloat16", "float32", "complex64"])
def test_tensors_keep_their_dtypes(dtype):
    tensor = ms.Tensor([[0, 1], [1, 3]], getattr(ms, dtype))
    found = again({"inner": [tensor, (tensor,)]})
    for got in (found["inner"][0], found["inner"][1][0]):
        assert got.dtype == tensor.dtype and bool((got == tensor).all())


def test_parameters_keep_their_names():
    found = again(collections.OrderedDict(w=ms.Parameter(ms.Tensor([1.0, 2.0]), name="net.w")))
    assert type(found) is collections.OrderedDict and isinstance(found["w"], ms.Parameter)
    assert found["w"].name == "net.w" and found["w"].asnumpy().tolist() == [1, 2]


def test_files_are_named_by_paths_too(tmp_path):
    _save({"epoch": 3}, tmp_path / "x.pt")
    assert _load(tmp_path / "x.pt") == {"epoch": 3}


def test_classes_of_the_program_are_read_where_it_asks_for_them(monkeypatch):
    monkeypatch.setattr(Pair, "__module__", "collections")
    monkeypatch.setattr(collections, "Pair", Pair, raising=False)
    with pytest.raises(pickle.UnpicklingError, match=r"it names collections\.Pair, .*weights_only=False reads it"):
        again(Pair(1, 2))
    assert again(Pair(1, 2), weights_only=False) == Pair(1, 2)


def test_other_files_are_refused(tmp_path):
    (tmp_path / "x.pt").write_bytes(b"PK\x03\x04 of torch")
    with pytest.raises(pickle.UnpicklingError, match=r"x\.pt was not written by the converted torch\.save"):
        _load(tmp_path / "x.pt")


PROGRAM = """import torch
from torch import nn

net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Flatten(), nn.Linear(8, 3))
optimizer = torch.optim.AdamW(net.parameters(), lr=0.25)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
net(torch.ones(2, 1, 4, 4)).pow(2).sum().backward()
optimizer.step()
scheduler.step()
torch.save({"model": net.state_dict(), "optimizer": optimizer.state_dict(), "scheduler": scheduler.state_dict(),
            "epoch": 3, "loss": 0.5, "best": float("inf"), "history": [(1, 0.5), (2, 0.25)], "dtype": torch.float16}, path)
"""


def run_converted(text, target="mint", **names):
    """Run a converted program and return its names."""
    converted, scope = convert(text, target=target), dict(names)
    assert not converted.todo
    execute(converted, scope)
    return scope


def test_torch_reads_what_a_converted_program_saves(tmp_path):
    path = tmp_path / "checkpoint.pt"
    ours = run_converted(PROGRAM, path=path)
    found = torch.load(path, weights_only=True)
    names: dict = {"path": tmp_path / "theirs.pt"}
    exec(PROGRAM, names)
    theirs = torch.load(names["path"], weights_only=True)
    names["net"].load_state_dict(found["model"], strict=True)
    assert type(found["model"]) is type(theirs["model"]) and [*found["model"]] == [*theirs["model"]]
    for name, tensor in found["model"].items():
        assert isinstance(tensor, torch.Tensor) and tensor.dtype == theirs["model"][name].dtype
    rest = ("epoch", "loss", "best", "history", "dtype")
    assert [found[key] for key in rest] == [theirs[key] for key in rest]
    ours_by_place, theirs_by_place = (file["optimizer"]["state"] for file in (found, theirs))
    assert {i: [*state] for i, state in ours_by_place.items()} == {i: [*state] for i, state in theirs_by_place.items()}
    assert all(isinstance(value, torch.Tensor) for state in ours_by_place.values() for value in state.values())
    assert found["optimizer"]["param_groups"][0]["lr"] == theirs["optimizer"]["param_groups"][0]["lr"] == 0.25
    np.testing.assert_array_equal(names["net"][3].weight.detach().numpy(), ours["net"][3].weight.asnumpy())


@pytest.mark.parametrize("target", ["mint", "classic"])
def test_a_converted_program_reads_what_it_and_torch_saved(tmp_path, target):
    path = tmp_path / "checkpoint.pt"
    run_converted(PROGRAM, target, path=path)
    again = _load(path)
    assert again["model"]["3.weight"].shape == (3, 8) and again["dtype"] == ms.float16
    names: dict = {"path": path}
    exec(PROGRAM, names)
    theirs = _load(path)
    for name, tensor in names["net"].state_dict().items():
        np.testing.assert_array_equal(theirs["model"][name].asnumpy(), tensor.numpy())
    assert theirs["optimizer"]["state"][0]["step"].asnumpy() == 1 and theirs["history"] == [(1, 0.5), (2, 0.25)]


def test_a_file_holds_what_torch_writes_too(tmp_path):
    value = {"a": ms.Tensor([1.0, 2.0]), "n": [1, "two", None, (3.0,)]}
    _save(value, tmp_path / "ours.pt")
    with zipfile.ZipFile(tmp_path / "ours.pt") as archive:
        names = set(archive.namelist())
        offsets = {i.filename: i.header_offset + 30 + len(i.filename) + len(i.extra) for i in archive.infolist()}
    buffer = io.BytesIO()
    torch.save({"a": torch.tensor([1.0, 2.0]), "n": [1, "two", None, (3.0,)]}, buffer)
    with zipfile.ZipFile(buffer) as archive:
        theirs = set(archive.namelist())
    assert names - theirs == {"archive/.data/parameter_names"}
    assert theirs - names == {"archive/.data/serialization_id"}
    assert offsets["archive/data/0"] % 64 == 0
    assert torch.load(tmp_path / "ours.pt", weights_only=True, mmap=True)["a"].tolist() == [1, 2]


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    path = tmp_path / "net.pt"
    torch.save({"a": torch.ones(2)}, path)
    before = path.read_bytes()
    with pytest.raises((pickle.PicklingError, AttributeError, TypeError)):
        _save({"a": ms.Tensor([1.0]), "f": lambda: None}, path)
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["net.pt"]
    link = tmp_path / "last.pt"
    link.symlink_to(path)
    _save({"a": ms.Tensor([3.0])}, link)
    assert link.is_symlink() and torch.load(path, weights_only=True)["a"].tolist() == [3]
    with pytest.raises(FileNotFoundError):
        _save({}, tmp_path / "absent" / "net.pt")


def test_a_write_that_fails_leaves_no_file(tmp_path, monkeypatch):
    path = tmp_path / "net.pt"
    _save({"epoch": 1}, path)

    def fail(source, target):
        raise OSError("no space")

    with monkeypatch.context() as patch, pytest.raises(OSError, match="no space"):
        patch.setattr(os, "replace", fail)
        _save({"epoch": 2}, path)
    assert os.listdir(tmp_path) == ["net.pt"] and _load(path) == {"epoch": 1}


def test_files_of_earlier_conversions_are_read():
    box = np.empty(1, object)
    box[0] = {"w": {"__tensor__": np.ones(2, np.float32), "dtype": "bfloat16", "name": "net.w"}, "l": [(1, 2)]}
    file = io.BytesIO()
    np.save(file, box, allow_pickle=True)
    file.seek(0)
    found = _load(file)
    assert found["w"].name == "net.w" and found["w"].dtype == ms.bfloat16 and found["l"] == [(1, 2)]


def test_files_of_torch_that_hold_no_values_are_told(tmp_path):
    torch.save({"a": torch.ones(1)}, tmp_path / "old.pt", _use_new_zipfile_serialization=False)
    with pytest.raises(
        pickle.UnpicklingError, match=r"old\.pt was .*a file of torch before 1\.6; `sporax weights` converts"
    ):
        _load(tmp_path / "old.pt")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.jit.script(torch.nn.Linear(1, 1)).save(tmp_path / "program.pt")
    with pytest.raises(pickle.UnpicklingError, match="a program of TorchScript"):
        _load(tmp_path / "program.pt")
    torch.save(torch.nn.Linear(1, 1), tmp_path / "net.pt")
    with pytest.raises(
        pickle.UnpicklingError, match=r"it names torch\.nn\.modules\.linear\.Linear, .*weights_only=False reads"
    ):
        _load(tmp_path / "net.pt")


def test_damaged_files_are_told(tmp_path):
    """A change of a byte gives one clear error, or a value that is none the worse for it."""
    _save({"a": ms.Tensor([1.0, 2.0]), "b": [1, "text", (2.5, None)]}, tmp_path / "x.pt")
    content = (tmp_path / "x.pt").read_bytes()
    rng = np.random.default_rng(0)
    errors = 0
    for _ in range(300):
        damaged = bytearray(content)
        damaged[rng.integers(len(damaged))] = rng.integers(256)
        try:
            _load(io.BytesIO(bytes(damaged)))
        except pickle.UnpicklingError as error:
            errors += "torch.load: " in str(error)
    assert errors > 50

"""ModelCheckpoint leaves the files that MindSpore 2.7.0's leaves, and training goes on from them exactly."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from training import GOLDEN, model, rows

import sporax as ms
from sporax import nn, train

RUNS = {
    "default": {},
    "steps 3": {"save_checkpoint_steps": 3},
    "steps 3, max 2": {"save_checkpoint_steps": 3, "keep_checkpoint_max": 2},
    "steps 3, max 0": {"save_checkpoint_steps": 3, "keep_checkpoint_max": 0},
    "max 3": {"keep_checkpoint_max": 3},
    "twice": {"save_checkpoint_steps": 4},
    "safetensors": {"save_checkpoint_steps": 4, "format": "safetensors"},
    "prefix function": {"save_checkpoint_steps": 4},
    "seconds": {"save_checkpoint_steps": None, "save_checkpoint_seconds": 1000},
}


@pytest.mark.parametrize("name", RUNS)
def test_files(name: str, tmp_path: Path) -> None:
    for _ in range(2 if name == "twice" else 1):
        prefix = (lambda a: f"e{a.cur_epoch_num}s{a.cur_step_num}") if name == "prefix function" else "net"
        saver = train.ModelCheckpoint(prefix, str(tmp_path), train.CheckpointConfig(**RUNS[name]))
        model().train(2, rows(), callbacks=saver)
    assert sorted(p.name for p in tmp_path.iterdir()) == GOLDEN["files"][name]
    assert Path(saver.latest_ckpt_file_name) == tmp_path / GOLDEN["files"][name][-1]
    assert saver._latest_ckpt_file_name == saver.latest_ckpt_file_name  # programs read either


def test_nothing_saved_yet(tmp_path: Path) -> None:
    """The folder is made, the latest file has no name."""
    saver = train.ModelCheckpoint(directory=str(tmp_path / "a" / "b"))
    assert saver.latest_ckpt_file_name == ""
    assert (tmp_path / "a" / "b").is_dir()


def test_folder_as_a_function(tmp_path: Path) -> None:
    saver = train.ModelCheckpoint("net", lambda a: str(tmp_path / f"epoch{a.cur_epoch_num}"), train.CheckpointConfig(4))
    model().train(2, rows(), callbacks=saver)
    assert sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*.ckpt")) == [
        "epoch1/net-1_4.ckpt",
        "epoch2/net-2_4.ckpt",
    ]


def test_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    model().train(1, rows(), callbacks=train.ModelCheckpoint(config=train.CheckpointConfig(4)))
    assert [p.name for p in tmp_path.iterdir()] == ["CKP-1_4.ckpt"]


def test_keep_one_file_for_some_minutes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the files of some minutes the first stays, and the newest of all."""
    now = [0.0]
    monkeypatch.setattr("sporax._src.train.callbacks.checkpointing.time.monotonic", lambda: now[0])
    config = train.CheckpointConfig(1, keep_checkpoint_max=0, keep_checkpoint_per_n_minutes=1)
    saver = train.ModelCheckpoint("net", str(tmp_path), config)
    later = train.LambdaCallback(on_train_step_end=lambda c: now.__setitem__(0, now[0] + 25))
    model().train(2, rows(), callbacks=[saver, later])
    kept = ["net-1_1.ckpt", "net-1_3.ckpt", "net-2_1.ckpt", "net-2_3.ckpt", "net-2_4.ckpt"]
    assert sorted(p.name for p in tmp_path.iterdir()) == kept


def test_save_by_seconds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("sporax._src.train.callbacks.checkpointing.time.monotonic", lambda: now[0])
    saver = train.ModelCheckpoint("net", str(tmp_path), train.CheckpointConfig(0, save_checkpoint_seconds=60))
    later = train.LambdaCallback(on_train_step_begin=lambda c: now.__setitem__(0, now[0] + 25))
    model().train(2, rows(), callbacks=[later, saver])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["net-1_3.ckpt", "net-2_2.ckpt", "net-2_4.ckpt"]


def test_save_when_training_breaks(tmp_path: Path) -> None:
    config = train.CheckpointConfig(save_checkpoint_steps=100, exception_save=True)
    saver = train.ModelCheckpoint("net", str(tmp_path), config)

    def fail(run_context: train.RunContext) -> None:
        if run_context.original_args().cur_step_num == 6:
            raise OSError("disk")

    with pytest.raises(OSError, match="disk"):
        model().train(2, rows(), callbacks=[saver, train.LambdaCallback(on_train_step_end=fail)])
    assert [p.name for p in tmp_path.iterdir()] == ["net-2_2_breakpoint.ckpt"]
    assert train.ModelCheckpoint("net", str(tmp_path))._prefix == "net"


def test_what_is_saved(tmp_path: Path) -> None:
    """Network and optimizer, the numbers asked for, or another network."""
    config = train.CheckpointConfig(4, append_info=["epoch_num", "step_num", {"lr": 0.5, "name": "x"}])
    model().train(2, rows(), callbacks=train.ModelCheckpoint("net", str(tmp_path), config))
    saved = ms.load_checkpoint(str(tmp_path / "net-2_4.ckpt"))
    assert (saved["epoch_num"].item(), saved["step_num"].item(), saved["lr"].item()) == (2, 8, 0.5)
    assert {"weight", "bias", "global_step", "learning_rate", "momentum", "moments.weight", "moments.bias"} < set(saved)
    assert saved["global_step"].asnumpy().tolist() == [8]


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_another_network_with_a_checksum(format: str, tmp_path: Path) -> None:
    """`saved_network` is saved in place of the network, and the file passes the comparison of its checksum."""
    other = nn.Dense(1, 1)
    config = train.CheckpointConfig(4, saved_network=other, crc_check=True, format=format)
    model().train(1, rows(), callbacks=train.ModelCheckpoint("other", str(tmp_path), config))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loaded = ms.load_checkpoint(str(tmp_path / f"other-1_4.{format}"), crc_check=True, format=format)
    assert {n: p.shape for n, p in loaded.items()} == {"weight": (1, 1), "bias": (1,)}


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_training_goes_on_exactly(mode: int, format: str, tmp_path: Path) -> None:
    """Two epochs from the checkpoint of the first are the last two of three."""
    whole, part = model(), model()
    whole.train(3, rows())
    saver = train.ModelCheckpoint("net", str(tmp_path), train.CheckpointConfig(4, format=format))
    part.train(1, rows(), callbacks=saver)
    again = model()
    found = ms.load_checkpoint(saver.latest_ckpt_file_name, format=format)
    assert ms.load_param_into_net(again.train_network, found) == ([], [])
    again.train(3, rows(), initial_epoch=1)
    for a, b in zip(whole.train_network.get_parameters(), again.train_network.get_parameters(), strict=True):
        np.testing.assert_array_equal(a.asnumpy(), b.asnumpy(), err_msg=a.name)


def test_policy() -> None:
    """What was given first counts: steps before seconds, a number of files before minutes."""
    config = train.CheckpointConfig(10, 20, 3, 4)
    assert config.get_checkpoint_policy() == {
        "save_checkpoint_steps": 10,
        "save_checkpoint_seconds": None,
        "keep_checkpoint_max": 3,
        "keep_checkpoint_per_n_minutes": None,
        "saved_network": None,
    }
    assert config.append_dict is None
    later = train.CheckpointConfig(0, 20, 0, 4, append_info=["epoch_num"])
    assert (later.save_checkpoint_seconds, later.keep_checkpoint_max, later.keep_checkpoint_per_n_minutes) == (
        20,
        None,
        4,
    )
    assert later.append_dict == {"epoch_num": 0}


C, M = train.CheckpointConfig, train.ModelCheckpoint
ERRORS = {
    "CheckpointConfig(0, 0, 0, 0)": (lambda: C(0, 0, 0, 0), "must not be all 0 or None"),
    "CheckpointConfig(-1)": (lambda: C(-1), "save_checkpoint_steps must be >= 0, got -1"),
    "CheckpointConfig(1.5)": (lambda: C(1.5), "save_checkpoint_steps must be an int, got 1.5"),
    "CheckpointConfig(keep_checkpoint_max='a')": (lambda: C(keep_checkpoint_max="a"), "must be an int, got 'a'"),
    "CheckpointConfig(saved_network=1)": (lambda: C(saved_network=1), "saved_network must be a Cell or None, got 1"),
    "CheckpointConfig(append_info='epoch_num')": (lambda: C(append_info="epoch_num"), "append_info must be a list"),
    "CheckpointConfig(append_info=['epoch'])": (lambda: C(append_info=["epoch"]), "takes 'epoch_num' and 'step_num'"),
    "CheckpointConfig(append_info=[1])": (lambda: C(append_info=[1]), "must hold strings and a dict, got 1"),
    "CheckpointConfig(append_info=[{}, {}])": (lambda: C(append_info=[{}, {}]), "at most one dict, got 2"),
    "CheckpointConfig(append_info=[{1: 1}])": (lambda: C(append_info=[{1: 1}]), "must map names to numbers.*got 1: 1"),
    "ModelCheckpoint('a/b')": (lambda: M("a/b"), "prefix must be a name without '/', got 'a/b'"),
    "ModelCheckpoint(1)": (lambda: M(1), "prefix must be a name without '/', got 1"),
    "ModelCheckpoint(config=1)": (lambda: M(config=1), "config must be a CheckpointConfig, got 1"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str) -> None:
    call, text = ERRORS[name]
    with pytest.raises((TypeError, ValueError), match=text) as error:
        call()
    assert type(error.value).__name__ == GOLDEN["errors"][name].split(":")[0]


def test_errors_of_our_own(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="format must be one of ckpt, safetensors, got 'npz'"):
        C(format="npz")
    with pytest.raises(TypeError, match="exception_save must be a bool, got 1"):
        C(exception_save=1)
    saver = M(lambda args: "a/b", str(tmp_path))
    with pytest.raises(ValueError, match="prefix must be a name without '/', got 'a/b'"):
        model().train(1, rows(), callbacks=saver)

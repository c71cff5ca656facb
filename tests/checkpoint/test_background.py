"""Checkpoints that are written while the program goes on: values of the call, whole files, errors that are told."""

import subprocess
import sys
import threading

import numpy as np
import pytest

import sporax as ms
from sporax import nn, train
from sporax._src.checkpoint.formats import mindspore_ckpt

SAVE = """
import numpy as np, sporax as ms
ms.save_checkpoint([{"name": "w", "data": ms.Tensor(np.ones((500, 1000), np.float32))}], "late.ckpt", async_save=True)
"""


@pytest.fixture
def held(monkeypatch):
    """Let files be written when the event is set."""
    event = threading.Event()
    write = mindspore_ckpt.write

    def later(*args, **kwargs):
        assert event.wait(60)
        return write(*args, **kwargs)

    monkeypatch.setattr(mindspore_ckpt, "write", later)
    yield event
    event.set()


@pytest.mark.parametrize("how", [True, "thread", "process"])
def test_the_file_has_the_values_of_the_call(tmp_path, held, how):
    ms.set_context(mode=ms.GRAPH_MODE)
    net = nn.Dense(3, 2)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.5))
    x, y = ms.Tensor(np.ones((4, 3), np.float32)), ms.Tensor(np.ones((4, 2), np.float32))
    step(x, y)
    before, path = net.weight.asnumpy(), tmp_path / "net.ckpt"
    ms.save_checkpoint(net, str(path), async_save=how)
    assert ms.async_ckpt_thread_status() and not path.exists()
    step(x, y)
    assert not np.array_equal(net.weight.asnumpy(), before)
    held.set()
    np.testing.assert_array_equal(ms.load_checkpoint(str(path))["weight"].asnumpy(), before)
    assert not ms.async_ckpt_thread_status()


def test_an_error_is_told_and_raised_by_the_next_save(tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError("no space left")

    tensor = [{"name": "w", "data": ms.Tensor([1.0])}]
    with monkeypatch.context() as patch:
        patch.setattr(mindspore_ckpt, "write", full)
        ms.save_checkpoint(tensor, str(tmp_path / "a.ckpt"), async_save=True)
    with pytest.raises(OSError, match="no space left"):
        ms.save_checkpoint(tensor, str(tmp_path / "b.ckpt"))
    assert not list(tmp_path.iterdir())
    ms.save_checkpoint(tensor, str(tmp_path / "b.ckpt"), async_save=True)
    assert list(ms.load_checkpoint(str(tmp_path / "b.ckpt"))) == ["w"]


def test_a_program_ends_after_its_files(tmp_path):
    subprocess.run([sys.executable, "-c", SAVE], cwd=tmp_path, check=True)
    assert ms.load_checkpoint(str(tmp_path / "late.ckpt"))["w"].shape == (500, 1000)


def test_model_checkpoint_waits_for_the_last(tmp_path):
    x = np.ones((8, 3), np.float32)
    net = nn.Dense(3, 2)
    model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
    saver = train.ModelCheckpoint("net", tmp_path, train.CheckpointConfig(2, keep_checkpoint_max=2, async_save=True))
    model.train(2, ms.dataset.NumpySlicesDataset((x, x[:, :2])).batch(2), saver)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["net-2_2.ckpt", "net-2_4.ckpt"]
    last = ms.load_checkpoint(saver.latest_ckpt_file_name)
    np.testing.assert_array_equal(last["weight"].asnumpy(), net.weight.asnumpy())


def test_wrong_ways(tmp_path):
    tensor = [{"name": "w", "data": ms.Tensor([1.0])}]
    with pytest.raises(TypeError, match="save_checkpoint: async_save must be a bool or a string, got 3"):
        ms.save_checkpoint(tensor, str(tmp_path / "a.ckpt"), async_save=3)
    with pytest.raises(ValueError, match="save_checkpoint: async_save must be 'thread' or 'process', got 'fibre'"):
        ms.save_checkpoint(tensor, str(tmp_path / "a.ckpt"), async_save="fibre")

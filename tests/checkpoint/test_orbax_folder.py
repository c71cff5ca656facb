"""The state of a run in Orbax's format: a folder that holds one whole save, whatever happens to another."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sporax as ms
from sporax import nn, train


def net_and_optimizer(seed: int) -> tuple[nn.Cell, nn.Cell]:
    ms.set_seed(seed)
    net = nn.SequentialCell(nn.Dense(3, 4), nn.Dropout(p=0.5), nn.Dense(4, 1))
    return net, nn.Adam(net.trainable_params(), 1e-2)


def held(*cells: nn.Cell) -> dict[str, np.ndarray]:
    return {p.name: p.asnumpy() for cell in cells for p in cell.get_parameters()}


def same(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> None:
    assert a.keys() == b.keys()
    for name, array in a.items():
        np.testing.assert_array_equal(array, b[name], name)


def test_all_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "state"
    net, optimizer = net_and_optimizer(1)
    rows = ms.dataset.NumpySlicesDataset([1, 2, 3], shuffle=True).create_tuple_iterator()
    next(rows)
    train.save_state(path, format="orbax", net=net, optimizer=optimizer, rows=rows, epoch=3, told={"a": [1.5, None]})
    expected = [np.random.rand(), ms.ops.rand(2).asnumpy().tolist(), [row[0].item() for row in rows]]
    other = net_and_optimizer(2)
    again = ms.dataset.NumpySlicesDataset([1, 2, 3], shuffle=True).create_tuple_iterator()
    values = train.load_state(path, net=other[0], optimizer=other[1], rows=again)
    assert values == {"epoch": 3, "told": {"a": [1.5, None]}}
    same(held(*other), held(net, optimizer))
    assert [np.random.rand(), ms.ops.rand(2).asnumpy().tolist(), [row[0].item() for row in again]] == expected
    third = net_and_optimizer(3)[0]
    train.load_state(path, net=third)  # some of the parts
    same(held(third), held(net))


def test_a_save_replaces_the_one_before(tmp_path: Path) -> None:
    for epoch in range(3):
        net, _ = net_and_optimizer(epoch)
        train.save_state(tmp_path, format="orbax", net=net, epoch=epoch)
        assert len(list(tmp_path.iterdir())) == 1
    other, _ = net_and_optimizer(7)
    assert train.load_state(tmp_path, net=other) == {"epoch": 2}
    same(held(other), held(net))


def test_what_killed_saves_left(tmp_path: Path) -> None:
    net, _ = net_and_optimizer(1)
    train.save_state(tmp_path, format="orbax", net=net, epoch=1)
    shutil.copytree(tmp_path / "1", tmp_path / "2.orbax-checkpoint-tmp")
    (tmp_path / "2.orbax-checkpoint-tmp" / "_CHECKPOINT_METADATA").unlink()
    other, _ = net_and_optimizer(2)
    assert train.load_state(tmp_path, net=other) == {"epoch": 1}
    same(held(other), held(net))
    train.save_state(tmp_path, format="orbax", net=other, epoch=2)
    assert train.load_state(tmp_path, net=other) == {"epoch": 2} and len(list(tmp_path.iterdir())) == 1


KILLED = """
import os, signal, sys
import orbax.checkpoint as orbax
import sporax as ms
from sporax import nn, train
net = nn.Dense(3, 4, weight_init="ones")
train.save_state(sys.argv[1], format="orbax", net=net, epoch=1)
original = orbax.PyTreeCheckpointHandler.finalize
orbax.PyTreeCheckpointHandler.finalize = lambda *args, **kwargs: os.kill(os.getpid(), signal.SIGKILL)
net.weight.set_data(net.weight + 1)
train.save_state(sys.argv[1], format="orbax", net=net, epoch=2)
"""


def test_a_save_that_is_killed_leaves_the_one_before(tmp_path: Path) -> None:
    path = tmp_path / "state"
    run = subprocess.run([sys.executable, "-c", KILLED, str(path)], capture_output=True, text=True, timeout=200)
    assert run.returncode == -9, run.stderr
    assert len(list(path.iterdir())) == 2  # the first save, and what is left of the second
    net = nn.Dense(3, 4)
    assert train.load_state(path, net=net) == {"epoch": 1}
    assert net.weight.asnumpy().tolist() == [[1.0] * 3] * 4


# Of the arrays that Orbax reads at once it tells the first that fails, and Python of the others, when Orbax has ended its loop.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    net, _ = net_and_optimizer(1)
    path = tmp_path / "state"
    with pytest.raises(ValueError, match="format must be 'ckpt' or 'orbax', got 'x'"):
        train.save_state(path, format="x", net=net)
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError, match="file is a file, and a state in Orbax's format is a folder"):
        train.save_state(tmp_path / "file", format="orbax", net=net)
    path.mkdir()
    with pytest.raises(ValueError, match="state holds no whole state in Orbax's format"):
        train.load_state(path, net=net)
    train.save_state(path, format="orbax", net=net)
    before = held(net)
    with pytest.raises(ValueError, match=r"'0.weight' is .*\[4, 3\] in the file, .*\[2, 3\] here.*Nothing was loaded"):
        train.load_state(path, net=nn.SequentialCell(nn.Dense(3, 2)))
    with pytest.raises(ValueError, match=r"'5.weight' .* is not in the file"):
        train.load_state(path, net=nn.SequentialCell(*[nn.ReLU()] * 5, nn.Dense(3, 2)))
    for file in sorted((path / "1").rglob("*")):
        if file.is_file() and "arrays" in file.parts and file.parent.name == "d":
            file.write_bytes(b"\0" * 10)
    with pytest.raises(ValueError, match=r"state \(save 1\) is no readable state in Orbax's format"):
        train.load_state(path, net=net)
    for file in (path / "1" / "told").iterdir():
        file.write_text("{")
    with pytest.raises(ValueError, match=r"state \(save 1\) is no readable state in Orbax's format"):
        train.load_state(path, net=net)
    same(held(net), before)
    monkeypatch.setitem(sys.modules, "orbax.checkpoint", None)
    with pytest.raises(RuntimeError, match=r"need the package orbax-checkpoint: pip install 'sporax\[orbax\]'"):
        train.load_state(path, net=net)

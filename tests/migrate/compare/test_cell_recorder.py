"""A recorded run of a Cell, and what the script for MindSpore reads."""

import sys

import numpy as np
import pytest
from compared_networks import CLASSES, MLP, ROWS, MLPCell

import sporax as ms
from sporax import nn
from sporax._src.migrate.compare.cell_recorder import CellRecorder, load_function, load_inputs
from sporax._src.migrate.compare.recorder import Guide
from sporax.migrate import compare


def test_graph_mode_and_training_mode_are_kept() -> None:
    cell = MLPCell().set_train()
    ms.set_context(mode=ms.GRAPH_MODE)
    assert compare(MLP().eval(), cell, ROWS).agrees
    assert ms.get_context("mode") == ms.GRAPH_MODE and cell.training


def test_layers_leave_inputs_outputs_and_gradients() -> None:
    net = nn.SequentialCell(nn.Dense(6, 4), nn.ReLU())
    recording = CellRecorder(net, ms).record([ROWS])
    calls = recording.about["passes"]["forward"]
    assert [(c["path"], c["depth"]) for c in calls] == [("0", 1), ("1", 1), ("", 0)]
    np.testing.assert_array_equal(recording.arrays["forward/0/inputs/0"], ROWS)
    inner = recording.arrays["forward/0/gradients/0"]
    np.testing.assert_allclose(recording.arrays["gradient/0.weight"], inner.T @ ROWS, rtol=1e-5, atol=1e-6)


def test_layers_are_fed_what_the_guide_has() -> None:
    net = nn.SequentialCell(nn.ReLU(), nn.Tanh())
    guide = Guide(inputs={"forward": {("1", 1): [np.full((5, 6), 2.0, np.float32)]}})
    recording = CellRecorder(net, ms).record([ROWS], guide=guide)
    np.testing.assert_allclose(recording.arrays["forward/1/outputs/0"], np.full((5, 6), np.tanh(2.0)), rtol=1e-6)


def test_weights_optimizer_and_modes_are_left_as_they_were() -> None:
    net = MLPCell().set_train()
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    before = [p.asnumpy().copy() for p in optimizer.get_parameters()]
    recording = CellRecorder(net, ms).record([ROWS, CLASSES], nn.CrossEntropyLoss(), optimizer)
    for parameter, value in zip(optimizer.get_parameters(), before, strict=True):
        np.testing.assert_array_equal(parameter.asnumpy(), value)
    assert net.training and recording.about["optimizer"]["kind"] == "Momentum"
    step = recording.arrays["update/hidden.bias"] - recording.arrays["parameter/hidden.bias"]
    np.testing.assert_allclose(step, -0.1 * recording.arrays["gradient/hidden.bias"], rtol=1e-3, atol=1e-7)


def test_a_function_is_loaded_by_its_file(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "beside_the_net.py").write_text("WIDTH = 3\n")
    (tmp_path / "net.py").write_text("from beside_the_net import WIDTH\nnumber = 1\ndef build():\n    return WIDTH\n")
    assert load_function(f"{tmp_path / 'net.py'}:build")() == 3
    with pytest.raises(ValueError, match=r"net\.py has no function number; it has build\."):
        load_function(f"{tmp_path / 'net.py'}:number")
    with pytest.raises(ValueError, match=r"'net:build': expected FILE\.py:function, such as net\.py:build\."):
        load_function("net:build")
    with pytest.raises(ValueError, match=r"there is no file none\.py\."):
        load_function("none.py:build")
    (tmp_path / "broken.py").write_text("1 / 0\n")
    with pytest.raises(ValueError, match=r"broken\.py fails to load: ZeroDivisionError: division by zero"):
        load_function(f"{tmp_path / 'broken.py'}:build")


def test_inputs_are_read_in_their_order(tmp_path) -> None:
    np.savez(tmp_path / "x.npz", b=np.ones(2), a=np.zeros(3))
    assert [array.shape for array in load_inputs(str(tmp_path / "x.npz"))] == [(2,), (3,)]
    np.savez(tmp_path / "empty.npz")
    with pytest.raises(ValueError, match=r"empty\.npz: there are no arrays in it\."):
        load_inputs(str(tmp_path / "empty.npz"))
    np.savez(tmp_path / "objects.npz", x=np.array([{}], dtype=object))
    with pytest.raises(ValueError, match=r"objects\.npz: expected an npz file of arrays without objects"):
        load_inputs(str(tmp_path / "objects.npz"))

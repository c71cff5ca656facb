"""cell_values: the inputs and outputs of each Cell, the network left as it is."""

from pathlib import Path

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn

X = np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32)


class Net(nn.Cell):
    """Uses a layer twice, one that counts, one that draws, one that is no attribute; branches on a value."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.SequentialCell(nn.Dense(3, 3), nn.BatchNorm1d(3))
        self.drop = nn.Dropout(p=0.5)
        self.plain = [nn.Tanh()]

    def construct(self, x, scale=1.0):
        x = self.body(x) * scale
        if x.sum() > -1e9:
            x = self.body(x)
        return self.drop(x), {"plain": self.plain[0](x)}


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_values(mode: int) -> None:
    ms.set_context(mode=mode)
    net = Net().set_train()
    before = [p.asnumpy().copy() for p in net.get_parameters()]
    state = ms.get_rng_state().asnumpy().copy()
    calls = ms.cell_values(net, Tensor(X), scale=2.0)
    assert [call.name for call in calls] == ["body.0", "body.1", "body", "body.0", "body.1", "body", "drop", "Tanh", ""]
    assert [call.kind for call in calls[:3]] == ["Dense", "BatchNorm1d", "SequentialCell"]
    np.testing.assert_array_equal(calls[0].inputs[0], X)
    want = X @ net.body[0].weight.asnumpy().T + net.body[0].bias.asnumpy()
    np.testing.assert_allclose(calls[0].outputs[0], want, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(calls[3].inputs[0], calls[2].outputs[0] * 2)
    np.testing.assert_array_equal(calls[-1].outputs[0], calls[6].outputs[0])
    np.testing.assert_allclose(calls[-1].outputs[1], np.tanh(calls[5].outputs[0]), rtol=1e-5)
    assert all((a == p.asnumpy()).all() for a, p in zip(before, net.get_parameters(), strict=True))
    assert (state == ms.get_rng_state().asnumpy()).all() and net.training


def test_values_that_python_asks_for() -> None:
    class ByValue(nn.Cell):
        def construct(self, x):
            return x * float(x.asnumpy().max())

    (call,) = ms.cell_values(ByValue(), Tensor([1.0, 3.0]))
    assert call.outputs[0].tolist() == [3.0, 9.0]


def test_files(tmp_path: Path) -> None:
    ms.cell_values(nn.SequentialCell(nn.ReLU(), nn.Flatten()), Tensor(X), folder=tmp_path / "run")
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == [
        "0000_0.npz", "0001_1.npz", "0002_SequentialCell.npz"
    ]  # fmt: skip
    with np.load(tmp_path / "run" / "0000_0.npz") as arrays:
        assert sorted(arrays) == ["input_0", "output_0"]
        np.testing.assert_array_equal(arrays["output_0"], np.maximum(X, 0))


def test_what_is_refused() -> None:
    with pytest.raises(TypeError, match=r"cell_values: net must be a Cell, got "):
        ms.cell_values(abs, Tensor(X))  # type: ignore[arg-type]

"""Two networks in one process: those that agree, what is left as it was, and input that is wrong."""

import math

import numpy as np
import pytest
import torch
from compared_networks import CLASSES, CROSS_ENTROPY, MLP, ROWS, MLPCell, Tagger, TaggerCell

import sporax as ms
from sporax import nn, ops
from sporax.migrate import compare

RNG = np.random.default_rng(0)
SEQUENCE = RNG.normal(size=(3, 5, 8)).astype(np.float32)
ADAM = (lambda p: torch.optim.Adam(p, 1e-3), lambda p: nn.Adam(p, 1e-3))


class CNN(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.features = torch.nn.Sequential(
            torch.nn.Conv2d(3, 8, 3, stride=2, padding=1),
            torch.nn.BatchNorm2d(8),
            torch.nn.ReLU(inplace=True),
            torch.nn.MaxPool2d(2),
            torch.nn.Dropout(0.5),
        )
        self.head = torch.nn.Linear(32, 4)

    def forward(self, x):
        return self.head(torch.flatten(self.features(x), 1))


class CNNCell(nn.Cell):
    def __init__(self):
        super().__init__()
        self.features = nn.SequentialCell(
            nn.Conv2d(3, 8, 3, stride=2, pad_mode="pad", padding=1, has_bias=True),
            nn.BatchNorm2d(8),
            nn.ReLU(),
            nn.MaxPool2d(2, 2),
            nn.Dropout(p=0.5),
        )
        self.head = nn.Dense(32, 4)

    def construct(self, x):
        return self.head(ops.flatten(self.features(x), start_dim=1))


class Transformer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.qkv, self.out = torch.nn.LayerNorm(8), torch.nn.Linear(8, 24), torch.nn.Linear(8, 8)

    def forward(self, x):
        q, k, v = (part.reshape(3, 5, 2, 4).transpose(1, 2) for part in self.qkv(self.norm(x)).chunk(3, -1))
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(4), -1)
        return x + self.out((weights @ v).transpose(1, 2).reshape(3, 5, 8))


class TransformerCell(nn.Cell):
    def __init__(self):
        super().__init__()
        self.norm, self.qkv, self.out = nn.LayerNorm((8,), epsilon=1e-5), nn.Dense(8, 24), nn.Dense(8, 8)

    def construct(self, x):
        q, k, v = (part.reshape(3, 5, 2, 4).swapaxes(1, 2) for part in ops.chunk(self.qkv(self.norm(x)), 3, -1))
        weights = ops.softmax(q @ k.swapaxes(-2, -1) / math.sqrt(4), -1)
        return x + self.out((weights @ v).swapaxes(1, 2).reshape(3, 5, 8))


IMAGES = RNG.normal(size=(5, 3, 8, 8)).astype(np.float32)
AGREE = {
    "mlp": (MLP, MLPCell, (ROWS, CLASSES), {"loss": CROSS_ENTROPY, "optimizer": ADAM}),
    "cnn": (CNN, CNNCell, (IMAGES, CLASSES), {"loss": CROSS_ENTROPY, "optimizer": ADAM}),
    "transformer": (Transformer, TransformerCell, SEQUENCE, {"optimizer": ADAM}),
    "tagger": (Tagger, TaggerCell, np.array([[1, 2, 3], [4, 5, 1]]), {"optimizer": ADAM}),
}


@pytest.mark.parametrize("single_step", [False, True])
@pytest.mark.parametrize("name", AGREE)
def test_agree(name: str, single_step: bool) -> None:
    ours, theirs, inputs, options = AGREE[name]
    module, cell = ours(), theirs()
    before = {key: value.clone() for key, value in module.state_dict().items()}
    result = compare(module, cell, inputs, single_step=single_step, **options)
    assert result.first_difference is None and result.cause is None and result.stage is None, result
    assert result.agrees and str(result).endswith("agrees with " + result.reference + ".")
    assert not any(row.differs for row in result.rows)
    wanted = {"parameters", "forward", "gradients", "updates", "metric"} | ({"loss"} if "loss" in options else set())
    assert wanted <= {row.stage for row in result.rows}
    assert all(torch.equal(value, before[key]) for key, value in module.state_dict().items()), "the module was changed"
    assert module.training and not cell.training


def test_optimizers_themselves_are_taken_and_left_as_they_were() -> None:
    module, cell = MLP(), MLPCell()
    pair = torch.optim.Adam(module.parameters(), 1e-3), nn.Adam(cell.trainable_params(), 1e-3)
    for _ in range(2):
        assert compare(module, cell, (ROWS, CLASSES), loss=CROSS_ENTROPY, optimizer=pair).agrees
    assert pair[0].state_dict()["state"] == {} and pair[1].global_step.asnumpy().tolist() == [0]
    both = lambda net, other: (torch.optim.SGD(net.parameters(), 0.1), nn.SGD(other.trainable_params(), 0.1))
    assert compare(module, cell, (ROWS, CLASSES), loss=CROSS_ENTROPY, optimizer=both).agrees


class Fails(nn.Cell):
    def construct(self, x):
        raise RuntimeError("no such thing")


BAD = [
    (lambda: compare(nn.Dense(6, 4), MLPCell(), ROWS), TypeError, "torch_net must be a torch.nn.Module, got Dense"),
    (lambda: compare(MLP(), MLP(), ROWS), TypeError, "cell must be a sporax Cell, got MLP"),
    (lambda: compare(MLP(), MLPCell(), "x"), TypeError, r"inputs\[0\] must be an array of numbers, got 'x'"),
    (lambda: compare(MLP(), MLPCell(), ()), ValueError, "inputs must have at least one array, got none"),
    (lambda: compare(MLP(), MLPCell(), ROWS, loss=3), TypeError, "loss must be a callable or a pair"),
    (lambda: compare(MLP(), MLPCell(), ROWS, optimizer=3), TypeError, "optimizer must be a callable or a pair"),
    (
        lambda: compare(MLP(), MLPCell(), ROWS, loss=CROSS_ENTROPY),
        ValueError,
        "the loss takes 1 of the inputs as labels and the network needs at least one, got 1 inputs: give",
    ),
    (lambda: compare(MLP(), MLPCell(), ROWS[:, :3]), ValueError, r"MLP \(torch\) fails with inputs float32\[5, 3\]"),
    (lambda: compare(MLP(), Fails(), ROWS), ValueError, r"Fails \(sporax\) fails .*RuntimeError: no such thing"),
]


@pytest.mark.parametrize(("call", "kind", "text"), BAD)
def test_bad_input(call, kind, text) -> None:
    with pytest.raises(kind, match=text):
        call()
    assert ms.get_context("mode") == ms.PYNATIVE_MODE

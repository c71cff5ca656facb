"""Networks that agree, what a comparison reports, and what it says of input that is wrong."""

import json
import math
from collections import OrderedDict

import numpy as np
import pytest
import torch
from torch.nn import functional as F

import sporax as ms
from sporax import nn, ops
from sporax.migrate import Comparison, compare

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(5, 6)).astype(np.float32)
SEQUENCE = RNG.normal(size=(3, 5, 8)).astype(np.float32)
CLASSES = np.array([0, 2, 1, 3, 2])
CROSS_ENTROPY = torch.nn.CrossEntropyLoss(), nn.CrossEntropyLoss()
ADAM = (lambda p: torch.optim.Adam(p, 1e-3), lambda p: nn.Adam(p, 1e-3))


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


# --- networks that agree ----------------------------------------------------------------------------------------------


class MLP(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.output = torch.nn.Linear(6, 8), torch.nn.Linear(8, 4)

    def forward(self, x):
        return self.output(F.dropout(torch.tanh(self.hidden(x)), 0.5, self.training))


class MLPCell(nn.Cell):
    def __init__(self, wrong=False):
        super().__init__()
        self.hidden, self.output, self.wrong = nn.Dense(6, 8), nn.Dense(8, 4), wrong

    def construct(self, x):
        h = ops.tanh(self.hidden(x))
        return self.output(ops.dropout(-h if self.wrong else h, 0.5, self.training))


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


class Tagger(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(10, 6)
        self.rnn = torch.nn.LSTM(6, 5, batch_first=True)
        self.tied = torch.nn.Linear(5, 5)

    def forward(self, ids):
        out, (h, _) = self.rnn(self.embed(ids))
        return {"scores": self.tied(self.tied(out)), "last": h[-1]}


class TaggerCell(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embed, self.rnn, self.tied = nn.Embedding(10, 6), nn.LSTM(6, 5, batch_first=True), nn.Dense(5, 5)

    def construct(self, ids):
        out, (h, _) = self.rnn(self.embed(ids))
        return self.tied(self.tied(out)), h[-1]


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


def test_calls_of_one_layer_are_told_apart() -> None:
    result = compare(Tagger(), TaggerCell(), np.array([[1, 2], [3, 4]]))
    assert [row.name for row in result.rows if row.stage == "forward" and row.layer == "tied"] == [
        "tied",
        "tied (call 2)",
    ]


def test_layers_of_other_names_are_found_by_order_and_kind() -> None:
    ours = torch.nn.Sequential(OrderedDict(a=torch.nn.Linear(6, 6), b=torch.nn.ReLU(), c=torch.nn.Linear(6, 3)))
    theirs = nn.SequentialCell(OrderedDict(first=nn.Dense(6, 6), act=nn.ReLU(), second=nn.Dense(6, 3)))
    result = compare(ours, theirs, ROWS)
    assert result.agrees, result
    assert [row.name for row in result.rows if row.stage == "forward"] == ["a", "b", "c", "Sequential"]


def test_graph_mode_and_training_mode_are_kept() -> None:
    cell = MLPCell().set_train()
    ms.set_context(mode=ms.GRAPH_MODE)
    assert compare(MLP().eval(), cell, ROWS).agrees
    assert ms.get_context("mode") == ms.GRAPH_MODE and cell.training


def test_optimizers_themselves_are_taken_and_left_as_they_were() -> None:
    module, cell = MLP(), MLPCell()
    pair = torch.optim.Adam(module.parameters(), 1e-3), nn.Adam(cell.trainable_params(), 1e-3)
    for _ in range(2):
        assert compare(module, cell, (ROWS, CLASSES), loss=CROSS_ENTROPY, optimizer=pair).agrees
    assert pair[0].state_dict()["state"] == {} and pair[1].global_step.asnumpy().tolist() == [0]
    both = lambda net, other: (torch.optim.SGD(net.parameters(), 0.1), nn.SGD(other.trainable_params(), 0.1))
    assert compare(module, cell, (ROWS, CLASSES), loss=CROSS_ENTROPY, optimizer=both).agrees


# --- what is reported ---------------------------------------------------------------------------------------------------


class Two(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.LeakyReLU(), torch.nn.GELU()

    def forward(self, x):
        return self.b(self.a(x))


class TwoCell(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.LeakyReLU(), nn.GELU()

    def construct(self, x):
        return self.b(self.a(x))


def outputs(result: Comparison) -> dict[str, float]:
    return {row.name: row.relative for row in result.rows if row.stage == "forward"}


def test_single_step_separates_two_errors() -> None:
    """The form of GELU differs by 1e-3, which the slope before it hides."""
    chained, alone = (compare(Two(), TwoCell(), ROWS, single_step=step) for step in (False, True))
    assert chained.first_difference == alone.first_difference == "a"
    assert outputs(chained)["b"] > 1e-2 > 1e-3 > outputs(alone)["b"] > 1e-5
    assert alone.single_step and alone.data()["single_step"]


def test_measures() -> None:
    result = compare(torch.nn.LeakyReLU(), nn.LeakyReLU(), np.array([[-1.0, 1.0, 2.0, 0.0]], np.float32))
    row = next(row for row in result.rows if row.stage == "forward")
    want, got = np.array([-0.01, 1, 2, 0]), np.array([-0.2, 1, 2, 0])
    assert (
        row.max == pytest.approx(0.19) and row.mean == pytest.approx(0.19 / 4) and row.relative == pytest.approx(0.095)
    )
    assert row.cosine == pytest.approx(want @ got / np.linalg.norm(want) / np.linalg.norm(got))
    assert row.status == "different" and row.shape == "[1, 4]"


def test_json_is_the_result(tmp_path) -> None:
    result = compare(Two(), TwoCell(), ROWS)
    result.json(tmp_path / "r.json")
    data = json.loads((tmp_path / "r.json").read_text())
    assert data["schema"] == 1 and data["tool"] == "sporax compare" and data["first_difference"] == "a"
    assert data == json.loads(json.dumps(result.data()))
    assert {"stage", "name", "kind", "max", "mean", "relative", "cosine", "status", "note"} <= set(data["rows"][0])
    assert [p.name for p in tmp_path.iterdir()] == ["r.json"]


# --- bad input ------------------------------------------------------------------------------------------------------


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


def test_networks_of_other_structure() -> None:
    """Every layer has a row that says what it has no counterpart for; nothing stops."""
    result = compare(MLP(), nn.SequentialCell(nn.Dense(6, 4)), ROWS)
    assert result.stage == "parameters"
    assert {row.name for row in result.rows if row.status == "missing" and row.note == "not here"}


def test_outputs_that_are_no_numbers_agree_where_both_have_them() -> None:
    class Log(torch.nn.Module):
        def forward(self, x):
            return torch.log(x)

    class LogCell(nn.Cell):
        def construct(self, x):
            return ops.log(x)

    assert compare(Log(), LogCell(), ROWS).agrees


def test_a_network_of_integers_has_no_gradients() -> None:
    class Largest(torch.nn.Module):
        def forward(self, x):
            return torch.argmax(x, -1)

    class LargestCell(nn.Cell):
        def construct(self, x):
            return ops.argmax(x, -1)

    result = compare(Largest(), LargestCell(), ROWS)
    assert result.agrees and {row.stage for row in result.rows} == {"forward"}

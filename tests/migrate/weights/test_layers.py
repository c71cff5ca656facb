"""Every kind of layer: after its weights are carried over, both sides compute the same; and the way back gives them unchanged."""

import numpy as np
import pytest
import torch

import sporax as ms
from sporax import mint, nn
from sporax._src.migrate.weights import layers
from sporax.migrate import transfer_weights

TOLERANCE = 3e-6


def randomized(net: torch.nn.Module, seed: int = 0) -> torch.nn.Module:
    """Give every array of a torch net a random value, variances positive ones."""
    generator = torch.Generator().manual_seed(seed)
    for name, tensor in net.state_dict().items():
        if tensor.is_floating_point():
            tensor.copy_(torch.empty_like(tensor).uniform_(0.2, 0.9, generator=generator))
            if not name.endswith("running_var"):
                tensor.sub_(0.5)
        elif name.endswith("num_batches_tracked"):
            tensor.fill_(3)
    return net.eval()


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).normal(size=shape).astype(np.float32)


def outputs(value: object) -> list[np.ndarray]:
    if isinstance(value, (tuple, list)):
        return [a for item in value if item is not None for a in outputs(item)]
    return [value.asnumpy() if isinstance(value, ms.Tensor) else value.detach().numpy()]


class In(nn.Cell):
    """A layer below a name, as it is in a net."""

    def __init__(self, layer: nn.Cell) -> None:
        super().__init__()
        self.layer = layer

    def construct(self, *inputs: ms.Tensor) -> object:
        return self.layer(*inputs)


class TorchIn(torch.nn.Module):
    def __init__(self, layer: torch.nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, *inputs: torch.Tensor) -> object:
        return self.layer(*inputs)


T = torch.nn
IMAGE, SERIES, VOLUME, ROWS = numbers(2, 4, 6, 5), numbers(2, 4, 9), numbers(2, 4, 4, 5, 3), numbers(3, 4)
WORDS = np.array([[0, 3, 4], [1, 1, 2]], np.int32)
SEQUENCE = numbers(5, 2, 4)
PAD = {"pad_mode": "pad", "padding": 1, "has_bias": True}
LAYERS = {
    "Dense": (lambda: T.Linear(4, 3), lambda: nn.Dense(4, 3), [ROWS]),
    "Dense without bias": (lambda: T.Linear(4, 3, bias=False), lambda: nn.Dense(4, 3, has_bias=False), [ROWS]),
    "mint.Linear": (lambda: T.Linear(4, 3), lambda: mint.nn.Linear(4, 3), [ROWS]),
    "BiDense": (lambda: T.Bilinear(4, 4, 3), lambda: nn.BiDense(4, 4, 3), [ROWS, numbers(3, 4)]),
    "Conv1d": (lambda: T.Conv1d(4, 6, 3, padding=1), lambda: nn.Conv1d(4, 6, 3, **PAD), [SERIES]),
    "Conv1d in groups": (lambda: T.Conv1d(4, 6, 1, groups=2), lambda: nn.Conv1d(4, 6, 1, group=2, has_bias=True), [SERIES]),
    "mint.Conv1d": (lambda: T.Conv1d(4, 6, 3), lambda: mint.nn.Conv1d(4, 6, 3), [SERIES]),
    "Conv2d": (lambda: T.Conv2d(4, 6, 3, padding=1, groups=2), lambda: nn.Conv2d(4, 6, 3, group=2, **PAD), [IMAGE]),
    "Conv2d (1, 3)": (lambda: T.Conv2d(4, 6, (1, 3)), lambda: nn.Conv2d(4, 6, (1, 3), pad_mode="valid", has_bias=True), [IMAGE]),
    "mint.Conv2d": (lambda: T.Conv2d(4, 6, 3, groups=2), lambda: mint.nn.Conv2d(4, 6, 3, groups=2), [IMAGE]),
    "Conv3d": (lambda: T.Conv3d(4, 2, 3, padding=1), lambda: nn.Conv3d(4, 2, 3, **PAD), [VOLUME]),
    "mint.Conv3d": (lambda: T.Conv3d(4, 2, 3), lambda: mint.nn.Conv3d(4, 2, 3), [VOLUME]),
    "Conv1dTranspose": (lambda: T.ConvTranspose1d(4, 2, 3, padding=1), lambda: nn.Conv1dTranspose(4, 2, 3, **PAD), [SERIES]),
    "Conv2dTranspose": (
        lambda: T.ConvTranspose2d(4, 6, 3, padding=1, groups=2),
        lambda: nn.Conv2dTranspose(4, 6, 3, group=2, **PAD),
        [IMAGE],
    ),
    "mint.ConvTranspose2d": (lambda: T.ConvTranspose2d(4, 2, 3), lambda: mint.nn.ConvTranspose2d(4, 2, 3), [IMAGE]),
    "Conv3dTranspose": (lambda: T.ConvTranspose3d(4, 2, 3, padding=1), lambda: nn.Conv3dTranspose(4, 2, 3, **PAD), [VOLUME]),
    "BatchNorm1d": (lambda: T.BatchNorm1d(4), lambda: nn.BatchNorm1d(4), [ROWS]),
    "BatchNorm2d": (lambda: T.BatchNorm2d(4), lambda: nn.BatchNorm2d(4), [IMAGE]),
    "BatchNorm2d not affine": (lambda: T.BatchNorm2d(4, affine=False), lambda: nn.BatchNorm2d(4, affine=False), [IMAGE]),
    "BatchNorm3d": (lambda: T.BatchNorm3d(4), lambda: nn.BatchNorm3d(4), [VOLUME]),
    "SyncBatchNorm": (lambda: T.SyncBatchNorm(4), lambda: nn.SyncBatchNorm(4), [IMAGE]),
    "mint.BatchNorm1d": (lambda: T.BatchNorm1d(4), lambda: mint.nn.BatchNorm1d(4), [ROWS]),
    "mint.BatchNorm2d": (lambda: T.BatchNorm2d(4), lambda: mint.nn.BatchNorm2d(4), [IMAGE]),
    "mint.BatchNorm3d": (lambda: T.BatchNorm3d(4), lambda: mint.nn.BatchNorm3d(4), [VOLUME]),
    "InstanceNorm1d": (lambda: T.InstanceNorm1d(4, affine=True), lambda: nn.InstanceNorm1d(4), [SERIES]),
    "InstanceNorm2d": (lambda: T.InstanceNorm2d(4, affine=True), lambda: nn.InstanceNorm2d(4), [IMAGE]),
    "InstanceNorm3d not affine": (lambda: T.InstanceNorm3d(4), lambda: nn.InstanceNorm3d(4), [VOLUME]),
    "LayerNorm": (lambda: T.LayerNorm(4), lambda: nn.LayerNorm((4,), epsilon=1e-5), [ROWS]),
    "LayerNorm of two axes": (lambda: T.LayerNorm((3, 4)), lambda: nn.LayerNorm((3, 4), 0, 0, epsilon=1e-5), [ROWS]),
    "LayerNorm without bias": (lambda: T.LayerNorm(4, bias=False), lambda: nn.LayerNorm((4,), epsilon=1e-5), [ROWS]),
    "LayerNorm not affine": (
        lambda: T.LayerNorm(4, elementwise_affine=False), lambda: nn.LayerNorm((4,), epsilon=1e-5), [ROWS]
    ),
    "mint.LayerNorm": (lambda: T.LayerNorm(4), lambda: mint.nn.LayerNorm(4), [ROWS]),
    "GroupNorm": (lambda: T.GroupNorm(2, 4), lambda: nn.GroupNorm(2, 4), [IMAGE]),
    "mint.GroupNorm": (lambda: T.GroupNorm(2, 4), lambda: mint.nn.GroupNorm(2, 4), [IMAGE]),
    "Embedding": (lambda: T.Embedding(5, 3), lambda: nn.Embedding(5, 3), [WORDS]),
    "mint.Embedding": (lambda: T.Embedding(5, 3), lambda: mint.nn.Embedding(5, 3), [WORDS]),
    "PReLU": (lambda: T.PReLU(4), lambda: nn.PReLU(4), [IMAGE]),
    "mint.PReLU": (lambda: T.PReLU(4), lambda: mint.nn.PReLU(4), [IMAGE]),
    "LSTM": (lambda: T.LSTM(4, 3, 2, bidirectional=True), lambda: nn.LSTM(4, 3, 2, bidirectional=True), [SEQUENCE]),
    "GRU": (lambda: T.GRU(4, 3, 2), lambda: nn.GRU(4, 3, 2), [SEQUENCE]),
    "GRU without bias": (lambda: T.GRU(4, 3, bias=False), lambda: nn.GRU(4, 3, has_bias=False), [SEQUENCE]),
    "RNN": (lambda: T.RNN(4, 3, bidirectional=True), lambda: nn.RNN(4, 3, bidirectional=True), [SEQUENCE]),
    "GRUCell": (lambda: T.GRUCell(4, 3), lambda: nn.GRUCell(4, 3), [ROWS, numbers(3, 3)]),
    "RNNCell": (lambda: T.RNNCell(4, 3), lambda: nn.RNNCell(4, 3), [ROWS, numbers(3, 3)]),
    "MultiheadAttention": (
        lambda: T.MultiheadAttention(4, 2, add_bias_kv=True), lambda: nn.MultiheadAttention(4, 2, add_bias_kv=True), [SEQUENCE] * 3
    ),
    "MultiheadAttention of three sizes": (
        lambda: T.MultiheadAttention(4, 2, kdim=3, vdim=5),
        lambda: nn.MultiheadAttention(4, 2, kdim=3, vdim=5),
        [SEQUENCE, numbers(6, 2, 3), numbers(6, 2, 5)],
    ),
    "TransformerEncoderLayer": (
        lambda: T.TransformerEncoderLayer(4, 2, 8), lambda: nn.TransformerEncoderLayer(4, 2, 8), [SEQUENCE]
    ),
    "TransformerDecoderLayer": (
        lambda: T.TransformerDecoderLayer(4, 2, 8), lambda: nn.TransformerDecoderLayer(4, 2, 8), [SEQUENCE, numbers(6, 2, 4)]
    ),
    "Transformer": (
        lambda: T.Transformer(4, 2, 2, 1, 8), lambda: nn.Transformer(4, 2, 2, 1, 8), [SEQUENCE, numbers(3, 2, 4)]
    ),
}  # fmt: skip
torchs_advice = pytest.mark.filterwarnings("ignore:enable_nested_tensor is True:UserWarning")


@torchs_advice
@pytest.mark.parametrize("inside", [False, True], ids=["alone", "in a net"])
@pytest.mark.parametrize("name", LAYERS)
def test_layers_compute_the_same(name, inside):
    make_torch, make_cell, inputs = LAYERS[name]
    net, cell = randomized(make_torch()), make_cell().set_train(False)
    if inside:
        net, cell = TorchIn(net), In(cell).set_train(False)
    report = transfer_weights(net, cell)
    assert report.ok, report
    expected = outputs(net(*(torch.tensor(x.astype(np.int64) if x.dtype.kind == "i" else x) for x in inputs)))
    got = outputs(cell(*map(ms.Tensor, inputs)))
    for a, b in zip(expected, got, strict=True):
        np.testing.assert_allclose(b, a, rtol=TOLERANCE, atol=TOLERANCE)


@torchs_advice
@pytest.mark.parametrize("name", LAYERS)
def test_the_way_back_gives_the_same_numbers(name):
    make_torch, make_cell, _ = LAYERS[name]
    first, cell, second = randomized(make_torch()), make_cell(), randomized(make_torch(), 1)
    assert transfer_weights(first, cell).ok
    report = transfer_weights(cell, second)
    assert report.ok, report
    for key, tensor in first.state_dict().items():
        if not key.endswith("num_batches_tracked"):
            assert torch.equal(second.state_dict()[key], tensor), key


def test_single_steps_of_an_lstm():
    net, cell = randomized(T.LSTMCell(4, 3)), nn.LSTMCell(4, 3)
    assert transfer_weights(net, cell).ok
    x, h, c = ROWS, numbers(3, 3), 2 * numbers(3, 3)
    expected = outputs(net(torch.tensor(x), (torch.tensor(h), torch.tensor(c))))
    for a, b in zip(expected, outputs(cell(ms.Tensor(x), (ms.Tensor(h), ms.Tensor(c)))), strict=True):
        np.testing.assert_allclose(b, a, rtol=TOLERANCE, atol=TOLERANCE)


@pytest.mark.parametrize(
    ("path", "shapes", "kind"),
    [
        ("a", {"weight": (3,), "bias": (3,)}, layers.NORM),
        ("a", {"weight": (3,), "bias": (3,), "running_mean": (3,), "running_var": (3,)}, layers.BATCH_NORM),
        ("block.prelu", {"weight": (3,)}, layers.PRELU),
        ("tok_embeddings", {"weight": (5, 2)}, layers.EMBEDDING),
        ("embed", {"weight": (5, 2), "bias": (5,)}, None),
        ("a", {"weight": (4, 2, 3)}, layers.CONV_1D),
        ("a", {"weight": (4, 2)}, None),
    ],
)
def test_kinds_are_guessed_from_torchs_names(path: str, shapes: dict, kind: layers.Kind | None) -> None:
    assert layers.guess(path, shapes, "torch") is kind


@pytest.mark.parametrize(
    ("path", "shapes", "kind"),
    [
        ("a", {"gamma": (3,), "beta": (3,)}, layers.NORM),
        ("a", {"gamma": (3,), "moving_mean": (3,), "moving_variance": (3,)}, layers.BATCH_NORM),
        ("a", {"embedding_table": (5, 2)}, layers.EMBEDDING),
        ("a", {"w": (3,)}, layers.PRELU),
        ("conv1d", {"weight": (4, 2, 1, 3)}, layers.CONV_1D),
        ("conv", {"weight": (4, 2, 1, 3)}, None),
    ],
)
def test_kinds_are_guessed_from_the_names_of_cells(path: str, shapes: dict, kind: layers.Kind | None) -> None:
    assert layers.guess(path, shapes, "cell") is kind


def test_the_kind_of_a_layer_is_that_of_its_class_or_base() -> None:
    class Own(nn.Dense):
        pass

    assert layers.kind_of(Own(2, 3), "cell") is layers.kind_of(T.Linear(2, 3), "torch") is layers.LINEAR
    assert layers.kind_of(nn.ReLU(), "cell") is None
    assert [layers.BATCH_NORM.role(leaf) for leaf in ("gamma", "moving_mean", "other")] == [
        "weight",
        "running_mean",
        "other",
    ]

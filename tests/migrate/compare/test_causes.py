"""Single differences, planted in a Cell that otherwise does what a torch module does: each is named, layer and cause."""

import math
import re
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F

import sporax as ms
from sporax import nn, ops
from sporax.migrate import compare

RNG = np.random.default_rng(0)
IMAGE = RNG.normal(size=(2, 4, 9, 9)).astype(np.float32)
ROWS = RNG.normal(size=(5, 6)).astype(np.float32)
SEQUENCE = RNG.normal(size=(3, 5, 6)).astype(np.float32)
TOKENS = np.array([[1, 0, 3], [0, 2, 1]])
CLASSES = np.array([0, 2, 1, 3, 2])
mint = ms.mint.nn

CASES: dict[str, tuple[Callable[[], tuple], str, str]] = {}


def planted(layer: str, cause: str) -> Callable[[Callable[[], tuple]], Callable[[], tuple]]:
    """Say which layer and cause must be named; the function returns (torch module, Cell, inputs[, options])."""

    def keep(build: Callable[[], tuple]) -> Callable[[], tuple]:
        CASES[build.__name__] = build, layer, cause
        return build

    return keep


def modules(**layers: torch.nn.Module) -> torch.nn.Sequential:
    return torch.nn.Sequential(OrderedDict(layers))


def cells(**layers: nn.Cell) -> nn.SequentialCell:
    return nn.SequentialCell(OrderedDict(layers))


# --- settings of layers ---------------------------------------------------------------------------------------------


def conv(**options: Any) -> torch.nn.Module:
    return modules(conv=torch.nn.Conv2d(4, 8, 3, **options), act=torch.nn.ReLU())


def conv_cell(**options: Any) -> nn.Cell:
    return cells(
        conv=nn.Conv2d(4, 8, 3, **{"pad_mode": "pad", "padding": 1, "has_bias": True, **options}), act=nn.ReLU()
    )


@planted("conv", "padding is 1 in the reference and 0 here")
def padding():
    return conv(padding=1), conv_cell(padding=0), IMAGE


@planted("conv", "padding is 1 in the reference and 'same' here.*pad_mode='same' by default")
def pad_mode():
    return conv(padding=1, stride=2), conv_cell(stride=2, pad_mode="same", padding=0), IMAGE[..., :8, :8]


@planted("conv", "stride is 2 in the reference and 1 here")
def stride():
    return conv(padding=1, stride=2), conv_cell(), IMAGE


@planted("conv", "dilation is 2 in the reference and 1 here")
def dilation():
    return conv(padding=1, dilation=2), conv_cell(), IMAGE


@planted("conv", "groups is 2 in the reference and 1 here")
def groups():
    return conv(padding=1, groups=2), conv_cell(), IMAGE


@planted("conv", "kernel_size is 3 in the reference and 5 here")
def kernel_size():
    return (
        conv(padding=1),
        cells(conv=nn.Conv2d(4, 8, 5, pad_mode="pad", padding=2, has_bias=True), act=nn.ReLU()),
        IMAGE,
    )


@planted("conv", "bias is missing here.*has_bias=False by default")
def conv_without_bias():
    return conv(padding=1), conv_cell(has_bias=False), IMAGE


def norm(layer: torch.nn.Module) -> torch.nn.Module:
    return modules(conv=torch.nn.Conv2d(4, 8, 1), norm=layer)


def norm_cell(layer: nn.Cell) -> nn.Cell:
    return cells(conv=nn.Conv2d(4, 8, 1, has_bias=True), norm=layer)


@planted("norm", "momentum is 0.1 in the reference and 0.9 here.*1 - torch's")
def momentum_of_batch_norm():
    return norm(torch.nn.BatchNorm2d(8)), norm_cell(nn.BatchNorm2d(8, momentum=0.1)), IMAGE


@planted("norm", "eps is 1e-05 in the reference and 0.001 here")
def eps_of_batch_norm():
    return norm(torch.nn.BatchNorm2d(8)), norm_cell(nn.BatchNorm2d(8, eps=1e-3)), IMAGE


@planted("norm", "track_running_stats is True in the reference and False here")
def batch_statistics():
    return norm(torch.nn.BatchNorm2d(8)), norm_cell(nn.BatchNorm2d(8, use_batch_statistics=True)), IMAGE


@planted("norm", "eps is 1e-05 in the reference and 0.001 here")
def eps_of_group_norm():
    return norm(torch.nn.GroupNorm(2, 8)), norm_cell(nn.GroupNorm(2, 8, eps=1e-3)), IMAGE


@planted("norm", "num_groups is 2 in the reference and 4 here")
def number_of_groups():
    return norm(torch.nn.GroupNorm(2, 8)), norm_cell(nn.GroupNorm(4, 8)), IMAGE


@planted("norm", "eps is 1e-05 in the reference and 1e-07 here.*LayerNorm has 1e-7")
def eps_of_layer_norm():
    return modules(norm=torch.nn.LayerNorm(6)), cells(norm=nn.LayerNorm((6,))), ROWS * 1e-2


@planted("act", "approximate is 'none' in the reference and 'tanh' here.*tanh form")
def form_of_gelu():
    return modules(fc=torch.nn.Linear(6, 6), act=torch.nn.GELU()), cells(fc=nn.Dense(6, 6), act=nn.GELU()), ROWS


@planted("act", "negative_slope is 0.01 in the reference and 0.2 here.*LeakyReLU has 0.2")
def slope():
    return modules(act=torch.nn.LeakyReLU()), cells(act=nn.LeakyReLU()), ROWS


@planted("act", "alpha is 0.5 in the reference and 1 here")
def alpha():
    return modules(act=torch.nn.ELU(0.5)), cells(act=nn.ELU()), ROWS


@planted("act", "a SiLU in the reference and a Sigmoid here")
def other_activation():
    return modules(act=torch.nn.SiLU()), cells(act=nn.Sigmoid()), ROWS


@planted("soft", "dim is -1 in the reference and 0 here")
def axis_of_softmax():
    return modules(soft=torch.nn.Softmax(-1)), cells(soft=nn.Softmax(0)), ROWS


@planted("drop", "p is 0.1 in the reference and 0.9 here.*keep_prob")
def keep_prob():
    return modules(fc=torch.nn.Linear(6, 6), drop=torch.nn.Dropout(0.1)), cells(
        fc=nn.Dense(6, 6), drop=nn.Dropout(keep_prob=0.1)
    ), ROWS  # fmt: skip


@planted("pool", "ceil_mode is True in the reference and False here")
def ceil_mode():
    return modules(pool=torch.nn.MaxPool2d(2, 2, ceil_mode=True)), cells(pool=nn.MaxPool2d(2, 2)), IMAGE


@planted("pool", "stride is 3 in the reference and 1 here.*stride=1 where torch takes the kernel's size")
def stride_of_pool():
    return modules(pool=torch.nn.MaxPool2d(3)), cells(pool=nn.MaxPool2d(3)), IMAGE


@planted("pool", "count_include_pad is False in the reference and True here")
def count_include_pad():
    ours = torch.nn.AvgPool2d(3, 2, padding=1, count_include_pad=False)
    return modules(pool=ours), cells(pool=mint.AvgPool2d(3, 2, padding=1)), IMAGE


@planted("pool", "a MaxPool2d in the reference and a AvgPool2d here")
def other_pool():
    return modules(pool=torch.nn.MaxPool2d(3, 2)), cells(pool=nn.AvgPool2d(3, 2)), IMAGE


@planted("up", "align_corners is True in the reference and False here")
def align_corners():
    ours = torch.nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
    theirs = nn.Upsample(scale_factor=2.0, mode="bilinear", align_corners=False, recompute_scale_factor=True)
    return modules(up=ours), cells(up=theirs), IMAGE


@planted("embed", r"padding_idx is 0 in the reference and None here")
def padding_idx():
    return modules(embed=torch.nn.Embedding(5, 4, padding_idx=0)), cells(embed=mint.Embedding(5, 4)), TOKENS


@planted("embed", r"row 0 has a gradient here and none on the other side: padding_idx .*mint.nn.Embedding does not")
def padding_idx_is_trained():
    return (
        modules(embed=torch.nn.Embedding(5, 4, padding_idx=0)),
        cells(embed=nn.Embedding(5, 4, padding_idx=0)),
        TOKENS,
    )


@planted("1", "the layers run in another order: 0, 1, 2 in the reference, 0, 2, 1 here")
def swapped_layers():
    ours = torch.nn.Sequential(torch.nn.Linear(6, 6), torch.nn.LayerNorm(6), torch.nn.ReLU())
    return ours, nn.SequentialCell(nn.Dense(6, 6), nn.ReLU(), nn.LayerNorm((6,), epsilon=1e-5)), ROWS


@planted("fc", "it computes in float16 here and in float32 in the reference")
def dtype():
    return modules(fc=torch.nn.Linear(6, 6)), cells(fc=nn.Dense(6, 6).to_float(ms.float16)), ROWS


# --- weights --------------------------------------------------------------------------------------------------------


@planted("fc", "weight: it is the transpose of the reference's")
def transposed_weight():
    ours, theirs = modules(fc=torch.nn.Linear(6, 6)), cells(fc=nn.Dense(6, 6))
    theirs[0].weight.set_data(ms.Tensor(ours.fc.weight.detach().numpy().T.copy()))
    theirs[0].bias.set_data(ms.Tensor(ours.fc.bias.detach().numpy()))
    return ours, theirs, ROWS, {"carry": False}


def lstm_with_gates(order: list[int]) -> tuple:
    ours, theirs = torch.nn.LSTM(6, 4, batch_first=True), nn.LSTM(6, 4, batch_first=True)
    for name, parameter in theirs.parameters_and_names():
        blocks = np.split(getattr(ours, name).detach().numpy(), 4)
        parameter.set_data(ms.Tensor(np.concatenate([blocks[i] for i in order])))
    return modules(rnn=ours), cells(rnn=theirs), SEQUENCE, {"carry": False}


@planted("rnn", "weight_ih_l0: the gates stand in the order i, g, f, o here and i, f, g, o in the reference")
def gate_order():
    return lstm_with_gates([0, 2, 1, 3])


@planted("rnn", "batch_first is True in the reference and False here")
def batch_first():
    return modules(rnn=torch.nn.LSTM(6, 4, batch_first=True)), cells(rnn=nn.LSTM(6, 4)), SEQUENCE


# --- the networks' own code -------------------------------------------------------------------------------------------


class Block(torch.nn.Module):
    """Two affine layers around a function, and what is done with the result."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = torch.nn.Linear(6, 6), torch.nn.Linear(6, 6)


class BlockCell(nn.Cell):
    """The same as a Cell."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Dense(6, 6), nn.Dense(6, 6)


def inside(block: torch.nn.Module, cell: nn.Cell, x: Any = ROWS, **options: Any) -> tuple:
    """Put both between other layers."""
    return modules(first=torch.nn.Identity(), block=block), cells(first=nn.Identity(), block=cell), x, options


@planted("block", "the residual is missing here")
def residual():
    class Ours(Block):
        def forward(self, x):
            return x + self.b(torch.relu(self.a(x)))

    class Theirs(BlockCell):
        def construct(self, x):
            return self.b(ops.relu(self.a(x)))

    return inside(Ours(), Theirs())


@planted("block", "an activation is missing here: ReLU of this output is the reference")
def activation():
    class Ours(Block):
        def forward(self, x):
            return torch.relu(self.b(self.a(x)))

    class Theirs(BlockCell):
        def construct(self, x):
            return self.b(self.a(x))

    return inside(Ours(), Theirs())


@planted(
    "block", r"the code differs first at .*softmax\(self.a\(x\), dim=-1\).*softmax has axis=-1 there and axis=0 here"
)
def axis_in_the_code():
    class Ours(Block):
        def forward(self, x):
            return self.b(torch.softmax(self.a(x), dim=-1))

    class Theirs(BlockCell):
        def construct(self, x):
            return self.b(ops.softmax(self.a(x), axis=0))

    return inside(Ours(), Theirs())


@planted("block", "cat has axis=-1 there and axis=0 here")
def axis_of_cat():
    class Ours(Block):
        def forward(self, x):
            return torch.cat([self.a(x), self.b(x)], dim=-1).reshape(-1)

    class Theirs(BlockCell):
        def construct(self, x):
            return ops.cat((self.a(x), self.b(x)), axis=0).reshape(-1)

    return inside(Ours(), Theirs())


@planted("block", "mean has axis=1 there and axis=2 here")
def axis_of_mean():
    class Ours(Block):
        def forward(self, x):
            return self.b(self.a(x)).mean(1)

    class Theirs(BlockCell):
        def construct(self, x):
            return self.b(self.a(x)).mean(2)

    return inside(Ours(), Theirs(), RNG.normal(size=(2, 6, 6)).astype(np.float32))


@planted("block", "the output changes from run to run in evaluation mode: dropout")
def dropout_on():
    class Ours(Block):
        def forward(self, x):
            return self.b(F.dropout(self.a(x), 0.5, self.training))

    class Theirs(BlockCell):
        def construct(self, x):
            return self.b(ops.dropout(self.a(x), 0.5))

    return inside(Ours(), Theirs())


class Attention(torch.nn.Module):
    """Scores of queries and keys, masked, and the weighted sum of the values."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v = (torch.nn.Linear(6, 6) for _ in range(3))
        self.register_buffer("mask", torch.tril(torch.ones(5, 5)), persistent=False)

    def forward(self, x):
        scores = self.q(x) @ self.k(x).transpose(-2, -1) / math.sqrt(6)
        scores = scores.masked_fill(self.mask == 0, -1e9)
        return torch.softmax(scores, dim=-1) @ self.v(x)


class AttentionCell(nn.Cell):
    """The same as a Cell."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v = (nn.Dense(6, 6) for _ in range(3))
        self.mask = ms.Tensor(np.tril(np.ones((5, 5), np.float32)))


@planted("block", r"the code differs first at .*/ math\.sqrt\(6\)`, which is .*swapaxes\(-2, -1\)` here")
def scale():
    class Theirs(AttentionCell):
        def construct(self, x):
            scores = self.q(x) @ self.k(x).swapaxes(-2, -1)
            scores = scores.masked_fill(self.mask == 0, -1e9)
            return ops.softmax(scores, axis=-1) @ self.v(x)

    return inside(Attention(), Theirs(), SEQUENCE)


@planted("block", r"masked_fill\(self.mask == 0, -.*`, which is .*masked_fill\(self.mask == 1")
def sign_of_the_mask():
    class Theirs(AttentionCell):
        def construct(self, x):
            scores = self.q(x) @ self.k(x).swapaxes(-2, -1) / math.sqrt(6)
            scores = scores.masked_fill(self.mask == 1, -1e9)
            return ops.softmax(scores, axis=-1) @ self.v(x)

    return inside(Attention(), Theirs(), SEQUENCE)


@planted("block", r"the numbers are the reference's in another order|axes 1 and 2 are swapped")
def reshape_for_transpose():
    class Ours(Block):
        def forward(self, x):
            return self.b(self.a(x)).transpose(1, 2)

    class Theirs(BlockCell):
        def construct(self, x):
            return self.b(self.a(x)).reshape(3, 6, 5)

    return inside(Ours(), Theirs(), SEQUENCE)


@planted("block", "the sign is the opposite")
def sign():
    class Ours(Block):
        def forward(self, x):
            return self.a(x) - self.b(x)

    class Theirs(BlockCell):
        def construct(self, x):
            return self.b(x) - self.a(x)

    return inside(Ours(), Theirs())


@planted("block", "weight is used transposed here: x · W in one, x · Wᵀ in the other")
def transposed_in_the_code():
    class Ours(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.randn(6, 6))

        def forward(self, x):
            return F.linear(x, self.weight)

    class Theirs(nn.Cell):
        def __init__(self):
            super().__init__()
            self.weight = ms.Parameter(ms.Tensor(np.ones((6, 6), np.float32)))

        def construct(self, x):
            return ops.matmul(x, self.weight)

    return inside(Ours(), Theirs())


@planted("block.a", "no gradient arrives here: it is detached")
def detached():
    class Ours(Block):
        def forward(self, x):
            return self.b(torch.relu(self.a(x)))

    class Theirs(BlockCell):
        def construct(self, x):
            return self.b(ops.stop_gradient(ops.relu(self.a(x))))

    return inside(Ours(), Theirs())


@planted("block.b", "the layer is called in the reference and not here")
def layer_left_out():
    class Ours(Block):
        def forward(self, x):
            return self.b(self.a(x))

    class Theirs(BlockCell):
        def construct(self, x):
            return self.a(x)

    return inside(Ours(), Theirs())


@planted("block", "there are values that are no numbers here")
def not_a_number():
    class Ours(Block):
        def forward(self, x):
            return torch.log(torch.abs(self.a(x)) + 1e-6)

    class Theirs(BlockCell):
        def construct(self, x):
            return ops.log(self.a(x))

    return inside(Ours(), Theirs())


# --- loss and optimizer -------------------------------------------------------------------------------------------------


def trained(loss: tuple, optimizer: Any = None, labels: np.ndarray = CLASSES) -> tuple:
    ours, theirs = modules(fc=torch.nn.Linear(6, 4)), cells(fc=nn.Dense(6, 4))
    return ours, theirs, (ROWS, labels), {"loss": loss, "optimizer": optimizer}


@planted("loss", "label_smoothing is 0.1 in the reference and 0 here")
def label_smoothing():
    return trained((torch.nn.CrossEntropyLoss(label_smoothing=0.1), nn.CrossEntropyLoss()))


@planted("loss", "reduction is 'mean' in the reference and 'sum' here")
def reduction():
    return trained((torch.nn.CrossEntropyLoss(), nn.CrossEntropyLoss(reduction="sum")))


@planted("loss", "the loss is 20 times as large here, the number of elements: reduction sum in the place of mean")
def reduction_in_the_code():
    target = RNG.normal(size=(5, 4)).astype(np.float32)
    return trained((lambda out, y: ((out - y) ** 2).mean(), lambda out, y: ((out - y) ** 2).sum()), labels=target)


@planted("loss", "ignore_index is 2 in the reference and -100 here")
def ignore_index():
    return trained((torch.nn.CrossEntropyLoss(ignore_index=2), nn.CrossEntropyLoss()))


CROSS_ENTROPY = torch.nn.CrossEntropyLoss, nn.CrossEntropyLoss


def stepped(ours: Callable, theirs: Callable) -> tuple:
    return trained(tuple(loss() for loss in CROSS_ENTROPY), (ours, theirs))


@planted("fc", "weight_decay is 0.01 in the reference and 0 here")
def weight_decay():
    return stepped(lambda p: torch.optim.SGD(p, 0.1, weight_decay=0.01), lambda p: nn.SGD(p, 0.1))


@planted("fc", "lr is 0.1 in the reference and 0.01 here")
def learning_rate():
    return stepped(lambda p: torch.optim.SGD(p, 0.1), lambda p: nn.SGD(p, 0.01))


@planted("fc", "nesterov is True in the reference and False here")
def nesterov():
    return stepped(
        lambda p: torch.optim.SGD(p, 0.1, momentum=0.9, nesterov=True), lambda p: nn.SGD(p, 0.1, momentum=0.9)
    )


@planted("fc", "momentum is 0.9 in the reference and 0.5 here")
def momentum():
    return stepped(lambda p: torch.optim.SGD(p, 0.1, momentum=0.9), lambda p: nn.SGD(p, 0.1, momentum=0.5))


@planted("fc", r"betas is \(0.9, 0.999\) in the reference and \(0.5, 0.999\) here")
def betas():
    return stepped(lambda p: torch.optim.Adam(p, 1e-2), lambda p: nn.Adam(p, 1e-2, beta1=0.5))


@planted("norm", "the weights decay in the reference only: MindSpore's optimizers pass over .* beta and gamma")
def decay_of_norms():
    ours = modules(norm=torch.nn.LayerNorm(6), fc=torch.nn.Linear(6, 4))
    theirs = cells(norm=nn.LayerNorm((6,), epsilon=1e-5), fc=nn.Dense(6, 4))
    steps = lambda p: torch.optim.SGD(p, 0.1, weight_decay=0.1), lambda p: nn.SGD(p, 0.1, weight_decay=0.1)
    return ours, theirs, (ROWS, CLASSES), {"loss": tuple(loss() for loss in CROSS_ENTROPY), "optimizer": steps}


@planted("fc", "the optimizer is AdamW in the reference and AdamWeightDecay here .*does not correct")
def uncorrected_moments():
    return stepped(lambda p: torch.optim.AdamW(p, 1e-2), lambda p: nn.AdamWeightDecay(p, 1e-2, weight_decay=0.01))


@planted("fc", "the optimizer is SGD in the reference and Adam here")
def other_optimizer():
    return stepped(lambda p: torch.optim.SGD(p, 1e-2), lambda p: nn.Adam(p, 1e-2))


@pytest.mark.parametrize("name", CASES)
def test_planted_difference_is_named(name: str) -> None:
    build, layer, cause = CASES[name]
    torch.manual_seed(0)
    ours, theirs, inputs, *options = build()
    result = compare(ours, theirs, inputs, **(options[0] if options else {}))
    assert result.first_difference == layer, result
    assert re.search(cause, result.cause), result
    assert any(row.differs and row.stage == result.stage for row in result.rows)


def test_there_are_forty() -> None:
    assert len(CASES) >= 40

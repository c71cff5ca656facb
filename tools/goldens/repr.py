"""str() and repr() of tensors, parameters, dtypes and cells."""

import re
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import Parameter, ParameterTuple, Tensor, nn, ops

from .common import DTYPES, attempt, set_mode, write_json

ADDRESS = r"0x[0-9a-f]+"
NAMES = {"ms": ms, "np": np, "nn": nn, "ops": ops, "Tensor": Tensor, "Parameter": Parameter}

TENSORS = [
    "Tensor(1.5)",
    "Tensor(3)",
    "Tensor(-3, ms.int32)",
    "Tensor(True)",
    "Tensor(1e-8, ms.float32)",
    "Tensor(1e20, ms.float32)",
    "Tensor(float('nan'), ms.float32)",
    "Tensor([float('inf'), float('-inf'), float('nan'), 1.0], ms.float32)",
    "Tensor([1.0, 2.5, -3.25])",
    "Tensor([1.0, 2.0, 3.0])",
    "Tensor([0.1, 0.2, 0.3], ms.float64)",
    "Tensor([1e-5, 1.0, 1e5])",
    "Tensor([1e-10, 1.0])",
    "Tensor([1e10, 1.0])",
    "Tensor([123456.789, 0.000123])",
    "Tensor([-0.0, 0.0])",
    "Tensor([1, -20, 300])",
    "Tensor([True, False])",
    "Tensor([[True, False], [False, True]])",
    "Tensor(np.arange(6).reshape(2, 3))",
    "Tensor(np.arange(6).reshape(2, 3), ms.float32)",
    "Tensor(np.arange(24).reshape(2, 3, 4), ms.float32)",
    "Tensor(np.arange(24).reshape(2, 3, 4) / 7, ms.float32)",
    "Tensor(np.arange(16).reshape(2, 2, 2, 2), ms.int8)",
    "Tensor(np.ones((1, 1, 1)), ms.float16)",
    "Tensor(np.zeros((0,)), ms.float32)",
    "Tensor(np.zeros((0, 3)), ms.float32)",
    "Tensor(np.zeros((2, 0, 3)), ms.int32)",
    "Tensor(np.arange(1000), ms.float32)",
    "Tensor(np.arange(1001), ms.float32)",
    "Tensor(np.arange(2000), ms.int32)",
    "Tensor(np.arange(3000).reshape(30, 100), ms.float32)",
    "Tensor(np.arange(10000).reshape(100, 100), ms.int64)",
    "Tensor(np.arange(8000).reshape(20, 20, 20), ms.int32)",
    "Tensor(np.ones((50, 50)), ms.bool_)",
    "Tensor(np.arange(40) / 3, ms.float32)",
    "Tensor(np.arange(40) * 1000, ms.int32)",
    "Tensor([1 + 2j, -0.5j])",
    "Tensor([[1 + 2j, 3.25 - 4j]], ms.complex64)",
    "Tensor(1 + 2j)",
    "Tensor([1.5, 2.25], ms.bfloat16)",
    "Tensor(1.5, ms.bfloat16)",
    "Tensor('text')",
    "Tensor([1, 2]).shape",
    "Tensor([1.0]).dtype",
    "[Tensor(1.0), Tensor([2])]",
    "(Tensor(1.0), {'a': Tensor([2])})",
    "ops.arange(5)",
    "ops.zeros((2, 2))",
]
PARAMETERS = [
    "Parameter(Tensor([1.0, 2.0]), name='w')",
    "Parameter(Tensor(1.0), name='scale')",
    "Parameter(np.ones((2, 2), np.float32), name='w', requires_grad=False)",
    "Parameter(ms.common.initializer.initializer('zeros', (2, 3)), name='w')",
    "Parameter(3, name='n')",
    "Parameter(2.5, name='x')",
    "Parameter(Tensor([True]), name='flag')",
    "Parameter(Tensor([1.5], ms.bfloat16), name='b')",
    "Parameter(Tensor(np.zeros((0, 2)), ms.float32), name='empty')",
    "Parameter(Tensor(np.zeros((40, 40)), ms.float32), name='large')",
    "ms.ParameterTuple([Parameter(1.0, name='a'), Parameter(2.0, name='b')])",
    "[Parameter(1.0, name='a')]",
]
DTYPE_VALUES = [
    *[f"ms.{name if name != 'bool' else 'bool_'}" for name in DTYPES],
    "ms.int_",
    "ms.uint",
    "ms.float_",
    "ms.number",
    "ms.string",
    "ms.tensor_type",
    "ms.type_none",
    "ms.Tensor",
]
CELLS = [
    "nn.Dense(3, 4)",
    "nn.Dense(3, 4, has_bias=False)",
    "nn.Dense(3, 4, activation='relu')",
    "nn.Dense(3, 4, activation=nn.Tanh())",
    "nn.Conv2d(3, 8, 3)",
    "nn.Conv2d(3, 8, (3, 5), stride=2, pad_mode='pad', padding=1, has_bias=True, group=1)",
    "nn.Conv1d(3, 8, 3)",
    "nn.Conv3d(3, 8, 3)",
    "nn.Conv2dTranspose(3, 8, 3)",
    "nn.Conv1dTranspose(3, 8, 3)",
    "nn.Conv3dTranspose(3, 8, 3)",
    "nn.BatchNorm1d(4)",
    "nn.BatchNorm2d(4, momentum=0.1)",
    "nn.BatchNorm3d(4)",
    "nn.LayerNorm((4,))",
    "nn.GroupNorm(2, 4)",
    "nn.LRN(2, 1.0, 0.2, 0.75)",
    "nn.Dropout()",
    "nn.Dropout(p=0.2)",
    "nn.Dropout(keep_prob=0.8)",
    "nn.Embedding(10, 4)",
    "nn.Embedding(10, 4, padding_idx=0)",
    "nn.EmbeddingLookup(10, 4)",
    "nn.LSTM(3, 4)",
    "nn.LSTM(3, 4, num_layers=2, bidirectional=True, batch_first=True)",
    "nn.GRU(3, 4)",
    "nn.RNN(3, 4)",
    "nn.LSTMCell(3, 4)",
    "nn.GRUCell(3, 4)",
    "nn.RNNCell(3, 4)",
    "nn.ReLU()",
    "nn.ReLU6()",
    "nn.LeakyReLU(0.1)",
    "nn.ELU()",
    "nn.GELU()",
    "nn.Sigmoid()",
    "nn.Softmax()",
    "nn.LogSoftmax(axis=1)",
    "nn.Tanh()",
    "nn.PReLU(3)",
    "nn.HSwish()",
    "nn.SiLU()",
    "nn.Flatten()",
    "nn.Identity()",
    "nn.MaxPool2d(2, 2)",
    "nn.MaxPool1d(2)",
    "nn.AvgPool2d(2, 2, pad_mode='same')",
    "nn.AdaptiveAvgPool2d(1)",
    "nn.AdaptiveMaxPool2d((2, 3))",
    "nn.Pad(((1, 1), (0, 0)))",
    "nn.ZeroPad2d(1)",
    "nn.ReflectionPad2d(1)",
    "nn.Upsample(scale_factor=2)",
    "nn.PixelShuffle(2)",
    "nn.Unfold([1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1])",
    "nn.BiDense(2, 3, 4)",
    "nn.MultiheadAttention(4, 2)",
    "nn.TransformerEncoderLayer(4, 2, 8)",
    "nn.CrossEntropyLoss()",
    "nn.MSELoss()",
    "nn.L1Loss(reduction='sum')",
    "nn.BCEWithLogitsLoss()",
    "nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction='mean')",
    "nn.SequentialCell()",
    "nn.SequentialCell(nn.Dense(3, 4), nn.ReLU())",
    "nn.SequentialCell([nn.Dense(3, 4), nn.SequentialCell([nn.ReLU(), nn.Dense(4, 2)])])",
    "nn.CellList([nn.Dense(3, 4), nn.ReLU()])",
    "nn.CellList()",
    "nn.CellDict({'a': nn.Dense(3, 4), 'b': nn.ReLU()})",
    "nn.Cell()",
    "Empty()",
    "WithParameter()",
    "Nested()",
    "Lines()",
    "Lines(Empty(), nn.SequentialCell(Lines()), Lines(Lines()))",
    "nn.SGD(nn.Dense(1, 1).trainable_params())",
    "nn.Adam(nn.Dense(1, 1).trainable_params())",
    "nn.WithLossCell(nn.Dense(1, 1), nn.MSELoss())",
    "nn.TrainOneStepCell(nn.Dense(1, 1), nn.SGD(nn.Dense(1, 1).trainable_params()))",
    "ops.ReLU()",
    "ops.ReduceSum(keep_dims=True)",
    "ops.Conv2D(3, 3)",
]


class Empty(nn.Cell):
    """A cell that holds nothing."""


class WithParameter(nn.Cell):
    """A cell with a parameter of its own and a child."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = Parameter(Tensor([2.0]))
        self.dense = nn.Dense(2, 2)


class Nested(nn.Cell):
    """A cell with children two levels deep, and text of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.SequentialCell(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU())
        self.heads = nn.CellList([nn.Dense(2, 1), WithParameter()])
        self.empty = Empty()

    def extend_repr(self) -> str:
        """Return text for the first line of repr()."""
        return "depth=2"


class Lines(nn.Cell):
    """A cell with children that are given, and text of several lines."""

    def __init__(self, *children: nn.Cell) -> None:
        super().__init__()
        for number, child in enumerate(children):
            self.insert_child_to_cell(f"child{number}", child)

    def extend_repr(self) -> str:
        """Return text of three lines, one of them empty."""
        return "one,\n\ntwo"


NAMES |= {
    "Lines": Lines,
    "Empty": Empty,
    "WithParameter": WithParameter,
    "Nested": Nested,
    "ParameterTuple": ParameterTuple,
}


def texts(expression: str) -> dict[str, str]:
    """Return str() and, where it differs, repr() of an expression's value, or its error."""

    def both() -> tuple[str, str]:
        value = eval(expression, dict(NAMES))
        return re.sub(ADDRESS, "0x", str(value)), re.sub(ADDRESS, "0x", repr(value))

    value, error = attempt(both)
    if error is not None:
        return {"error": error}
    as_str, as_repr = value
    return {"str": as_str} if as_str == as_repr else {"str": as_str, "repr": as_repr}


def record(out: Path) -> None:
    """Write ``repr.json``; where ``repr`` is left out it equals ``str``."""
    set_mode("pynative")
    groups: dict[str, list[str]] = {
        "tensors": TENSORS,
        "parameters": PARAMETERS,
        "dtypes": DTYPE_VALUES,
        "cells": CELLS,
    }
    groups["tensors"] = TENSORS + [
        f"Tensor({values}, ms.{name if name != 'bool' else 'bool_'})"
        for name in DTYPES
        for values in ("[0, 1]", "1", "[[1, 2], [3, 4]]")
    ]
    data: dict[str, Any] = {group: {text: texts(text) for text in expressions} for group, expressions in groups.items()}
    write_json(out / "repr.json", data)

"""Tensors, Parameters, dtypes and Cells print as MindSpore 2.7.0 prints them."""

import json
import re

import numpy as np
import pytest
from house import ROOT

import sporax as ms
from sporax import nn

RECORDED = json.loads((ROOT / "tests" / "goldens" / "repr.json").read_text())
NAMES = {"ms": ms, "ops": ms.ops, "np": np, "Tensor": ms.Tensor, "Parameter": ms.Parameter}
CASES = [
    (e, c) for group in ("tensors", "parameters", "dtypes") for e, c in RECORDED[group].items() if e != "ms.Tensor"
]


@pytest.mark.parametrize(("expression", "case"), CASES, ids=[e for e, _ in CASES])
def test_text(expression: str, case: dict[str, str]) -> None:
    """`str` and `repr` equal the recorded text; what MindSpore refuses is refused with the same exception class."""
    if "error" in case:
        with pytest.raises((TypeError, ValueError, RuntimeError)) as error:
            eval(expression, dict(NAMES))
        assert type(error.value).__name__ == case["error"].split(":")[0]
        return
    value = eval(expression, dict(NAMES))
    for show in (str, repr):
        if show.__name__ in case:
            assert show(value) == case[show.__name__]


SHORTENED = [  # (shape, dtype, text of MindSpore 2.7.0): beyond one axis, each of more than six elements
    ((1, 7), ms.int32, "[[0, 1, 2 ... 4, 5, 6]]"),
    ((2, 10), ms.int64, "[[ 0,  1,  2 ...  7,  8,  9],\n [10, 11, 12 ... 17, 18, 19]]"),
    (
        (2, 7),
        ms.bool_,
        "[[False,  True,  True ...  True,  True,  True],\n [ True,  True,  True ...  True,  True,  True]]",
    ),
    ((7, 1), ms.int32, "[[0],\n [1],\n [2],\n ...\n [4],\n [5],\n [6]]"),
    ((2, 6), ms.int32, "[[ 0,  1,  2,  3,  4,  5],\n [ 6,  7,  8,  9, 10, 11]]"),
]


@pytest.mark.parametrize(("shape", "dtype", "text"), SHORTENED)
def test_long_axes_are_shortened(shape: tuple[int, ...], dtype: object, text: str) -> None:
    value = ms.Tensor(np.arange(np.prod(shape)).reshape(shape).astype(np.float64), dtype)
    assert repr(value) == f"Tensor(shape={list(shape)}, dtype={dtype}, value=\n{text})"


def test_long_lines_of_truth_values_are_broken() -> None:
    text = repr(ms.Tensor([True] * 13, ms.bool_))
    assert text == f"Tensor(shape=[13], dtype=Bool, value= [{', '.join([' True'] * 12)}, \n  True])"


class Empty(nn.Cell):
    """A Cell that holds nothing."""


class Lines(nn.Cell):
    """A Cell with children that are given, and text of several lines."""

    def __init__(self, *children: nn.Cell) -> None:
        super().__init__()
        for number, child in enumerate(children):
            self.insert_child_to_cell(f"child{number}", child)

    def extend_repr(self) -> str:
        return "one,\n\ntwo"


class WithParameter(nn.Cell):
    """A Cell with a Parameter of its own and a child."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = ms.Parameter(ms.Tensor([2.0]))
        self.dense = nn.Dense(2, 2)


class Nested(nn.Cell):
    """A Cell with children two levels deep, and text of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.SequentialCell(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU())
        self.heads = nn.CellList([nn.Dense(2, 1), WithParameter()])
        self.empty = Empty()

    def extend_repr(self) -> str:
        return "depth=2"


CELLS = {"nn": nn, "Empty": Empty, "Lines": Lines, "WithParameter": WithParameter, "Nested": Nested}


# layers that recur have no Cell `rnn` here, and Primitives tell no arguments
OTHERS = re.compile(r"nn\.(GRU|LSTM|RNN)\(|ops\.")


@pytest.mark.parametrize("expression", [text for text in RECORDED["cells"] if not OTHERS.match(text)])
def test_text_of_cells(expression: str) -> None:
    """An initializer shows its arguments, where MindSpore's shows its address; an optimizer shows its rate."""
    text = re.sub("0x[0-9a-f]+", "0x", repr(eval(expression, NAMES | CELLS)))
    want = re.sub(
        r"<mindspore\.common\.initializer\.(\w+) object at 0x>", r"\1(...)", RECORDED["cells"][expression]["str"]
    )
    text = re.sub(r"(_init=[A-Z]\w+)\([^()]*\)", r"\1(...)", text)
    text = re.sub(r"\b(Adam|SGD)\(learning_rate[^()]*\)", r"\1()", text)
    assert text.replace("<sporax.", "<mindspore.") == want


@pytest.mark.parametrize(
    ("shape", "want"),
    [
        ((2,), "<table><caption>Tensor float32[2]</caption><tbody><tr><td>1.5</td><td>1.5</td></tr></tbody></table>"),
        ((1, 1), "<table><caption>Tensor float32[1, 1]</caption><tbody><tr><td>1.5</td></tr></tbody></table>"),
        ((), "<pre>Tensor(shape=[], dtype=Float32, value= 1.5)</pre>"),
        ((0, 2), "<pre>Tensor(shape=[0, 2], dtype=Float32, value=\n)</pre>"),
    ],
)
def test_html_of_tensors(shape: tuple[int, ...], want: str) -> None:
    assert ms.Tensor(np.full(shape, 1.5, np.float32))._repr_html_() == want


def test_html_of_large_tensors_is_their_repr() -> None:
    assert ms.Tensor(np.zeros((2, 13), np.float32))._repr_html_().startswith("<pre>Tensor(shape=[2, 13]")


def test_html_of_cells() -> None:
    html = ms.nn.Dense(4, 2)._repr_html_()
    assert "<summary>Dense: 2 Parameters of 10 numbers</summary><pre>Dense(input_channels=4" in html


def test_initializers_show_their_arguments() -> None:
    initializer = ms.common.initializer
    assert repr(initializer.Normal(0.02)) == "Normal(sigma=0.02, mean=0.0)"
    assert repr(initializer.Zero()) == "Zero()"

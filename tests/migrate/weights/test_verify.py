"""Both nets run on one input: which input, and how far their outputs are apart."""

import re

import numpy as np
import pytest
import torch

from sporax import nn
from sporax._src.migrate.weights.nets import net_of
from sporax._src.migrate.weights.verify import TOLERANCE, compare_outputs, input_of, inputs_for
from sporax.migrate import transfer_weights


def test_inputs_follow_the_first_layer():
    layers = {
        torch.nn.Conv1d(3, 2, 3): (2, 3, 32), torch.nn.Conv3d(3, 2, 3): (2, 3, 32, 32, 32), torch.nn.Linear(5, 2): (2, 5),
        torch.nn.LSTM(4, 2): (5, 2, 4), torch.nn.Embedding(6, 2): (2, 7), torch.nn.LayerNorm((3, 4)): (2, 3, 4),
    }  # fmt: skip
    for layer, shape in layers.items():
        assert inputs_for(net_of(layer, "net"))[0].shape == shape
    words = inputs_for(net_of(torch.nn.Embedding(6, 2), "net"))[0]
    assert words.dtype == np.int64 and 0 <= words.min() and words.max() < 6
    with pytest.raises(ValueError, match=r"the first layer .norm. does not tell the input's shape; give --input"):
        net = torch.nn.Module()
        net.norm = torch.nn.PReLU()
        inputs_for(net_of(net, "net"))
    assert input_of("2x3:int32", 0).dtype == np.int32


@pytest.mark.parametrize(
    ("text", "shape", "dtype"),
    [("1,3,4", (1, 3, 4), "float32"), ("2x3", (2, 3), "float32"), ("5:int64", (5,), "int64")],
)
def test_an_input_is_made_of_its_text(text: str, shape: tuple[int, ...], dtype: str) -> None:
    made = input_of(text, 0)
    assert (made.shape, made.dtype) == (shape, dtype)
    np.testing.assert_array_equal(made, input_of(text, 0))


@pytest.mark.parametrize("text", ["", "x", "2,", "2:text", "2:complex64", "-1"])
def test_what_is_no_input(text: str) -> None:
    told = f"--input {text}: expected SHAPE or SHAPE:DTYPE, such as 1,3,224,224 or 2,16:int64."
    with pytest.raises(ValueError, match=f"^{re.escape(told)}$"):
        input_of(text, 0)


def test_outputs_are_compared_with_a_tolerance() -> None:
    net, cell = torch.nn.Linear(2, 3), nn.Dense(2, 3)
    transfer_weights(net, cell)
    sides = net_of(net, "a"), net_of(cell, "b")
    difference, within = compare_outputs(*sides, [np.ones((4, 2), np.float32)])
    assert difference <= TOLERANCE and within
    cell.bias.set_data(cell.bias + 1)
    difference, within = compare_outputs(*sides, [np.ones((4, 2), np.float32)])
    assert difference == pytest.approx(1, abs=1e-5) and not within


def test_outputs_of_other_shapes_and_inputs_that_do_not_fit() -> None:
    sides = net_of(torch.nn.Linear(2, 3), "a"), net_of(nn.Dense(2, 4), "b")
    told = "--verify: the source net returns arrays of shapes [[1, 3]], the target net [[1, 4]]."
    with pytest.raises(ValueError, match=re.escape(told)):
        compare_outputs(*sides, [np.ones((1, 2), np.float32)])
    with pytest.raises(
        ValueError, match=r"--verify: Linear does not take float32\[1, 5\]: RuntimeError: .* Give --input SHAPE"
    ):
        compare_outputs(*sides, [np.ones((1, 5), np.float32)])

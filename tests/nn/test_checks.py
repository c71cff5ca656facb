"""Checks of the arguments of layers: what they return, and the texts of their errors."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor
from sporax._src.nn import checks

X = Tensor(np.zeros((2, 3), np.float32))


def test_what_fits_is_returned() -> None:
    assert checks.label(ms.nn.ReLU()) == checks.label("ReLU") == "nn.ReLU"
    assert checks.positive("Layer", "n", 3) == 3 and checks.integer("Layer", "n", -3) == -3
    assert checks.flag("Layer", "bias", False) is False and checks.of_type("Layer", "p", 0.5, (float, int)) == 0.5
    assert checks.choice("Layer", "mode", "same", ["same", "valid"]) == "same"
    assert checks.within("Layer", "p", 1, 0, 1) == 1
    assert checks.sizes("Layer", "kernel", 2, 3) == (2, 2, 2) and checks.sizes("Layer", "kernel", [1, 2], 2) == (1, 2)
    assert (checks.is_int(1), checks.is_int(True), checks.is_int(1.0)) == (True, False, False)
    drawn = checks.parameter("ones", [2, 3], ms.float16, "w", False)
    assert (drawn.name, drawn.shape, drawn.dtype, drawn.requires_grad) == ("w", (2, 3), ms.float16, False)
    assert (drawn.asnumpy() == 1).all()


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda: checks.integer("Layer", "n", True), TypeError, "nn.Layer: n must be an integer, got True."),
        (lambda: checks.integer("Layer", "n", 1, 2), ValueError, "nn.Layer: n must be at least 2, got 1."),
        (lambda: checks.integer("Layer", "n", -1, 0), ValueError, "n must be a non-negative integer, got -1."),
        (lambda: checks.positive("Layer", "n", 0), ValueError, "nn.Layer: n must be a positive integer, got 0."),
        (
            lambda: checks.of_type("Layer", "p", True, (float, int)),
            TypeError,
            "p must be of type float or int, got True",
        ),
        (lambda: checks.choice("Layer", "m", "x", "ab"), ValueError, "nn.Layer: m must be one of ['a', 'b'], got 'x'."),
        (lambda: checks.within("Layer", "p", 1, 0, 1, "[)"), ValueError, "nn.Layer: p must be in [0, 1), got 1."),
        (lambda: checks.within("Layer", "p", 0, 0, 1, "(]"), ValueError, "nn.Layer: p must be in (0, 1], got 0."),
        (
            lambda: checks.sizes("Layer", "k", "2", 2),
            TypeError,
            "nn.Layer: k must be an integer or a tuple of 2, got '2'.",
        ),
        (lambda: checks.sizes("Layer", "k", (1,), 2), ValueError, "k must be an integer or a tuple of 2, got (1)."),
        (lambda: checks.sizes("Layer", "k", 0, 2), ValueError, "each element of k must be a positive integer, got 0."),
        (lambda: checks.initial_shape("Layer", "w", X, (3, 2)), ValueError, "w must have shape [3, 2], got [2, 3]."),
        (
            lambda: checks.tensor_input("Layer", x=1),
            TypeError,
            "nn.Layer.construct(x: 1): x must be a Tensor, got 1.",
        ),
        (
            lambda: checks.rank_input("Layer", (3, 4), x=X),
            ValueError,
            "nn.Layer.construct(x: float32[2, 3]): x must have 3 or 4 axes, got 2.",
        ),
        (
            lambda: checks.dtype_input("Layer", [ms.int32], x=X),
            TypeError,
            "nn.Layer.construct(x: float32[2, 3]): x must be of dtype int32, got float32.",
        ),
    ],
)
def test_what_does_not_fit(call: Callable[[], Any], kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=re.escape(text)):
        call()

"""What optimizers demand of their arguments: what is returned, and the texts of errors."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sporax import Parameter, Tensor, nn
from sporax._src.optim import checks

CELL = nn.ReLU()
W = Parameter(Tensor([1.0]), name="w")


def test_what_fits_is_returned() -> None:
    assert checks.check_number(CELL, "lr", np.float32(0.5)) == 0.5 and checks.check_number(CELL, "lr", 0) == 0.0
    assert checks.check_fraction(CELL, "rho", 0.5) == 0.5 and checks.check_fraction(CELL, "rho", 1.0, ends=True) == 1.0
    assert checks.check_parameters((p for p in [W]), "params") == [W]
    assert checks.check_parameters([{"params": [W]}], "params") == [{"params": [W]}]
    checks.check_group({"params": [W], "lr": 0.1})
    checks.check_group({"order_params": [W]})
    checks.check_lengths(CELL, [Tensor([0.1, 0.2]), Tensor([0.3, 0.4]), 0.1])


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda: checks.check_number(CELL, "lr", True), TypeError, "For 'ReLU', the 'lr' must be a number, got True."),
        (lambda: checks.check_number(CELL, "lr", -1), ValueError, "the 'lr' must be a finite number >= 0, got -1."),
        (lambda: checks.check_number(CELL, "lr", 0, positive=True), ValueError, "must be a finite number > 0, got 0."),
        (lambda: checks.check_number(CELL, "lr", np.inf), ValueError, "must be a finite number >= 0, got inf."),
        (lambda: checks.check_fraction(CELL, "rho", 1), TypeError, "For 'ReLU', the 'rho' must be a float, got 1."),
        (lambda: checks.check_fraction(CELL, "rho", 1.0), ValueError, "must be in range of (0.0, 1.0), but got 1.0."),
        (lambda: checks.check_parameters(None, "params"), ValueError, "the argument params can not be None."),
        (lambda: checks.check_parameters("w", "params"), TypeError, "params must be a list of Parameters, got 'w'."),
        (lambda: checks.check_parameters([], "params"), ValueError, "the argument params must not be empty."),
        (lambda: checks.check_parameters([W, 3], "params"), TypeError, "Parameters or dicts, got 3 at index 1."),
        (lambda: checks.check_parameters([W, {}], "params"), TypeError, "all dicts, got a mixture."),
        (lambda: checks.check_group({"params": [W], "rate": 1}), KeyError, "got ['rate']."),
        (lambda: checks.check_group({"order_params": [W], "lr": 1}), ValueError, "must be the only key of its group"),
        (lambda: checks.check_group({"lr": 1}), KeyError, "must have the key 'params', got ['lr']."),
        (
            lambda: checks.check_lengths(CELL, [Tensor([0.1]), Tensor([0.1, 0.2])]),
            ValueError,
            "For 'ReLU', lists of learning rates must have one length, got lengths [1, 2].",
        ),
        (lambda: checks.check_twice(CELL, [W, W]), RuntimeError, "the Parameter 'w' is in the groups twice."),
        (
            lambda: checks.check_names(CELL, [W, Parameter(Tensor([2.0]), name="w")]),
            ValueError,
            "For 'ReLU', two Parameters have the name 'w'; rename one of them.",
        ),
    ],
)
def test_what_does_not_fit(call: Callable[[], Any], kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=re.escape(text)):
        call()

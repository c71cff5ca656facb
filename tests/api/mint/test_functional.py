"""Functions of `mint.nn.functional` agree with torch."""

import pytest
import torch
from mint_calls import FUNCTIONAL, calls
from mint_laws import agree

import sporax as ms
from sporax import mint


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", calls(FUNCTIONAL))
def test_functional(call: str) -> None:
    """A function of `mint.nn.functional` agrees with torch."""
    name = call.split("(")[0]
    home = torch if name in ("flatten", "sigmoid", "sigmoid_", "tanh") else torch.nn.functional
    agree(getattr(mint.nn.functional, name), getattr(home, name), call)


def test_dropout2d_in_place() -> None:
    x = ms.ops.ones((1, 2, 2, 2))
    assert mint.nn.functional.dropout2d(x, 1.0, True, inplace=True) is x
    assert not x.asnumpy().any()
    assert mint.nn.functional.dropout2d(ms.ops.ones((1, 2, 2, 2)), 1.0, False).asnumpy().all()

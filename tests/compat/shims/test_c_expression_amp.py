"""Strategies of mixed precision that are pushed and popped, as `mindtorch` does."""

import pytest

import sporax as ms
from sporax import Tensor, ops
from sporax._src.compat.shims.c_expression_amp import AmpLevel, pop_amp_strategy, push_amp_strategy
from sporax._src.compat.shims.train.amp import AMP_AUTO_BLACK_LIST, AMP_AUTO_WHITE_LIST, AMP_PRIM_ARG_TABLE

X = Tensor([[1.0, 2.0], [3.0, 4.0]])


def dtypes():
    """Return the dtypes of a product, an exponential of half precision, and a sum of both kinds."""
    return [str(y.dtype) for y in (ops.matmul(X, X), ops.exp(X.half()), X + X)]


def test_strategies() -> None:
    plain = ["Float32", "Float16", "Float32"]
    lists = [
        [(p.__name__, AMP_PRIM_ARG_TABLE[p]) for p in names] for names in (AMP_AUTO_WHITE_LIST, AMP_AUTO_BLACK_LIST)
    ]
    push_amp_strategy(AmpLevel.AmpAuto, ms.float16, *lists)
    assert dtypes() == ["Float16", "Float32", "Float32"]
    push_amp_strategy(AmpLevel.AmpO0, ms.float16, [], [])
    assert dtypes() == plain
    pop_amp_strategy()
    assert dtypes() == ["Float16", "Float32", "Float32"]
    pop_amp_strategy()
    push_amp_strategy(AmpLevel.AmpO3, ms.bfloat16, [], [])
    assert dtypes() == ["BFloat16"] * 3
    pop_amp_strategy()
    assert dtypes() == plain


def test_errors() -> None:
    with pytest.raises(RuntimeError, match="pop_amp_strategy: no strategy was pushed"):
        pop_amp_strategy()
    with pytest.raises(ValueError, match="amp_level must be AmpO0, AmpO3 or AmpAuto, got AmpO1"):
        push_amp_strategy(AmpLevel.AmpO1, ms.float16, [], [])

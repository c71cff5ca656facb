"""Operators with a seed of their own draw what MindSpore's CPU kernels draw, call for call."""

import json

import numpy as np
import pytest
from house import ROOT

import sporax as ms
from sporax import Tensor, ops
from sporax._src.ops.random import minstd

DRAWS = json.loads((ROOT / "tests" / "goldens" / "seeded_draws.json").read_text(encoding="utf-8"))
NAMES = {"ms": ms, "ops": ops, "np": np, "Tensor": Tensor}


@pytest.mark.parametrize("expression", DRAWS)
def test_three_calls(expression, mode) -> None:
    made, _, called = expression.partition(")(")
    operator = eval(f"{made})", dict(NAMES)) if called else None
    text = f"operator({called}" if called else expression
    draw = ms.jit(lambda: eval(text, NAMES | {"operator": operator}), fullgraph=True)
    results = [draw() for _ in DRAWS[expression]]
    got = [(r[0] if isinstance(r, tuple) else r).asnumpy().tolist() for r in results]
    assert got == DRAWS[expression]


def test_without_a_seed_they_follow_set_seed() -> None:
    x = Tensor(np.arange(20))
    for draw in (
        lambda: ops.RandomShuffle()(x),
        lambda: ops.RandomCategorical()(ops.zeros((1, 100), ms.float32), 9),
        lambda: ops.RandomChoiceWithMask(5)(x > 4)[0],
    ):
        ms.set_seed(3)
        first, second = draw().tolist(), draw().tolist()
        assert first != second
        ms.set_seed(3)
        assert draw().tolist() == first


def test_nothing_is_drawn_for_nothing() -> None:
    assert ops.RandomShuffle(5)(Tensor(7)).tolist() == 7
    with pytest.raises(TypeError, match=r"ops\.shuffle: x must be a Tensor, got 2"):
        ops.shuffle(2)
    number, word = minstd.doubles(np.int64(1), 3)
    again = [minstd.doubles(np.int64(1), 1)[0][0]]
    assert number[0] == again[0] and 0 < int(word) < 2**31 - 1

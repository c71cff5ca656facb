"""Loops and branches as functions, in both modes."""

import numpy as np

import sporax as ms
from sporax import Tensor, ops

MATRIX = Tensor([1.0, 2.0, 3.0])


def test_loops_as_functions(mode) -> None:
    """cond, while_loop, fori_loop and scan, in a graph and out of it."""

    def program(x):
        y = ops.cond(x.sum() > 0, lambda a: a + 1, lambda a: a - 1, x)
        z = ops.while_loop(lambda v: v.sum() < 100, lambda v: v * 2, y)
        w = ops.fori_loop(0, 3, lambda i, v: v + i, z)
        carry, ys = ops.scan(lambda c, s: (c + s, c * s), Tensor(0.0), w)
        return carry + ys.sum()

    want = program(MATRIX)
    got = ms.jit(program, fullgraph=True)(MATRIX)
    np.testing.assert_allclose(got.asnumpy(), want.asnumpy(), rtol=1e-6)


def test_unroll_of_a_loop(mode: int) -> None:
    loop = ops.ForiLoop()
    assert loop(0, 4, lambda i, v: v + i, Tensor(1.0), unroll=False).item() == 7.0
    assert loop(lower=0, upper=4, loop_func=lambda i, v: v + i, init_val=Tensor(1.0), unroll=True).item() == 7.0

"""Fused optimizer primitives: LARS, momentum with scale and decay, AdamWeightDecay in half precision, AdaFactor."""

import numpy as np
import pytest
from laws.rows import laws_of
from operands import T, parameters

import sporax as ms
from sporax import ops

test_row = laws_of("sporax._src.api.primitives.fused_optimizer_steps")


def test_fused_momentum(run):
    var, accum = parameters((3, 2), (3, 2))
    v, a, g = var.asnumpy(), accum.asnumpy(), T(3, 2)
    out = run(lambda grad: ops.FusedWeightScaleApplyMomentum()(0.1, 0.5, var, accum, 0.01, grad, 0.9), g)
    want = 0.9 * a + 0.5 * g.asnumpy() + 0.1 * v
    np.testing.assert_allclose(accum.asnumpy(), want, rtol=1e-5)
    np.testing.assert_allclose(var.asnumpy(), v - 0.01 * want, rtol=1e-5)
    np.testing.assert_array_equal(out.asnumpy(), var.asnumpy())


def test_fused_adam_in_half_precision(run):
    (var,), (m, v) = parameters((2, 2), dtype=np.float16), parameters((2, 2), (2, 2))
    w, m0, v0 = (p.asnumpy().astype(np.float32) for p in (var, m, v))
    g = T(2, 2).astype(ms.float16)
    run(lambda x: ops.FusedCastAdamWeightDecay()(var, m, v, 0.01, 0.9, 0.99, 1e-6, 0.1, x, 2.0), g)
    half = g.asnumpy().astype(np.float32) / 2
    m1, v1 = 0.9 * m0 + 0.1 * half, 0.99 * v0 + 0.01 * half**2
    np.testing.assert_allclose(m.asnumpy(), m1, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(v.asnumpy(), v1, rtol=1e-5)
    assert var.dtype == ms.float16
    np.testing.assert_allclose(var.asnumpy(), w - 0.01 * (m1 / (np.sqrt(v1) + 1e-6) + 0.1 * w), rtol=2e-3, atol=2e-3)


def ada_factor(eps, floor, clip, b1, b2, decay, lr, g, p, mean, row, col, sq, scale, first, weight_decay):
    """One step, axis by axis of the loops that define it."""
    power = g * g + eps
    if p.ndim > 1:
        row = b2 * row + (1 - b2) * power.mean(-1)
        col = b2 * col + (1 - b2) * power.mean(-2)
        second = (row / row.mean(-1, keepdims=True))[..., None] * col[..., None, :]
    else:
        second = sq = b2 * sq + (1 - b2) * power
    u = g / np.sqrt(second)
    rate = lr * max(floor, np.sqrt((p * p).mean())) if scale else lr
    u = u / max(1, np.sqrt((u * u).mean()) / clip) * rate
    if first:
        mean = u = b1 * mean + (1 - b1) * u
    return (p - decay * rate * p if weight_decay else p) - u, mean, row, col, sq


@pytest.mark.parametrize("flags", [(False, False, False), (True, True, True), (True, False, True)])
@pytest.mark.parametrize("shapes", [((2, 3, 2), (2, 3, 2), (2, 3), (2, 2), (2, 3, 2)), ((6,), (6,), (1,), (1,), (6,))])
def test_ada_factor(run, shapes, flags):
    states, g = parameters(*shapes), T(*shapes[0])
    hyper = (1.0, 0.9, 0.8, 1e-2, 0.03)
    norm = 1.0 if not flags[1] else 2.0
    before = [s.asnumpy().astype(np.float64) for s in states]
    want = ada_factor(1e-30, 1e-3, *hyper, g.asnumpy().astype(np.float64) / norm, *before, *flags)
    if norm == 1.0:
        run(lambda x: ops.FusedAdaFactor(*flags)((1e-30, 1e-3), *hyper, x, *states), g)
    else:
        run(lambda x: ops.FusedAdaFactorWithGlobalNorm(*flags)((1e-30, 1e-3), *hyper, x, *states, norm), g)
    for state, value in zip(states, want, strict=True):
        np.testing.assert_allclose(state.asnumpy(), value, rtol=2e-5, atol=1e-6)


def test_ada_factor_counts_its_operands():
    with pytest.raises(TypeError, match="expected 13 operands, got 1"):
        ops.FusedAdaFactorWithGlobalNorm()(T(2))

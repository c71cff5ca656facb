"""Where attention is one kernel, and what it computes."""

import logging

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sporax._src.base import config
from sporax._src.lowering.fused_attention import assumed, fused_attention, is_available


@pytest.fixture(autouse=True)
def _jax_mixes_dtypes():
    with jax.numpy_dtype_promotion("standard"):
        yield


RNG = np.random.default_rng(0)


def _operands(q=(2, 6, 4, 8), k=(2, 5, 2, 8), v=(2, 5, 2, 8), dtype="float16"):
    return [jnp.asarray(RNG.normal(size=shape), dtype) for shape in (q, k, v)]


def _expected(q, k, v, bias, mask, scale):
    q, k, v = (np.asarray(x, np.float64) for x in (q, k, v))
    k, v = (np.repeat(x, q.shape[2] // x.shape[2], 2) for x in (k, v))
    scores = np.einsum("bqhd,bkhd->bhqk", q, k) * scale + (0 if bias is None else bias)
    scores = scores if mask is None else np.where(mask, scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return np.einsum("bhqk,bkhd->bqhd", weights / weights.sum(-1, keepdims=True), v)


@pytest.mark.of_cpus
def test_a_cpu_has_no_kernel() -> None:
    assert not is_available()
    assert fused_attention(*_operands(), None, None, 1.0) is None


@pytest.mark.parametrize("bias", [None, (1, 1, 6, 5), (2, 4, 6, 5)])
@pytest.mark.parametrize("mask", [None, (2, 1, 1, 5), (6, 5)])
def test_it_is_softmax_of_products(bias, mask) -> None:
    q, k, v = _operands()
    bias = None if bias is None else jnp.asarray(RNG.normal(size=bias), "float32")
    mask = None if mask is None else jnp.asarray(RNG.random(mask) < 0.7).at[..., 0].set(True)
    with assumed("xla"):
        got = fused_attention(q, k, v, bias, mask, 0.3)
    assert got is not None and got.dtype == q.dtype
    np.testing.assert_allclose(np.asarray(got, float), _expected(q, k, v, bias, mask, 0.3), atol=5e-3)


def test_what_is_declined(caplog) -> None:
    with assumed("xla"), caplog.at_level(logging.INFO, "sporax.attention"):
        assert fused_attention(*_operands(dtype="float32"), None, None, 1.0) is None
        assert fused_attention(*_operands(v=(2, 5, 2, 6)), None, None, 1.0) is None
    with assumed("cudnn"), caplog.at_level(logging.INFO, "sporax.attention"):
        assert fused_attention(*_operands((2, 6, 4, 9), (2, 5, 2, 9), (2, 5, 2, 9)), None, None, 1.0) is None
    first, second = (record.message for record in caplog.records)
    assert first == (
        "attention with scores of shape [2, 4, 6, 5] is computed without cuDNN: values have 6 features and keys have 8"
    )
    assert second.startswith("attention with scores of shape [2, 4, 6, 5] is computed without cuDNN: ")


def test_a_process_that_plans_for_a_card_has_its_kernels(monkeypatch):
    assert not is_available()
    monkeypatch.setattr(config, "planned_card", lambda: "H200")
    assert is_available()

"""Attention as programs write it becomes one kernel, with the same numbers."""

import logging

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, mint, nn, ops
from sporax._src.lowering import fused_attention
from sporax._src.lowering.fused_attention import assumed
from sporax._src.transform.graph import attention


@pytest.fixture(autouse=True)
def _jax_mixes_dtypes():
    with jax.numpy_dtype_promotion("standard"):
        yield


LENGTH = 16
ROUNDINGS = 4 * float(jnp.finfo(jnp.bfloat16).eps)  # of the weights, of two gradients, and of the result
TRIANGLE = Tensor(np.tril(np.ones((LENGTH, LENGTH), bool)))
LATER = Tensor(np.triu(np.full((LENGTH, LENGTH), -1e9, np.float32), 1))
ones_matmul, right_matmul, softmax = ops.BatchMatMul(transpose_b=True), ops.BatchMatMul(), nn.Softmax(-1)


def plain(q, k, v, mask):
    return ops.matmul(ops.softmax(ops.matmul(q, k.swapaxes(-1, -2)) * 0.125, -1), v)


def masked_in_float32(q, k, v, mask):
    scores = ops.matmul(q, k.swapaxes(-1, -2)) * 0.125
    scores = ops.where(mask, scores, Tensor(-1e9, scores.dtype))
    return ops.matmul(ops.softmax(scores.astype(ms.float32), -1).astype(q.dtype), v)


def of_mint(q, k, v, mask):
    scores = (mint.matmul(q, mint.transpose(k, 2, 3)) / 8).masked_fill(mask == 0, -1e9)
    return mint.matmul(mint.nn.functional.softmax(scores, dim=-1), v)


def of_primitives(q, k, v, mask):
    scores = ops.mul(ones_matmul(q, k), Tensor(0.125, q.dtype))
    return right_matmul(softmax(scores + (1.0 - mask.astype(q.dtype)) * -10000.0), v)


def of_einsum(q, k, v, mask):
    weights = ops.softmax(ops.einsum("bhqd,bhkd->bhqk", q, k) * 0.125, -1)
    return ops.einsum("bhqk,bhkd->bhqd", weights, v)


def of_joined_heads(q, k, v, mask):
    batch, heads, length, size = q.shape
    q, k, v = (x.reshape(batch * heads, length, size) for x in (q, k, v))
    return ops.bmm(ops.softmax(ops.bmm(q, k.swapaxes(1, 2)) / 8, -1), v).reshape(batch, heads, length, size)


def split_before_softmax(q, k, v, mask):
    batch, heads, length, size = q.shape
    scores = ops.bmm(q.reshape(-1, length, size), k.reshape(-1, length, size).swapaxes(1, 2)) / 8
    return ops.matmul(ops.softmax(scores.reshape(batch, heads, length, length) + LATER.astype(q.dtype), -1), v)


def with_a_known_triangle(q, k, v, mask):
    scores = ops.matmul(q / 8, k.swapaxes(-1, -2))
    lower = ops.tril(ops.ones((LENGTH, LENGTH), ms.bool_))
    return ops.matmul(ops.softmax(ops.masked_fill(scores, ops.logical_not(lower), float("-inf")), -1), v)


def with_a_known_bias(q, k, v, mask):
    return ops.matmul(ops.softmax(ops.matmul(q, k.swapaxes(-1, -2)) * 0.125 + LATER.astype(q.dtype), -1), v)


def of_parts_of_one_projection(q, k, v, mask):
    batch, heads, length, size = q.shape
    joined = ops.concat([x.transpose(0, 2, 1, 3).reshape(batch, length, heads * size) for x in (q, k, v)], -1)
    q, k, v = joined.reshape(batch, length, 3, heads, size).transpose(2, 0, 3, 1, 4)
    return ops.matmul(ops.softmax(ops.matmul(q, k.swapaxes(-1, -2)) * 0.125, -1), v)


def of_an_operator(q, k, v, mask):
    return ops.flash_attention_score(q, k, v, q.shape[1], attn_mask=~mask, scalar_value=0.125, input_layout="BNSD")


FORMS = {
    plain: (False, False, False),
    masked_in_float32: (False, True, False),
    of_mint: (False, True, False),
    of_primitives: (True, False, False),
    of_einsum: (False, False, False),
    of_joined_heads: (False, False, False),
    split_before_softmax: (False, False, True),
    with_a_known_triangle: (False, False, True),
    with_a_known_bias: (False, False, True),
    of_parts_of_one_projection: (False, False, False),
    of_an_operator: (False, True, False),
}


def _operands(dtype=ms.bfloat16):
    rng = np.random.default_rng(0)
    return [Tensor(rng.normal(size=(2, 4, LENGTH, 64)), dtype) for _ in range(3)] + [TRIANGLE]


@pytest.fixture
def kernels(monkeypatch):
    """The kernels that graphs ask for: whether each has a bias, a mask, and is causal."""
    asked = []
    real = attention.fused_attention

    def fused(q, k, v, bias, mask, scale, is_causal=False, *others):
        assert scale == pytest.approx(0.125) or scale == 1
        asked.append((bias is not None, mask is not None, is_causal))
        return real(q, k, v, bias, mask, scale, is_causal, *others)

    monkeypatch.setattr(attention, "fused_attention", fused)
    monkeypatch.setattr("sporax._src.ops.nn.attention.fused_attention", fused)
    return asked


def _results(fn, operands, grad: bool):
    if grad:
        run = ms.jit(ms.grad(lambda *xs: (fn(*xs).astype(ms.float32) ** 2).sum(), (0, 1, 2)))
    else:
        run = ms.jit(lambda *xs: (fn(*xs),))
    ms.set_seed(3)
    return [r.asnumpy().astype(np.float64) for r in run(*operands)]


@pytest.mark.parametrize("grad", [False, True], ids=["forward", "gradient"])
@pytest.mark.parametrize("form", FORMS)
def test_forms_of_attention_become_one_kernel(form, grad: bool, kernels) -> None:
    operands = _operands()
    exact = _results(form, [x.astype(ms.float32) for x in operands[:3]] + operands[3:], grad)
    with assumed("xla"):
        got = _results(form, operands, grad)
    assert set(kernels) == {FORMS[form]}
    for one, true in zip(got, exact, strict=True):
        np.testing.assert_allclose(one, true, rtol=0, atol=ROUNDINGS * np.abs(true).max())


def _dropped(q, k, v, mask):
    weights = ops.softmax(ops.matmul(q, k.swapaxes(-1, -2)) * 0.125, -1)
    return ops.matmul(weights * ops.rand_like(weights), v)


def _over_queries(q, k, v, mask):
    return ops.matmul(ops.softmax(ops.matmul(q, k.swapaxes(-1, -2)), -2), v)


def _returned(q, k, v, mask):
    weights = ops.softmax(ops.matmul(q, k.swapaxes(-1, -2)), -1)
    return ops.matmul(weights, v) + weights.sum()


def _scaled_by_a_tensor(q, k, v, mask):
    return ops.matmul(ops.softmax(ops.matmul(q, k.swapaxes(-1, -2)) * q.max(), -1), v)


@pytest.mark.parametrize("form", [_dropped, _over_queries, _returned, _scaled_by_a_tensor])
def test_what_is_not_attention_is_left(form, kernels) -> None:
    ms.set_seed(1)
    before = _results(form, _operands(), True)
    with assumed("xla"):
        ms.set_seed(1)
        got = _results(form, _operands(), True)
    assert not kernels
    np.testing.assert_array_equal(got, before)


def test_full_precision_is_left(kernels) -> None:
    with assumed("xla"):
        _results(plain, _operands(ms.float32), True)
    assert not kernels


def with_dropout(q, k, v, mask):
    weights = ops.softmax(ops.matmul(q, k.swapaxes(-1, -2)) * 0.125 + LATER.astype(q.dtype), -1)
    return ops.matmul(ops.dropout(weights, 0.3), v)


def with_dropout_in_float32(q, k, v, mask):
    scores = ops.where(mask, ops.matmul(q, k.swapaxes(-1, -2)) * 0.125, Tensor(-1e9, q.dtype))
    return ops.matmul(ops.dropout(ops.softmax(scores.astype(ms.float32), -1), 0.3).astype(q.dtype), v)


@pytest.fixture
def small_is_large(monkeypatch) -> None:
    """Scores of these tests are computed by blocks of four queries."""
    monkeypatch.setattr(fused_attention, "LARGE", 4 * 2 * 4 * LENGTH * LENGTH - 1)
    monkeypatch.setattr(fused_attention, "_BLOCK", 4 * 2 * 4 * LENGTH * 4)
    monkeypatch.setattr(fused_attention, "_FEWEST", 1)


@pytest.mark.parametrize("grad", [False, True], ids=["forward", "gradient"])
@pytest.mark.parametrize("form", [*FORMS, with_dropout, with_dropout_in_float32])
def test_large_scores_are_computed_by_blocks(form, grad: bool, small_is_large, caplog) -> None:
    """In float32, with the same weights dropped."""
    operands = _operands(ms.float32)
    want = _results(form, operands, grad)
    with assumed("xla"), caplog.at_level(logging.INFO, "sporax.attention"):
        got = _results(form, operands, grad)
    assert "is computed by blocks of queries" in caplog.text
    for one, other in zip(got, want, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-5 * np.abs(other).max())


@pytest.mark.parametrize("form", [with_dropout, with_dropout_in_float32])
def test_dropout_of_large_scores_in_half_precision(form, small_is_large, caplog) -> None:
    operands = _operands()
    want = _results(form, operands, True)
    with assumed("xla"), caplog.at_level(logging.INFO, "sporax.attention"):
        got = _results(form, operands, True)
    assert "by blocks of queries" in caplog.text
    for one, other in zip(got, want, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=2 * ROUNDINGS * np.abs(other).max())


def _reads_what_it_drew(q, k, v, mask):
    drawn = ops.rand(2, 4, LENGTH, LENGTH)
    weights = ops.softmax(ops.matmul(q, k.swapaxes(-1, -2)) * 0.125, -1) * (drawn > 0.5).astype(q.dtype)
    return ops.matmul(weights, v) + drawn.sum()


def _sums_its_dropped_weights(q, k, v, mask):
    weights = ops.dropout(ops.softmax(ops.matmul(q, k.swapaxes(-1, -2)) * 0.125, -1), 0.3)
    return ops.matmul(weights, v) + weights.sum()


def _returned_after_dropout(q, k, v, mask):
    weights = ops.dropout(ops.softmax(ops.matmul(q, k.swapaxes(-1, -2)) * 0.125, -1), 0.3)
    return ops.matmul(weights, v), weights


def test_dropped_weights_that_are_read_elsewhere_are_left(small_is_large, caplog) -> None:
    with assumed("xla"), caplog.at_level(logging.INFO, "sporax.attention"):
        ms.jit(_returned_after_dropout)(*_operands(ms.float32))
    assert "its weights are also read elsewhere" in caplog.text and "by blocks" not in caplog.text


def test_layers_with_dropout_are_computed_by_blocks(small_is_large, caplog) -> None:
    net = nn.TransformerEncoderLayer(256, 4, 32, dropout=0.1, batch_first=True).set_train()
    x = Tensor(np.random.default_rng(0).normal(size=(2, LENGTH, 256)), ms.float32)
    ms.set_seed(3)
    want = ms.jit(lambda x: net(x))(x)
    with assumed("xla"), caplog.at_level(logging.INFO, "sporax.attention"):
        ms.set_seed(3)
        got = ms.jit(lambda x: net(x))(x)
    assert "by blocks of queries" in caplog.text
    np.testing.assert_allclose(got.asnumpy(), want.asnumpy(), rtol=1e-4, atol=1e-5)


def test_draws_of_several_keys_are_left(small_is_large) -> None:
    keys = jax.random.split(jax.random.key(1), 2)

    def fn(q, k, v):
        weights = jax.nn.softmax(jnp.einsum("bhqd,bhkd->bhqk", q, k), -1)
        drawn = jax.vmap(lambda key: jax.random.uniform(key, weights.shape[1:], "float32"))(keys)
        return jnp.einsum("bhqk,bhkd->bhqd", weights * drawn, v)

    q, k, v = (jnp.asarray(x.asnumpy()) for x in _operands(ms.float32)[:3])
    want = fn(q, k, v)
    with assumed("xla"):
        np.testing.assert_allclose(attention.with_attention(fn)(q, k, v), want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("form", [_reads_what_it_drew, _sums_its_dropped_weights, _over_queries, _scaled_by_a_tensor])
def test_other_readers_have_the_same_numbers(form, small_is_large) -> None:
    operands = _operands(ms.float32)
    want = _results(form, operands, False)
    with assumed("xla"):
        got = _results(form, operands, False)
    np.testing.assert_allclose(got[0], want[0], rtol=1e-5, atol=1e-5)


def test_the_log_says_why_attention_is_not_fused(caplog) -> None:
    with assumed("xla"), caplog.at_level(logging.INFO, "sporax.attention"):
        _results(_returned, _operands(), False)
    assert "attention of batch (2, 4) is not fused: its weights are also read elsewhere" in caplog.text


def test_a_graph_with_a_kernel_keeps_its_lines() -> None:
    with assumed("xla"):
        graph = ms.jit(lambda *xs: ops.sin(plain(*xs))).graph(*_operands())
    line = next(line for line in graph.captured.splitlines() if "= sin(" in line)
    assert "test_attention.py" in line


@pytest.mark.parametrize("grad", [False, True], ids=["forward", "gradient"])
def test_layers_become_kernels(grad: bool, kernels) -> None:
    """The weights that a layer could return, and does not, are not computed."""
    net = nn.TransformerEncoderLayer(256, 4, 32, dropout=0.0, batch_first=True).to_float(ms.bfloat16)
    x, weights = Tensor(np.random.default_rng(0).normal(size=(2, 6, 256)), ms.bfloat16), net.trainable_params()
    forward = lambda x: net(x).astype(ms.float32)
    run = ms.value_and_grad(lambda x: (forward(x) * x).sum(), None, weights) if grad else lambda x: (forward(x), ())
    want, want_grads = ms.jit(run)(x)
    with assumed("xla"):
        got, grads = ms.jit(run)(x)
    assert kernels == [(False, False, False)]
    for one, other in zip((got, *grads), (want, *want_grads), strict=True):
        np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), atol=0.05 * np.abs(other.asnumpy()).max() + 0.05)

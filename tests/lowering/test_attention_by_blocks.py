"""Attention by blocks of queries has the numbers and derivatives of attention at once, and needs less memory."""

import jax
import jax.export
import jax.extend.random
import jax.numpy as jnp
import numpy as np
import pytest

from sporax._src.lowering import fused_attention as lowered
from sporax._src.lowering.fused_attention import are_large, are_numbered, bits_of_rows, blockwise_attention

RNG = np.random.default_rng(0)
BATCH, LENGTH, KEYS, HEADS, GROUPS = 2, 11, 13, 4, 2


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four queries in a block, so that the last is shorter."""
    monkeypatch.setattr(lowered, "_FEWEST", 1)
    monkeypatch.setattr(lowered, "_BLOCK", 4 * 4 * BATCH * HEADS * KEYS)


def at_once(q, k, v, bias, mask, scale, is_causal, tail=None):
    k, v = (jnp.repeat(x, HEADS // GROUPS, 2) for x in (k, v))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) * scale
    scores = scores if bias is None else scores + bias
    scores = scores if mask is None else jnp.where(mask, scores, -jnp.inf)
    scores = jnp.where(jnp.tri(*scores.shape[2:], dtype=bool), scores, -jnp.inf) if is_causal else scores
    weights = jax.nn.softmax(scores, -1)
    return jnp.einsum("bhqk,bkhd->bqhd", weights if tail is None else tail(weights, 0), v)


def operands(features: int = 3):
    shapes = (BATCH, LENGTH, HEADS, 8), (BATCH, KEYS, GROUPS, 8), (BATCH, KEYS, GROUPS, features)
    return [jnp.asarray(RNG.normal(size=shape)) for shape in shapes]


@pytest.mark.parametrize("bias", [None, (1, 1, LENGTH, KEYS), (BATCH, HEADS, 1, KEYS)])
@pytest.mark.parametrize("mask", [None, (BATCH, 1, 1, KEYS), (BATCH, 1, LENGTH, KEYS)])
@pytest.mark.parametrize("is_causal", [False, True])
def test_it_is_attention(bias, mask, is_causal: bool) -> None:
    """In float64, with its gradients, that of the bias among them."""
    q, k, v = operands()
    bias = None if bias is None else jnp.asarray(RNG.normal(size=bias))
    mask = None if mask is None else jnp.asarray(RNG.random(mask) < 0.7).at[..., 0].set(True)

    def total(fn):
        return lambda q, k, v, bias: jnp.sin(fn(q, k, v, bias, mask, 0.3, is_causal)).sum()

    where = (0, 1, 2) if bias is None else (0, 1, 2, 3)
    got, want = (jax.jit(jax.value_and_grad(total(fn), where))(q, k, v, bias) for fn in (blockwise_attention, at_once))
    for one, other in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)


def test_a_tail_changes_the_weights_of_each_block() -> None:
    """It is told which queries it has."""
    q, k, v = operands()
    factors = jnp.asarray(RNG.random((LENGTH + 1, KEYS)))  # one more query, which the last block has

    def tail(weights, first):
        return weights * jax.lax.dynamic_slice_in_dim(factors, first, weights.shape[2], 0)

    got = blockwise_attention(q, k, v, None, None, 0.3, tail=tail)
    want = at_once(q, k, v, None, None, 0.3, False, lambda weights, _: weights * factors[:LENGTH])
    np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-12)


def test_half_precision_is_summed_in_float32() -> None:
    q, k, v = (x.astype("bfloat16") for x in operands(8))
    got = blockwise_attention(q, k, v, None, None, 0.3)
    assert got.dtype == "bfloat16" and got.shape == q.shape
    want = at_once(*(x.astype("float32") for x in (q, k, v)), None, None, 0.3, False)
    np.testing.assert_allclose(got.astype("float32"), want, atol=0.02)


def test_memory_grows_with_the_length(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a gradient: twice the length needs at most 2.2 times the memory, and at once three times."""
    monkeypatch.setattr(lowered, "_BLOCK", 1 << 16)

    def needed(fn, length: int) -> int:
        x = jax.ShapeDtypeStruct((1, length, 1, 8), "float32")
        grad = jax.grad(lambda q, k, v: fn(q, k, v, None, None, 0.3, False).sum(), (0, 1, 2))
        memory = jax.jit(grad).lower(x, x, x).compile().memory_analysis()
        assert memory is not None
        return memory.temp_size_in_bytes

    assert needed(blockwise_attention, 4096) < 2.2 * needed(blockwise_attention, 2048)
    assert needed(at_once_of_one_head, 4096) > 2.9 * needed(at_once_of_one_head, 2048)


def at_once_of_one_head(q, k, v, bias, mask, scale, is_causal):
    weights = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k) * scale, -1)
    return jnp.einsum("bhqk,bkhd->bqhd", weights, v)


def test_which_scores_are_large() -> None:
    assert not are_large((8, 12, 512, 1024)) and are_large((8, 12, 1024, 1024))
    assert not are_large((*jax.export.symbolic_shape("b"), 12, 1024, 1024))


@pytest.mark.parametrize("shape", [(5, 7), (3, 5, 7), (2, 3, 5, 7)])
@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_bits_of_rows_are_those_of_the_whole_array(shape: tuple[int, ...], width: int) -> None:
    key = jax.random.fold_in(jax.random.key(3), 4)
    whole = jax.random.bits(key, shape, f"uint{width}")
    for first, size in ((0, (5, 7)), (2, (3, 4)), (4, (1, 7))):
        rows, columns = slice(first, first + size[0]), slice(size[1])
        got = bits_of_rows(key, shape, jnp.int32(first), size, width)
        assert got.dtype == whole.dtype
        np.testing.assert_array_equal(got, whole[..., rows, columns])


def test_numbers_beyond_32_bits() -> None:
    """The last rows of 2³² numbers and more, of which JAX computes no part: by 64-bit numbers here."""
    key, shape, first = jax.random.key(5), (3, 40_000, 50_000), 39_998
    got = bits_of_rows(key, shape, first, (2, 3))
    for part in range(3):
        for row in range(2):
            for column in range(3):
                number = (part * shape[1] + first + row) * shape[2] + column
                words = jnp.asarray([number >> 32, number & 0xFFFFFFFF], "uint32")
                one, other = jax.extend.random.threefry_2x32(jax.random.key_data(key), words)
                assert got[part, row, column] == one ^ other


def test_which_keys_draw_by_number() -> None:
    assert are_numbered(jax.random.key(0))
    assert not are_numbered(jax.random.key(0, impl="rbg"))
    assert not are_numbered(jax.random.PRNGKey(0))
    assert not are_numbered(jax.random.split(jax.random.key(0)))

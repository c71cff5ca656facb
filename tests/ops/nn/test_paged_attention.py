"""Keys and values kept in blocks (paged attention): storing them, and the attention of new tokens to them."""

import numpy as np
import pytest
from laws.rows import laws_of
from operands import RNG, T, parameters

import sporax as ms
from sporax import Tensor, ops

test_row = laws_of("sporax._src.ops.nn.paged_attention")


def test_keys_go_into_their_slots(run):
    key, value = T(2, 2, 8), T(2, 2, 8)
    caches = parameters((3, 4, 2, 4), (3, 4, 2, 4))
    before = [c.asnumpy() for c in caches]
    slots = Tensor([5, -1, 0, 11], ms.int32)
    out = run(lambda k, v, s: ops.ReshapeAndCache()(k, v, caches[0], caches[1], s), key, value, slots)
    np.testing.assert_array_equal(out.asnumpy(), key.asnumpy())
    for new, cache, old in zip((key, value), caches, before, strict=True):
        want, new_rows = old.reshape(12, 2, 4).copy(), new.asnumpy().reshape(4, 2, 4)
        for row, slot in enumerate(slots.asnumpy()):
            if slot >= 0:
                want[slot] = new_rows[row]
        np.testing.assert_array_equal(cache.asnumpy(), want.reshape(3, 4, 2, 4))


def test_values_within_keys_and_int8_caches():
    """Values that are part of the keys, and caches of int8, give what the same numbers in two float caches give."""
    tables, lens, query = Tensor([[0, 2]], ms.int32), Tensor([3], ms.int32), T(1, 1, 8)
    op = ops.PagedAttention(2, 0.5, 2)
    keys = T(3, 2, 2, 4)
    both = ops.PagedAttention(2, 0.5, 2, mla_v_dim=3)(query, keys, None, tables, lens)
    np.testing.assert_allclose(both.asnumpy(), op(query, keys, keys[..., :3], tables, lens).asnumpy(), rtol=1e-5)
    small = [Tensor(RNG.integers(-9, 9, (3, 2, 2, 4)).astype(np.int8)) for _ in range(2)]
    scale, offset = T(2, 8), T(2, 8)
    wide = [(c.astype(ms.float32) + offset[i].reshape(2, 4)) * scale[i].reshape(2, 4) for i, c in enumerate(small)]
    got = op(query, *small, tables, lens, scale, offset)
    np.testing.assert_allclose(got.asnumpy(), op(query, *wide, tables, lens).asnumpy(), rtol=1e-4, atol=1e-5)
    alibi = T(1, 2, 1, 4)
    with_bias = ops.PagedAttentionMask(2, 0.5, 2)(query, keys, keys, tables, lens, None, None, alibi)
    plain = op(query, keys, keys, tables, lens, None, None, None, None, alibi)
    np.testing.assert_array_equal(with_bias.asnumpy(), plain.asnumpy())
    with pytest.raises(ValueError, match="block_tables and context_lens must be given"):
        op(query, keys, keys)

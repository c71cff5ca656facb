"""Attention to chosen keys: the laws of the rows, and queries without keys."""

import numpy as np
import pytest
from laws.rows import laws_of
from laws.samples import Sampler
from references import sparse_attention

import sporax as ms
from sporax import Tensor, ops

test_row = laws_of("sporax._src.ops.nn.sparse_attention")
LENGTHS = {"actual_seq_lengths_query": np.array([2, 3], np.int32)}


def _samples(*shapes: tuple[int, ...]) -> list[np.ndarray]:
    draw = Sampler("chosen").names()["T"]
    return [draw(*shape) for shape in shapes]


def test_missing_keys_are_minus_one(mode: int) -> None:
    arrays = _samples((2, 3, 4, 2), (2, 5, 1, 2), (2, 3, 4))
    lengths = LENGTHS | {"actual_seq_lengths_key": np.array([5, 3], np.int32)}
    named = {k: Tensor(v) for k, v in lengths.items()}
    for causal in (0, 3):
        want = sparse_attention.lightning_indexer(*arrays, **lengths, sparse_count=7, sparse_mode=causal)
        got = ops.lightning_indexer(*map(Tensor, arrays), **named, sparse_count=7, sparse_mode=causal)
        np.testing.assert_array_equal(got[0].asnumpy(), want[0])
        np.testing.assert_allclose(got[1].asnumpy(), want[1], rtol=1e-5)
        assert (got[0].asnumpy()[..., 5:] == -1).all()


def test_queries_without_keys_get_zeros(mode: int) -> None:
    q, k, v, q_rope, k_rope = _samples((2, 3, 4, 2), (2, 5, 1, 2), (2, 5, 1, 2), (2, 3, 4, 1), (2, 5, 1, 1))
    chosen = np.array(
        [[[[0, 1, -1]], [[-1, -1, -1]], [[0, 1, 1]]], [[[2, 2, 0]], [[1, 0, -1]], [[2, -1, -1]]]], np.int32
    )
    lengths = LENGTHS | {"actual_seq_lengths_kv": np.array([5, 4], np.int32)}
    named = {k: Tensor(v) for k, v in lengths.items()} | {"query_rope": Tensor(q_rope), "key_rope": Tensor(k_rope)}
    arrays = q, k, v, chosen
    options = {"sparse_block_size": 2, "attention_mode": 2}
    want = sparse_attention.sparse_flash_attention(
        *arrays, 0.5, **lengths, query_rope=q_rope, key_rope=k_rope, **options
    )
    got = ops.sparse_flash_attention(*map(Tensor, arrays), 0.5, **named, **options)
    for ours, reference in zip(got, want, strict=True):
        np.testing.assert_allclose(ours.asnumpy(), reference, rtol=2e-5, atol=1e-6)
    assert (got[0].asnumpy()[0, 1:] == 0).all()
    gradient = ms.grad(
        lambda q: ops.sparse_flash_attention(q, *map(Tensor, arrays[1:]), 0.5, **named, **options)[0].sum()
    )
    assert np.isfinite(gradient(Tensor(q)).asnumpy()).all()


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
def test_the_documented_call_of_half_precision(dtype: object) -> None:
    rng = np.random.default_rng(1)
    ends = np.cumsum([80, 96, 80]).tolist()
    x, w = (Tensor(rng.standard_normal(shape).astype(np.float32)).astype(dtype) for shape in ((256, 8, 32), (64, 8)))
    y = ops.nsa_compress(x, w, 64, 16, actual_seq_len=ends)
    assert y.shape == (7, 8, 32) and y.dtype == dtype
    q = Tensor(rng.standard_normal((256, 8, 32)).astype(np.float32)).astype(dtype)
    sizes = {"actual_seq_qlen": ends, "actual_cmp_seq_kvlen": [2, 5, 7], "actual_sel_seq_kvlen": [2, 4, 6]}
    out, blocks, top, total = ops.nsa_compress_attention(q, y, y, 0.2, 8, 64, 16, 64, 2, **sizes)
    assert out.shape == (256, 8, 32) and blocks.shape == (256, 8, 2) and top.shape == total.shape == (256, 8, 8)
    assert (out.dtype, blocks.dtype, top.dtype) == (dtype, ms.int32, ms.float32)
    out = ops.nsa_select_attention(q, x, x, blocks, 0.2, 8, 64, 2, actual_seq_qlen=ends, actual_seq_kvlen=ends)[0]
    assert out.shape == (256, 8, 32) and out.dtype == dtype

"""Operators of mixtures of experts and of quantized networks, against NumPy."""

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, ops
from sporax._src.compat.shims.ops.auto_generate import gen_ops_def, gen_ops_prim

RNG = np.random.default_rng(3)


def floats(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def ints(*shape: int) -> np.ndarray:
    return RNG.integers(-128, 128, shape).astype(np.int8)


def close(got: Tensor, want: np.ndarray, rtol: float = 1e-5) -> None:
    assert got.shape == want.shape
    np.testing.assert_allclose(got.astype(ms.float32).asnumpy(), want, rtol=rtol, atol=rtol)


def test_quant() -> None:
    """The first case is the example of MindSpore's documentation."""
    x, scale, offset = Tensor([100.0, 150.0]), Tensor([80.0, 40.0]), Tensor([0.0, 2.0])
    assert gen_ops_prim.QuantV2()(x, scale, offset, False, "Round", ms.int8).asnumpy().tolist() == [127, 127]
    x = Tensor([0.5, 1.5, -2.3, 2.3])
    one, none = Tensor([1.0]), Tensor([0.0])
    for mode, want in (
        ("ROUND", [0, 2, -2, 2]),
        ("FLOOR", [0, 1, -3, 2]),
        ("CEIL", [1, 2, -2, 3]),
        ("TRUNC", [0, 1, -2, 2]),
    ):
        got = gen_ops_prim.QuantV2()(x, one, none, rounding_mode=mode)
        assert got.dtype == ms.int8 and got.asnumpy().tolist() == want
    assert gen_ops_prim.QuantV2()(x, Tensor([3.0]), none, True).asnumpy().tolist() == [4, 14, -21, 21]
    with pytest.raises(ValueError, match=r"rounding_mode must be one of .*, got 'up'"):
        gen_ops_prim.QuantV2()(x, one, none, rounding_mode="up")
    with pytest.raises(ValueError, match="dst_type must be int8, got Float16"):
        gen_ops_prim.QuantV2()(x, one, none, dst_type=ms.float16)


def test_quant_batch_matmul() -> None:
    a, b, scale, rows = ints(2, 3, 4), ints(2, 5, 4), floats(5), floats(3)
    exact = a.astype(np.int32) @ b.astype(np.int32).swapaxes(1, 2)
    bias = RNG.integers(-9, 9, 5).astype(np.int32)
    run = gen_ops_prim.QuantBatchMatmul(False, True, ms.float32)
    close(run(Tensor(a), Tensor(b), Tensor(scale)), exact * scale)
    close(run(Tensor(a), Tensor(b), Tensor(scale), None, Tensor(bias)), (exact + bias) * scale)
    got = run(Tensor(a), Tensor(b), Tensor(scale), None, Tensor(scale), Tensor(rows))
    close(got, exact * scale * rows[:, None] + scale)
    half = gen_ops_prim.QuantBatchMatmul(transpose_x1=True)(
        Tensor(a.swapaxes(1, 2)), Tensor(b.swapaxes(1, 2)), Tensor(scale / 999)
    )
    assert half.dtype == ms.float16
    close(half, exact * (scale / 999), 1e-2)  # float16 has 11 bits
    small = gen_ops_prim.QuantBatchMatmul(False, True, ms.int8)(
        Tensor(a), Tensor(b), Tensor(scale / 999), Tensor(scale)
    )
    assert np.array_equal(small.asnumpy(), np.clip(np.round(exact * (scale / 999) + scale), -128, 127).astype(np.int8))
    with pytest.raises(ValueError, match="scale must be of floats, got Int64"):
        run(Tensor(a), Tensor(b), Tensor(np.ones(5, np.int64)))


def test_grouped_matmul_as_documented() -> None:
    """The example of MindSpore's documentation."""
    x = [Tensor(np.repeat([0, 1, 2, 2, 1, 1], 4).reshape(6, 4), ms.float16)]
    weight = [Tensor(np.arange(32).reshape(4, 4, 2), ms.float16)]
    want = [[0, 0], [44, 48], [88, 96], [152, 160], [108, 112], [108, 112]]
    run = gen_ops_prim.GroupedMatmulV4()
    sizes, ends = Tensor([1, 2, 1, 2], ms.int64), Tensor([1, 3, 4, 6], ms.int64)
    got = run(x, weight, group_list=sizes, split_item=3, group_type=0, group_list_type=1)
    assert got[0].asnumpy().tolist() == want and got[0].dtype == ms.float16
    assert run(x, weight, group_list=ends, split_item=3, group_type=0)[0].asnumpy().tolist() == want
    short = run(x, weight, group_list=Tensor([1, 2, 1, 0], ms.int64), split_item=3, group_type=0, group_list_type=1)
    assert short[0].asnumpy().tolist() == [*want[:4], [0, 0], [0, 0]]


def test_grouped_matmul() -> None:
    run = gen_ops_prim.GroupedMatmulV4()
    xs, ws, bs = [floats(2, 3), floats(4, 5)], [floats(3, 2), floats(5, 6)], [floats(2), floats(6)]
    got = run([*map(Tensor, xs)], [*map(Tensor, ws)], [*map(Tensor, bs)])
    for i in range(2):
        close(got[i], xs[i] @ ws[i] + bs[i])
    x, w, ends = floats(4, 3), floats(2, 3, 5), np.array([1, 4])
    x8, w8, scale, rows, bias = (
        ints(4, 3),
        ints(2, 3, 5),
        floats(2, 5),
        floats(4),
        np.arange(10, dtype=np.int32).reshape(2, 5),
    )
    grouping = {"group_list": Tensor(ends), "split_item": 3, "group_type": 0}
    per_token = {"bias": [Tensor(bias)], "scale": [Tensor(scale)], "pre_token_scale": [Tensor(rows)]}
    group = np.array([0, 1, 1, 1])
    exact = np.einsum("mk,mkn->mn", x8.astype(np.int32), w8.astype(np.int32)[group]) + bias[group]
    close(run([Tensor(x8)], [Tensor(w8)], **per_token, **grouping)[0], exact * scale[group] * rows[:, None])
    anti, shift = floats(2, 5), floats(2, 5)
    got = run([Tensor(x)], [Tensor(w8)], antiquant_scale=[Tensor(anti)], antiquant_offset=[Tensor(shift)], **grouping)
    close(got[0], np.einsum("mk,mkn->mn", x, ((w8 + shift[:, None]) * anti[:, None])[group]), 1e-4)

    def total(x: Tensor, w: Tensor) -> Tensor:
        return run([x], [w], **grouping)[0].sum()

    for compiled in (total, ms.jit(total)):
        dx, dw = ms.grad(compiled, (0, 1))(Tensor(x), Tensor(w))
        close(dx, w[group].sum(-1))
        close(dw, np.stack([x[:1].sum(0), x[1:].sum(0)])[:, :, None] * np.ones(5))
    with pytest.raises(ValueError, match="must be 0 and -1 without group_list, or 3 and 0 with it, got 3 and 0"):
        run([Tensor(x)], [Tensor(w)], split_item=3, group_type=0)
    with pytest.raises(ValueError, match="offset and activations are not supported"):
        run([Tensor(x)], [Tensor(w)], act_type=1)


def best_experts(
    x: np.ndarray, add: np.ndarray, groups: int, top: int, n: int, k: int
) -> tuple[np.ndarray, np.ndarray]:
    sigmoid = 1 / (1 + np.exp(-x))
    scores = (sigmoid + add).reshape(len(x), groups, -1)
    worth = np.sort(scores, -1)[..., -n:].sum(-1)
    dropped = np.argsort(-worth, -1, kind="stable")[:, top:]
    np.put_along_axis(scores, dropped[..., None], 0, 1)
    order = np.argsort(-scores.reshape(x.shape), -1, kind="stable")
    return np.take_along_axis(sigmoid, order[:, :k], 1), order


def test_fused_add_topk_div() -> None:
    x, add = floats(5, 12), np.abs(floats(12))
    weights, order = best_experts(x, add, 4, 2, 2, 3)
    run = gen_ops_prim.FusedAddTopKDiv()
    got, chosen = run(Tensor(x), Tensor(add), 4, 2, 2, 3)
    assert chosen.dtype == ms.int32 and np.array_equal(chosen.asnumpy(), order[:, :3])
    close(got, weights / weights.sum(-1, keepdims=True) * 2.5)
    close(run(Tensor(x), Tensor(add), 4, 2, 2, 3, is_norm=False)[0], weights)
    number, table = np.full(12, 2, np.int32), np.arange(24, dtype=np.int32).reshape(12, 2) + 100
    last = order[:, 5] + 7
    copy = np.floor(2 * np.float32(1) * ((100000007 % last) / last.astype(np.float32))).astype(int)
    _, mapped = run(Tensor(x), Tensor(add), 4, 2, 2, 3, 0, True, 2.5, Tensor(number), Tensor(table), True)
    assert np.array_equal(mapped.asnumpy(), table[order[:, :3], copy[:, None]])
    with pytest.raises(ValueError, match="activate_type must be 0, got 1"):
        run(Tensor(x), Tensor(add), 4, 2, 2, 3, 1)


def test_routing_as_documented() -> None:
    """The example of MindSpore's documentation."""
    x = Tensor([[0.1, 0.2, 0.3], [0.2, 0.7, 0.8], [0.3, 0.3, 0.5]])
    index = Tensor([[0, 1, 1], [2, 1, 1], [0, 0, 0]], ms.int32)
    rows, went, none, before = gen_ops_prim.MoeInitRoutingV2()(x, index, 3, 2, 3, 1, 0, True)
    first, second, third = x.asnumpy()
    close(rows, np.array([[first, third], [first, first], [second, 0 * second]]))
    assert went.asnumpy().tolist() == [0, 2, 3, 4, -1, -1, 1, -1, -1]
    assert none.asnumpy().tolist() == [0, 0, 0] and before.asnumpy().tolist() == [4, 4, 1]


def test_routing_and_back() -> None:
    x, index, probs = floats(6, 4), RNG.integers(0, 5, (6, 2)).astype(np.int32), floats(6, 2)
    flat = index.reshape(-1)
    order = np.argsort(flat, kind="stable")
    route = gen_ops_prim.MoeInitRoutingV2()
    rows, where, counts, none = route(Tensor(x), Tensor(index), 0, 0, 5, 0, 2, True)
    close(rows, x[order // 2])
    sizes = np.bincount(flat, minlength=5)
    assert np.array_equal(where.asnumpy(), np.argsort(order)) and np.array_equal(counts.asnumpy(), sizes)
    assert not none.asnumpy().any()
    assert np.array_equal(route(Tensor(x), Tensor(index), 0, 0, 5, 0, 1, False)[2].asnumpy(), sizes.cumsum())
    assert route(Tensor(x), Tensor(index), 5, 0, 5, 0, 0, False)[0].shape == (5, 4)
    back = gen_ops_prim.MoeTokenUnpermute()(rows, where, Tensor(probs))
    close(back, x * probs.sum(1, keepdims=True))
    assert gen_ops_def.format_cast(rows, 29) is rows


def test_prompt_attention() -> None:
    q, k, v = (Tensor(floats(2, 3, 8)) for _ in range(3))
    options = {"num_heads": 2, "scale_value": 0.5, "next_tokens": 9}
    got = gen_ops_prim.PromptFlashAttention(**options)(q, k, v)
    np.testing.assert_array_equal(got.asnumpy(), ops.prompt_flash_attention(q, k, v, **options).asnumpy())

"""Operators that draw, and operators that write Parameters: what their rows cannot say."""

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, ops

RNG = np.random.default_rng(0)


def T(*shape):
    return Tensor(RNG.standard_normal(shape).astype(np.float32))


def parameters(*shapes, dtype=np.float32):
    return [Parameter(Tensor(RNG.random(s).astype(dtype)), name=f"p{i}") for i, s in enumerate(shapes)]


@pytest.fixture(params=["pynative", "graph"])
def run(request):
    return (lambda f, *a: f(*a)) if request.param == "pynative" else (lambda f, *a: ms.jit(f, fullgraph=True)(*a))


# --- fractional pooling ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("overlapping", [False, True])
@pytest.mark.parametrize("pseudo", [False, True])
def test_fractional_pooling(run, pseudo, overlapping):
    x = T(2, 11, 9, 3)
    ratio = [1.0, 1.5, 1.4, 1.0]
    ms.set_seed(3)
    for op, reduce in ((ops.FractionalMaxPool, np.max), (ops.FractionalAvgPool, np.mean)):
        out, rows, cols = run(op(ratio, pseudo, overlapping), x)
        rows, cols = rows.asnumpy(), cols.asnumpy()
        assert out.shape == (2, 7, 6, 3) and (rows[0], rows[-1], cols[0], cols[-1]) == (0, 11, 0, 9)
        assert set(np.diff(rows)) <= {1, 2} and set(np.diff(cols)) <= {1, 2}
        for i in range(7):
            for j in range(6):
                part = x.asnumpy()[:, rows[i] : rows[i + 1] + overlapping, cols[j] : cols[j + 1] + overlapping]
                if op is ops.FractionalMaxPool or not overlapping:
                    np.testing.assert_allclose(out.asnumpy()[:, i, j], reduce(part, (1, 2)), rtol=1e-5, atol=1e-6)


def test_fractional_pooling_draws():
    x = T(1, 50, 50, 1)
    ratio = [1.0, 1.5, 1.5, 1.0]
    free, fixed = ops.FractionalMaxPool(ratio), ops.FractionalMaxPool(ratio, deterministic=True, seed=1)
    assert free(x)[1].asnumpy().tolist() != free(x)[1].asnumpy().tolist()
    assert fixed(x)[1].asnumpy().tolist() == fixed(x)[1].asnumpy().tolist()
    drawn = ops.fractional_max_pool3d(T(1, 2, 6, 6, 6), 2, output_size=3)
    assert drawn.shape == (1, 2, 3, 3, 3)
    one = ops.FractionalMaxPool3DWithFixedKsize(2, (2, 2, 2))(
        T(3, 5, 5, 5), Tensor(np.full((1, 3, 3), 0.5, np.float32))
    )
    assert one[0].shape == (3, 2, 2, 2)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda x: ops.FractionalMaxPool([1.0, 2.0])(x), "a list of 4 numbers"),
        (lambda x: ops.FractionalMaxPool([1.0, 0.5, 2.0, 1.0])(x), "r and s at least 1"),
        (lambda x: ops.FractionalAvgPool([1.0, 2.0, 2.0, 1.0])(x[0]), "x must have 4 axes"),
        (lambda x: ops.FractionalMaxPool([1.0, 2.0, 2.0, 1.0], seed=3)(x), "unless deterministic is True"),
        (lambda x: ops.ExtractGlimpse(noise="pink")(x, (2, 2), x[:, 0, :1, 0]), "noise must be one of"),
    ],
)
def test_vision_errors(call, match):
    with pytest.raises(ValueError, match=match):
        call(T(2, 6, 6, 1))


# --- glimpses and boxes ----------------------------------------------------------------------------------------------


def test_noise_lies_outside_of_the_image(run):
    x, offsets = Tensor(np.full((1, 4, 4, 1), 9.0, np.float32)), Tensor([[-1.0, -1.0]])
    for noise in ("uniform", "gaussian"):
        out = run(lambda a, b, n=noise: ops.ExtractGlimpse(noise=n)(a, (40, 40), b), x, offsets).asnumpy()[0, :, :, 0]
        assert (out[20:24, 20:24] == 9).all()
        drawn = out[out != 9]
        assert drawn.size == 40 * 40 - 16
        low, high, mean = (0, 1, 0.5) if noise == "uniform" else (-6, 6, 0)
        assert drawn.min() >= low and drawn.max() <= high and abs(drawn.mean() - mean) < 0.1


def test_drawn_boxes(run):
    """Each is within the ranges, and covers what it must."""
    size, box = Tensor([640, 480, 3], ms.int32), np.array([0.38, 0.17, 0.95, 0.40], np.float32)
    op = ops.SampleDistortedBoundingBoxV2(aspect_ratio_range=(0.75, 1.33), area_range=(0.1, 0.9))
    for _ in range(10):
        begin, extent, drawn = run(op, size, Tensor(box[None, None]), Tensor([0.5]))
        (y, x, z), (h, w, depth) = begin.asnumpy().tolist(), extent.asnumpy().tolist()
        assert (z, depth) == (0, -1) and 0 <= y <= 640 - h and 0 <= x <= 480 - w
        assert 0.74 <= w / h <= 1.34 and 0.1 <= h * w / 640 / 480 <= 0.9
        np.testing.assert_allclose(drawn.asnumpy().ravel(), [y / 640, x / 480, (y + h) / 640, (x + w) / 480], rtol=1e-6)
        low, high = np.maximum(drawn.asnumpy()[0, 0, :2], box[:2]), np.minimum(drawn.asnumpy()[0, 0, 2:], box[2:])
        assert np.prod(high - low) >= 0.5 * np.prod(box[2:] - box[:2]) - 1e-6


def test_drawn_boxes_without_boxes():
    size, none = Tensor([8, 8, 3], ms.int32), Tensor(np.zeros((1, 0, 4), np.float32))
    op = ops.SampleDistortedBoundingBoxV2(max_attempts=1, area_range=(0.98, 0.99), use_image_if_no_bounding_boxes=True)
    assert op(size, none, Tensor([1.0]))[1].asnumpy().tolist() == [8, 8, -1]
    with pytest.raises(ValueError, match="there are no bounding_boxes"):
        ops.SampleDistortedBoundingBoxV2()(size, none, Tensor([1.0]))
    with pytest.raises(ValueError, match=r"image_size must have shape \[3\]"):
        ops.SampleDistortedBoundingBoxV2()(none, none, none)
    with pytest.raises(ValueError, match=r"bounding_boxes must have shape \[batch, N, 4\]"):
        ops.SampleDistortedBoundingBoxV2()(size, size, size)
    with pytest.raises(ValueError, match="area_range must be two rising positive numbers"):
        ops.SampleDistortedBoundingBoxV2(area_range=(0.5, 0.5))(size, T(1, 1, 4), Tensor([1.0]))


# --- buffers of experience -------------------------------------------------------------------------------------------

SHAPES, KINDS = [(2,), (1,)], [ms.float32, ms.int32]


def buffers(capacity=4):
    data = [
        Parameter(Tensor(np.zeros((capacity, 2), np.float32)), name="state"),
        Parameter(Tensor(np.zeros((capacity, 1), np.int32)), name="action"),
    ]
    return data, Parameter(Tensor(0, ms.int32), name="count"), Parameter(Tensor(0, ms.int32), name="head")


def rows(first, count):
    n = np.arange(first, first + count)
    return [Tensor(np.stack([n, n], 1).astype(np.float32)), Tensor(n[:, None].astype(np.int32))]


def test_buffers_are_first_in_first_out(run):
    data, count, head = buffers()
    append, get = ops.BufferAppend(4, SHAPES, KINDS), ops.BufferGetItem(4, SHAPES, KINDS)
    for first, n in ((0, 1), (1, 2), (3, 3), (6, 1)):
        run(lambda *new: append(data, new, count, head), *rows(first, n))
    assert (count.asnumpy(), head.asnumpy()) == (4, 3)
    oldest_first = [run(lambda i: get(data, count, head, i), Tensor(i))[1].item() for i in range(4)]
    assert oldest_first == [3, 4, 5, 6]
    assert get(data, count, head, -1)[0].asnumpy().tolist() == [6, 6]
    append(data, [r[0] for r in rows(7, 1)], count, head)
    assert get(data, count, head, -1)[1].item() == 7


def test_samples_of_buffers(run):
    data, count, head = buffers(8)
    ops.BufferAppend(8, SHAPES, KINDS)(data, rows(10, 5), count, head)
    state, action = run(lambda: ops.BufferSample(8, 8, SHAPES, KINDS)(data, count, head))
    assert state.shape == (8, 2) and set(action.asnumpy().ravel()) <= set(range(10, 15))
    _, action = run(lambda: ops.BufferSample(8, 5, SHAPES, KINDS, unique=True)(data, count, head))
    assert sorted(action.asnumpy().ravel()) == [10, 11, 12, 13, 14]


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda d, c, h: ops.BufferAppend(0, SHAPES, KINDS)(d, rows(0, 1), c, h), "capacity must be positive"),
        (lambda d, c, h: ops.BufferAppend(5, SHAPES, KINDS)(d, rows(0, 1), c, h), "the buffers must have shapes"),
        (lambda d, c, h: ops.BufferAppend(4, SHAPES, KINDS)(d, rows(0, 1)[:1], c, h), "exp must have 2 Tensors"),
        (lambda d, c, h: ops.BufferAppend(4, SHAPES, KINDS)(d, rows(0, 1)[::-1], c, h), "rows of shapes"),
        (lambda d, c, h: ops.BufferSample(4, 5, SHAPES, KINDS)(d, c, h), r"batch_size must be in \[1, 4\]"),
    ],
)
def test_buffer_errors(call, match):
    with pytest.raises(ValueError, match=match):
        call(*buffers())


# --- fused steps -----------------------------------------------------------------------------------------------------


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


def test_lstm_cell_options():
    args = (T(2, 3), T(2, 2), T(2, 2), T(5, 8), T(8))
    assert [t.shape for t in ops.BasicLSTMCell()(*args)] == [(2, 2)] * 7
    with pytest.raises(ValueError, match="keep_prob, state_is_tuple and activation must be"):
        ops.BasicLSTMCell(keep_prob=0.5)(*args)


# --- caches of keys and values ---------------------------------------------------------------------------------------


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


def test_dropped_weights_keep_their_mean():
    x = Tensor(np.ones((1, 2, 64, 4), np.float32))
    out, *_, numels = ops.speed_fusion_attention(x, x, x, 2, "BNSD", keep_prob=0.5)
    assert 0.05 < out.asnumpy().std() < 0.3 and abs(out.asnumpy().mean() - 1) < 0.05 and numels.item() == 2 * 64 * 64
    with pytest.raises(ValueError, match="the layout TND, and it alone"):
        ops.speed_fusion_attention(x[0], x[0], x[0], 64, "TND")


# --- lengths and weights given as Tensors ----------------------------------------------------------------------------


def test_windows_of_lengths_in_tensors():
    for view, name in ((ops.BlackmanWindow, "blackman_window"), (ops.BartlettWindow, "bartlett_window")):
        want = getattr(ops, name)(6, periodic=False)
        np.testing.assert_array_equal(view(periodic=False)(Tensor(6, ms.int32)).asnumpy(), want.asnumpy())
    np.testing.assert_array_equal(ops.HammingWindow()(Tensor([6])).asnumpy(), ops.hamming_window(6).asnumpy())


def test_weighted_confusion():
    labels, found = Tensor([0, 1, 1], ms.int32), Tensor([1, 1, 1], ms.int32)
    out = ops.ConfusionMatrix(2, "float32")(labels, found, Tensor([0.5, 2.0, 3.0]))
    assert out.asnumpy().tolist() == [[0, 0.5], [0, 5]] and ops.ConfusionMatrix(2)(labels, found).dtype == ms.int32


def test_edit_distance_primitive():
    places, shape = Tensor(np.array([[0, 0], [0, 1]])), Tensor([1, 2])
    op = ops.EditDistance(normalize=False)
    assert op(places, Tensor([1, 2]), shape, places, Tensor([1, 3]), shape).asnumpy().tolist() == [1.0]

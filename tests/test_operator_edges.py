"""Edges of operators, as MindSpore 2.7.0's CPU kernels have them: gradients by integers and zeros, regions beyond an image."""

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, mint, ops
from sporax.ops.operations import _grad_ops, _inner_ops


def gradients(fn, *operands):
    return [g.tolist() for g in ops.GradOperation(get_all=True)(fn)(*operands)]


@pytest.mark.parametrize("run", [lambda f: f, ms.jit])
def test_integer_updates_have_gradients_beside_integer_indices(run):
    places, updates = Tensor([[1, 0], [1, 1], [1, 0]]), Tensor([3, 4, 5], ms.int16)
    got = gradients(run(lambda i, u: ops.scatter_nd(i, u, (2, 2))), places, updates)
    assert got == [[[0, 0]] * 3, [1, 1, 1]]


def test_the_gradient_of_a_product_of_segments_is_exact_at_zeros():
    x = Tensor([[1.0, 2, 3], [4, 0, 0], [4, 2, 0]])
    product = lambda x: ops.unsorted_segment_prod(x, Tensor([0, 1, 1], ms.int32), 2)
    assert ops.grad(product)(x).tolist() == [[1, 1, 1], [4, 2, 0], [4, 0, 0]]
    left_out = ops.grad(lambda x: ops.unsorted_segment_prod(x, Tensor([0, -1, 1], ms.int32), 2))(x)
    assert left_out.tolist() == [[1, 1, 1], [0, 0, 0], [1, 1, 1]]


def test_betainc_has_a_gradient_by_its_bound_alone():
    got = gradients(ops.Betainc(), Tensor([0.5, 1.2]), Tensor([0.3, 2.0]), Tensor([0.2, 0.7]))
    assert got[:2] == [[0, 0], [0, 0]]
    np.testing.assert_allclose(got[2], [0.5739666, 0.73746973], rtol=1e-5)


@pytest.mark.parametrize("dtype", [ms.int32, ms.int64])
def test_fractional_pooling_of_integers(dtype):
    x = Tensor(
        np.array([3, 9, 7, 0, 3, 5, 5, 3, 1, 8, 9, 4, 9, 8, 3, 4, 9, 9, 6, 9, 9, 1, 0, 1, 9]).reshape(1, 1, 5, 5), dtype
    )
    pool, samples = ops.FractionalMaxPoolWithFixedKsize(2, (2, 2)), Tensor([[[0.8, 0.8]]])
    value, place = pool(x, samples)
    assert value.dtype == dtype and value.tolist() == [[[[9, 8], [9, 9]]]] and place.tolist() == [[[[1, 9], [16, 19]]]]
    to_x, _ = ops.GradOperation(get_all=True)(pool)(x, samples)
    assert to_x.dtype == dtype and np.flatnonzero(to_x.asnumpy()).tolist() == [1, 9, 16, 19]


def test_labels_that_are_not_positive_cost_nothing():
    logits, labels = Tensor(np.log(np.array([[0.3, 0.7], [0.5, 0.5]], np.float32))), Tensor([[-1.0, 1], [1, 0]])
    np.testing.assert_allclose(ops.KLDivLoss("none")(logits, labels).asnumpy(), [[0, 0.35667], [0.69315, 0]], atol=1e-5)
    to_logits, to_labels = ops.GradOperation(get_all=True)(ops.KLDivLoss("none"))(logits, labels)
    assert to_logits.tolist() == [[1, -1], [-1, 0]]  # -labels, whatever their sign, as MindSpore has it
    assert np.isfinite(to_labels.asnumpy()).all()


def test_only_the_loss_of_sparse_labels_has_a_gradient():
    loss, logits = ops.SparseSoftmaxCrossEntropyWithLogitsV2(), Tensor([[2.0, 3, 1], [2, 1, 2]])
    got = ops.grad(lambda x: loss(x, Tensor([0, 1])))(logits)
    np.testing.assert_allclose(got.asnumpy(), [[-0.7553, 0.66524, 0.09003], [0.42232, -0.84464, 0.42232]], atol=1e-4)


@pytest.mark.parametrize(
    "samples, end, region, size, want",
    [
        (-1, 0, [0, -2, -2, 22, 22], (2, 2, 1.0), [[6.295, 0], [0, 0]]),
        (0, 1, [0, -2, -2, 22, 22], (2, 2, 1.0), [[6.614, 0], [0, 0]]),
        (1, 0, [0, -2, -2, 22, 22], (2, 2, 1.0), [[29, 0], [0, 0]]),
        (-1, 1, [0, 1, 2.5, 9, 9.5], (2, 3, 0.5), [[15.75, 17.25, 18.75], [27.75, 29.25, 30.75]]),
    ],
)
def test_regions_larger_than_the_image(samples, end, region, size, want):
    image = Tensor(np.arange(1, 37, dtype=np.float32).reshape(1, 1, 6, 6))
    got = ops.ROIAlign(*size, samples, end)(image, Tensor([region], ms.float32))
    np.testing.assert_allclose(got.asnumpy()[0, 0], want, atol=1e-3)


def test_random_numbers_like_a_tensor():
    half = ops.ones(2, ms.float16)
    assert (ops.randn_like(half).dtype, ops.rand_like(half).dtype) == (ms.float32, ms.float16)


def test_counts_may_be_tensors_of_one_element():
    x = Tensor([1.0, 3.0, 2.0])
    assert ops.topk(x, Tensor([2]))[0].tolist() == [3, 2]
    assert ops.unsorted_segment_sum(x, Tensor([0, 1, 0]), Tensor([2])).tolist() == [3, 3]
    with pytest.raises(TypeError, match="num_segments must be an int"):
        ops.unsorted_segment_max(x, Tensor([0, 1, 0]), Tensor([2]))


def test_reductions_take_no_numbers():
    for reduce in (ops.sum, ops.prod, ops.mean, ops.std, ops.var, ops.all, ops.any, ops.nansum):
        with pytest.raises(TypeError, match="must be a Tensor, got 1"):
            reduce(1)


def test_slices_are_copied_with_steps_of_one():
    copy = _inner_ops.TensorCopySlices()
    got = copy(ops.zeros((3, 3)), Tensor([5.0, 6]), (1, 1), (2, 3), (1, 1))
    assert got.tolist() == [[0, 0, 0], [0, 5, 6], [0, 0, 0]]
    with pytest.raises(RuntimeError, match=r"strides must be 1, got \(2,\)"):
        copy(ops.zeros((3, 3)), Tensor([5.0]), (0,), (3,), (2,))


def test_a_sequence_is_joined():
    assert ops.auto_generate.SequenceConcat(axis=1)((Tensor([[1]]), Tensor([[2]]))).tolist() == [[1, 2]]


def test_gradients_of_trilinear_sizes():
    dy = Tensor(np.arange(0, 1.8, 0.1, np.float32).reshape(1, 1, 2, 3, 3))
    got = ops.auto_generate.UpsampleTrilinear3DGrad(False)(dy, (1, 1, 2, 2, 2), (2, 3, 3), None)
    want = [[[0.3, 0.6], [1.2, 1.5]], [[2.325, 2.625], [3.225, 3.525]]]
    np.testing.assert_allclose(got.asnumpy()[0, 0], want, rtol=1e-5)


@pytest.mark.parametrize(
    "p, want", [(None, 1.4142), ("fro", 3.1623), (1, 2.0), (float("inf"), 2.0), (-2, 0.7071), ("nuc", 9.2426)]
)
def test_condition_numbers(p, want):
    x = Tensor([[1.0, 0, -1], [0, 1, 0], [1, 0, 1]])
    got = ms.jit(lambda x: ops.cond(x, p))(x)
    np.testing.assert_allclose(got.asnumpy(), want, rtol=1e-4)
    assert ops.cond(x.astype(ms.float64)).dtype == ms.float32


@pytest.mark.parametrize("element", [1.0, 2.0])
def test_products_with_equal_constants_in_graphs(element):
    x = Tensor(np.random.default_rng(0).standard_normal((5, 9)).astype(np.float32))
    got = ms.jit(lambda x: x @ ops.full((9, 10), element, dtype=ms.float32))(x)
    want = np.repeat(x.asnumpy().sum(1, keepdims=True) * element, 10, 1)
    np.testing.assert_allclose(got.asnumpy(), want, rtol=1e-5, atol=1e-5)


def test_the_gradient_primitive_of_a_gru():
    rng = np.random.default_rng(0)
    x, h, w = (Tensor(rng.standard_normal(s).astype(np.float32)) for s in ((5, 2, 3), (1, 2, 2), (42,)))
    gru, lengths = ops.GRUV2(3, 2, 1, True, False, 0.0, False), Tensor([5, 5], ms.int32)
    y, hy, reserve, _ = gru(x, h, w, lengths)
    want = ms.grad(lambda *a: sum((o * k).sum() for o, k in zip(gru(*a, lengths)[:2], (1, 2), strict=True)), (0, 1, 2))(
        x, h, w
    )
    back = _grad_ops.GRUV2Grad(3, 2, 1, True, False, 0.0)
    got = back(x, h, w, lengths, y, hy, ops.ones_like(y), ops.full_like(hy, 2), reserve)
    for g, e in zip(got, want, strict=True):
        np.testing.assert_allclose(g.asnumpy(), e.asnumpy(), rtol=1e-5, atol=1e-5)
    with pytest.raises(ValueError, match="GRUV2Grad: dropout must be 0"):
        _grad_ops.GRUV2Grad(3, 2, 1, True, False, 0.5)(x, h, w, lengths, y, hy, y, hy, reserve)


@pytest.mark.parametrize("run", [lambda f: f, ms.jit, lambda f: ms.grad(lambda x, y: f(x, y).sum())])
@pytest.mark.parametrize(
    "name", ["add", "sub", "mul", "div", "pow", "atan2", "maximum", "fmod", "xlogy", "hypot", "zeta"]
)
def test_shapes_that_do_not_broadcast_are_an_error_of_values(run, name):
    with pytest.raises(ValueError, match=r"\(float32\[2, 3\], float32\[4, 3\]\): .*shapes"):
        run(getattr(ops, name))(ops.ones((2, 3)), ops.ones((4, 3)))


@pytest.mark.parametrize(
    ("name", "operands"),
    [
        ("less", ("float32",) * 2),
        ("logical_or", ("bool",) * 2),
        ("bitwise_xor", ("int32",) * 2),
        ("lerp", ("float32",) * 3),
    ],
)
def test_shapes_of_other_dtypes_that_do_not_broadcast_are_an_error_of_values(name, operands):
    tensors = [ops.ones((2 * (i + 1), 3), getattr(ms, dtype)) for i, dtype in enumerate(operands)]
    with pytest.raises(ValueError, match=f"ops.{name}.*shapes"):
        getattr(ops, name)(*tensors)


def test_updates_do_not_broadcast_to_the_places_they_go_to():
    wrong = r"must have shape \[2, 2\], got \[1, 2\]"
    for call in (ops.tensor_scatter_add, ops.tensor_scatter_max):
        with pytest.raises(ValueError, match=wrong):
            call(ops.ones((3, 2)), Tensor([[0], [2]]), ops.ones((1, 2)))
    parameter = ms.Parameter(ops.ones((3, 2)))
    for call in (ops.scatter_update, ops.scatter_mul):
        with pytest.raises(ValueError, match=wrong):
            call(parameter, Tensor([0, 2]), ops.ones((1, 2)))
    with pytest.raises(ValueError, match=wrong):
        parameter.index_add(0, Tensor([0, 2]), ops.ones((1, 2)))
    np.testing.assert_array_equal(parameter.asnumpy(), np.ones((3, 2)))


def test_dropout_of_channels_keeps_signed_integers_whole():
    x = Tensor(np.arange(1, 65, dtype=np.int32).reshape(16, 2, 2)[None] * np.int32(-7))
    out, kept = ops.Dropout2D(0.4)(x)
    assert out.dtype == ms.int32 and kept.dtype == ms.bool_
    scaled = np.trunc(x.asnumpy() / 0.4).astype(np.int32)
    np.testing.assert_array_equal(out.asnumpy(), np.where(kept.asnumpy(), scaled, 0))
    assert 0 < kept.asnumpy().sum() < kept.size and (kept.asnumpy() == kept.asnumpy()[..., :1, :1]).all()
    assert ops.dropout3d(Tensor(np.ones((1, 4, 2, 2, 2), np.int8)), 0.5).dtype == ms.int8
    for dtype, shown in ((np.uint8, "UInt8"), (np.bool_, "Bool")):
        with pytest.raises(TypeError, match=f"input must have a float dtype, got {shown}"):
            ops.dropout2d(Tensor(np.ones((1, 1, 2, 2), dtype)))


@pytest.mark.parametrize("dtype", [np.int8, np.int32])
def test_selu_of_integers_has_whole_constants(dtype):
    got = ops.selu(Tensor(np.array([-50, -3, -1, 0, 1, 2, 50], dtype)))
    assert got.asnumpy().dtype == dtype and got.tolist() == [-1, 0, 0, 0, 1, 2, 50]


@pytest.mark.parametrize("largest", [True, False])
def test_all_elements_stay_in_place_unless_they_are_to_be_sorted(largest):
    x = Tensor([[3.0, 1, 2], [4, 6, 5]])
    for value, place in (ops.topk(x, 3, None, largest, False), ops.TopK(False)(x, 3), x.top_k(3, False)):
        assert value.tolist() == x.tolist() and place.dtype == ms.int32 and place.tolist() == [[0, 1, 2]] * 2
    value, place = ops.topk(x, 2, 0, largest, False)
    assert value.tolist() == x.tolist() and place.tolist() == [[0] * 3, [1] * 3]


@pytest.mark.parametrize(
    "pads, want",
    [((1, -1), [3, 0, 1, 2, 3]), ((-1, 1), [1, 2, 3, 4, 1]), ((-2, 2), [2, 3, 4, 2, 3]), ((2, -2), [1, 2, 0, 1, 2])],
)
def test_a_circle_is_that_of_the_elements_that_a_cut_leaves(pads, want):
    x = Tensor(np.arange(5.0).reshape(1, 1, 5))
    assert ops.pad(x, pads, "circular").tolist() == ops.PadV3("circular")(x, Tensor(pads)).tolist() == [[want]]
    assert ops.pad(x, (2, -1), "reflect").tolist() == [[[2, 1, 0, 1, 2, 3]]]


def test_crops_between_the_centres_of_pixels():
    image = Tensor(np.arange(12, dtype=np.float32).reshape(1, 4, 3, 1))
    boxes = Tensor([[0.0, 0.1, 0.6, 1.2], [0.5, 0.6, 0.1, 0.0], [0.2, -0.3, 0.9, 0.8]])
    crop = ops.CropAndResize("bilinear_v2", -1.0)
    got = crop(image, boxes, Tensor([0, 0, 0], ms.int32), (2, 2)).asnumpy()[..., 0]
    want = [[[1.25, 3.25], [5.75, 7.75]], [[7, 7], [7, 7]], [[1.75, 3.25], [7.75, 9.25]]]
    np.testing.assert_allclose(got, want, rtol=1e-6)


def test_a_matrix_is_the_left_side_of_its_least_squares():
    assert np.allclose(Tensor([[2.0], [4.0]]).lstsq(Tensor([[1.0, 0], [0, 2]])).asnumpy(), [[0.1, 0.4]])


def test_renorm_as_a_primitive():
    got = ops.Renorm(p=2, dim=0, maxnorm=1.0)(Tensor([[3.0, 4], [0.3, 0.4]]))
    np.testing.assert_allclose(got.asnumpy(), [[0.6, 0.8], [0.3, 0.4]], rtol=1e-5)


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
@pytest.mark.parametrize("name", ["cholesky", "geqrf", "lstsq", "matrix_solve", "qr"])
def test_factorisations_take_half_precision(name: str, dtype: ms.Type) -> None:
    """MindSpore has kernels for 16 bits where LAPACK has none: here the matrix is factorised in float32."""
    operands = [Tensor([[4.0, 1.0], [1.0, 3.0]])] * (2 if name in ("lstsq", "matrix_solve") else 1)
    want = getattr(ops, name)(*operands)
    got = getattr(ops, name)(*(x.astype(dtype) for x in operands))
    for half, full in zip(*(x if isinstance(x, tuple) else (x,) for x in (got, want)), strict=True):
        assert half.dtype == dtype
        np.testing.assert_array_equal(half.float().asnumpy(), full.astype(dtype).float().asnumpy())


@pytest.mark.parametrize("run", [lambda f: f, ms.jit])
@pytest.mark.parametrize("large", [2**63, -(2**63) - 1])
def test_a_number_of_more_than_64_bits_is_an_error(run, large):
    flags = ms.Tensor([True, False])
    text = rf"ops.where\({large}, 1j, bool\[2\]\): {large} does not fit into an int64; give a float, or a Tensor"
    with pytest.raises(OverflowError, match=text):
        run(lambda x: mint.where(large, 1j, x))(flags)
    with pytest.raises(TypeError, match="condition must be a Tensor of booleans, got Int64"):
        run(lambda x: mint.where(5, 1j, x))(flags)
    with pytest.raises(OverflowError, match="does not fit into an int64"):
        ms.Tensor([1.0]) + large
    assert (ms.Tensor([1.0]) + float(large)).item() == pytest.approx(large)

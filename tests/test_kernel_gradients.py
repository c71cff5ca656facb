"""Gradients and gradient Primitives whose rules are MindSpore's own; values as its 2.7.0 CPU kernels give them."""

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, ops

NAN = np.nan


@pytest.mark.parametrize("run", [lambda f: f, ms.jit])
@pytest.mark.parametrize(
    "op, to_x, to_y",
    [(ops.minimum, [0.5, 1, 1, 1], [0.5, 1, 1, 0]), (ops.maximum, [0.5, 1, 1, 0], [0.5, 1, 1, 1])],
)
def test_a_tie_shares_the_gradient_and_nan_gives_all_to_both(run, op, to_x, to_y):
    x, y = Tensor([0.0, NAN, 2, 3]), Tensor([0.0, 1, NAN, 5])
    got = run(lambda x, y: ms.grad(op, (0, 1))(x, y))(x, y)
    assert [g.tolist() for g in got] == [to_x, to_y]


def test_where_one_is_nan_the_other_operand_is_chosen():
    assert ops.maximum(Tensor([NAN, 1.0]), Tensor([0.5, NAN])).isnan().tolist() == [False, True]


@pytest.mark.parametrize("dtype, want", [(np.float32, NAN), (np.int32, 0)])
@pytest.mark.parametrize("ignored", [True, False])
def test_median_of_nothing(dtype, want, ignored):
    value, index = ops.Median(global_median=True, ignore_nan=ignored)(Tensor(np.zeros((2, 0), dtype)))
    np.testing.assert_array_equal(value.asnumpy(), np.asarray(want, dtype))
    assert int(index) == 0


def test_fractional_average_pool_spreads_over_each_piece():
    dy, shape = Tensor([[[[1.0], [2]], [[3], [4]]]]), Tensor([1, 4, 5, 1])
    got = ops.FractionalAvgPoolGrad(overlapping=True)(shape, dy, Tensor([0, 2, 4]), Tensor([0, 2, 5]))
    top, both, low = ([1 / 9, 1 / 9, 1 / 3, 2 / 9, 2 / 9], [11 / 18, 11 / 18, 1.5, 8 / 9, 8 / 9],
                      [0.5, 0.5, 7 / 6, 2 / 3, 2 / 3])  # fmt: skip
    np.testing.assert_allclose(got.asnumpy()[0, :, :, 0], [top, top, both, low], rtol=1e-6)
    with pytest.raises(ValueError, match="4 sizes"):
        ops.FractionalAvgPoolGrad()(Tensor([4, 5]), dy, Tensor([0, 2, 4]), Tensor([0, 2, 5]))


def test_fractional_average_pool_of_integers_is_whole():
    x = Tensor(np.arange(1, 17).reshape(1, 4, 4, 1))
    assert ops.FractionalAvgPool([1.0, 2.0, 2.0, 1.0])(x)[0].tolist() == [[[[3], [5]], [[11], [13]]]]


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_deformable_offsets_gradient_is_that_of_the_operator(layout):
    options = (1, 1, 1, 1), (0, 0, 0, 0), (2, 2)
    x, moves = (
        Tensor(np.arange(18.0, dtype=np.float32).reshape(1, 2, 3, 3)),
        ops.full((1, 12, 2, 2), 0.25, dtype=ms.float32),
    )
    dy = Tensor(np.arange(32.0, dtype=np.float32).reshape(1, 2, 4, 4))
    want = ms.grad(lambda x, m: (ops.DeformableOffsets(*options)(x, m) * dy).sum(), (0, 1))(x, moves)
    last = layout == "NHWC"
    given = [t.transpose(0, 2, 3, 1) if last else t for t in (dy, x, moves)]
    got = ops.DeformableOffsetsGrad(*options, data_format=layout)(*given)
    for g, w in zip(got, want, strict=True):
        np.testing.assert_allclose((g.transpose(0, 3, 1, 2) if last else g).asnumpy(), w.asnumpy(), rtol=1e-5)
    with pytest.raises(ValueError, match="shape"):
        ops.DeformableOffsetsGrad(*options, data_format=layout)(given[0][..., :1], *given[1:])


@pytest.mark.parametrize(
    "has_bias, want",
    [(True, [[0.33269, 0.51758], [-0.08995, 0.36041]]), (False, [[-0.45673, -0.35884], [-0.7195, -0.48105]])],
)
def test_a_gru_with_all_weights_in_one_tensor(has_bias, want):
    np.random.seed(0)
    x, h = (Tensor(np.random.randn(*s).astype(np.float32)) for s in ((5, 2, 3), (1, 2, 2)))
    w = Tensor((np.arange(42 if has_bias else 30) * 0.05 - 1).astype(np.float32))
    got = ops.GRUV2(3, 2, 1, has_bias, False, 0.0)(x, h, w, Tensor([4, 3]))
    np.testing.assert_allclose(got[1].asnumpy()[0], want, atol=1e-5)
    with pytest.raises(ValueError, match="dropout must be 0"):
        ops.GRUV2(3, 2, 1, has_bias, False, 0.5)(x, h, w, Tensor([4, 3]))


def test_an_lstm_projects_its_output_and_its_reserved_results_carry_no_gradient():
    x, h, c = ops.ones((2, 1, 4)), ops.ones((1, 1, 2)), ops.ones((1, 1, 4))
    w = Tensor(np.linspace(-0.5, 0.5, 104, dtype=np.float32))
    lstm = ops.LSTM(4, 4, 1, False, False, 0.0, 2)
    y, last, cell, *_ = lstm(x, h, c, w)
    assert y.shape == (2, 1, 2) and last.shape == (1, 1, 2) and cell.shape == (1, 1, 4)
    assert ms.grad(lambda h: lstm(x, h, c, w)[3].sum())(h).tolist() == [[[0, 0]]]
    with pytest.raises(ValueError, match="dropout must be 0"):
        ops.LSTM(4, 4, 1, False, False, 0.5)(x, h, c, w)


def test_primitives_refuse_what_their_kernels_do_not_take():
    x, y = Tensor(np.ones(2)), Tensor([1.0, 2.0])
    with pytest.raises(TypeError, match="float16 or float32, got Float64"):
        ops.SquareSumAll()(x, x)
    states = [ms.Parameter(Tensor(np.ones((2, 2)))) for _ in range(2)]
    with pytest.raises(TypeError, match="var must have dtype float16 or float32, got Float64"):
        ops.SparseApplyAdagrad(0.1)(*states, Tensor(np.ones((2, 2))), Tensor([0, 1]))
    with pytest.raises(ValueError, match="takes 2 Tensors"):
        ops.PSROIPoolingGrad(4, 1.0, 2, 1)(y, y, y)
    with pytest.raises(TypeError):
        ops.PSROIPoolingGrad([2, 2], 1.0, 2, 1)
    with pytest.raises(ValueError, match="For 'FFTWithSize', the last dimension of the input cannot be 1"):
        ops.FFTWithSize(1, True, True)(Tensor(np.ones((2, 1), np.complex64)))
    with pytest.raises(ValueError):
        ops.TruncateMod()(Tensor([1, 2, 3]), Tensor([1, 2]))


@pytest.mark.parametrize("kind", ["MaxPoolGradGrad", "MaxPool3DGradGrad"])
def test_the_second_gradient_of_a_maximum_is_picked_where_it_lies_first(kind):
    planes = (1,) if kind == "MaxPool3DGradGrad" else ()
    x = Tensor(np.float32([[3, 3, 1], [0, 3, 2], [5, 1, 5]]).reshape(1, 1, *planes, 3, 3))
    grad = Tensor(np.arange(1, 10, dtype=np.float32).reshape(x.shape))
    window = (*planes, 2, 2)
    valid = getattr(ops, kind)(window, 1, "VALID")(x, x, grad)
    assert valid.shape == (1, 1, *planes, 2, 2) and valid.reshape(-1).tolist() == [1, 2, 7, 9]
    same = getattr(ops, kind)(window, 1, "SAME")(x, x, grad)
    assert same.reshape(3, 3).tolist() == [[1, 2, 6], [7, 9, 9], [7, 9, 9]]
    with pytest.raises(ValueError, match="pad_mode must be one of 'valid', 'same', got 'PAD'"):
        getattr(ops, kind)(window, 1, "PAD")(x, x, grad)
    with pytest.raises(ValueError, match="grad must have shape"):
        getattr(ops, kind)(window, 1)(x, x, valid)
    with pytest.raises(ValueError, match="data_format must be one of 'ncdhw', got 'NDHWC'"):
        ops.MaxPool3DGradGrad(window, 1, "VALID", "NDHWC")(x, x, grad)


def test_the_gradient_of_dropout_scales_what_the_mask_keeps():
    dy, mask = Tensor([[3.0, 1], [2, 7]]), Tensor([[1.0, 0], [1, 1]], ms.float16)
    got = ops.DropoutGrad(0.4)(dy, mask)
    assert got.dtype == ms.float32
    np.testing.assert_allclose(got.asnumpy(), [[7.5, 0], [5, 17.5]], rtol=1e-6)
    to_dy = ops.GradOperation()(ops.DropoutGrad(0.5))(dy, mask)
    assert to_dy.tolist() == [[2, 0], [2, 2]]
    for keep_prob, kind in ((0.0, ValueError), (1.5, ValueError), (1, TypeError)):
        with pytest.raises(kind, match="keep_prob must be"):
            ops.DropoutGrad(keep_prob)(dy, mask)
    with pytest.raises(TypeError, match="dy must have a float dtype, got Int64"):
        ops.DropoutGrad()(Tensor([3, 1]), Tensor([1.0, 0]))
    with pytest.raises(TypeError, match="mask must have a float dtype, got Bool"):
        ops.DropoutGrad()(dy, Tensor([True, False]))


@pytest.mark.parametrize(
    "p, own, threes",
    [
        (0.5, [[0, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 0]]),
        (1.0, [[-3, -3, -2], [-3, -3, 3]], [[-3, -3, -2], [-3, -3, 3]]),
        (1.5, [[-1.640384, -1.640384, -1.893242], [-1.2700254, -1.2700254, 2.839863]],
              [[-1.9711971, -1.9711971, -2.581989], [-1.7320508, -1.7320508, 3.8729837]]),
        (2.0, [[-1.0920069, -1.0920069, -1.9245009], [-0.57735032, -0.57735032, 2.8867514]],
              [[-4 / 3, -4 / 3, -10 / 3], [-1, -1, 5]]),
        (np.inf, [[-1, -1, -2], [0, 0, 3]], [[0, 0, 0], [0, 0, 0]]),
    ],
)  # fmt: skip
def test_the_gradient_of_distances_takes_them_as_given(p, own, threes):
    dy = Tensor([[[1.0, 2], [3, 4]]])
    x, y = Tensor([[[1.0, 1, 0], [2, 2, 5]]]), Tensor([[[3.0, 3, 0], [2, 2, 5]]])
    for distance, want in ((ops.cdist(x, y, p), own), (Tensor(np.full((1, 2, 2), 3, np.float32)), threes)):
        np.testing.assert_allclose(ops.CdistGrad(p)(dy, x, y, distance).asnumpy(), [want], rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError, match="dy must have shape"):
        ops.CdistGrad(p)(dy[:, :1], x, y, ops.cdist(x, y, p))
    with pytest.raises(TypeError, match="distance must have a float dtype, got Int64"):
        ops.CdistGrad(p)(dy, x, y, Tensor([[[1, 2], [3, 4]]]))


@pytest.mark.parametrize("shape, place", [((2, 3, 4), (1, 0, 2)), ((4, 2, 3), (-1, -3, -1)), ((2, 3, 2), (5, 0, 1))])
def test_the_gradient_of_a_trace_lies_on_the_diagonal(shape, place):
    rest = [n for i, n in enumerate(shape) if i not in (place[1] % 3, place[2] % 3)]
    dout = np.arange(1, 1 + rest[0], dtype=np.float32)
    got = ops.auto_generate.tracev2_grad_op(Tensor(dout), Tensor(shape), *place).asnumpy()
    want = np.moveaxis(np.zeros(shape, np.float32), place[1:], (-2, -1))
    want += np.eye(*want.shape[-2:], place[0], dtype=np.float32) * dout[:, None, None]
    np.testing.assert_array_equal(got, np.moveaxis(want, (-2, -1), place[1:]))


def test_a_row_of_zeros_that_is_bounded_has_a_gradient():
    weight = Tensor([[0.0, 0.0], [3.0, 4.0]])
    got = ms.grad(lambda w: ms.mint.nn.functional.embedding(Tensor([0, 1]), w, max_norm=1.0).sum())(weight)
    np.testing.assert_allclose(got.asnumpy(), [[1, 1], [0.032, -0.024]], rtol=1e-4)

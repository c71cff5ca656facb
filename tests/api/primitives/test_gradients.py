"""Primitive classes of gradients: values as MindSpore 2.7.0's CPU kernels give them, and every refusal."""

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, ops


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_fractional_maximum_pool_gives_the_gradient_to_the_first_maximum(dtype):
    x = Tensor(np.array([[1, 3, 3, 1], [3, 3, 3, 3], [2, 2, 9, 9], [2, 2, 9, 9]], dtype).reshape(1, 4, 4, 1))
    dy, ends = Tensor(np.arange(1, 5).astype(dtype).reshape(1, 2, 2, 1)), Tensor([0, 2, 4])
    got = ops.FractionalMaxPoolGrad()(x, dy, dy, ends, ends).reshape(4, 4)
    assert got.tolist() == [[0, 1, 2, 0], [0, 0, 0, 0], [3, 0, 4, 0], [0, 0, 0, 0]]
    got = ops.FractionalMaxPoolGrad(overlapping=True)(x, dy, dy, ends, ends).reshape(4, 4)
    assert got.tolist() == [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 10, 0], [0, 0, 0, 0]]
    with pytest.raises(ValueError, match=r"out_backprop must have shape \[1, 2, 2, 1\]"):
        ops.FractionalMaxPoolGrad()(x, dy, x, ends, ends)
    with pytest.raises(ValueError, match="orig_input must have 4 axes"):
        ops.FractionalMaxPoolGrad()(ends, dy, dy, ends, ends)


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


def test_gradients_of_trilinear_sizes():
    dy = Tensor(np.arange(0, 1.8, 0.1, np.float32).reshape(1, 1, 2, 3, 3))
    got = ops.auto_generate.UpsampleTrilinear3DGrad(False)(dy, (1, 1, 2, 2, 2), (2, 3, 3), None)
    want = [[[0.3, 0.6], [1.2, 1.5]], [[2.325, 2.625], [3.225, 3.525]]]
    np.testing.assert_allclose(got.asnumpy()[0, 0], want, rtol=1e-5)

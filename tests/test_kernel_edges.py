"""Operators where the numbers are extreme, few or of a narrow dtype; expected values from NumPy or MindSpore 2.7."""

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn, ops


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


@pytest.mark.parametrize("p", [2, 90, 200])
def test_norm_of_a_high_order(p):
    x = np.array([0.33854103, -0.13209231], np.float32)
    want = (np.abs(x.astype(np.float64)) ** p).sum() ** (1 / p)
    np.testing.assert_allclose(ops.LpNorm(0, p)(Tensor(x)).asnumpy(), want, rtol=1e-6)


def test_epsilon_is_the_least_norm():
    assert float(ops.LpNorm(0, 2, False, 0.5)(Tensor([0.1, 0.2]))) == 0.5
    np.testing.assert_allclose(float(ops.LpNorm(0)(Tensor([1e-8, 0.0]))), 1e-8, rtol=1e-6)
    assert np.isnan(float(ops.LpNorm(0)(Tensor([np.nan, 1.0]))))
    assert float(ops.LpNorm(0)(Tensor([np.inf, 1.0]))) == np.inf
    gradient = ms.grad(ops.LpNorm(0))(Tensor([3.0, 4.0]))
    np.testing.assert_allclose(gradient.asnumpy(), [0.6, 0.8], rtol=1e-6)
    assert ms.grad(ops.LpNorm(0))(Tensor([0.0, 0.0])).tolist() == [0, 0]


def test_labels_beyond_the_classes_read_on_in_memory():
    log_probs = Tensor(np.arange(24, dtype=np.float32).reshape(3, 2, 4))
    lengths = Tensor([3, 3], ms.int32), Tensor([2, 2], ms.int32)
    loss, _ = ops.CTCLossV2()(log_probs, Tensor([[5, 6], [5, 6]], ms.int32), *lengths)
    np.testing.assert_allclose(loss.asnumpy(), [-41.318684, -47.0], rtol=1e-6)


def test_lengths_of_ctc_are_integers():
    x, labels, lengths = ops.zeros((2, 1, 3)), Tensor([[1, 2]]), Tensor([2])
    with pytest.raises(TypeError, match="target_lengths must be of dtype int32 or int64, but got Float32"):
        ops.ctc_loss(x, labels, lengths, Tensor([1.5]))
    with pytest.raises(TypeError, match="targets must be of dtype int32 or int64, but got Float32"):
        ops.ctc_loss(x, labels.float(), lengths, lengths)


def test_mean_square_stays_where_the_gradient_is_zero():
    var, square, moment = (
        Parameter(Tensor([v]), name=n) for v, n in (([0.6, 0.3], "v"), ([0.2, 0.4], "s"), ([0.3, 0.1], "m"))
    )
    ops.SparseApplyRMSProp(0.2, 0.01, 1e-6)(var, square, moment, 0.01, Tensor([[0.0, 1.0]]), Tensor([0]))
    np.testing.assert_allclose(square.asnumpy(), [[0.2, 0.88]], rtol=1e-6)
    np.testing.assert_allclose(var.asnumpy(), [[0.597, 0.28834]], rtol=1e-6)


@pytest.mark.parametrize("layer", [nn.Mish(), ops.Mish()])
def test_narrow_mish_is_rounded_once(layer):
    x = np.linspace(-4, 4, 101).astype(np.float16)
    wide = x.astype(np.float64)
    want = wide * np.tanh(np.log1p(np.exp(wide)))
    np.testing.assert_allclose(layer(Tensor(x)).asnumpy(), want, rtol=2.0**-10.9)


def test_what_sizes_and_scales_are_refused():
    with pytest.raises(ValueError, match="the value of 'output_size' must not be negative, but got \\[6, -1\\]"):
        ops.fold(ops.ones((1, 8, 4)), Tensor([6, -1]), 2)
    with pytest.raises(TypeError, match="scales must be floats"):
        ops.UpsampleTrilinear3D()(ops.ones((1, 1, 2, 2, 2)), None, [1, 2, 3])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8, np.uint8])
@pytest.mark.parametrize("shape", [(3, 100), (100, 3), (2, 70, 2)])
def test_places_of_extrema_along_many_elements(dtype, shape):
    x = np.random.default_rng(0).integers(0, 100, shape).astype(dtype)
    for axis in range(x.ndim):
        for name in ("argmax", "argmin"):
            got = getattr(ops, name)(Tensor(x), axis).asnumpy()
            np.testing.assert_array_equal(got, getattr(np, name)(x, axis))


@pytest.mark.of_cpus("a GPU gives the place of any of the NaNs")
def test_the_place_of_an_extremum_is_that_of_the_first_nan():
    x = np.arange(200, dtype=np.float32).reshape(2, 100)
    x[0, [7, 9]] = np.nan
    for name in ("argmax", "argmin"):
        np.testing.assert_array_equal(getattr(ops, name)(Tensor(x), 1).asnumpy(), getattr(np, name)(x, 1))
    signed = np.where(np.arange(100) % 2, 0.0, -0.0).astype(np.float32)
    assert [ops.argmax(Tensor(signed), 0).item(), ops.argmin(Tensor(signed), 0).item()] == [0, 0]

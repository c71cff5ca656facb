"""Pooling over windows whose positions are drawn: fractional maximum and mean."""

import numpy as np
import pytest
from laws.rows import laws_of
from operands import T

import sporax as ms
from sporax import Tensor, ops

test_row = laws_of("sporax._src.ops.nn.fractional_pooling")


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
def test_what_pooling_refuses(call, match):
    with pytest.raises(ValueError, match=match):
        call(T(2, 6, 6, 1))

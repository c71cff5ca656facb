"""Dropout in its forms: random zeros, the rest scaled up by 1 / (1 - p)."""

import numpy as np
import pytest
from laws.rows import laws_of

import sporax as ms
from sporax import Tensor, ops

test_row = laws_of("sporax._src.ops.nn.dropout")


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


def test_dropout_keeps_what_its_gradient_keeps():
    x = Tensor(np.ones(50, np.float32))
    value, gradient = ms.value_and_grad(lambda x: ops.dropout(x, 0.3))(x)
    np.testing.assert_allclose(value.asnumpy(), gradient.asnumpy())
    assert set(np.unique(value.asnumpy())) <= {np.float32(0), np.float32(1) / np.float32(0.7)}


def test_dropout_outside_training_is_the_identity():
    x = Tensor(np.ones(5, np.float32))
    assert ops.dropout(x, 0.5, training=False) is x


@pytest.mark.parametrize(
    "fn, shape", [(ops.dropout1d, (3, 8, 5)), (ops.dropout2d, (3, 8, 2, 2)), (ops.dropout3d, (3, 8, 2, 1, 2))]
)
def test_channels_drop_as_a_whole(fn, shape):
    out = fn(Tensor(np.ones(shape, np.float32)), 0.5).asnumpy().reshape(24, -1)
    assert all(len(set(channel)) == 1 for channel in out)
    assert 0 < (out[:, 0] == 0).sum() < 24


def test_dropout_primitive_gives_the_mask():
    ms.set_seed(1)
    out, mask = ops.Dropout(keep_prob=0.5)(Tensor(np.ones(30, np.float32)))
    assert np.array_equal(out.asnumpy(), 2 * mask.asnumpy())


def test_mask_bits_apply():
    ms.set_seed(1)
    x = Tensor(np.ones((20, 10), np.float32))
    keep = Tensor(0.5, ms.float32)
    mask = ops.DropoutGenMask()((20, 10), keep)
    out = ops.DropoutDoMask()(x, mask, keep).asnumpy()
    assert mask.shape == (32,) and mask.dtype == ms.uint8
    assert set(np.unique(out)) == {0, 2} and 60 < (out == 0).sum() < 140

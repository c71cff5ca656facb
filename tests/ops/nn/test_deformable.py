"""Deformable convolution: a convolution whose kernel elements look at places that the input moves."""

import numpy as np
import pytest
from laws.rows import laws_of

import sporax as ms
from sporax import Tensor, ops

test_row = laws_of("sporax._src.ops.nn.deformable")


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

"""Attention while a language model generates: of a prompt, or of a new token, over keys of given lengths."""

import numpy as np
import pytest
from laws.rows import laws_of

from sporax import Tensor, ops

test_row = laws_of("sporax._src.ops.nn.inference_attention")


def test_dropped_weights_keep_their_mean():
    x = Tensor(np.ones((1, 2, 64, 4), np.float32))
    out, *_, numels = ops.speed_fusion_attention(x, x, x, 2, "BNSD", keep_prob=0.5)
    assert 0.05 < out.asnumpy().std() < 0.3 and abs(out.asnumpy().mean() - 1) < 0.05 and numels.item() == 2 * 64 * 64
    with pytest.raises(ValueError, match="the layout TND, and it alone"):
        ops.speed_fusion_attention(x[0], x[0], x[0], 64, "TND")

"""Attention: softmax(q · kᵀ) · v in the layouts programs use, rotary position embedding, multi-head attention."""

from __future__ import annotations

import numpy as np
from laws.rows import laws_of
from operands import tensor

from sporax import ops

test_row = laws_of("sporax._src.ops.nn.attention")


def test_flash_attention_of_packed_sequences() -> None:
    """In the layout TND no query sees another sequence's keys."""
    x = tensor(np.random.default_rng(0).standard_normal((5, 2, 4)))
    packed = ops.flash_attention_score(
        x, x, x, 2, input_layout="TND", actual_seq_qlen=[2, 5], actual_seq_kvlen=[2, 5], sparse_mode=3
    )
    alone = ops.flash_attention_score(x[None, 2:], x[None, 2:], x[None, 2:], 2, input_layout="BSND", sparse_mode=3)
    np.testing.assert_allclose(packed.asnumpy()[2:], alone.asnumpy()[0], rtol=1e-5)

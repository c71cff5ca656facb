"""Connectionist temporal classification: the loss over all alignments, and greedy decoding."""

from __future__ import annotations

import numpy as np
import pytest
from laws.rows import laws_of
from operands import tensor

import sporax as ms
from sporax import Tensor, ops

test_row = laws_of("sporax._src.ops.nn.ctc")


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


def test_ctc_gradient_is_finite_without_an_alignment() -> None:
    """zero_infinity drops sequences that are too short, in the loss and in its gradient."""
    logits = tensor(np.random.default_rng(0).standard_normal((2, 1, 4)))
    labels, lengths = Tensor(np.array([[3, 3]], np.int32)), Tensor(np.array([2], np.int32))

    def loss(x: Tensor) -> Tensor:
        return ops.ctc_loss(ops.log_softmax(x), labels, lengths, lengths, zero_infinity=True)[0]

    assert loss(logits).item() == 0
    assert np.all(ms.grad(loss)(logits).asnumpy() == 0)

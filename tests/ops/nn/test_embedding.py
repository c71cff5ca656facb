"""Embedding tables and the affine maps of layers."""

from __future__ import annotations

import numpy as np
from laws.rows import laws_of
from operands import counted

import sporax as ms
from sporax import Tensor, ops

test_row = laws_of("sporax._src.ops.nn.embedding")


def test_a_row_of_zeros_that_is_bounded_has_a_gradient():
    weight = Tensor([[0.0, 0.0], [3.0, 4.0]])
    got = ms.grad(lambda w: ms.mint.nn.functional.embedding(Tensor([0, 1]), w, max_norm=1.0).sum())(weight)
    np.testing.assert_allclose(got.asnumpy(), [[1, 1], [0.032, -0.024]], rtol=1e-4)


def test_the_padding_row_of_an_embedding_receives_no_gradient() -> None:
    """And with scale_grad_by_freq each row's gradient is a mean."""
    at = Tensor([0, 1, 1, 2])

    def total(weight: Tensor) -> Tensor:
        return ops.embedding(at, weight, 0).sum()

    def shared(weight: Tensor) -> Tensor:
        return ops.embedding(at, weight, scale_grad_by_freq=True).sum()

    weight = counted(3, 1)
    assert ms.grad(total)(weight).asnumpy().ravel().tolist() == [0, 2, 1]
    assert ms.grad(shared)(weight).asnumpy().ravel().tolist() == [1, 1, 1]

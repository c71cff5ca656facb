"""Losses of sequences: the rows of the tables, and the CTC loss beside torch's."""

import numpy as np
import pytest
from layer_tables import layers_of

import sporax as ms
from sporax import nn, ops

TestLayers = layers_of("sporax._src.nn.losses.sequence")
RNG = np.random.default_rng(0)


def test_ctc_gradient_of_the_logits_is_that_of_torch(mode: int) -> None:
    torch = pytest.importorskip("torch")
    logits = RNG.standard_normal((5, 2, 4)).astype(np.float32)
    targets, inputs, lengths = np.array([[1, 2], [3, 1]]), np.array([5, 4]), np.array([2, 1])
    x = torch.tensor(logits, requires_grad=True)
    torch.nn.CTCLoss()(x.log_softmax(-1), *map(torch.tensor, (targets, inputs, lengths))).backward()
    rest = [ms.Tensor(v, ms.int32) for v in (targets, inputs, lengths)]
    loss = nn.CTCLoss()
    got = ms.grad(lambda v: loss(ops.log_softmax(v, -1), *rest))(ms.Tensor(logits))
    np.testing.assert_allclose(got.asnumpy(), x.grad.numpy(), rtol=1e-4, atol=1e-6)


def test_ctc_takes_a_single_sequence() -> None:
    log_probs = np.log(RNG.dirichlet(np.ones(4), 5)).astype(np.float32)
    target, lengths = ms.Tensor([1, 2], ms.int32), (ms.Tensor([5], ms.int32), ms.Tensor([2], ms.int32))
    single = nn.CTCLoss(reduction="none")(ms.Tensor(log_probs), target, *lengths)
    batch = nn.CTCLoss(reduction="none")(ms.Tensor(log_probs[:, None]), ms.Tensor([[1, 2]], ms.int32), *lengths)
    assert single.shape == () and single.item() == pytest.approx(batch.item())

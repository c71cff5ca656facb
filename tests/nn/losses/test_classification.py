"""Losses of classes: the rows of the tables, gradients, and classes that are drawn."""

import numpy as np
from layer_tables import layers_of

import sporax as ms
from sporax import nn

TestLayers = layers_of("sporax._src.nn.losses.classification")
RNG = np.random.default_rng(0)


def test_labels_that_do_not_add_up_to_one_have_the_gradient_of_mindspore() -> None:
    logits, labels = RNG.standard_normal((2, 3)).astype(np.float32), np.array([[1, 1, 0], [0, 0, 0]], np.float32)
    got = ms.grad(nn.SoftmaxCrossEntropyWithLogits(reduction="sum"))(ms.Tensor(logits), ms.Tensor(labels)).asnumpy()
    probabilities = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    np.testing.assert_allclose(got, probabilities - labels, rtol=1e-5)


def test_sampled_softmax_draws_anew_and_avoids_the_labels() -> None:
    loss = nn.SampledSoftmaxLoss(3, 4)
    arguments = [ms.Tensor(RNG.standard_normal(s).astype(np.float32)) for s in ((4, 5), (4,))]
    labels, x = ms.Tensor([[1], [1]], ms.int32), ms.Tensor(np.ones((2, 5), np.float32))
    first = loss(*arguments, labels, x).asnumpy()
    # The classes drawn are all but class 1, whatever the draw: the loss is the full one up to the expected counts.
    np.testing.assert_allclose(loss(*arguments, labels, x).asnumpy(), first, rtol=1e-5)
    scores = arguments[0].asnumpy().sum(1) + arguments[1].asnumpy() - np.log(0.75)
    np.testing.assert_allclose(first, np.log(np.exp(scores).sum()) - scores[1], rtol=1e-5)

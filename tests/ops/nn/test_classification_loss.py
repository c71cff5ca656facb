"""Losses of classification: cross entropies, margins between classes, distances and similarities."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from laws.rows import laws_of

from sporax import Tensor, jit, ops
from sporax._src.ops.nn.classification_loss import cross_entropy, nll_loss

test_row = laws_of("sporax._src.ops.nn.classification_loss")


def test_only_the_loss_of_sparse_labels_has_a_gradient():
    loss, logits = ops.SparseSoftmaxCrossEntropyWithLogitsV2(), Tensor([[2.0, 3, 1], [2, 1, 2]])
    got = ops.grad(lambda x: loss(x, Tensor([0, 1])))(logits)
    np.testing.assert_allclose(got.asnumpy(), [[-0.7553, 0.66524, 0.09003], [0.42232, -0.84464, 0.42232]], atol=1e-4)


def written_out(logits: Any, target: Any, are_logits: bool, weight: Any, smoothing: float) -> Any:
    """Return the loss by one-hot targets."""
    log_prob = jax.nn.log_softmax(logits, 1) if are_logits else logits
    counted, hot = (target != -100).astype(logits.dtype), jax.nn.one_hot(target, 5, axis=1)
    smooth = weight[:, None] * log_prob * smoothing / 5 * counted[:, None]
    each = weight[target.clip(0)] * counted
    loss = (1 - smoothing) * each * (hot * log_prob).sum(1) + smooth.sum(1)
    return -loss.sum() / each.sum()


@pytest.mark.parametrize("are_logits", [True, False])
@pytest.mark.parametrize("smoothing", [0.0, 0.2])
def test_derivatives_of_losses_by_class(are_logits: bool, smoothing: float) -> None:
    """In both directions and twice, with large logits, weights, and a class that does not count; without a scatter."""
    rng = np.random.default_rng(1)
    logits, weight = jnp.asarray(rng.normal(size=(3, 5, 2)) * 30), jnp.asarray(rng.random(5) + 0.1)
    target = jnp.asarray([[0, 4], [-100, 2], [1, 1]])
    op = (cross_entropy if are_logits else nll_loss).raw
    got = lambda x: op(x, target, weight, label_smoothing=smoothing) ** 2
    expected = lambda x: written_out(x, target, are_logits, weight, smoothing) ** 2
    for derivative in (lambda f: f, jax.grad, jax.jacfwd, jax.hessian):
        np.testing.assert_allclose(derivative(got)(logits), derivative(expected)(logits), rtol=1e-9, atol=1e-12)
    assert "scatter" not in str(jax.make_jaxpr(jax.grad(partial(op, target=target, weight=weight)))(logits))


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "uint16", "int32", "uint32", "int64"])
@pytest.mark.parametrize("op", [cross_entropy, nll_loss])
def test_targets_of_any_integers(dtype: str, op: Any) -> None:
    """More classes than the integers of some dtypes; numbers below 0 count from the end, as in the loss."""
    logits = jnp.asarray(np.random.default_rng(2).normal(size=(4, 300)))
    target = jnp.asarray([0, 120, 1, 100 if dtype.startswith("u") else -3], dtype)
    log_prob = jax.nn.log_softmax(logits, 1) if op is cross_entropy else logits
    loss, grad = jax.value_and_grad(lambda x: op.raw(x, target))(logits)
    np.testing.assert_allclose(loss, -np.mean([log_prob[row, int(t)] for row, t in enumerate(target)]), rtol=1e-9)
    want = np.exp(log_prob) / 4 if op is cross_entropy else np.zeros((4, 300))
    want[range(4), np.asarray(target, np.int64)] -= 0.25
    np.testing.assert_allclose(grad, want, atol=1e-12)


@pytest.mark.parametrize("is_jit", [False, True])
@pytest.mark.parametrize(
    ("dtype", "classes"), [("uint8", [156, 200, 255]), ("uint16", [156, 65436, 65535]), ("int8", [100, 0, 5])]
)
def test_a_class_to_ignore_is_not_wrapped_around(dtype: str, classes: list[int], is_jit: bool) -> None:
    """As -100 is not a number of uint8, class 156 is not ignored."""
    logits = np.random.default_rng(3).normal(size=(3, max(classes) + 1)).astype(np.float32)
    ignored = 356 if dtype == "int8" else -100
    for smoothing in (0.0, 0.2):
        loss = lambda x, target, s=smoothing: ops.cross_entropy(x, target, None, ignored, "mean", s)
        got = ops.value_and_grad(jit(loss) if is_jit else loss)(Tensor(logits), Tensor(np.array(classes, dtype)))
        want = ops.value_and_grad(loss)(Tensor(logits), Tensor(np.array(classes, "int32")))
        for one, other in zip(got, want, strict=True):
            np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-6)
    assert np.isfinite(want[0].asnumpy())
    each = ops.nll_loss(Tensor(logits), Tensor(np.array(classes, dtype)), None, classes[0], "none").asnumpy()
    assert each[0] == 0 and (each[1:] != 0).all()


def test_sparse_labels_of_the_largest_byte_count() -> None:
    logits = Tensor(np.random.default_rng(4).normal(size=(2, 256)).astype(np.float32))
    loss = ops.SparseSoftmaxCrossEntropyWithLogits()
    wanted = loss(logits, Tensor(np.array([255, 3], np.int32))).asnumpy()
    np.testing.assert_allclose(loss(logits, Tensor(np.array([255, 3], np.uint8))).asnumpy(), wanted, rtol=1e-6)

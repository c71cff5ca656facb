"""Losses in one operator, as the loss layers need them: sums in float32, weights, reductions."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp

from sporax._src.base.typing import Array, Key, OptArray, Static
from sporax._src.core.dtype import unify
from sporax._src.ops import loss
from sporax._src.ops.checks import magnitude
from sporax._src.ops.nn_checks import reduce_loss
from sporax._src.ops.table import internal


def _reduced(x: Array, reduction: str) -> Array:
    """Reduce in float32, and return the dtype of x."""
    return reduce_loss(x.astype(jnp.float32), reduction).astype(x.dtype)


def _floats(*xs: Array) -> list[Array]:
    return [x.astype(jnp.float32) if x.dtype.kind in "biu" else x for x in unify(*xs)]


@internal("weighted_loss")
def weighted_loss(x: Array, weights: Array, reduction: str) -> Array:
    """Return x · weights, reduced, in the dtype of x."""
    return reduce_loss(x.astype(jnp.float32) * jnp.asarray(weights).astype(jnp.float32), reduction).astype(x.dtype)


@internal("squared_error")
def squared_error(logits: Array, labels: Array, reduction: str) -> Array:
    """Return (logits - labels)², reduced."""
    x, y = unify(logits, labels)
    return _reduced(jnp.square(x - y), reduction)


@internal("root_mean_squared_error")
def root_mean_squared_error(logits: Array, labels: Array) -> Array:
    """Return √mean((logits - labels)²)."""
    x, y = _floats(logits, labels)
    return jnp.sqrt(_reduced(jnp.square(x - y), "mean"))


@internal("absolute_error")
def absolute_error(logits: Array, labels: Array, reduction: str) -> Array:
    """Return |logits - labels|, reduced."""
    x, y = unify(logits, labels)
    return _reduced(magnitude(x - y), reduction)


@jax.custom_jvp
def _cross_entropy(logits: Array, labels: Array) -> Array:
    """Return -Σ labels · log_softmax(logits) of each row."""
    return loss.softmax_cross_entropy.raw(logits, labels)[0]


@_cross_entropy.defjvp
def _cross_entropy_jvp(primals: tuple[Array, Array], tangents: tuple[Array, Array]) -> tuple[Array, Array]:
    # MindSpore's gradient: softmax - labels even where labels do not add up to 1, and none for the labels.
    logits, labels = primals
    return _cross_entropy(logits, labels), jnp.sum((jax.nn.softmax(logits, -1) - labels) * tangents[0], -1)


@internal("softmax_cross_entropy_with_logits")
def softmax_cross_entropy(logits: Array, labels: Array, sparse: bool, reduction: str) -> Array:
    """Return -Σ labels · log_softmax(logits) of each row, reduced; with `sparse` labels are class indices."""
    if not sparse:
        return _reduced(_cross_entropy(*unify(logits, labels)), reduction)
    if labels.dtype.kind not in "iu":
        raise TypeError(f"labels must be integers if sparse=True, got {labels.dtype}.")
    if logits.ndim != 2 or labels.shape != logits.shape[:1]:
        raise ValueError(
            f"labels must have shape {list(logits.shape[:1])} for logits (N, C), got {list(labels.shape)}."
        )
    place = jnp.where(labels < 0, logits.shape[1], labels)[:, None].astype(jnp.int32)  # as one-hot rows of nothing
    picked = jnp.take_along_axis(jax.nn.log_softmax(logits, -1), place, -1, mode="fill", fill_value=0)
    return _reduced(-picked[:, 0], reduction)


@internal("dice_loss")
def dice(logits: Array, labels: Array, smooth: float) -> Array:
    """Return 1 - 2 Σ x y / (Σ x² + Σ y² + smooth)."""
    x, y = _floats(logits, labels)
    return 1 - 2 * jnp.sum(x * y) / (jnp.sum(x * x) + jnp.sum(y * y) + smooth)


@internal("multi_class_dice_loss")
def multi_class_dice(logits: Array, labels: Array, weights: OptArray, smooth: float, ignored: Static) -> Array:
    """Return the mean over the channels (axis 1) of their dice losses, those of an ignored channel being 0."""
    x, y = (jnp.moveaxis(v, 1, 0).reshape(v.shape[1], -1) for v in _floats(logits, labels))
    losses = 1 - 2 * jnp.sum(x * y, 1) / (jnp.sum(x * x, 1) + jnp.sum(y * y, 1) + smooth)
    if ignored is not None and 0 <= ignored < x.shape[0]:
        losses = losses.at[ignored].set(0)
    total = jnp.sum(losses) if weights is None else jnp.sum(losses[:, None] * weights, 0)
    return total / x.shape[0]


@internal("focal_loss")
def focal(logits: Array, labels: Array, weight: OptArray, gamma: float, reduction: str) -> Array:
    """Return -(1 - p)^gamma · ln p of the labelled classes, p = softmax(logits) over axis 1."""
    x = jax.nn.log_softmax(logits.reshape(*logits.shape[:2], math.prod(logits.shape[2:])), 1)
    y = labels.reshape(*labels.shape[:2], math.prod(labels.shape[2:]))
    scale = 1 if weight is None else weight.astype(x.dtype)[None, :, None]
    if labels.shape[1] == 1:
        place = y.astype(jnp.int32)
        log_p = jnp.take_along_axis(x, place, 1)[:, 0]
        weighted = jnp.take_along_axis(x * scale, place, 1)[:, 0]
        each = -jnp.mean((1 - jnp.exp(log_p)) ** gamma * weighted, 1)
    else:
        each = -jnp.mean((1 - jnp.exp(x)) ** gamma * y.astype(x.dtype) * x * scale, -1)
    return _reduced(each, reduction)


@internal("triplet_margin_with_distance_loss")
def triplet(near: Array, far: Array, margin: float, reduction: str) -> Array:
    """Return max(0, near - far + margin), reduced."""
    return _reduced(jnp.maximum(near - far + margin, 0), reduction)


@internal("poisson_nll_loss")
def poisson_nll(x: Array, target: Array, log_input: bool, full: bool, eps: float, reduction: str) -> Array:
    """Return exp(x) - target · x, or x - target · ln(x + eps), with `full` plus Stirling's term; reduced."""
    y = target.astype(x.dtype)
    each = jnp.exp(x) - y * x if log_input else x - y * jnp.log(x + eps)
    if full:
        t = jnp.maximum(y, eps)
        each = each + jnp.where(t > 1, (t + 0.5) * jnp.log(t) - t + 0.5 * math.log(2 * math.pi), 0)
    return _reduced(each, reduction)


# --- sampled softmax ------------------------------------------------------------------------------------------------


@internal("sampled_softmax_loss")
def sampled_softmax(
    weights: Array,
    biases: Array,
    labels: Array,
    logits: Array,
    sampled: Array,
    true_count: Array,
    sampled_count: Array,
    num_true: int,
) -> Array:
    """Return the cross entropy of each row over its own classes and the sampled ones.

    Args:
        weights, biases: The output layer, (classes, D) and (classes,).
        labels: The classes of each row, (N, num_true) or (N · num_true,).
        logits: The inputs of the output layer, (N, D).
        sampled: Classes drawn, (S,).
        true_count, sampled_count: How often each class is expected among the samples.
    """
    own = labels.reshape(-1, num_true).astype(jnp.int32)
    sampled = sampled.astype(jnp.int32)
    true = jnp.einsum("nd,ntd->nt", logits, weights[own]) + biases[own] - jnp.log(true_count.reshape(own.shape))
    drawn = logits @ weights[sampled].T + biases[sampled] - jnp.log(sampled_count)
    scores = jnp.concatenate([true, drawn], 1)
    return -jnp.sum(jax.nn.log_softmax(scores, 1)[:, :num_true], 1) / num_true


@internal("uniform_candidates")
def candidates(
    key: Key, labels: Array, count: int, classes: int, avoid: bool, seed: int = 0
) -> tuple[Array, Array, Array]:
    """Draw `count` different classes (with `avoid` no labels if possible), and how often to expect each."""
    order = jax.random.uniform(key, (classes,))
    if avoid:
        order = order.at[labels.reshape(-1)].add(1.0)
    sampled = jnp.argsort(order)[:count].astype(jnp.int32)
    share = jnp.float32(count / classes)
    return sampled, jnp.full(labels.shape, share), jnp.full((count,), share)

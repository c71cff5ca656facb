"""Fused optimizer primitives: LARS, momentum with scale and decay, AdamWeightDecay in half precision, AdaFactor."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from sporax._src.base.typing import Array
from sporax._src.bindings.primitive import primitive
from sporax._src.core.tensor import Tensor
from sporax._src.engine.table import internal, op
from sporax._src.ops.array.assign import write
from sporax._src.ops.nn import update_rules as rules

_REF = "references.steps."


@op(
    ref=_REF + "lars",
    cases=("T(2, 3), T(2, 3), P(), P(), 0.1, 0.5", "T(3), T(3), P(), P(), 0.0, 1.0, 1e-5, 0.5, True"),
    errors=(("T(2, 3), T(3), P(), P(), 0.1, 0.5", "shape"),),
    name="_lars_update",
    grad=0,
    primitive="LARSUpdate(epsilon=1e-05, hyperpara=0.001, use_clip=False)",
)
def lars_update(
    weight: Array,
    gradient: Array,
    norm_weight: Array,
    norm_gradient: Array,
    weight_decay: Array,
    learning_rate: Array,
    epsilon: float = 1e-05,
    hyperpara: float = 0.001,
    use_clip: bool = False,
) -> Array:
    """Return (gradient + decay·weight) · η, η = hyperpara · ‖w‖ / (‖g‖ + decay·‖w‖ + ε).

    From You et al. (2017), Large Batch Training of Convolutional Networks.

    Args:
        weight, gradient: Tensors of one shape.
        norm_weight, norm_gradient: Their sums of squares.
        weight_decay, learning_rate: Numbers.
        epsilon: What is added to the divisor.
        hyperpara: The factor.
        use_clip: Whether η is divided by the learning rate and cut to at most 1.

    Raises:
        ValueError: If the shapes differ.

    Examples:
        >>> ops.LARSUpdate(0.0, 0.5)(Tensor([2.0]), Tensor([1.0]), Tensor(4.0), Tensor(1.0), 0.0, 1.0).asnumpy()
        array([1.], dtype=float32)
    """
    if weight.shape != gradient.shape:
        raise ValueError(f"gradient must have the shape of weight {list(weight.shape)}, got {list(gradient.shape)}.")
    new = rules.lars(
        weight, gradient, norm_weight, norm_gradient, weight_decay, learning_rate, epsilon, hyperpara, use_clip
    )
    return new.astype(gradient.dtype)


def _wide(*values: Array) -> list[Array]:
    return [jnp.asarray(v).astype(jnp.float32) for v in values]


# --- momentum and Adam -----------------------------------------------------------------------------------------------


@internal("FusedWeightScaleApplyMomentum")
def _momentum(
    decay: Array, scale: Array, var: Array, accum: Array, lr: Array, grad: Array, mu: Array
) -> tuple[Array, ...]:
    decay, scale, v, a, lr, grad, mu = _wide(decay, scale, var, accum, lr, grad, mu)
    return rules.momentum(v, a, lr, grad * scale + decay * v, mu)


@primitive("FusedWeightScaleApplyMomentum()")
def _fused_momentum(
    weight_decay: Array,
    loss_scale: Array,
    variable: Array,
    accumulation: Array,
    learning_rate: Array,
    gradient: Array,
    momentum: Array,
) -> Tensor:
    """Make a step of momentum on gradient · loss_scale + weight_decay · variable, and return the Parameter's new value."""
    new = _momentum(weight_decay, loss_scale, variable, accumulation, learning_rate, gradient, momentum)
    write("FusedWeightScaleApplyMomentum", accumulation, new[1])
    return write("FusedWeightScaleApplyMomentum", variable, new[0])


@internal("FusedCastAdamWeightDecay")
def _adam(
    var: Array,
    m: Array,
    v: Array,
    lr: Array,
    beta1: Array,
    beta2: Array,
    epsilon: Array,
    decay: Array,
    grad: Array,
    norm: Array,
) -> tuple[Array, ...]:
    var, m, v, lr, beta1, beta2, epsilon, decay, grad, norm = _wide(
        var, m, v, lr, beta1, beta2, epsilon, decay, grad, norm
    )
    return rules.adam_weight_decay(var, m, v, lr, beta1, beta2, epsilon, decay, grad / norm)


@primitive("FusedCastAdamWeightDecay(use_locking=False)")
def _fused_adam(
    var: Array,
    m: Array,
    v: Array,
    lr: Array,
    beta1: Array,
    beta2: Array,
    epsilon: Array,
    decay: Array,
    gradient: Array,
    global_norm: Array = 1.0,
) -> tuple[Tensor, ...]:
    """Make a step of Adam with weight decay in float32 on gradient / global_norm; return var, m and v, which are written."""
    new = _adam(var, m, v, lr, beta1, beta2, epsilon, decay, gradient, global_norm)
    return tuple([write("FusedCastAdamWeightDecay", p, n) for p, n in zip((var, m, v), new, strict=True)])


# --- AdaFactor -------------------------------------------------------------------------------------------------------


@internal("FusedAdaFactor")
def _factored(
    eps: Array,
    floor: Array,
    clip: Array,
    beta1: Array,
    beta2: Array,
    decay: Array,
    lr: Array,
    grad: Array,
    param: Array,
    mean: Array,
    row: Array,
    col: Array,
    square: Array,
    norm: Array,
    scale_parameter: bool,
    first_moment: bool,
    weight_decay: bool,
) -> tuple[Array, ...]:
    eps, floor, clip, beta1, beta2, decay, lr, grad, p, mean, row, col, square, norm = _wide(
        eps, floor, clip, beta1, beta2, decay, lr, grad, param, mean, row, col, square, norm
    )
    return rules.adafactor(
        p, mean, row, col, square, lr, grad / norm, eps, floor, clip, beta1, beta2, decay if weight_decay else 0,
        scale_parameter, first_moment,
    )  # fmt: skip


_FLAGS = "(enable_scale_parameter=False, enable_first_moment=False, enable_weight_decay=False)"


def _step(
    name: str,
    operands: tuple[Any, ...],
    global_norm: Array,
    enable_scale_parameter: bool,
    enable_first_moment: bool,
    enable_weight_decay: bool,
) -> Tensor:
    (eps, floor), *rest = operands
    states = rest[6:]
    new = _factored(
        eps,
        floor,
        *rest,
        norm=global_norm,
        scale_parameter=enable_scale_parameter,
        first_moment=enable_first_moment,
        weight_decay=enable_weight_decay,
    )
    written = [write(name, state, value) for state, value in zip(states, new, strict=True)]
    return written[0]


@primitive("FusedAdaFactor" + _FLAGS)
def _fused_ada_factor(
    epsilon: Array,
    clip_threshold: Array,
    beta1: Array,
    beta2: Array,
    weight_decay: Array,
    learning_rate: Array,
    gradient: Array,
    param: Array,
    exp_avg: Array,
    exp_avg_sq_row: Array,
    exp_avg_sq_col: Array,
    exp_avg_sq: Array,
    **flags: bool,
) -> Tensor:
    """Make a step of AdaFactor and return the Parameter's new value; the Parameter and its four states are written.

    Args:
        epsilon: What is added to squares, and the least scale of a Parameter.
        clip_threshold: The largest root of the mean square of an update.
        exp_avg: The running mean of updates, if `enable_first_moment`.
        exp_avg_sq_row, exp_avg_sq_col: Those of squares, over the last axis and the one before, of Parameters of several axes.
        exp_avg_sq: That of squares of Parameters of one axis.
    """
    hyper = (epsilon, clip_threshold, beta1, beta2, weight_decay, learning_rate, gradient)
    states = (param, exp_avg, exp_avg_sq_row, exp_avg_sq_col, exp_avg_sq)
    return _step("FusedAdaFactor", (*hyper, *states), 1.0, **flags)


@primitive("FusedAdaFactorWithGlobalNorm" + _FLAGS)
def _fused_ada_factor_with_norm(*operands: Array, **flags: bool) -> Tensor:
    """Make the step of `FusedAdaFactor` on the gradient divided by a last argument, the global norm."""
    if len(operands) != 13:
        raise TypeError(f"ops.FusedAdaFactorWithGlobalNorm: expected 13 operands, got {len(operands)}.")
    return _step("FusedAdaFactorWithGlobalNorm", operands[:-1], operands[-1], **flags)

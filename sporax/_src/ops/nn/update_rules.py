"""The formulas of optimizers over arrays, for the optimizers of `nn` and `experimental.optim` and for the primitives.

Each takes a Parameter `var`, its states, its gradient `grad` and the numbers of the rule, and returns the new values of
`var` and of the states in the order given. All operands of a call have one dtype, or are plain numbers.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from sporax._src.base.typing import Array, OptArray


def moving_average(old: Array, new: Array, rate: Array) -> Array:
    """rate·old + (1 - rate)·new."""
    return rate * old + (1 - rate) * new


def shrink(x: Array, by: Array) -> Array:
    """x moved towards 0 by at most `by`."""
    return jnp.sign(x) * jnp.maximum(jnp.abs(x) - by, 0)


def root_mean_square(x: Array) -> Array:
    """√(mean(x²))."""
    return jnp.sqrt(jnp.mean(x * x))


def bias_correction(beta1_power: Array, beta2_power: Array) -> Array:
    """√(1 - β₂ᵗ) / (1 - β₁ᵗ): what the running means of Adam lack because they begin at 0."""
    return jnp.sqrt(1 - beta2_power) / (1 - beta1_power)


def _power(x: Array, exponent: Array) -> Array:
    return jnp.sqrt(x) if isinstance(exponent, float) and exponent == 0.5 else x**exponent


def gradient_descent(var: Array, alpha: Array, delta: Array) -> tuple[Array, ...]:
    """var - α·δ."""
    return (var - alpha * delta,)


def proximal_gradient_descent(var: Array, alpha: Array, l1: Array, l2: Array, delta: Array) -> tuple[Array, ...]:
    """var - α·δ, shrunk by α·l1 and scaled by 1 / (1 + α·l2)."""
    return (shrink(var - alpha * delta, alpha * l1) / (1 + alpha * l2),)


def momentum(
    var: Array,
    accum: Array,
    lr: Array,
    grad: Array,
    momentum: Array,
    use_nesterov: bool = False,
    gradient_scale: float = 1.0,
) -> tuple[Array, ...]:
    """a ← μ·a + g; var - lr·a, with Nesterov var - lr·(g + μ·a)."""
    grad = grad * gradient_scale
    accum = accum * momentum + grad
    return var - lr * (grad + momentum * accum if use_nesterov else accum), accum


def keras_momentum(
    var: Array, accum: Array, lr: Array, grad: Array, momentum: Array, use_nesterov: bool = False
) -> tuple[Array, ...]:
    """a ← μ·a - lr·g; var + a, with Nesterov var + μ·a - lr·g."""
    accum = accum * momentum - lr * grad
    return var + (accum * momentum - lr * grad if use_nesterov else accum), accum


def sgd(
    var: Array,
    grad: Array,
    lr: Array,
    accum: Array,
    momentum: Array,
    stat: Array,
    dampening: float = 0.0,
    weight_decay: float = 0.0,
    nesterov: bool = False,
) -> tuple[Array, ...]:
    """The step of `nn.SGD`; `stat` is 1 until a parameter has made its first step."""
    grad = grad + weight_decay * var if weight_decay else grad
    accum = jnp.where(stat > 0, grad, accum * momentum + grad * (1 - dampening))
    return var - lr * (grad + momentum * accum if nesterov else accum), accum, jnp.zeros_like(stat)


def adagrad(var: Array, accum: Array, lr: Array, grad: Array, update_slots: bool = True) -> tuple[Array, ...]:
    """a ← a + g²; var - lr·g / √a."""
    accum = accum + grad * grad if update_slots else accum
    return var - lr * grad / jnp.sqrt(accum), accum


def adagrad_v2(
    var: Array, accum: Array, lr: Array, grad: Array, epsilon: float = 0.0, update_slots: bool = True
) -> tuple[Array, ...]:
    """a ← a + g²; var - lr·g / (√a + ε)."""
    accum = accum + grad * grad if update_slots else accum
    return var - lr * grad / (jnp.sqrt(accum) + epsilon), accum


def proximal_adagrad(var: Array, accum: Array, lr: Array, l1: Array, l2: Array, grad: Array) -> tuple[Array, ...]:
    """a ← a + g²; a proximal step of size lr / √a."""
    accum = accum + grad * grad
    return *proximal_gradient_descent(var, lr / jnp.sqrt(accum), l1, l2, grad), accum


def adagrad_da(
    var: Array, total: Array, squares: Array, grad: Array, lr: Array, l1: Array, l2: Array, global_step: Array
) -> tuple[Array, ...]:
    """Adagrad by dual averaging: var from the sums of gradients and of their squares."""
    total, squares = total + grad, squares + grad * grad
    return -lr * shrink(total, l1 * global_step) / (l2 * global_step * lr + jnp.sqrt(squares)), total, squares


def adadelta(
    var: Array, accum: Array, update: Array, lr: Array, rho: Array, epsilon: Array, grad: Array
) -> tuple[Array, ...]:
    """Scale gradients by the ratio of the running norms of updates and gradients."""
    accum = moving_average(accum, grad * grad, rho)
    step = jnp.sqrt(update + epsilon) / jnp.sqrt(accum + epsilon) * grad
    return var - lr * step, accum, moving_average(update, step * step, rho)


def add_sign(
    var: Array, m: Array, lr: Array, alpha: Array, sign_decay: Array, beta: Array, grad: Array
) -> tuple[Array, ...]:
    """var - lr·(α + d·sign(g)·sign(m))·g."""
    m = moving_average(m, grad, beta)
    return var - lr * (alpha + sign_decay * jnp.sign(grad) * jnp.sign(m)) * grad, m


def power_sign(
    var: Array, m: Array, lr: Array, logbase: Array, sign_decay: Array, beta: Array, grad: Array
) -> tuple[Array, ...]:
    """var - lr·exp(b·d·sign(g)·sign(m))·g."""
    m = moving_average(m, grad, beta)
    return var - lr * jnp.exp(logbase * sign_decay * jnp.sign(grad) * jnp.sign(m)) * grad, m


def adam_step(
    var: Array,
    m: Array,
    v: Array,
    rate: Array,
    beta1: Array,
    beta2: Array,
    epsilon: Array,
    grad: Array,
    use_nesterov: bool = False,
    vhat: OptArray = None,
) -> tuple[Array, ...]:
    """m and v are the running means of g and g²; var - rate·m / (√v + ε).

    Nesterov puts β₁·m + (1 - β₁)·g in the place of m; with `vhat`, the largest v so far takes the place of v.
    """
    m, v = moving_average(m, grad, beta1), moving_average(v, grad * grad, beta2)
    states = (m, v) if vhat is None else (m, v, jnp.maximum(vhat, v))
    mean = moving_average(m, grad, beta1) if use_nesterov else m
    return var - rate * mean / (jnp.sqrt(states[-1]) + epsilon), *states


def adam(
    var: Array,
    m: Array,
    v: Array,
    beta1_power: Array,
    beta2_power: Array,
    lr: Array,
    beta1: Array,
    beta2: Array,
    epsilon: Array,
    grad: Array,
    use_nesterov: bool = False,
) -> tuple[Array, ...]:
    """m and v are the running means of g and g²; var - lr·√(1 - β₂ᵗ) / (1 - β₁ᵗ)·m / (√v + ε)."""
    rate = lr * bias_correction(beta1_power, beta2_power)
    return adam_step(var, m, v, rate, beta1, beta2, epsilon, grad, use_nesterov)


def adam_update(m: Array, v: Array, **rest: Any) -> tuple[Array, ...]:
    """The change that Adam would make, and the new running means."""
    delta, m, v = adam(jnp.zeros_like(m), m, v, **rest)
    return m, v, delta


def adam_weight_decay(
    var: Array, m: Array, v: Array, lr: Array, beta1: Array, beta2: Array, epsilon: Array, decay: Array, grad: Array
) -> tuple[Array, ...]:
    """Adam without bias correction; the decay acts on the Parameter, not on the gradient."""
    m, v = moving_average(m, grad, beta1), moving_average(v, grad * grad, beta2)
    return var - lr * (m / (jnp.sqrt(v) + epsilon) + decay * var), m, v


def adam_max(
    var: Array,
    m: Array,
    v: Array,
    beta1_power: Array,
    lr: Array,
    beta1: Array,
    beta2: Array,
    epsilon: Array,
    grad: Array,
) -> tuple[Array, ...]:
    """Adam with the running maximum of |g| for v."""
    m, v = moving_average(m, grad, beta1), jnp.maximum(beta2 * v, jnp.abs(grad))
    return var - lr / (1 - beta1_power) * m / (v + epsilon), m, v


def amsgrad(
    var: Array,
    m: Array,
    v: Array,
    vhat: Array,
    beta1_power: Array,
    beta2_power: Array,
    lr: Array,
    beta1: Array,
    beta2: Array,
    epsilon: Array,
    grad: Array,
) -> tuple[Array, ...]:
    """Adam that divides by the largest v so far."""
    rate = lr * bias_correction(beta1_power, beta2_power)
    return adam_step(var, m, v, rate, beta1, beta2, epsilon, grad, vhat=vhat)


def rmsprop(
    var: Array, ms: Array, mom: Array, lr: Array, grad: Array, rho: Array, momentum: Array, epsilon: Array
) -> tuple[Array, ...]:
    """ms is the running mean of g²; mom ← μ·mom + lr·g / √(ms + ε); var - mom."""
    ms = moving_average(ms, grad * grad, rho)
    mom = momentum * mom + lr * grad / jnp.sqrt(ms + epsilon)
    return var - mom, ms, mom


def sparse_rmsprop(var: Array, ms: Array, mom: Array, grad: Array, **rest: Array) -> tuple[Array, ...]:
    """The step of RMSProp; where g is 0, ms stays."""
    mean_square = jnp.where(grad == 0, ms, moving_average(ms, grad * grad, rest["rho"]))
    mom = rest["momentum"] * mom + rest["lr"] * grad / jnp.sqrt(mean_square + rest["epsilon"])
    return var - mom, mean_square, mom


def centered_rmsprop(
    var: Array, mg: Array, ms: Array, mom: Array, grad: Array, lr: Array, rho: Array, momentum: Array, epsilon: Array
) -> tuple[Array, ...]:
    """RMSProp that divides by the running deviation: √(ms - mg² + ε)."""
    mg, ms = moving_average(mg, grad, rho), moving_average(ms, grad * grad, rho)
    mom = momentum * mom + lr * grad / jnp.sqrt(ms - mg * mg + epsilon)
    return var - mom, mg, ms, mom


def ftrl(
    var: Array,
    accum: Array,
    linear: Array,
    grad: Array,
    lr: Array,
    l1: Array,
    l2: Array,
    lr_power: Array,
    l2_shrinkage: float = 0.0,
) -> tuple[Array, ...]:
    """Follow the regularized leader: var is the minimiser of the linear model of the loss with both penalties."""
    new = accum + grad * grad
    power, before = _power(new, -lr_power), _power(accum, -lr_power)
    linear = linear + grad + 2 * l2_shrinkage * var - (power - before) / lr * var
    return -shrink(linear, l1) / (power / lr + 2 * l2), new, linear


def adafactor(
    var: Array,
    mean: OptArray,
    row: Array,
    col: Array,
    square: Array,
    lr: Array,
    grad: Array,
    eps: Array,
    floor: Array,
    clip: Array,
    beta1: Array,
    beta2: Array,
    decay: Array,
    scale_parameter: bool,
    first_moment: bool,
) -> tuple[Array, ...]:
    """Adam that keeps row and column averages of g² instead of all of it, and limits the size of a step.

    V = R Cᵀ / mean(R) (for vectors the running mean of g²), u = g / √V, u ← u / max(1, rms(u) / clip) · rate,
    m ← β₁ m + (1 - β₁) u, var ← var · (1 - decay · rate) - m, where rate is lr, times max(floor, rms(var)) if asked.
    """
    power = grad * grad + eps
    if var.ndim > 1:
        row = moving_average(row, jnp.mean(power, -1), beta2)
        col = moving_average(col, jnp.mean(power, -2), beta2)
        share = row / jnp.maximum(jnp.mean(row, -1, keepdims=True), eps)
        u = grad / jnp.sqrt(jnp.maximum(share[..., None] * col[..., None, :], eps))
    else:
        square = moving_average(square, power, beta2)
        u = grad / jnp.sqrt(jnp.maximum(square, eps))
    rate = lr * jnp.maximum(floor, root_mean_square(var)) if scale_parameter else lr
    u = u * rate / jnp.maximum(1, root_mean_square(u) / clip)
    if first_moment:
        mean = u = moving_average(mean, u, beta1)
    return var * (1 - decay * rate) - u, mean, row, col, square


def lars(
    var: Array,
    grad: Array,
    var_square: Array,
    grad_square: Array,
    decay: Array,
    lr: Array,
    epsilon: Array,
    coefficient: Array,
    clip: bool,
) -> Array:
    """η·(g + decay·var), η = coefficient·‖var‖ / (‖g‖ + decay·‖var‖ + ε), with `clip` min(η / lr, 1); of sums of squares."""
    w, g = jnp.sqrt(var_square), jnp.sqrt(grad_square)
    rate = coefficient * w / (g + decay * w + epsilon)
    rate = jnp.minimum(rate / lr, 1) if clip else rate
    return (grad + decay * var) * rate

"""Optimizer primitives (`ApplyAdagrad`, `Adam`, `SparseApplyFtrl`, ...): one step, written to the Parameters given.

Each is a formula over arrays and a row of the table below: the operands of the call in order, `*` on those that take
a new value. A primitive with `indices` works on rows: it sums the gradients of equal indices and steps those rows.

    >>> var = Parameter(Tensor([1.0, 2.0]))
    >>> ops.ApplyGradientDescent()(var, 0.5, Tensor([2.0, 2.0])).asnumpy()
    array([0., 1.], dtype=float32)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import Array

from sporax._src.core import dtype as mstype
from sporax._src.engine.dispatch import Kernel, run
from sporax._src.engine.primitive import view
from sporax._src.engine.table import freeze
from sporax._src.ops.array.assign import write

# --- formulas: operands and attributes by name; new values of the states in order ---------------------------------


def _mix(old: Any, new: Any, rate: Any) -> Any:
    return rate * old + (1 - rate) * new


def _shrink(x: Any, by: Any) -> Any:
    return jnp.sign(x) * jnp.maximum(jnp.abs(x) - by, 0)


def _power(x: Any, exponent: Any) -> Any:
    return jnp.sqrt(x) if isinstance(exponent, float) and exponent == 0.5 else x**exponent


def gradient_descent(var: Any, alpha: Any, delta: Any) -> tuple[Any, ...]:
    """var - α·δ."""
    return (var - alpha * delta,)


def proximal_gradient_descent(var: Any, alpha: Any, l1: Any, l2: Any, delta: Any) -> tuple[Any, ...]:
    """var - α·δ, shrunk by α·l1 and scaled by 1 / (1 + α·l2)."""
    return (_shrink(var - alpha * delta, alpha * l1) / (1 + alpha * l2),)


def momentum(
    var: Any, accum: Any, lr: Any, grad: Any, momentum: Any, use_nesterov: bool = False, gradient_scale: float = 1.0
) -> tuple[Any, ...]:
    """a ← μ·a + g; var - lr·a, with Nesterov var - lr·(g + μ·a)."""
    grad = grad * gradient_scale
    accum = accum * momentum + grad
    return var - lr * (grad + momentum * accum if use_nesterov else accum), accum


def keras_momentum(
    var: Any, accum: Any, lr: Any, grad: Any, momentum: Any, use_nesterov: bool = False
) -> tuple[Any, ...]:
    """a ← μ·a - lr·g; var + a, with Nesterov var + μ·a - lr·g."""
    accum = accum * momentum - lr * grad
    return var + (accum * momentum - lr * grad if use_nesterov else accum), accum


def sgd(
    var: Any,
    grad: Any,
    lr: Any,
    accum: Any,
    momentum: Any,
    stat: Any,
    dampening: float = 0.0,
    weight_decay: float = 0.0,
    nesterov: bool = False,
) -> tuple[Any, ...]:
    """The step of `nn.SGD`; `stat` is 1 until a parameter has made its first step."""
    grad = grad + weight_decay * var
    accum = jnp.where(stat > 0, grad, accum * momentum + grad * (1 - dampening))
    return var - lr * (grad + momentum * accum if nesterov else accum), accum, jnp.zeros_like(stat)


def adagrad(var: Any, accum: Any, lr: Any, grad: Any, update_slots: bool = True) -> tuple[Any, ...]:
    """a ← a + g²; var - lr·g / √a."""
    accum = accum + grad * grad if update_slots else accum
    return var - lr * grad / jnp.sqrt(accum), accum


def adagrad_v2(
    var: Any, accum: Any, lr: Any, grad: Any, epsilon: float = 0.0, update_slots: bool = True
) -> tuple[Any, ...]:
    """a ← a + g²; var - lr·g / (√a + ε)."""
    accum = accum + grad * grad if update_slots else accum
    return var - lr * grad / (jnp.sqrt(accum) + epsilon), accum


def proximal_adagrad(var: Any, accum: Any, lr: Any, l1: Any, l2: Any, grad: Any) -> tuple[Any, ...]:
    """a ← a + g²; a proximal step of size lr / √a."""
    accum = accum + grad * grad
    return *proximal_gradient_descent(var, lr / jnp.sqrt(accum), l1, l2, grad), accum


def adagrad_da(
    var: Any, total: Any, squares: Any, grad: Any, lr: Any, l1: Any, l2: Any, global_step: Any
) -> tuple[Any, ...]:
    """Adagrad by dual averaging: var from the sums of gradients and of their squares."""
    total, squares = total + grad, squares + grad * grad
    return -lr * _shrink(total, l1 * global_step) / (l2 * global_step * lr + jnp.sqrt(squares)), total, squares


def adadelta(var: Any, accum: Any, update: Any, lr: Any, rho: Any, epsilon: Any, grad: Any) -> tuple[Any, ...]:
    """Scale gradients by the ratio of the running norms of updates and gradients."""
    accum = _mix(accum, grad * grad, rho)
    step = jnp.sqrt(update + epsilon) / jnp.sqrt(accum + epsilon) * grad
    return var - lr * step, accum, _mix(update, step * step, rho)


def add_sign(var: Any, m: Any, lr: Any, alpha: Any, sign_decay: Any, beta: Any, grad: Any) -> tuple[Any, ...]:
    """var - lr·(α + d·sign(g)·sign(m))·g."""
    m = _mix(m, grad, beta)
    return var - lr * (alpha + sign_decay * jnp.sign(grad) * jnp.sign(m)) * grad, m


def power_sign(var: Any, m: Any, lr: Any, logbase: Any, sign_decay: Any, beta: Any, grad: Any) -> tuple[Any, ...]:
    """var - lr·exp(b·d·sign(g)·sign(m))·g."""
    m = _mix(m, grad, beta)
    return var - lr * jnp.exp(logbase * sign_decay * jnp.sign(grad) * jnp.sign(m)) * grad, m


def adam(
    var: Any,
    m: Any,
    v: Any,
    beta1_power: Any,
    beta2_power: Any,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    grad: Any,
    use_nesterov: bool = False,
) -> tuple[Any, ...]:
    """m and v are the running means of g and g²; var - lr·√(1 - β₂ᵗ) / (1 - β₁ᵗ)·m / (√v + ε)."""
    m, v = _mix(m, grad, beta1), _mix(v, grad * grad, beta2)
    rate = lr * jnp.sqrt(1 - beta2_power) / (1 - beta1_power)
    return var - rate * (_mix(m, grad, beta1) if use_nesterov else m) / (jnp.sqrt(v) + epsilon), m, v


def adam_update(m: Any, v: Any, **rest: Any) -> tuple[Any, ...]:
    """The change that Adam would make, and the new running means."""
    delta, m, v = adam(jnp.zeros_like(m), m, v, **rest)
    return m, v, delta


def adam_weight_decay(
    var: Any, m: Any, v: Any, lr: Any, beta1: Any, beta2: Any, epsilon: Any, decay: Any, grad: Any
) -> tuple[Any, ...]:
    """Adam without bias correction; the decay acts on the Parameter, not on the gradient."""
    m, v = _mix(m, grad, beta1), _mix(v, grad * grad, beta2)
    return var - lr * (m / (jnp.sqrt(v) + epsilon) + decay * var), m, v


def adam_max(
    var: Any, m: Any, v: Any, beta1_power: Any, lr: Any, beta1: Any, beta2: Any, epsilon: Any, grad: Any
) -> tuple[Any, ...]:
    """Adam with the running maximum of |g| for v."""
    m, v = _mix(m, grad, beta1), jnp.maximum(beta2 * v, jnp.abs(grad))
    return var - lr / (1 - beta1_power) * m / (v + epsilon), m, v


def amsgrad(
    var: Any,
    m: Any,
    v: Any,
    vhat: Any,
    beta1_power: Any,
    beta2_power: Any,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    grad: Any,
) -> tuple[Any, ...]:
    """Adam that divides by the largest v so far."""
    m, v = _mix(m, grad, beta1), _mix(v, grad * grad, beta2)
    vhat = jnp.maximum(vhat, v)
    rate = lr * jnp.sqrt(1 - beta2_power) / (1 - beta1_power)
    return var - rate * m / (jnp.sqrt(vhat) + epsilon), m, v, vhat


def rmsprop(var: Any, ms: Any, mom: Any, lr: Any, grad: Any, rho: Any, momentum: Any, epsilon: Any) -> tuple[Any, ...]:
    """ms is the running mean of g²; mom ← μ·mom + lr·g / √(ms + ε); var - mom."""
    ms = _mix(ms, grad * grad, rho)
    mom = momentum * mom + lr * grad / jnp.sqrt(ms + epsilon)
    return var - mom, ms, mom


def sparse_rmsprop(var: Any, ms: Any, mom: Any, grad: Any, **rest: Any) -> tuple[Any, ...]:
    """The step of RMSProp; where g is 0, ms stays."""
    kept = jnp.where(grad == 0, ms, _mix(ms, grad * grad, rest["rho"]))
    mom = rest["momentum"] * mom + rest["lr"] * grad / jnp.sqrt(kept + rest["epsilon"])
    return var - mom, kept, mom


def centered_rmsprop(
    var: Any, mg: Any, ms: Any, mom: Any, grad: Any, lr: Any, rho: Any, momentum: Any, epsilon: Any
) -> tuple[Any, ...]:
    """RMSProp that divides by the running deviation: √(ms - mg² + ε)."""
    mg, ms = _mix(mg, grad, rho), _mix(ms, grad * grad, rho)
    mom = momentum * mom + lr * grad / jnp.sqrt(ms - mg * mg + epsilon)
    return var - mom, mg, ms, mom


def ftrl(
    var: Any,
    accum: Any,
    linear: Any,
    grad: Any,
    lr: Any,
    l1: Any,
    l2: Any,
    lr_power: Any,
    l2_shrinkage: float = 0.0,
) -> tuple[Any, ...]:
    """Follow the regularized leader: var is the minimiser of the linear model of the loss with both penalties."""
    new = accum + grad * grad
    power, before = _power(new, -lr_power), _power(accum, -lr_power)
    linear = linear + grad + 2 * l2_shrinkage * var - (power - before) / lr * var
    return -_shrink(linear, l1) / (power / lr + 2 * l2), new, linear


# --- the table -----------------------------------------------------------------------------------------------------

_ADAM = "beta1_power beta2_power lr beta1 beta2 epsilon"
_LOCK = "use_locking=False"

STEPS: dict[str, tuple[Callable[..., tuple[Any, ...]], str, int | None]] = {
    "ApplyGradientDescent()": (gradient_descent, "var* alpha delta", 1),
    "ApplyProximalGradientDescent()": (proximal_gradient_descent, "var* alpha l1 l2 delta", 1),
    f"ApplyMomentum(use_nesterov=False, {_LOCK}, gradient_scale=1.0)": (momentum, "var* accum* lr grad momentum", 1),
    f"ApplyKerasMomentum({_LOCK}, use_nesterov=False)": (keras_momentum, "var* accum* lr grad momentum", None),
    f"SparseApplyMomentum({_LOCK}, use_nesterov=False)": (momentum, "var* accum* lr grad indices momentum", 1),
    "SGD(dampening=0.0, weight_decay=0.0, nesterov=False)": (sgd, "var* grad lr accum* momentum stat*", 1),
    "ApplyAdagrad(update_slots=True)": (adagrad, "var* accum* lr grad", None),
    "ApplyAdagradV2(epsilon, update_slots=True)": (adagrad_v2, "var* accum* lr grad", None),
    f"SparseApplyAdagrad(lr, update_slots=True, {_LOCK})": (adagrad, "var* accum* grad indices", None),
    f"SparseApplyAdagradV2(lr, epsilon, {_LOCK}, update_slots=True)": (adagrad_v2, "var* accum* grad indices", None),
    f"ApplyProximalAdagrad({_LOCK})": (proximal_adagrad, "var* accum* lr l1 l2 grad", None),
    f"SparseApplyProximalAdagrad({_LOCK})": (proximal_adagrad, "var* accum* lr l1 l2 grad indices", None),
    f"FusedSparseProximalAdagrad({_LOCK})": (proximal_adagrad, "var* accum* lr l1 l2 grad indices", None),
    f"ApplyAdagradDA({_LOCK})": (adagrad_da, "var* total* squares* grad lr l1 l2 global_step", 1),
    "ApplyAdadelta()": (adadelta, "var* accum* update* lr rho epsilon grad", None),
    f"SparseApplyAdadelta(epsilon, {_LOCK})": (adadelta, "var* accum* update* lr rho grad indices", None),
    "ApplyAddSign()": (add_sign, "var* m* lr alpha sign_decay beta grad", None),
    "ApplyPowerSign()": (power_sign, "var* m* lr logbase sign_decay beta grad", None),
    f"Adam({_LOCK}, use_nesterov=False)": (adam, f"var* m* v* {_ADAM} grad", None),
    f"AdamNoUpdateParam({_LOCK}, use_nesterov=False)": (adam_update, f"m* v* {_ADAM} grad", -1),
    f"FusedSparseAdam({_LOCK}, use_nesterov=False)": (adam, f"var* m* v* {_ADAM} grad indices", None),
    f"FusedSparseLazyAdam({_LOCK}, use_nesterov=False)": (adam, f"var* m* v* {_ADAM} grad indices", None),
    f"AdamWeightDecay({_LOCK})": (adam_weight_decay, "var* m* v* lr beta1 beta2 epsilon decay grad", None),
    "ApplyAdaMax()": (adam_max, "var* m* v* beta1_power lr beta1 beta2 epsilon grad", None),
    f"ApplyAdamWithAmsgrad(beta1=0.9, beta2=0.999, epsilon=1e-08, {_LOCK})": (
        amsgrad, "var* m* v* vhat* beta1_power beta2_power lr grad", None),
    f"ApplyAdamWithAmsgradV2({_LOCK})": (amsgrad, f"var* m* v* vhat* {_ADAM} grad", None),
    f"ApplyRMSProp({_LOCK})": (rmsprop, "var* ms* mom* lr grad rho momentum epsilon", 1),
    f"SparseApplyRMSProp(rho, momentum, epsilon, {_LOCK})": (sparse_rmsprop, "var* ms* mom* lr grad indices", None),
    f"ApplyCenteredRMSProp({_LOCK})": (centered_rmsprop, "var* mg* ms* mom* grad lr rho momentum epsilon", 1),
    f"SparseApplyCenteredRMSProp({_LOCK})": (
        centered_rmsprop, "var* mg* ms* mom* lr rho momentum epsilon grad indices", 1),
    f"ApplyFtrl({_LOCK})": (ftrl, "var* accum* linear* grad lr l1 l2 lr_power", 1),
    f"SparseApplyFtrl(lr, l1, l2, lr_power, {_LOCK})": (ftrl, "var* accum* linear* grad indices", None),
    f"SparseApplyFtrlV2(lr, l1, l2, l2_shrinkage, lr_power, {_LOCK})": (
        ftrl, "var* accum* linear* grad indices", None),
    f"FusedSparseFtrl(lr, l1, l2, lr_power, {_LOCK})": (ftrl, "var* accum* linear* grad indices", None),
}  # fmt: skip
"""Constructor of the primitive -> formula, operands of the call, number of states returned (None: all; -1: a rest)."""

_EVERY_ROW = ("FusedSparseAdam",)
_NARROW = tuple(f"SparseApply{n}" for n in ("Adagrad", "AdagradV2", "Ftrl", "FtrlV2", "ProximalAdagrad"))

_OPERANDS = {
    "var": "The Parameter that is stepped.", "grad": "Its gradient; with `indices`, one slice for each of them.",
    "delta": "Its gradient.", "indices": "The rows of `var` that the slices of `grad` belong to; equal ones add up.",
    "lr": "The learning rate, a number or Tensor.", "alpha": "The learning rate, or the constant part of the factor.",
    "accum": "The running sum or mean of gradients, or of their squares.", "update": "The running mean of squared steps.",
    "total": "The sum of the gradients.", "squares": "The sum of their squares.",
    "linear": "The linear term of the model.", "stat": "1 until the first step has been made, then 0.",
    "m": "The running mean of the gradient.", "v": "The running mean of its square, or its running maximum.",
    "vhat": "The largest `v` so far.", "ms": "The running mean of the squared gradient.",
    "mg": "The running mean of the gradient.", "mom": "The accumulated step.", "momentum": "The factor μ of the old step.",
    "rho": "The share of the old running mean.", "beta": "The share of the old running mean.",
    "beta1": "The share of the old `m`.", "beta2": "The share of the old `v`.", "beta1_power": "β₁ᵗ at step t.",
    "beta2_power": "β₂ᵗ at step t.", "epsilon": "What keeps the divisor from 0.", "decay": "The weight decay.",
    "l1": "The weight of the sum of magnitudes.", "l2": "The weight of the sum of squares.",
    "lr_power": "The exponent of the accumulated squares, not positive.", "global_step": "The number of the step, from 1.",
    "logbase": "The logarithm of the base of the factor.", "sign_decay": "The factor d of the signs.",
}  # fmt: skip


def _step(name: str, formula: Callable[..., tuple[Any, ...]], order: str, returned: int | None) -> Callable[..., Any]:
    names = order.split()
    states = [i for i, n in enumerate(names) if n.endswith("*")]
    kernels: dict[Any, Kernel] = {}

    def call(*args: Any, **attrs: Any) -> Any:
        _check(name, names, args)
        key = freeze(tuple(attrs.items()))
        if key not in kernels:
            attributes = {k: v for k, v in attrs.items() if k != "use_locking"}
            kernels[key] = Kernel(_rows(name, formula, [n.rstrip("*") for n in names], attributes), f"ops.{name}")
        new = run(kernels[key], args)
        written = [write(name, args[i], value) for i, value in zip(states, new, strict=False)]
        if returned == -1:
            return new[-1]
        return written[0] if returned == 1 else tuple(written)

    call.__doc__ = _described(formula, names)
    return call


def _described(formula: Callable[..., Any], names: list[str]) -> str:
    """Return the text of a primitive: its formula, and what each operand of the call is."""
    plain = [n.rstrip("*") for n in names]
    operands = "\n        ".join(f"{n}: {_OPERANDS[n]}" for n in plain)
    return f"""Make one step: {formula.__doc__} The states among the operands take their new values.

    Args:
        {operands}

    Raises:
        TypeError: If an operand is a list or tuple.
        ValueError: If a state has not the shape of `{plain[0]}`, or the gradient does not fit.
    """


def _check(label: str, names: list[str], args: tuple[Any, ...]) -> None:
    given = dict(zip(names, args, strict=True))
    for name, value in given.items():
        if isinstance(value, (list, tuple)):
            raise TypeError(f"ops.{label}: {name.rstrip('*')} must be a Tensor or number, got {type(value).__name__}.")
    shape = tuple(args[0].shape)
    for name in [n for n in names if n.endswith("*") and n != "stat*"]:
        if tuple(given[name].shape) != shape:
            raise ValueError(f"ops.{label}: {name[:-1]} must have shape {shape}, got {given[name].shape}.")
    if label in _NARROW and args[0].dtype not in (mstype.float16, mstype.float32):
        raise TypeError(f"ops.{label}: var must have dtype float16 or float32, got {args[0].dtype}.")
    if "indices" in given and tuple(given["grad"].shape) != (*given["indices"].shape, *shape[1:]):
        expected = (*given["indices"].shape, *shape[1:])
        raise ValueError(f"ops.{label}: grad must have shape {expected}, got {given['grad'].shape}.")


def _rows(name: str, formula: Callable[..., Any], names: list[str], attrs: dict[str, Any]) -> Callable[..., Any]:
    def fn(*arrays: Any) -> Any:
        given = {n: jnp.asarray(a) for n, a in zip(names, arrays, strict=True)}
        indices = given.pop("indices", None)
        state = given[names[0]]
        wide = state.dtype if state.dtype in (jnp.float64, jnp.complex64, jnp.complex128) else jnp.float32
        given = {n: a.astype(wide) for n, a in given.items()}
        touched: Array | None = None
        if indices is not None:
            given["grad"] = jnp.zeros(state.shape, wide).at[indices].add(given["grad"])
            touched = jnp.zeros(state.shape[0], bool).at[indices].set(True).reshape(-1, *[1] * (state.ndim - 1))
        new = formula(**given, **attrs)
        if touched is None or name in _EVERY_ROW:
            return new
        return tuple([jnp.where(touched, after, given[n]) for n, after in zip(names, new, strict=False)])

    return fn


for _spec, (_formula, _order, _returned) in STEPS.items():
    _name = _spec.split("(")[0]
    view(_spec, _step(_name, _formula, _order, _returned))

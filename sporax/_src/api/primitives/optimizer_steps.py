"""Optimizer primitives (`ApplyAdagrad`, `Adam`, `SparseApplyFtrl`, ...): one step, written to the Parameters given.

Each is a formula of `update_rules` and a row of the table below: the operands of the call in order, `*` on those that
are updated. A primitive with `indices` works on rows: it sums the gradients of equal indices and steps those rows.

    >>> var = Parameter(Tensor([1.0, 2.0]))
    >>> ops.ApplyGradientDescent()(var, 0.5, Tensor([2.0, 2.0])).asnumpy()
    array([0., 1.], dtype=float32)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import Array

from sporax._src.bindings.primitive import view
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.engine.dispatch import Kernel, run
from sporax._src.engine.table import freeze
from sporax._src.ops.array.assign import write
from sporax._src.ops.nn import update_rules as rules

# --- the table -----------------------------------------------------------------------------------------------------

_ADAM = "beta1_power beta2_power lr beta1 beta2 epsilon"
_LOCK = "use_locking=False"

STEPS: dict[str, tuple[Callable[..., tuple[Any, ...]], str, int | None]] = {
    "ApplyGradientDescent()": (rules.gradient_descent, "var* alpha delta", 1),
    "ApplyProximalGradientDescent()": (rules.proximal_gradient_descent, "var* alpha l1 l2 delta", 1),
    f"ApplyMomentum(use_nesterov=False, {_LOCK}, gradient_scale=1.0)": (rules.momentum, "var* accum* lr grad momentum", 1),
    f"ApplyKerasMomentum({_LOCK}, use_nesterov=False)": (rules.keras_momentum, "var* accum* lr grad momentum", None),
    f"SparseApplyMomentum({_LOCK}, use_nesterov=False)": (rules.momentum, "var* accum* lr grad indices momentum", 1),
    "SGD(dampening=0.0, weight_decay=0.0, nesterov=False)": (rules.sgd, "var* grad lr accum* momentum stat*", 1),
    "ApplyAdagrad(update_slots=True)": (rules.adagrad, "var* accum* lr grad", None),
    "ApplyAdagradV2(epsilon, update_slots=True)": (rules.adagrad_v2, "var* accum* lr grad", None),
    f"SparseApplyAdagrad(lr, update_slots=True, {_LOCK})": (rules.adagrad, "var* accum* grad indices", None),
    f"SparseApplyAdagradV2(lr, epsilon, {_LOCK}, update_slots=True)": (rules.adagrad_v2, "var* accum* grad indices", None),
    f"ApplyProximalAdagrad({_LOCK})": (rules.proximal_adagrad, "var* accum* lr l1 l2 grad", None),
    f"SparseApplyProximalAdagrad({_LOCK})": (rules.proximal_adagrad, "var* accum* lr l1 l2 grad indices", None),
    f"FusedSparseProximalAdagrad({_LOCK})": (rules.proximal_adagrad, "var* accum* lr l1 l2 grad indices", None),
    f"ApplyAdagradDA({_LOCK})": (rules.adagrad_da, "var* total* squares* grad lr l1 l2 global_step", 1),
    "ApplyAdadelta()": (rules.adadelta, "var* accum* update* lr rho epsilon grad", None),
    f"SparseApplyAdadelta(epsilon, {_LOCK})": (rules.adadelta, "var* accum* update* lr rho grad indices", None),
    "ApplyAddSign()": (rules.add_sign, "var* m* lr alpha sign_decay beta grad", None),
    "ApplyPowerSign()": (rules.power_sign, "var* m* lr logbase sign_decay beta grad", None),
    f"Adam({_LOCK}, use_nesterov=False)": (rules.adam, f"var* m* v* {_ADAM} grad", None),
    f"AdamNoUpdateParam({_LOCK}, use_nesterov=False)": (rules.adam_update, f"m* v* {_ADAM} grad", -1),
    f"FusedSparseAdam({_LOCK}, use_nesterov=False)": (rules.adam, f"var* m* v* {_ADAM} grad indices", None),
    f"FusedSparseLazyAdam({_LOCK}, use_nesterov=False)": (rules.adam, f"var* m* v* {_ADAM} grad indices", None),
    f"AdamWeightDecay({_LOCK})(var, m, v, lr, beta1, beta2, epsilon, decay, gradient)": (
        rules.adam_weight_decay, "var* m* v* lr beta1 beta2 epsilon decay grad", None),
    "ApplyAdaMax()": (rules.adam_max, "var* m* v* beta1_power lr beta1 beta2 epsilon grad", None),
    f"ApplyAdamWithAmsgrad(beta1=0.9, beta2=0.999, epsilon=1e-08, {_LOCK})": (
        rules.amsgrad, "var* m* v* vhat* beta1_power beta2_power lr grad", None),
    f"ApplyAdamWithAmsgradV2({_LOCK})": (rules.amsgrad, f"var* m* v* vhat* {_ADAM} grad", None),
    f"ApplyRMSProp({_LOCK})": (rules.rmsprop, "var* ms* mom* lr grad rho momentum epsilon", 1),
    f"SparseApplyRMSProp(rho, momentum, epsilon, {_LOCK})": (rules.sparse_rmsprop, "var* ms* mom* lr grad indices", None),
    f"ApplyCenteredRMSProp({_LOCK})": (rules.centered_rmsprop, "var* mg* ms* mom* grad lr rho momentum epsilon", 1),
    f"SparseApplyCenteredRMSProp({_LOCK})": (
        rules.centered_rmsprop, "var* mg* ms* mom* lr rho momentum epsilon grad indices", 1),
    f"ApplyFtrl({_LOCK})": (rules.ftrl, "var* accum* linear* grad lr l1 l2 lr_power", 1),
    f"SparseApplyFtrl(lr, l1, l2, lr_power, {_LOCK})": (rules.ftrl, "var* accum* linear* grad indices", None),
    f"SparseApplyFtrlV2(lr, l1, l2, l2_shrinkage, lr_power, {_LOCK})": (
        rules.ftrl, "var* accum* linear* grad indices", None),
    f"FusedSparseFtrl(lr, l1, l2, lr_power, {_LOCK})": (rules.ftrl, "var* accum* linear* grad indices", None),
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

    def call(*args: Tensor, **attrs: object) -> Any:
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
    operands = dict(zip(names, args, strict=True))
    for name, value in operands.items():
        if isinstance(value, (list, tuple)):
            raise TypeError(f"ops.{label}: {name.rstrip('*')} must be a Tensor or number, got {type(value).__name__}.")
    shape = tuple(args[0].shape)
    for name in [n for n in names if n.endswith("*") and n != "stat*"]:
        if tuple(operands[name].shape) != shape:
            raise ValueError(f"ops.{label}: {name[:-1]} must have shape {shape}, got {operands[name].shape}.")
    if label in _NARROW and args[0].dtype not in (mstype.float16, mstype.float32):
        raise TypeError(f"ops.{label}: var must have dtype float16 or float32, got {args[0].dtype}.")
    if "indices" in operands and tuple(operands["grad"].shape) != (*operands["indices"].shape, *shape[1:]):
        expected = (*operands["indices"].shape, *shape[1:])
        raise ValueError(f"ops.{label}: grad must have shape {expected}, got {operands['grad'].shape}.")


def _rows(name: str, formula: Callable[..., Any], names: list[str], attrs: dict[str, Any]) -> Callable[..., Any]:
    def fn(*arrays: Array) -> Any:
        operands = {n: jnp.asarray(a) for n, a in zip(names, arrays, strict=True)}
        indices = operands.pop("indices", None)
        state = operands[names[0]]
        wide = state.dtype if state.dtype in (jnp.float64, jnp.complex64, jnp.complex128) else jnp.float32
        operands = {n: a.astype(wide) for n, a in operands.items()}
        touched: Array | None = None
        if indices is not None:
            operands["grad"] = jnp.zeros(state.shape, wide).at[indices].add(operands["grad"])
            touched = jnp.zeros(state.shape[0], bool).at[indices].set(True).reshape(-1, *[1] * (state.ndim - 1))
        new = formula(**operands, **attrs)
        if touched is None or name in _EVERY_ROW:
            return new
        return tuple([jnp.where(touched, after, operands[n]) for n, after in zip(names, new, strict=False)])

    return fn


for _spec, (_formula, _order, _returned) in STEPS.items():
    _name = _spec.split("(")[0]
    _call = "" if ")(" in _spec else f"({_order.replace('*', '').replace(' ', ', ')})"
    view(_spec + _call, _step(_name, _formula, _order, _returned))

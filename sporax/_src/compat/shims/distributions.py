"""What programs import from `mindspore.nn.probability.distribution._utils` for distributions of their own.

A check of a value looks at what a Tensor holds, and lets a Parameter's pass where MindSpore does.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from sporax import (
    Parameter,
    Tensor,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from sporax._src.compat.operators import ops
from sporax.ops import Primitive

__all__ = [
    "CheckTensor", "CheckTuple", "broadcast_to", "cast_to_tensor", "cast_type_for_device", "check_distribution_name",
    "check_greater", "check_greater_equal_zero", "check_greater_zero", "check_prob", "check_rank", "check_sum_equal_one",
    "clamp_probs", "exp_generic", "log1p_generic", "log_generic", "log_generic_with_check", "logits_to_probs",
    "probs_to_logits", "raise_broadcast_error", "raise_none_error", "raise_not_defined", "raise_not_impl_error",
    "raise_not_implemented_util", "raise_type_error", "set_param_type",
]  # fmt: skip

_INTEGERS = (int8, int16, int32, int64, uint8, uint16, uint32, uint64)

# --- arguments --------------------------------------------------------------------------------------------------------


def cast_to_tensor(t: Any, hint_type: Any = float32) -> Tensor:
    """Return a number, a list, an array or a Tensor as a Tensor of a type; a Parameter as it is.

    Raises:
        ValueError: If it is None.
        TypeError: If it is a bool or something else.
    """
    if t is None:
        raise ValueError("cast_to_tensor: the input must not be None.")
    if isinstance(t, Parameter):
        return t
    if isinstance(t, bool) or not isinstance(t, (Tensor, np.ndarray, list, int, float)):
        raise TypeError(f"cast_to_tensor: expected numbers or a Tensor, got {type(t).__name__}.")
    return Tensor(t, dtype=hint_type)


def cast_type_for_device(dtype: Any) -> Any:
    """Return a type as it is: the devices here have them all."""
    return dtype


def set_param_type(args: dict[str, Any], hint_type: Any) -> Any:
    """Return the type of the Tensors and arrays among arguments: float32 for integers and float64, `hint_type` if there are none.

    Raises:
        TypeError: If they have different types.
    """
    common = None
    for name, arg in args.items():
        if hasattr(arg, "dtype"):
            dtype = Tensor(arg).dtype if isinstance(arg, np.ndarray) else arg.dtype
            if common is not None and dtype != common:
                raise TypeError(f"{name} should have the same dtype as other arguments.")
            common = dtype
    if common is None:
        return float32 if hint_type is None or hint_type in _INTEGERS else hint_type
    return float32 if common in (*_INTEGERS, float64) else common


# --- checks -----------------------------------------------------------------------------------------------------------


def _held(value: Any) -> np.ndarray:
    if value is None:
        raise ValueError("The value to check must not be None.")
    return value.asnumpy() if isinstance(value, Tensor) else np.asarray(value)


def check_greater_equal_zero(value: Tensor, name: str) -> None:
    """Raise ValueError unless no element is less than zero."""
    if (_held(value) < 0).any():
        raise ValueError(f"{name} must be greater than or equal to zero.")


def check_greater_zero(value: Tensor, name: str) -> None:
    """Raise ValueError unless every element is greater than zero."""
    if not (_held(value) > 0).all():
        raise ValueError(f"{name} must be greater than zero.")


def check_greater(a: Tensor, b: Tensor, name_a: str, name_b: str) -> None:
    """Raise ValueError unless every element of `a` is less than that of `b`; Parameters pass."""
    if isinstance(a, Parameter) or isinstance(b, Parameter):
        return
    if not (_held(a) < _held(b)).all():
        raise ValueError(f"{name_a} must be less than {name_b}")


def check_prob(p: Tensor) -> None:
    """Raise ValueError unless every element is between 0 and 1, and neither."""
    check_greater_zero(p, "Probabilities")
    if not (_held(p) < 1).all():
        raise ValueError("Probabilities must be less than one")


def check_sum_equal_one(probs: Any) -> None:
    """Raise ValueError unless probabilities of categories sum to 1 along the last axis."""
    total = _held(probs).sum(axis=-1)
    eps = np.finfo(total.dtype).eps
    if not np.allclose(total, 1, rtol=10 * eps, atol=eps):
        raise ValueError("Probabilities for each category should sum to one for Categorical distribution.")


def check_rank(probs: Tensor) -> None:
    """Raise ValueError if probabilities of categories have no axis."""
    if _held(probs).ndim == 0:
        raise ValueError("probs for Categorical distribution must have rank >= 1.")


def check_distribution_name(name: str | None, expected_name: str) -> None:
    """Raise ValueError unless the name of a distribution is the one expected."""
    if name is None:
        raise ValueError("Input dist must be a constant which is not None.")
    if name != expected_name:
        raise ValueError(f"Expected dist input is {expected_name}, but got {name}.")


class CheckTensor(Primitive):
    """Gives a Tensor or None back, and raises TypeError for everything else."""

    def __init__(self) -> None:
        super().__init__("CheckTensor")

    def __call__(self, x: Any, name: str) -> Any:
        if x is None or isinstance(x, Tensor):
            return x
        raise TypeError(f"For {name}, input type must be a Tensor or Parameter.")


class CheckTuple(Primitive):
    """Gives a tuple back, and raises TypeError for everything else."""

    def __init__(self) -> None:
        super().__init__("CheckTuple")

    def __call__(self, x: Any, name: str) -> Any:
        if isinstance(x, tuple):
            return x
        raise TypeError(f"For {name}, input type must be a tuple.")


# --- errors -----------------------------------------------------------------------------------------------------------


def raise_none_error(name: str) -> NoReturn:
    """Raise TypeError for a parameter that is given neither to a distribution nor to its method."""
    raise TypeError(f"{name} must be a Tensor, since the distribution was made without it; got None.")


def raise_broadcast_error(shape_a: Any, shape_b: Any) -> NoReturn:
    """Raise ValueError for two shapes that do not broadcast."""
    raise ValueError(f"Shape {shape_a} and {shape_b} is not broadcastable.")


def raise_not_impl_error(name: str) -> NoReturn:
    """Raise ValueError for a function that a non-linear transformation lacks."""
    raise ValueError(f"{name} function must be implemented for non-linear transformation")


def raise_not_implemented_util(func_name: str, obj: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """Raise NotImplementedError for a function that a distribution lacks."""
    raise NotImplementedError(f"{func_name} is not implemented for {obj} distribution.")


def raise_type_error(name: str, cur_type: Any, required_type: Any) -> NoReturn:
    """Raise TypeError for a value of another type."""
    raise TypeError(f"For {name} , the type must be or be subclass of {required_type}, but got {cur_type}")


def raise_not_defined(func_name: str, obj: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """Raise ValueError for a function that a distribution has none of."""
    raise ValueError(f"{func_name} is undefined for {obj} distribution.")


# --- functions --------------------------------------------------------------------------------------------------------


def _floats(x: Tensor) -> Tensor:
    return x if x.dtype in (float16, float32, float64) else x.astype(float32)


def exp_generic(input_x: Tensor) -> Tensor:
    """Return eˣ, of integers in float32."""
    return ops.exp(_floats(input_x))


def log_generic(input_x: Tensor) -> Tensor:
    """Return log x, of integers in float32: nan of what is less than 0, -inf of 0."""
    return ops.log(_floats(input_x))


def log_generic_with_check(x: Any) -> Tensor:
    """Return log x, of a Tensor alone."""
    return log_generic(CheckTensor()(x, "the input of log_generic"))


def log1p_generic(x: Tensor) -> Tensor:
    """Return log(x + 1)."""
    return log_generic(x + 1.0)


def broadcast_to(x: Tensor, target: Tensor) -> Tensor:
    """Return x in the shape of another Tensor."""
    return x if x.shape == target.shape else ops.broadcast_to(x, target.shape)


def clamp_probs(probs: Tensor) -> Tensor:
    """Return probabilities no closer to 0 and 1 than the type tells apart."""
    eps = ops.Eps()(probs)
    return ops.clip_by_value(probs, eps, 1 - eps)


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Return the probabilities of logits, by softmax over the last axis or, of two outcomes, the logistic function."""
    return ops.sigmoid(logits) if is_binary else ops.softmax(logits, -1)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Return logits that have these probabilities; of two outcomes log(p / (1 - p))."""
    clamped = clamp_probs(probs)
    return ops.log(clamped) - ops.log(1 - clamped) if is_binary else ops.log(clamped)

"""What the functions of `mindspore.scipy` make of their arguments, and how they check them.

These are `mindspore.scipy.utils` and `mindspore.scipy.utils_const`, which copies of MindSpore's functions import from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from sporax import CSRTensor, Tensor, float32, float64
from sporax._src.compat.operators import ops
from sporax._src.compat.shims.numeric import numpy_utils
from sporax.numpy import inf

__all__ = [
    "_dtype_check", "_eps", "_matvec", "_mstype_check", "_nd_transpose", "_norm",
    "_raise_type_error", "_raise_value_error", "_safe_normalize", "_solve_check", "_square_check", "_super_check",
    "_to_scalar", "_to_tensor", "_type_check", "_value_check", "grad", "pack", "sparse_dot",
]  # fmt: skip

grad = ops.GradOperation()

# --- values -------------------------------------------------------------------------------------------------------------


def _to_tensor(*args: Any, dtype: Any = None) -> Any:
    """Return each argument as a Tensor of a type, by default of 32 bits; one alone by itself, several as a tuple.

    Raises:
        ValueError: If one is no number, list, tuple or Tensor.
    """
    found = tuple(arg if isinstance(arg, Tensor) else _made(arg, dtype) for arg in args)
    return found[0] if len(found) == 1 else found


def _made(arg: Any, dtype: Any) -> Tensor:
    if not isinstance(arg, (int, float, bool, list, tuple)):
        raise ValueError(f"Expect input to be array like, got {type(arg).__name__}.")
    return numpy_utils._to_tensor(arg) if dtype is None else Tensor(arg).astype(dtype)


def _to_scalar(arr: Any) -> Any:
    """Return the number that a Tensor without axes holds; a number or a larger Tensor as it is.

    Raises:
        ValueError: If it is neither.
    """
    if not isinstance(arr, (int, float, bool, Tensor)):
        raise ValueError(f"{type(arr)} are not supported.")
    return arr.item() if isinstance(arr, Tensor) and not arr.shape else arr


def _eps(x: Tensor) -> Tensor:
    """Return the distance of 1 and the next number in the type of a Tensor."""
    return ops.Eps()(x[(0,) * x.ndim])


def _norm(x: Tensor, ord_: Any = None) -> Tensor:
    """Return the largest magnitude for the order `inf`, else the root of the sum of squares."""
    return ops.abs(x).max() if ord_ == inf else ops.sqrt((x**2).sum())


def _safe_normalize(x: Tensor, threshold: Any = None) -> tuple[Tensor, Tensor]:
    """Return a vector divided by its norm, and the norm; zeros and 0 if this is no more than the threshold.

    Args:
        x: The vector.
        threshold: The threshold; None for what the type tells 1 and the next number apart by, of other types 0.
    """
    norm = _norm(x)
    if threshold is None:
        threshold = _eps(x) if x.dtype in (float32, float64) else 0
    large = norm > threshold
    return ops.where(large, x / norm, ops.zeros_like(x)), ops.where(large, norm, ops.zeros_like(norm))


def sparse_dot(a: CSRTensor, b: Tensor) -> Tensor:
    """Return the product of a sparse matrix and a vector, or a matrix of one column."""
    return ops.csr_mv(a, b.reshape(b.shape[0], -1)).reshape(a.shape[:-1] + b.shape[1:])


def _matvec(a: Any, b: Tensor) -> Tensor:
    """Return the product of a matrix, a sparse matrix or a function that stands for one, and a vector."""
    if isinstance(a, Tensor):
        return ops.matmul(a, b)
    return sparse_dot(a, b) if isinstance(a, CSRTensor) else a(b)


def _nd_transpose(a: Tensor) -> Tensor:
    """Return a Tensor with its last two axes swapped; ValueError if it has fewer."""
    if a.ndim < 2:
        raise ValueError(f"_nd_transpose: the input must have 2 axes or more, got {a.ndim}.")
    return a.swapaxes(-1, -2)


# --- errors and checks ----------------------------------------------------------------------------------------------------


def _raise_value_error(*info: Any) -> NoReturn:
    """Raise ValueError that says the values one after the other."""
    raise ValueError("".join(map(str, info)))


def _raise_type_error(*info: Any) -> NoReturn:
    """Raise TypeError that says the values one after the other."""
    raise TypeError("".join(map(str, info)))


def pack(*args: Any) -> tuple[Any, ...]:
    """Return the arguments as a tuple."""
    return args


def _flat(x: Any) -> tuple[Any, ...]:
    return tuple(item for part in x for item in _flat(part)) if isinstance(x, (tuple, list)) else (x,)


_HOLDS: dict[str, Callable[[Any], bool]] = {
    "in": lambda args: args[0] in _flat(args[1]),
    "is": lambda args: args[0] is args[1],
    "isinstance": lambda args: type(args[0]) in _flat(args[1]),
    "solve": lambda args: args[0][1] == args[1][0],
    "==": lambda args: args[0] == args[1],
}
"""Whether arguments pass, by the name of the check."""


def _one_of(valid: Any) -> str:
    names = [getattr(item, "__name__", str(item)) for item in (valid if isinstance(valid, Iterable) else (valid,))]
    return names[0] if len(names) == 1 else f"one of {names}"


_SAY: dict[str, Callable[[Any, Any], str]] = {
    "attr": lambda args, names: f"the {names[2]} of '{names[1]}' should be {_one_of(args[1])}, but got {args[0]}.",
    "type": lambda args, names: (
        f"the type of '{names[1]}' should be {_one_of(args[1])}, but got '{args[0]}' with type {type(args[0]).__name__}."
    ),
    "mstype": lambda args, names: f"the type of '{names[1]}' should be {_one_of(args[1])}, but got {args[0]}.",
    "square": lambda args, names: f"the matrix '{names[1]}' should be a square matrix like (N, N), but got {args}.",
    "match": lambda args, names: (
        f"the {names[3]} of '{names[1]}' and '{names[2]}' should be the same, but got {args[0]} and {args[1]}."
    ),
    "solve": lambda args, names: (
        f"'{names[1]}' and '{names[2]}' should be like (N, N) and (N, M) or (N), but got {args[0]} and {args[1]}."
    ),
    "todo": lambda args, names: f"currently only case {names[1]}={args[1]} is implemented.",
}
"""What is said of arguments that do not pass, by the name of the text."""


def _super_check(args: Any, names: Any, op: str, fmt: str, msg: Any, val_err: bool) -> Any:
    """Return arguments that pass a check.

    Args:
        args: What is checked.
        names: The function, the argument, and what the text names of it.
        op: The check: `"in"`, `"is"`, `"isinstance"`, `"solve"` or `"=="`.
        fmt: The text: `"attr"`, `"type"`, `"mstype"`, `"square"`, `"match"`, `"solve"` or `"todo"`.
        msg: A text in its place, or None.
        val_err: Whether ValueError is raised, else TypeError.

    Raises:
        ValueError: If they do not pass.
        TypeError: If they do not pass.
    """
    if not _HOLDS[op](args):
        text = msg or (f"For '{_flat(names)[0]}', {_SAY[fmt](args, _flat(names))}",)
        (_raise_value_error if val_err else _raise_type_error)(*_flat(text))
    return args


def _value_check(
    func_name: str,
    arg1: Any,
    arg2: Any,
    arg_name: str = "",
    attr_name: str = "",
    op: str = "in",
    fmt: str = "attr",
    msg: Any = None,
) -> Any:
    """Return a value and those it may be; ValueError if it is none of them."""
    return _super_check((arg1, arg2), (func_name, arg_name, attr_name), op, fmt, msg, True)


def _type_check(
    func_name: str, arg1: Any, arg2: Any, arg_name: str = "", op: str = "isinstance", fmt: str = "type", msg: Any = None
) -> Any:
    """Return a value and the types it may have; TypeError if it has none of them."""
    return _super_check((arg1, arg2), (func_name, arg_name), op, fmt, msg, False)


def _mstype_check(func_name: str, arg: Any, arg_mstype: Any, arg_name: str = "a") -> Any:
    """Return the type of an argument and those it may have (`mstype.TensorType`, ...); TypeError if it has none of them."""
    return _super_check((ops.typeof(arg), arg_mstype), (func_name, arg_name), "isinstance", "mstype", None, False)


def _dtype_check(func_name: str, arg: Tensor, arg_dtype: Any, arg_name: str = "a") -> Any:
    """Return the type of a Tensor and those it may have; TypeError if it has none of them."""
    return _super_check((arg.dtype, arg_dtype), (func_name, arg_name, "data type"), "in", "attr", None, False)


def _square_check(func_name: str, arg: Tensor, arg_name: str = "a") -> Tensor:
    """Return a square matrix; ValueError if it is none."""
    _super_check((len(arg.shape), 2), (func_name, arg_name, "dimension"), "==", "attr", None, True)
    _super_check(arg.shape, (func_name, arg_name), "==", "square", None, True)
    return arg


def _solve_check(
    func_name: str, arg1: Tensor, arg2: Tensor, arg1_name: str = "a", arg2_name: str = "b", sparse: bool = False
) -> tuple[Tensor, Tensor]:
    """Return a square matrix and what it is solved for: ValueError if the shapes do not fit, TypeError if the types differ."""
    _square_check(func_name, arg1, arg1_name)
    _super_check((len(arg2.shape), (1, 2)), (func_name, arg2_name, "dimension"), "in", "attr", None, True)
    _super_check((arg1.shape, arg2.shape), (func_name, arg1_name, arg2_name, sparse), "solve", "solve", None, True)
    _super_check((arg1.dtype, arg2.dtype), (func_name, arg1_name, arg2_name, "data type"), "==", "match", None, False)
    return arg1, arg2

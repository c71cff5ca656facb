"""Checks that MindSpore's graphs make of constants, under the names of `ops.composite.multitype_ops._constexpr_utils`."""

from __future__ import annotations

from typing import Any, NoReturn

from sporax.log import warning

__all__ = [
    "check_equal", "check_type_valid", "log_warning", "raise_index_error", "raise_type_error", "raise_value_error", "real_axes",
]  # fmt: skip

log_warning = warning


def raise_value_error(msg: str) -> NoReturn:
    """Raise ValueError."""
    raise ValueError(msg)


def raise_index_error(msg: str) -> NoReturn:
    """Raise IndexError."""
    raise IndexError(msg)


def raise_type_error(msg: str) -> NoReturn:
    """Raise TypeError."""
    raise TypeError(msg)


def check_equal(param1: Any, param2: Any, msg: str = "{},{}") -> Any:
    """Return a value; ValueError unless another is the same."""
    if param1 != param2:
        raise ValueError(msg.format(param1, param2))
    return param1


def check_type_valid(dtype: Any, target_type: Any, op_name: str) -> None:
    """Raise TypeError unless a type is one of some; IndexError where a Tensor is indexed."""
    if isinstance(target_type, (list, tuple)) and dtype not in target_type:
        kind = IndexError if op_name in ("tensor getitem", "tensor setitem") else TypeError
        raise kind(f"The '{op_name}' doesn't support '{dtype}' and expect to receive {target_type}.")


def real_axes(ndim_orig: int, ndim_out: int, axes_orig: Any) -> tuple[int, ...]:
    """Return the axes of a Tensor after it was broadcast to more axes, and those that came before them."""
    added = ndim_out - ndim_orig
    return (*range(added), *(axis + added for axis in axes_orig))

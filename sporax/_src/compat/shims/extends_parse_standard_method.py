"""The methods of Tensors as functions whose first argument is the Tensor: `mindspore._extends.parse.standard_method`.

MindSpore's own tests use them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sporax import Tensor, bool_

__all__ = ["tensor_bool"]


def tensor_bool(x: Tensor) -> Tensor:
    """Return whether the one element of a Tensor is not zero, as a Tensor of bool.

    Args:
        x: A Tensor of shape () or (1,).

    Raises:
        ValueError: If it has another shape.
    """
    if x.shape not in ((), (1,)):
        raise ValueError(
            f"Only tensor which shape is () or (1,) can be converted to bool, but got tensor shape is {x.shape}"
        )
    return x.astype(bool_)


def __getattr__(name: str) -> Callable[..., Any]:
    method = None if name.startswith("__") else getattr(Tensor, name, None)
    if not callable(method):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return method

"""Operations: callables of arrays; some can also take many rows at once."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from sporax._src.data.tensor_bridge import as_array


def is_pil(image: object) -> bool:
    """Return whether `image` is a Pillow image, without importing Pillow."""
    module = sys.modules.get("PIL.Image")
    return module is not None and isinstance(image, module.Image)


class TensorOperation:
    """Base of the operations on arrays: a subclass defines `_apply` for one array.

    An operation that treats all rows the same also defines ``on_batch``, which takes rows stacked along a new first
    axis and returns what `_apply` would, stacked. A class without its own ``on_batch`` is called row by row.

    Examples:
        >>> from sporax.dataset import transforms
        >>> transforms.TypeCast("float32")([1, 2])
        array([1., 2.], dtype=float32)
    """

    in_python = False  # whether MindSpore computes it in Python alone: `Compose` depends on it
    by_element = False  # whether an element of a result depends on one element, and on its channel, alone

    def __call__(self, *inputs: Any) -> Any:
        results = [self._apply(as_array(value)) for value in inputs]
        return results[0] if len(results) == 1 else tuple(results)

    def _apply(self, array: np.ndarray) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define _apply, or __call__.")


class PyTensorOperation(TensorOperation):
    """Base of operations a user writes: a subclass defines ``_execute_py`` or ``__call__``.

    Examples:
        >>> from sporax.dataset import transforms
        >>> class Double(transforms.PyTensorOperation):
        ...     def _execute_py(self, value):
        ...         return value * 2
        >>> Double()(3)
        6
    """

    def __call__(self, *inputs: Any) -> Any:
        return self._execute_py(*inputs)

    def _execute_py(self, *inputs: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define _execute_py, or __call__.")


def not_random(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function as deterministic: its attribute ``random`` is False.

    Args:
        function (Callable): The function, which is returned.

    Examples:
        >>> from sporax.dataset.transforms import not_random
        >>> not_random(lambda value: value * 2).random
        False
    """
    function.random = False
    return function


def batched(operation: Any) -> Any:
    """Return the `on_batch` of `operation`, or None: one inherited by a user's subclass may differ from its `_apply`."""
    return operation.on_batch if "on_batch" in vars(type(operation)) else None

"""Sample inputs, and running a function forward and backward on them."""

import zlib
from collections.abc import Callable
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import Tensor

from .common import dtype_name, to_numpy

FLOATS = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")


class Sampler:
    """Random arrays that depend on nothing but a text and the order of the calls."""

    def __init__(self, text: str) -> None:
        self.random = np.random.RandomState(zlib.crc32(text.encode()))

    def r(self, *shape: int) -> np.ndarray:
        """Return normal float32 values, rounded so that they store well."""
        return np.asarray(self.random.randn(*shape), np.float32).round(3)

    def u(self, *shape: int) -> np.ndarray:
        """Return float32 values between 0.05 and 0.95."""
        return np.asarray(self.random.uniform(0.05, 0.95, shape), np.float32).round(3)

    def i(self, high: int, *shape: int) -> np.ndarray:
        """Return int32 values from 0 up to, but without, high."""
        return np.asarray(self.random.randint(0, high, shape), np.int32)

    def b(self, *shape: int) -> np.ndarray:
        """Return booleans."""
        return np.asarray(self.random.rand(*shape) < 0.5)

    def p(self, high: int) -> np.ndarray:
        """Return a permutation as float32 values without ties."""
        return self.random.permutation(high).astype(np.float32)

    def names(self) -> dict[str, Any]:
        """Return what an expression for inputs may use."""
        return {"r": self.r, "u": self.u, "i": self.i, "b": self.b, "p": self.p, "np": np}


def flatten(value: Any) -> list[Any]:
    """Return the leaves of nested tuples and lists."""
    if isinstance(value, tuple | list):
        return [leaf for item in value for leaf in flatten(item)]
    return [value]


def structure(value: Any) -> Any:
    """Return nested lists of dtype and shape, or the text of a value that is not a tensor."""
    if isinstance(value, tuple | list):
        return [structure(item) for item in value]
    if isinstance(value, Tensor):
        return f"{dtype_name(value)}{list(value.shape)}".replace(" ", "")
    return f"{type(value).__name__}: {value!r}"


def is_float(value: Any) -> bool:
    """Return whether a value is a tensor that has a gradient."""
    return isinstance(value, Tensor) and dtype_name(value) in FLOATS


def cotangents(outputs: list[Any], text: str) -> list[np.ndarray | None]:
    """Return one fixed array for each floating output."""
    sampler = Sampler(text + " cotangents")
    return [sampler.r(*item.shape) if is_float(item) else None for item in outputs]


def weighted_sum(outputs: list[Any], weights: list[np.ndarray | None]) -> Tensor:
    """Return the sum of all outputs times their weights."""
    terms = [
        (item * Tensor(w).astype(item.dtype)).sum() for item, w in zip(outputs, weights, strict=True) if w is not None
    ]
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def gradients(function: Callable, inputs: list[Any], weights: list[np.ndarray | None], params: Any = None) -> list[Any]:
    """Return gradients of the weighted sum: of the floating inputs, then of the parameters."""
    positions = tuple(k for k, item in enumerate(inputs) if is_float(item))

    def scalar(*args: Any) -> Tensor:
        return weighted_sum(flatten(function(*args)), weights)

    found = ms.grad(scalar, positions or None, params)(*inputs)
    return [to_numpy(item) for item in flatten(found)]


def lines(text: str) -> list[tuple[str, str]]:
    """Return (expression, inputs) pairs of lines ``expression @ inputs``."""
    pairs = [(line + " ").split(" @ ", 1) for line in text.splitlines() if line and not line.startswith("#")]
    return [(expression, inputs.strip()) for expression, inputs in pairs]

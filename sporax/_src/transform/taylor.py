"""Derivatives of any order along a path: Taylor coefficients of a composition (`jet`, `derivative`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.ops.array.cast import cast
from sporax._src.ops.array.joining import stack
from sporax._src.transform.jacobian import jvp


def jet(
    fn: Callable[..., Any], primals: Tensor | Sequence[Tensor], series: Tensor | Sequence[Tensor]
) -> tuple[Any, Any]:
    """Return the value of a function and its first n derivatives along a path.

    The path is x(t) with x(0) = `primals` and x⁽ᵏ⁾(0) = `series[k - 1]`; the result is f(x(0)) and
    (d/dt)ᵏ f(x(t)) at t = 0 for k = 1 to n, joined along a new axis 0. Each order costs about twice as much as the
    previous order.

    Args:
        fn: A function or Cell of Tensors.
        primals: A Tensor, or a tuple of them; integers become float32.
        series: A Tensor (n, ...) of derivatives of the path, or a tuple of them.

    Raises:
        TypeError: If `primals` and `series` are not both Tensors or tuples of one length.

    Examples:
        >>> value, derivatives = ops.jet(lambda x: x * x, ms.Tensor(3.0), ms.Tensor([1.0, 0.0]))
        >>> derivatives.asnumpy()
        array([6., 2.], dtype=float32)
    """
    xs, paths = _tuple(primals), _tuple(series)
    same = isinstance(primals, (tuple, list)) == isinstance(series, (tuple, list)) and len(xs) == len(paths)
    if not same or not all(isinstance(x, Tensor) for x in (*xs, *paths)):
        raise TypeError(
            f"jet: primals and series must both be Tensors, or tuples of as many, got {describe(primals)} and {describe(series)}."
        )
    xs, paths = tuple(map(_float, xs)), tuple(map(_float, paths))
    order = paths[0].shape[0]

    def along(t: Tensor) -> Any:
        return fn(*[_point(x, path, t, order) for x, path in zip(xs, paths, strict=True)])

    values = _derivatives(along, order)
    joined = [stack(list(column), 0) for column in zip(*[_tuple(v) for v in values[1:]], strict=True)]
    return values[0], joined if isinstance(values[0], (tuple, list)) else joined[0]


def derivative(fn: Callable[..., Any], primals: Tensor | Sequence[Tensor], order: int) -> tuple[Any, Any]:
    """Return the value of a function and its derivative of an order, all inputs moving by 1 in each element.

    Args:
        fn: A function or Cell of Tensors.
        primals: A Tensor, or a tuple of them.
        order: At least 1.

    Raises:
        TypeError, ValueError: If `order` is no positive integer.

    Examples:
        >>> ops.derivative(lambda x: x * x * x, ms.Tensor(2.0), 2)[1].item()
        12.0
    """
    if not isinstance(order, int) or isinstance(order, bool):
        raise TypeError(f"derivative: order must be an int, got {describe(order)}.")
    if order < 1:
        raise ValueError(f"derivative: order must be at least 1, got {order}.")
    series = [_unit(x, order) for x in _tuple(primals)]
    value, derivatives = jet(fn, primals, tuple(series) if isinstance(primals, (tuple, list)) else series[0])
    return value, [f[-1] for f in derivatives] if isinstance(derivatives, list) else derivatives[-1]


def _tuple(value: object) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def _float(x: Tensor) -> Tensor:
    return x if x._data.dtype.kind not in "iub" else cast(x, mstype.float32)


def _unit(x: Tensor, order: int) -> Tensor:
    path = np.zeros((order, *x.shape), np.float32)
    path[0] = 1
    return Tensor(path)


def _point(x: Tensor, path: Tensor, t: Tensor, order: int) -> Any:
    """Return x(t) = x + Σ path[k - 1]·tᵏ / k!, by Horner's rule."""
    total: Any = path[order - 1] / math.factorial(order)
    for k in range(order - 1, 0, -1):
        total = path[k - 1] / math.factorial(k) + t * total
    return x + t * total


def _derivatives(fn: Callable[[Tensor], Any], order: int) -> list[Any]:
    """Return fn and its derivatives up to an order, at 0."""
    values = []
    for _ in range(order + 1):
        values.append(fn(Tensor(0.0)))
        fn = _next(fn)
    return values


def _next(fn: Callable[[Tensor], Any]) -> Callable[[Tensor], Any]:
    return lambda t: jvp(fn, t, Tensor(1.0))[1]

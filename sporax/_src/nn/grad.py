"""Derivatives of a network along directions, as Cells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.nn.cell.cell import Cell
from sporax._src.transform.differentiate import Plan
from sporax._src.transform.grad import one
from sporax._src.transform.jacobian import directional

__all__ = ["Jvp", "Vjp"]  # fmt: skip


class _Derivative(Cell):
    """The base of derivatives of a network."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        super().__init__()
        if not callable(fn):
            raise TypeError(f"{type(self).__name__}: fn must be a Cell or a function, got {describe(fn)}.")
        self.fn = fn

    def _split(self, inputs: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any]:
        if len(inputs) < 2:
            raise ValueError(f"{type(self).__name__}: expected the inputs and then v, got {len(inputs)} arguments.")
        return inputs[:-1], inputs[-1]


class Jvp(_Derivative):
    """The output of a network and its derivative along a direction: `(fn(*inputs), J·v)` (forward mode).

    Args:
        fn: A Cell or function of Tensors.

    Inputs:
        *inputs: The inputs of the network. v: The direction, of the shape of the input; for several inputs a tuple.

    Returns:
        The output and its derivative, in the structure of the output.

    Raises:
        TypeError: If `fn` cannot be called, or a direction is no Tensor.
        ValueError: If the inputs or `v` are missing, or a direction does not fit its input.

    Examples:
        >>> import sporax as ms
        >>> ms.nn.Jvp(ms.ops.square)(ms.Tensor(3.0), ms.Tensor(1.0))[1].item()
        6.0
    """

    def __init__(self, fn: Callable[..., Any]) -> None:
        super().__init__(fn)
        self._along = directional(fn)

    def construct(self, *inputs: Any) -> Any:
        return self._along(*self._split(inputs))


class Vjp(_Derivative):
    """The output of a network and the gradient of its product with `v`: `(fn(*inputs), vᵀ·J)` (reverse mode).

    Args:
        fn: A Cell or function of Tensors.

    Inputs:
        *inputs: The Tensors that the network takes.
        v: The weights of the output, in the shape of the output; for several outputs a tuple.

    Returns:
        The output, and the gradient of the input; for several inputs a tuple.

    Raises:
        TypeError: If `fn` cannot be called.
        ValueError: If the inputs or `v` are missing, or `v` does not fit the output.

    Examples:
        >>> import sporax as ms
        >>> ms.nn.Vjp(ms.ops.square)(ms.Tensor(3.0), ms.Tensor(2.0))[1].item()
        12.0
    """

    def construct(self, *inputs: Any) -> Any:
        values, v = self._split(inputs)
        plan = Plan(tuple(range(len(values))), None, has_aux=False, sens=True)
        out, gradients, _ = plan.differentiate(self.fn, (*values, v), {})
        return out, one(gradients)

"""An array of Tensors of one shape and dtype that is written and read element by element."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.core import dtype as mstype
from sporax._src.core.parameter import Parameter
from sporax._src.core.scope import tracing
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.checks import flag, integer, of_type
from sporax._src.ops.array.assign import value_of
from sporax._src.ops.array.creation import zeros
from sporax._src.ops.array.joining import stack
from sporax._src.ops.math.arithmetic import maximum

__all__ = ["TensorArray"]  # fmt: skip

_DTYPES = (*mstype.number_type, mstype.bool_)


class TensorArray(Cell):
    """An array of Tensors that is written and read element by element, and stacked to one Tensor.

    A dynamic array runs in PyNative mode, since a graph needs a fixed size; an array of fixed size compiles.

    Args:
        dtype: The dtype of the elements.
        element_shape: The shape of the elements.
        dynamic_size: Whether the array grows as it is written.
        size: The number of elements of an array that does not grow.
        name: The name of the array.

    Raises:
        TypeError: If an argument is of another type.
        ValueError: If `size` is negative.

    Examples:
        >>> import sporax as ms
        >>> array = ms.nn.TensorArray(ms.float32, (2,))
        >>> array.write(1, ms.Tensor([1.0, 2.0]))
        True
        >>> array.stack().asnumpy()
        array([[0., 0.],
               [1., 2.]], dtype=float32)
    """

    _values: Parameter
    _count: Parameter
    _written: list[Tensor]

    def __init__(
        self,
        dtype: mstype.TypeLike,
        element_shape: Sequence[int],
        dynamic_size: bool = True,
        size: int = 0,
        name: str = "TA",
    ) -> None:
        super().__init__()
        if not any(dtype is d for d in _DTYPES):
            raise TypeError(f"nn.TensorArray: dtype must be a dtype of numbers or bool, got {dtype!r}.")
        self.dtype = dtype
        self.element_shape = tuple(of_type(self, "element_shape", element_shape, (tuple, list)))
        self.dynamic_size = flag(self, "dynamic_size", dynamic_size)
        of_type(self, "name", name, str)
        fixed = 0 if dynamic_size else integer(self, "size", size, least=0)
        # The elements are neither weights nor constants of graphs: they change between calls.
        self._sporax_keep(
            "_values", Parameter(zeros((fixed, *self.element_shape), dtype), name=f"{name}.values", requires_grad=False)
        )
        self._sporax_keep("_count", Parameter(Tensor(np.int64(0)), name=f"{name}.size", requires_grad=False))
        self._sporax_keep("_written", [])

    def write(self, index: int | Tensor, value: Tensor | float) -> bool:
        """Write an element at an index of the array, and return True; unwritten elements before it are zero.

        Args:
            index: An int or an integer Tensor.
            value: A Tensor, or a number for elements without axes.

        Raises:
            RuntimeError: If the value has another shape or dtype, or the index is out of range.
        """
        value = value if isinstance(value, Tensor) else Tensor(value)
        if value.shape != self.element_shape or value.dtype != self.dtype:
            wanted = f"{self.dtype} of shape {list(self.element_shape)}"
            raise RuntimeError(f"nn.TensorArray.write: value must be {wanted}, got {describe(value)}.")
        if self.dynamic_size:
            self._grow(index, value)
            return True
        if not tracing() and not 0 <= int(index) < self._values.shape[0]:
            raise RuntimeError(
                f"nn.TensorArray.write: index must be in [0, {self._values.shape[0]}), got {int(index)}."
            )
        self._values[index] = value
        self._count.set_data(maximum(self._count, index + 1))
        return True

    def _grow(self, index: int | Tensor, value: Tensor) -> None:
        elements, position = self._elements(), int(index)
        if position < 0:
            raise RuntimeError(f"nn.TensorArray.write: index must not be negative, got {position}.")
        elements.extend([zeros(self.element_shape, self.dtype)] * (position + 1 - len(elements)))
        elements[position] = value_of(value)
        self._count.set_data(Tensor(np.int64(len(elements))))

    def _elements(self) -> list[Tensor]:
        """Return the elements of a dynamic array; this reads their number, which is impossible in a graph."""
        del self._written[int(self._count) :]
        return self._written

    def read(self, index: int | Tensor) -> Tensor:
        """Return the element at an index of the array.

        Args:
            index: An int or an integer Tensor.

        Raises:
            RuntimeError: If no element was written at or after the index.
        """
        if (self.dynamic_size or not tracing()) and not 0 <= int(index) < int(self._count):
            raise RuntimeError(f"nn.TensorArray.read: index must be in [0, {int(self._count)}), got {int(index)}.")
        return value_of(
            self._elements()[int(index)] if self.dynamic_size else self._values[index]
        )  # a copy, not a view of the elements

    def stack(self) -> Tensor:
        """Return the elements as one Tensor, along a new first axis."""
        if not self.dynamic_size:
            return value_of(self._values)
        elements = self._elements()
        return stack(elements) if elements else zeros((0, *self.element_shape), self.dtype)

    def size(self) -> Tensor:
        """Return the number of elements up to the last that was written, an int64 Tensor."""
        return value_of(self._count)

    def clear(self) -> bool:
        """Remove the elements, and return True."""
        self._values.set_data(zeros(self._values.shape, self.dtype))
        self._count.set_data(Tensor(np.int64(0)))
        return True

    def close(self) -> bool:
        """Release the elements after use, and return True."""
        return self.clear()

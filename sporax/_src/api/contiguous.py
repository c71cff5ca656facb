"""Several Tensors read as one vector of elements."""

from __future__ import annotations

from collections.abc import Sequence

from sporax._src.core.tensor import Tensor
from sporax._src.ops.array.joining import cat


class ContiguousTensorsHandle:
    """The elements of several Tensors, concatenated.

    Reading `handle[i]` gives a Tensor of shape [1], `handle[start:end:step]` the elements in between. Both are copies
    of the current elements: writing to them does not change the Tensors.

    Args:
        tensor_list: A list or tuple of Tensors of one dtype.
        enable_mem_align: Accepted for MindSpore programs: XLA aligns memory as the device needs it.

    Raises:
        TypeError: If there are no Tensors, `enable_mem_align` is not a bool, or an index is neither int nor slice.
        ValueError: If an index or the bounds of a slice are out of range.

    Examples:
        >>> import sporax as ms
        >>> from sporax.hal.contiguous_tensors_handle import ContiguousTensorsHandle
        >>> handle = ContiguousTensorsHandle([ms.Tensor([1, 2]), ms.Tensor([3, 4, 5])])
        >>> print(handle[1:4], handle.slice_by_tensor_index(1))
        [2 3 4] [3 4 5]
    """

    def __init__(self, tensor_list: Sequence[Tensor], enable_mem_align: bool = True) -> None:
        listed = isinstance(tensor_list, (list, tuple)) and len(tensor_list) > 0
        if not listed or not all(isinstance(t, Tensor) for t in tensor_list):
            raise TypeError("input list must be [Tensor, ...].")
        if not isinstance(enable_mem_align, bool):
            raise TypeError("enable_mem_align must be bool.")
        self._tensors = tuple(tensor_list)
        self._size = sum(t.size for t in self._tensors)

    def __getitem__(self, index: int | slice) -> Tensor:
        if isinstance(index, int) and not isinstance(index, bool):
            if not 0 <= index < self._size:
                raise ValueError("slice input is out of tensor_list size.")
            return self._elements()[index : index + 1]
        if not isinstance(index, slice):
            raise TypeError("slice input must be 1.index -> int.2.[start: end: step] -> [int: int: int].")
        start, end = _bounds(index.start, index.stop, self._size)
        return self._elements()[start : end : index.step]

    def slice_by_tensor_index(self, start: int | None = None, end: int | None = None) -> Tensor:
        """Return the elements of the Tensors from number `start` up to number `end`, as one vector.

        Raises:
            TypeError, ValueError: If `start` and `end` are no bounds within the list.
        """
        first, last = _bounds(start, end, len(self._tensors))
        return cat([t.reshape((-1,)) for t in self._tensors[first:last]])

    def __str__(self) -> str:
        lines = [f"Tensor[{i}]: {t}" for i, t in enumerate(self._tensors)]
        return "\n".join([f"Handle of {self._size} elements", *lines])

    def _elements(self) -> Tensor:
        return self.slice_by_tensor_index()


def _bounds(start: object, end: object, size: int) -> tuple[int, int]:
    first, last = 0 if start is None else start, size if end is None else end
    if not isinstance(first, int) or not isinstance(last, int):
        raise TypeError("slice input error.")
    if not 0 <= first < last <= size:
        raise ValueError("slice input error.")
    return first, last


def combine_tensor_list_contiguous(
    tensor_list: Sequence[Tensor], enable_mem_align: bool = True
) -> ContiguousTensorsHandle:
    """Return a handle on the elements of several Tensors, see `ContiguousTensorsHandle`.

    Args:
        tensor_list: A list or tuple of Tensors of one dtype.
        enable_mem_align: Accepted for MindSpore programs.

    Raises:
        TypeError: If there are no Tensors, or `enable_mem_align` is not a bool.

    Examples:
        >>> import sporax as ms
        >>> print(combine_tensor_list_contiguous([ms.Tensor([1, 2]), ms.Tensor([3])])[1:3])
        [2 3]
    """
    return ContiguousTensorsHandle(tensor_list, enable_mem_align)

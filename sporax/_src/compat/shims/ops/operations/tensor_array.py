"""Arrays of `mindspore.ops.operations._tensor_array`, each reached by its number; mindrl imports them.

They run in PyNative mode, as the queues of `rl_inner_ops`.
"""

from __future__ import annotations

from typing import Any

from sporax import Tensor, int64, nn
from sporax._src.compat.shims.ops.operations.rl_inner_ops import HandleOperator, TensorsQueueClose, store, stored


class TensorArray(HandleOperator):
    """Makes an `nn.TensorArray` of the same arguments and returns its number."""

    def __call__(self) -> Tensor:
        return Tensor(store(nn.TensorArray(*self.arguments)), int64)


class TensorArrayWrite(HandleOperator):
    """Writes an element at an index of an array."""

    def __call__(self, handle: Any, index: object, value: object) -> Tensor:
        stored(self, handle).write(index, value)
        return handle


class TensorArrayRead(HandleOperator):
    """Returns the element at an index of an array."""

    def __call__(self, handle: Any, index: object) -> Tensor:
        return stored(self, handle).read(index)


class TensorArrayStack(HandleOperator):
    """Returns the elements of an array as one Tensor."""

    def __call__(self, handle: object) -> Tensor:
        return stored(self, handle).stack()


class TensorArraySize(HandleOperator):
    """Returns how many elements an array has."""

    def __call__(self, handle: Any) -> Tensor:
        return stored(self, handle).size()


class TensorArrayClear(HandleOperator):
    """Empties an array."""

    def __call__(self, handle: Any) -> Tensor:
        stored(self, handle).clear()
        return handle


class TensorArrayClose(TensorsQueueClose):
    """Lets go of an array."""

"""Cells that programs import from private paths of `mindspore.nn`."""

from __future__ import annotations

from typing import Any

from sporax import Tensor, float32, int32
from sporax._src.compat.operators import ops
from sporax._src.compat.shims.ascend_operators import GetNext
from sporax.communication import get_group_size
from sporax.nn import Cell, TrainOneStepCell
from sporax.ops import Broadcast, Primitive


class _VirtualDataset(Primitive):
    """Where the inputs of a network are cut over devices; their values stay."""

    def __init__(self) -> None:
        super().__init__("_VirtualDataset")

    def __call__(self, *args: Any) -> tuple[Any, ...]:
        return args


class _VirtualDatasetCell(Cell):
    """A network whose inputs are cut over devices first; on one device, the network.

    Args:
        backbone: The network.
    """

    def __init__(self, backbone: Cell) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone
        self._virtual_dataset = _VirtualDataset()

    def construct(self, *inputs: Any) -> Any:
        return self._backbone(*self._virtual_dataset(*inputs))


class VirtualDatasetCellTriple(Cell):
    """A network of three inputs.

    Args:
        backbone: The network.
    """

    def __init__(self, backbone: Cell) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone

    def construct(self, a: Any, b: Any, c: Any) -> Any:
        return self._backbone(a, b, c)


class _TrainGradAccuStepCell(TrainOneStepCell):
    """A step of training with the mean of the gradients of micro batches.

    Args:
        network: The network, of which a Cell may have `micro_size`.
        optimizer: What updates the Parameters.
        sens: What the gradient of the loss is scaled with; 1 / `micro_size` by default.
    """

    def __init__(self, network: Cell, optimizer: Any, sens: float | None = None) -> None:
        sizes = (getattr(cell, "micro_size", None) for _, cell in network.cells_and_names())
        size = next((size for size in sizes if size is not None), 1)
        super().__init__(network, optimizer, 1 / size if sens is None else sens)


class _BroadCastCell(Cell):
    """The values of Parameters that process 0 has, for all processes.

    Args:
        params: The Parameters.
    """

    def __init__(self, params: Any) -> None:
        super().__init__()
        self.params = tuple(params)
        self.broadcast = Broadcast(0)

    def construct(self) -> Any:
        sent = self.broadcast(tuple(param.astype(float32) for param in self.params))
        return tuple(value.astype(param.dtype) for value, param in zip(sent, self.params, strict=True))


class GetNextSingleOp(Cell):
    """The next row of a queue of data, see `GetNext`.

    Args:
        dataset_types, dataset_shapes: The dtypes and shapes of the columns.
        queue_name: The name of the queue.
    """

    def __init__(self, dataset_types: Any, dataset_shapes: Any, queue_name: str) -> None:
        super().__init__()
        self.get_next = GetNext(dataset_types, dataset_shapes, len(dataset_types), queue_name)

    def construct(self) -> Any:
        return self.get_next()


class ExitByRequest:
    """Tells the processes of a run that all were asked to end."""

    def __init__(self) -> None:
        self.group_size = get_group_size()
        self.is_distributed = self.group_size > 1

    def exit_by_request(self, grad: Any, init_value: Any, exit_value: Any) -> Any:
        """Return the gradients; a Parameter becomes whether the requests of all processes, ones, add up to how many they are.

        Args:
            grad: The gradients.
            init_value: The request of this process, a Parameter of shape (1,).
            exit_value: The Parameter; in a run of one process it stays.
        """
        if not self.is_distributed:
            return grad
        asked = ops.equal(ops.AllReduce()(init_value), Tensor([self.group_size], int32))
        return ops.depend(grad, ops.assign(exit_value, asked.all()))

"""The Cell of `mindspore.nn.wrap.cell_wrapper` that mindformers and the training steps of `models` wrap networks in.

MindSpore's own tests use _TrainGradAccuStepCell.
"""

from __future__ import annotations

from typing import Any

from sporax._src.compat.shims.ops.operations.comm_ops import VirtualDataset
from sporax.nn import Cell, TrainOneStepCell


class _VirtualDatasetCell(Cell):
    """A network whose inputs are cut over devices first; on one device, the network.

    Args:
        backbone: The network.
    """

    def __init__(self, backbone: Cell) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone
        self._virtual_dataset = VirtualDataset()

    def construct(self, *inputs: Any) -> Any:
        return self._backbone(*self._virtual_dataset(*inputs))


class _TrainGradAccuStepCell(TrainOneStepCell):
    """A step of training with the mean of the gradients of micro batches.

    Args:
        network: The network, of which a Cell may have `micro_size`.
        optimizer: What updates the Parameters.
        sens: What the gradient of the loss is scaled with; 1 / `micro_size` by default.
    """

    def __init__(self, network: Cell, optimizer: object, sens: float | None = None) -> None:
        sizes = (getattr(cell, "micro_size", None) for _, cell in network.cells_and_names())
        size = next((size for size in sizes if size is not None), 1)
        super().__init__(network, optimizer, 1 / size if sens is None else sens)

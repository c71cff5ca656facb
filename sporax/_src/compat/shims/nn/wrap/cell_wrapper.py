"""The Cell of `mindspore.nn.wrap.cell_wrapper` that mindformers and the training steps of `models` wrap networks in."""

from __future__ import annotations

from typing import Any

from sporax._src.compat.shims.ops.operations.comm_ops import VirtualDataset
from sporax.nn import Cell


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

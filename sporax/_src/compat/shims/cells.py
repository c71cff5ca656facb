"""Cells that programs import from private paths of `mindspore.nn`."""

from __future__ import annotations

from typing import Any

from sporax.nn import Cell


class _VirtualDatasetCell(Cell):
    """A network whose inputs are cut over devices first; on one device, the network.

    Args:
        backbone: The network.
    """

    def __init__(self, backbone: Cell) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone

    def construct(self, *inputs: Any) -> Any:
        return self._backbone(*inputs)

"""Cells that programs import from private paths of `mindspore.nn`."""

from __future__ import annotations

from typing import Any

from sporax.nn import Cell
from sporax.ops import Primitive


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

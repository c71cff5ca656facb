"""What programs with a mixed precision of their own import from `mindspore.train.amp` and `mindspore._c_expression.amp`."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any, NamedTuple

from sporax import float32, nn
from sporax._src.train.amp import OutputTo16, white_list

AMP_WHITE_LIST = white_list()


def _auto_black_list(network: nn.Cell, black_list: Sequence[type], dtype: Any) -> nn.Cell:
    """Let a network compute in a half precision, but the Cells of some classes in float32, and return it.

    Args:
        network: The network.
        black_list: The classes; their results are cast to `dtype`.
        dtype: The half precision.
    """
    network.to_float(dtype)
    for name, cell in network.name_cells().items():
        if isinstance(cell, tuple(black_list)):
            network.insert_child_to_cell(name, OutputTo16(cell.to_float(float32), dtype))
        else:
            _auto_black_list(cell, black_list, dtype)
    if isinstance(network, nn.SequentialCell):
        network.cell_list = list(network.cells())
    return network


class AmpLevel(enum.Enum):
    """The levels of mixed precision, as MindSpore's library counts them."""

    AmpO0 = 0
    AmpO1 = 1
    AmpO2 = 2
    AmpO3 = 3
    AmpAuto = 4


class AmpStrategy(NamedTuple):
    """What `create_amp_strategy` returns: its arguments."""

    amp_level: AmpLevel
    amp_dtype: Any
    white_list: Sequence[tuple[str, list[int]]]
    black_list: Sequence[tuple[str, list[int]]]

    def get_amp_level(self) -> AmpLevel:
        """Return the level."""
        return self.amp_level

    def get_amp_dtype(self) -> Any:
        """Return the half precision."""
        return self.amp_dtype

    def get_white_list(self) -> Sequence[tuple[str, list[int]]]:
        """Return the operators that compute in half precision, each with the numbers of its arguments."""
        return self.white_list

    def get_black_list(self) -> Sequence[tuple[str, list[int]]]:
        """Return the operators that compute in float32."""
        return self.black_list


def create_amp_strategy(
    amp_level: AmpLevel,
    amp_dtype: Any,
    white_list: Sequence[tuple[str, list[int]]],
    black_list: Sequence[tuple[str, list[int]]],
) -> AmpStrategy:
    """Return a description of which operators compute in which precision; `auto_mixed_precision` is what sets it.

    Args:
        amp_level: The level.
        amp_dtype: The half precision.
        white_list, black_list: Names of operators, each with the numbers of its arguments.
    """
    return AmpStrategy(amp_level, amp_dtype, white_list, black_list)

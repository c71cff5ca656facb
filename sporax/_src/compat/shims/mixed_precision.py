"""What programs with a mixed precision of their own import from `mindspore.train.amp` and `mindspore._c_expression.amp`."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any, NamedTuple

from sporax import DynamicLossScaleManager, bfloat16, float16, float32, nn
from sporax._src.train.amp import BLACK, OutputTo16, WideLoss, white_list

AMP_WHITE_LIST = white_list()
_config_level = {
    level: {
        "keep_batchnorm_fp32": level == "O2",
        "cast_model_type": float16 if level in ("O2", "O3") else float32,
        "loss_scale_manager": DynamicLossScaleManager() if level == "O2" else None,
    }
    for level in ("O0", "O1", "O2", "O3", "auto")
}


def _auto_black_list(network: nn.Cell, black_list: Sequence[type], dtype: Any) -> nn.Cell:
    """Let a network compute in a half precision, but the Cells of some classes in float32, and return it.

    Args:
        network: The network.
        black_list: The classes; their results are cast to `dtype`.
        dtype: The half precision.
    """
    network.to_float(dtype)
    _widen(network, black_list, dtype)
    return network


def _widen(network: nn.Cell, black_list: Sequence[type], dtype: Any) -> None:
    """Let the Cells of some classes compute in float32, and cast what they return to `dtype`."""
    for name, cell in network.name_cells().items():
        if isinstance(cell, tuple(black_list)):
            network.insert_child_to_cell(name, OutputTo16(cell.to_float(float32), dtype))
        else:
            _widen(cell, black_list, dtype)
    if isinstance(network, nn.SequentialCell):
        network.cell_list = list(network.cells())


def _do_keep_batchnorm_fp32(network: nn.Cell) -> None:
    """Let the normalisation of a network that computes in float16 compute in float32."""
    _widen(network, BLACK, float16)


def _add_loss_network(network: nn.Cell, loss_fn: nn.Cell, cast_model_type: Any) -> nn.Cell:
    """Return a network with its loss, which computes in float32 where `cast_model_type` is a half precision."""
    wide = cast_model_type in (float16, bfloat16)
    return nn.WithLossCell(network, WideLoss(loss_fn) if wide else loss_fn)


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

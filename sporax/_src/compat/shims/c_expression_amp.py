"""The levels of mixed precision of `mindspore._c_expression.amp`.

mindnlp (`mindtorch/amp`) and mindone (`diffusers/models/layers_compat.py`) import them.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any, NamedTuple


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
    amp_dtype: object,
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

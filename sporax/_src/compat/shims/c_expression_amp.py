"""The levels of mixed precision of `mindspore._c_expression.amp`.

mindnlp (`mindtorch/amp`) and mindone (`diffusers/models/layers_compat.py`) import them.
"""

from __future__ import annotations

import enum
import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

from sporax._src.core.dtype import to_numpy
from sporax._src.core.execution import running
from sporax._src.train.amp import ByOperator


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


_local = threading.local()  # the strategies of each thread


def push_amp_strategy(
    amp_level: AmpLevel,
    amp_dtype: Any,
    white_list: Sequence[tuple[str, list[int]]],
    black_list: Sequence[tuple[str, list[int]]],
) -> None:
    """Let operators compute in mixed precision until `pop_amp_strategy`.

    Args:
        amp_level: AmpO0 for none, AmpO3 for all in half precision, AmpAuto for those that `auto_mixed_precision` chooses.
        amp_dtype: The half precision.
        white_list, black_list: Accepted: the rows of the table of operators say which compute in half precision.

    Raises:
        ValueError: If the level is AmpO1 or AmpO2, which choose Cells: `auto_mixed_precision` does this.
    """
    rules = {
        AmpLevel.AmpO0: lambda _: None,
        AmpLevel.AmpO3: to_numpy,
        AmpLevel.AmpAuto: lambda d: ByOperator(to_numpy(d)),
    }
    if amp_level not in rules:
        raise ValueError(f"push_amp_strategy: amp_level must be AmpO0, AmpO3 or AmpAuto, got {amp_level.name}.")
    block = running(compute_dtype=rules[amp_level](amp_dtype))
    block.__enter__()
    _pushed().append(block)


def pop_amp_strategy() -> None:
    """Go back to the precision before the last `push_amp_strategy`.

    Raises:
        RuntimeError: If there is none.
    """
    if not _pushed():
        raise RuntimeError("pop_amp_strategy: no strategy was pushed.")
    _pushed().pop().__exit__(None, None, None)


def _pushed() -> list[running]:
    return vars(_local).setdefault("strategies", [])

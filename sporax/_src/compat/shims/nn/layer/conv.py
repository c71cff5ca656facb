"""The check of `mindspore.nn.layer.conv` that `models` (`research/cv/SPADE`) imports."""

from __future__ import annotations

from collections.abc import Sequence


def _check_input_3d(input_shape: Sequence[int], op_name: str) -> None:
    """Refuse the shape of an input that has not three axes.

    Raises:
        ValueError: If it has another number of axes.
    """
    if len(input_shape) != 3:
        raise ValueError(f"For '{op_name}', the dimension of input must be 3d, but got {len(input_shape)}.")

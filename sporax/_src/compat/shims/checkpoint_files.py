"""What programs import from `mindspore.train.callback` to save checkpoints in their own way."""

from __future__ import annotations

from typing import Any


def set_cur_net(net: Any) -> None:
    """Do nothing: MindSpore keeps the network that a graph on Ascend writes Parameters into; here a graph has none of its own."""


def destroy_allgather_cell() -> None:
    """Do nothing: no Cell is kept that gathers the pieces of Parameters."""

"""What callbacks of `models` (`official/cv/ResNet`) import from `mindspore.train.callback._callback`."""

from __future__ import annotations


def set_cur_net(net: object) -> None:
    """Do nothing: MindSpore keeps the network that a graph on Ascend writes Parameters into; here a graph has none of its own."""

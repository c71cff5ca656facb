"""What programs import from `mindspore.train.callback` to save checkpoints in their own way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def set_cur_net(net: Any) -> None:
    """Do nothing: MindSpore keeps the network that a graph on Ascend writes Parameters into; here a graph has none of its own."""


def checkpoint_cb_for_save_op(parameter_list: Any) -> bool:
    """Return False: no graph writes Parameters back into a network, which has them itself."""
    return False


def destroy_allgather_cell() -> None:
    """Do nothing: no Cell is kept that gathers the pieces of Parameters."""


def _get_pp_size_from_redundancy_map(param_redundancy: Mapping[str, Any]) -> int | None:
    """Return how many processes have a Parameter, or equal pieces of it; None if there is none.

    Args:
        param_redundancy: By Parameter the groups of processes, as `get_parameter_redundancy` returns them.
    """
    return next((len(groups) * len(groups[0]) for groups in param_redundancy.values()), None)

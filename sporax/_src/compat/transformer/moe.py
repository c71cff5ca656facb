"""The settings of mixtures of experts in MindSpore 1.x; a transformer here has one expert, the plain layer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from sporax.nn import Cell

__all__ = ["MoE", "MoEConfig", "_check_moe_config", "calculate_expert_capacity", "default_moe_config"]


@dataclass
class MoEConfig:
    """How a mixture of experts is made.

    Args:
        expert_num: 1, for a transformer without experts.
        capacity_factor, aux_loss_factor, num_experts_chosen, expert_group_size, group_wise_a2a, comp_comm_parallel,
            comp_comm_parallel_degree: What routing between several experts uses.
    """

    expert_num: int = 1
    capacity_factor: float = 1.1
    aux_loss_factor: float = 0.05
    num_experts_chosen: int = 1
    expert_group_size: int | None = None
    group_wise_a2a: bool = False
    comp_comm_parallel: bool = False
    comp_comm_parallel_degree: int = 2


default_moe_config = MoEConfig()


def calculate_expert_capacity(k: float, tokens_per_group: float, capacity_factor: float, expert_dim: int) -> int:
    """Return how many tokens an expert takes: an equal share of the k experts of each token, times the factor.

    Args:
        k: How many experts a token goes to.
        tokens_per_group: How many tokens there are.
        capacity_factor: How much more than an equal share an expert takes.
        expert_dim: How many experts there are.
    """
    return math.ceil(k * tokens_per_group * capacity_factor / expert_dim)


def _check_moe_config(moe_config: object = None, parallel_config: object = None) -> None:
    """Check the settings of a mixture of experts.

    Raises:
        TypeError: If they are no `MoEConfig`.
        ValueError: If they ask for several experts.
    """
    if not isinstance(moe_config, MoEConfig):
        raise TypeError(f"'moe_config' must be an instance of MoEConfig, but got {type(moe_config).__name__}.")
    if moe_config.expert_num > 1:
        raise ValueError(f"Layers of several experts are not offered, got expert_num={moe_config.expert_num}.")


class MoE(Cell):
    """A layer of several experts, which is not offered.

    Raises:
        ValueError: When it is made.
    """

    def __init__(self, *args: Any, moe_config: Any = default_moe_config, **kwargs: Any) -> None:
        raise ValueError(f"Layers of several experts are not offered, got expert_num={moe_config.expert_num}.")

"""The metadata of a Parameter, which MindSpore programs read under `param_info`."""

from __future__ import annotations

import copy
from typing import Any

from sporax._src.core.stateful import graph_version


class ParamInfo:
    """The name of a Parameter, whether it is trained, and the hints for several devices.

    Args:
        name: The name.
        named: Whether a program gave the name.
        requires_grad: Whether optimizers, `trainable_params` and gradients include it.
        layerwise_parallel: Whether each device has values of its own for it.
        parallel_optimizer: Whether its optimizer state may be sharded.

    Attributes:
        comm_fusion: The bucket in which its gradient is exchanged.
        cloned_obj: The Parameters cloned from it, such as optimizer states; they have its sharding.
        param_strategy: How a `parameter_plan` shards it: a tuple of numbers or a Layout; None: as its operators require.
        sharding: The JAX Sharding that the graphs of this run give it; None: no graph shards it.
        strategies_by_operator: For each operator with a strategy whose first Parameter it is: the numbers of pieces along the axes
            of each operand.
    """

    def __init__(
        self,
        name: str,
        named: bool,
        requires_grad: bool = True,
        layerwise_parallel: bool = False,
        parallel_optimizer: bool = True,
    ) -> None:
        for flag, value in [
            ("requires_grad", requires_grad),
            ("layerwise_parallel", layerwise_parallel),
            ("parallel_optimizer", parallel_optimizer),
        ]:
            _check_bool(flag, value)
        self._name, self.named = name, named
        self._requires_grad = requires_grad
        self.layerwise_parallel, self.parallel_optimizer = layerwise_parallel, parallel_optimizer
        self.parameter_shape: tuple[int, ...] = ()
        self.comm_fusion = 1
        self.cloned_obj: list[Any] = []
        self.param_strategy: Any = None
        self.sharding: Any = None
        self.strategies_by_operator: dict[str, list[list[int]]] = {}

    @property
    def name(self) -> str:
        """The Parameter's name."""
        return self._name

    @name.setter
    def name(self, value: str) -> None:
        if not isinstance(value, str) or not value:
            raise ValueError(f"Parameter: name must be a non-empty string, got {value!r}.")
        self._name, self.named = value, True

    @property
    def requires_grad(self) -> bool:
        """Whether optimizers, `trainable_params` and gradients include the Parameter."""
        return self._requires_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        _check_bool("requires_grad", value)
        if value != self._requires_grad:
            self._requires_grad = value
            graph_version.advance()

    def clone(self) -> ParamInfo:
        """Return a copy for another Parameter, without clones and shardings."""
        new = copy.copy(self)
        new.cloned_obj, new.sharding, new.strategies_by_operator = [], None, {}
        return new


def _check_bool(name: str, value: object) -> None:
    if not isinstance(value, bool):
        raise TypeError(f"Parameter: {name} must be a bool, got {type(value).__name__}: {value!r}.")

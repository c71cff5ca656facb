"""Hints of a program for a Parameter on several devices: they are stored and can be read; XLA places Parameters by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sporax._src.base.settings.parameter_server import get_ps_context


class _Stored:
    """A bool that is stored in the Parameter's `param_info`."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, param: Any, owner: type | None = None) -> Any:
        return self if param is None else getattr(param.param_info, self._name)

    def __set__(self, param: Any, value: Any) -> None:
        if not isinstance(value, bool):
            raise TypeError(f"Parameter.{self._name} must be a bool, got {value!r}.")
        setattr(param.param_info, self._name, value)


class PlacementHints:
    """The part of a Parameter that holds hints for several devices."""

    if TYPE_CHECKING:
        param_info: Any  # of `Parameter`

    parallel_optimizer = _Stored()  # whether its optimizer state may be sharded
    layerwise_parallel = _Stored()  # whether each device has values of its own for it
    sliced: bool = False  # whether this is a part of the whole
    cache_enable: bool = False  # whether an embedding's rows stay in host memory
    cache_shape: list[int] = []  # of those rows
    is_param_ps: bool = False  # whether a parameter server was asked to update it
    init_in_server: bool = False  # whether the server was asked to initialise it
    is_elsewhere: bool = False  # whether it belongs to other stages of a pipeline
    _pipeline_stages: list[int] = []

    @property
    def comm_fusion(self) -> int:
        """The bucket of the gradient: gradients of Parameters with the same number are exchanged together, those with 0 alone.

        Raises:
            TypeError: If it is set to anything but an int.
            ValueError: If it is negative.
        """
        return self.param_info.comm_fusion

    @comm_fusion.setter
    def comm_fusion(self, value: int) -> None:
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"Parameter.comm_fusion must be an int >= 0, got {value!r}.")
        if value < 0:
            raise ValueError(f"Parameter.comm_fusion must be an int >= 0, got {value!r}.")
        self.param_info.comm_fusion = value

    def add_pipeline_stage(self, stage: int) -> None:
        """Store the number of a pipeline stage that uses the Parameter.

        Raises:
            TypeError: If `stage` is not an int >= 0.
        """
        if isinstance(stage, bool) or not isinstance(stage, int) or stage < 0:
            raise TypeError(f"Parameter.add_pipeline_stage: stage must be an int >= 0, got {stage!r}.")
        self._pipeline_stages = [*self._pipeline_stages, stage]

    def set_param_ps(self, init_in_server: bool = False) -> None:
        """Mark the Parameter for a parameter server; the process of the run acts as the server itself.

        Raises:
            RuntimeError: If `set_ps_context(enable_ps=True)` was not called.
        """
        if not get_ps_context("enable_ps"):
            raise RuntimeError("Parameter.set_param_ps: call set_ps_context(enable_ps=True) first.")
        self.is_param_ps, self.init_in_server = True, init_in_server

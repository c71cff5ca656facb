"""shard: a function whose inputs, results and Parameters are sharded over the devices of a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sporax._src.base.errors import describe, warn_user
from sporax._src.core.scope import traceable, tracing
from sporax._src.core.stateful import Stateful
from sporax._src.processes.parallel_context import cutting
from sporax._src.sharding.layout import Layout
from sporax._src.sharding.primitive import check_strategy
from sporax._src.sharding.strategies import cut_inputs, cut_results
from sporax._src.transform.jit import Jit


class Region:
    """The strategies of a function: those of its Tensors and of its results.

    Raises:
        TypeError: If one is no tuple of tuples of numbers, or of Layouts.
    """

    def __init__(self, name: str, in_strategy: object, out_strategy: object) -> None:
        check_strategy(name, "in_strategy", in_strategy)
        if out_strategy is not None:
            check_strategy(name, "out_strategy", out_strategy)
        self.name, self.inputs, self.results = name, in_strategy, out_strategy

    def run(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return `fn(*args, **kwargs)` in a trace, sharded over the devices if there are several.

        Raises:
            RuntimeError: If a strategy does not fit.
        """
        how = cutting()
        if how is None:
            return fn(*args, **kwargs)
        args, kwargs = cut_inputs(self.name, (args, kwargs), self.inputs, how.devices)
        result = fn(*args, **kwargs)
        return result if self.results is None else cut_results(self.name, result, self.results, how.devices)


def plan_parameters(cell: object, plan: object) -> None:
    """Set the strategies of a Cell's Parameters, by their names.

    Args:
        cell: The Cell.
        plan: A strategy for each name, with or without `self.` before it; None: as the operators need them.

    Raises:
        TypeError: If the plan is no dict of names and strategies, or `cell` is no Cell.
        ValueError: If a strategy does not fit its Parameter.
    """
    if plan is None:
        return
    if not isinstance(plan, dict) or not all(isinstance(v, (tuple, Layout)) for v in plan.values()):
        raise TypeError(f"shard: parameter_plan must be a dict of tuples or Layouts by name, got {plan!r}.")
    if not all(isinstance(name, str) for name in plan):
        raise TypeError(f"shard: the keys of parameter_plan must be names, got {list(plan)}.")
    if not isinstance(cell, Stateful):
        raise TypeError(f"shard: a parameter_plan needs a Cell, got {describe(cell)}.")
    params = {param.name: param for param in cell.get_parameters()}
    for name, strategy in plan.items():
        param = params.get(name.replace("self.", ""))
        if param is None:
            warn_user(f"shard: the Cell has no Parameter {name!r}; the parameter_plan for it is left out.")
            continue
        if isinstance(strategy, tuple):
            _check_plan(name, param.shape, strategy)
        param.param_info.param_strategy = strategy


def _check_plan(name: str, shape: tuple[int, ...], strategy: tuple[Any, ...]) -> None:
    if len(strategy) != len(shape):
        raise ValueError(f"shard: the strategy {strategy} of {name} must have {len(shape)} numbers, one for each axis.")
    for size, pieces in zip(shape, strategy, strict=True):
        if type(pieces) is not int or pieces < 1 or size % pieces:
            raise ValueError(
                f"shard: {name} of shape {shape} cannot be cut by the strategy {strategy} into equal pieces."
            )


def shard(
    fn: Callable[..., Any],
    in_strategy: object,
    out_strategy: object = None,
    parameter_plan: dict[str, Any] | None = None,
) -> Callable[..., Any]:
    """Return a function whose inputs are sharded over the devices of a run; on one device it returns the result of `fn`.

    Within a graph it is part of that graph; in PyNative mode it is compiled. It counts in the modes `"semi_auto_parallel"` and
    `"auto_parallel"` of `set_auto_parallel_context`.

    Args:
        fn: The function or Cell.
        in_strategy: A tuple with a strategy for each Tensor: a tuple of the number of pieces of each axis, or a Layout.
        out_strategy: The same for results; chosen by XLA if None.
        parameter_plan: Strategies of the Parameters of a Cell by name.

    Raises:
        TypeError: If `fn` cannot be called, a strategy is no tuple, or the plan no dict.
        ValueError: If a strategy does not fit its Parameter.
        RuntimeError: On a call, if a strategy does not fit.

    Examples:
        >>> import sporax as ms
        >>> double = ms.parallel.shard(lambda x: x + x, in_strategy=((1,),))
        >>> double(ms.Tensor([1.0])).item()
        2.0
    """
    if not callable(fn):
        raise TypeError(f"shard: fn must be a function or a Cell, got {fn!r}.")
    region = Region("shard", in_strategy, out_strategy)
    plan_parameters(fn, parameter_plan)

    def cut(*args: object, **kwargs: object) -> Any:
        return region.run(traceable(fn), args, kwargs)

    compiled = Jit(cut)

    def sharded(*args: object, **kwargs: object) -> Any:
        if cutting() is None:
            return fn(*args, **kwargs)
        return (cut if tracing() else compiled)(*args, **kwargs)

    return sharded

"""shard: a function whose inputs are cut over devices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def shard(
    fn: Callable[..., Any], in_strategy: Any, out_strategy: Any = None, parameter_plan: dict[str, Any] | None = None
) -> Callable[..., Any]:
    """Return a function whose inputs are cut over the devices; on one device, the function.

    Args:
        fn: The function or Cell.
        in_strategy: A tuple of strategies (tuples of numbers, or Layouts), one for each input.
        out_strategy: The same for outputs.
        parameter_plan: Strategies of Parameters by name.

    Raises:
        TypeError: If `fn` cannot be called, a strategy is no tuple, or the plan no dict.

    Examples:
        >>> import sporax as ms
        >>> double = ms.parallel.shard(lambda x: x + x, in_strategy=((1,),))
        >>> double(ms.Tensor([1.0])).item()
        2.0
    """
    if not callable(fn):
        raise TypeError(f"shard: fn must be a function or a Cell, got {fn!r}.")
    for name, strategy in (("in_strategy", in_strategy), ("out_strategy", out_strategy)):
        if not isinstance(strategy, tuple) and not (name == "out_strategy" and strategy is None):
            raise TypeError(f"shard: {name} must be a tuple, got {strategy!r}.")
    if parameter_plan is not None and not isinstance(parameter_plan, dict):
        raise TypeError(f"shard: parameter_plan must be a dict, got {parameter_plan!r}.")
    return fn

"""Operators of a layer that programs can give a strategy, which then shards the computation of the layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sporax._src.sharding.primitive import Sharded
from sporax._src.sharding.rules import check_rules
from sporax._src.sharding.strategies import cut_call, cutting_here


def is_marked(layer: object, *names: str) -> bool:
    """Return whether one of the operators of a layer has a strategy that applies here."""
    return cutting_here() is not None and any(isinstance(layer.__dict__.get(name), Sharded) for name in names)


def cut_as(layer: object, name: str, call: Callable[..., Any], *args: object) -> Any:
    """Return `call(*args)`, sharded by the strategy of a layer's operator that takes the same Tensors.

    Args:
        layer: The layer.
        name: The attribute that is the operator.
        call: The computation of the layer.
        *args: Tensors.

    Raises:
        RuntimeError: If the strategy does not fit.
    """
    how, primitive = cutting_here(), layer.__dict__.get(name)
    if how is None or not isinstance(primitive, Sharded):
        return call(*args)
    strategies = primitive.attrs.get("in_strategy"), primitive.attrs.get("out_strategy")
    label = f"{type(layer).__name__}.{name}"
    check_rules(primitive, label, {str(i): arg for i, arg in enumerate(args)}, strategies[1], how.devices)
    return cut_call(label, call, (args, {}), *strategies, how.devices)

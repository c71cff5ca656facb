"""Helpers of `mindspore.train.serialization` that programs import to load and save Parameters one by one."""

from __future__ import annotations

from typing import Any

from sporax import Parameter, Tensor
from sporax._src.base.errors import shown

__all__ = ["_get_merged_param_data", "_load_dismatch_prefix_params", "_update_param"]


def _update_param(param: Parameter, new_param: Any, strict_load: bool = False) -> None:
    """Set a Parameter to the value of another.

    Args:
        param: The Parameter.
        new_param: The other, or a Tensor or a number of its `data`.
        strict_load: Whether the types must be equal; otherwise floats are cast to floats and ints to ints.

    Raises:
        RuntimeError: If the shapes differ, or the types do.
    """
    new = getattr(new_param, "data", new_param)
    if not isinstance(new, Tensor):
        if param.shape not in ((), (1,)):
            raise RuntimeError(f"{shown(param.name)} has the shape {param.shape}; a number is no value of it.")
        new = Tensor(new, param.dtype).reshape(param.shape)
    if new.shape != param.shape:
        raise RuntimeError(f"{shown(param.name)} has the shape {param.shape}; the new value has {new.shape}.")
    kinds = [(t.dtype.is_floating_point, t.dtype.is_complex) for t in (param, new)]
    if new.dtype != param.dtype and (strict_load or kinds[0] != kinds[1]):
        raise RuntimeError(f"{shown(param.name)} has the type {param.dtype}; the new value has {new.dtype}.")
    param.set_data(new.astype(param.dtype))


def _get_merged_param_data(net: Any, *arguments: Any) -> Any:
    """Return the whole of a Parameter, which is what the last Tensor given is: nothing is cut here.

    Args:
        net: The network.
        *arguments: `(parameter_layout_dict, param_name, param_data, integrated_save)`, or as MindSpore 1.x has them.
    """
    return [value for value in arguments if isinstance(value, Tensor)][-1]


def _load_dismatch_prefix_params(
    net: Any, parameter_dict: dict[str, Any], param_not_load: list[str], strict_load: bool = False
) -> None:
    """Load the Parameters that are still missing from entries whose names have a prefix before theirs.

    Args:
        net: The network.
        parameter_dict: The entries by name.
        param_not_load: Names of the missing Parameters; those that are loaded are taken off.
        strict_load: As for `_update_param`.
    """
    for prefix in dict.fromkeys(
        name.removesuffix(missing) for missing in param_not_load for name in parameter_dict if name.endswith(missing)
    ):
        for param in net.get_parameters():
            if param.name in param_not_load and prefix + param.name in parameter_dict:
                _update_param(param, parameter_dict[prefix + param.name], strict_load)
                param_not_load.remove(param.name)

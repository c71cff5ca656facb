"""Helpers of `mindspore.train.serialization` that load and save Parameters one by one.

mindformers, mindone, mindnlp and `models` import them.
"""

from __future__ import annotations

from typing import Any

from sporax import Parameter, Tensor, save_checkpoint
from sporax._src.base.errors import shown
from sporax._src.core import dtype as mstype
from sporax.nn import Cell

__all__ = ["_convert_save_obj_to_param_list", "_get_merged_param_data", "_load_dismatch_prefix_params", "_update_param"]
_NUMBERS = "Int8 UInt8 Int16 UInt16 Int32 UInt32 Int64 UInt64 Float16 Float32 Float64 Bool BFloat16 Int4"
tensor_to_ms_type = {**{name: mstype.by_name(name) for name in _NUMBERS.split()}, "str": mstype.string}


def tensor_to_np_type(tensor_type_str: str) -> Any:
    """Return the NumPy type of what a checkpoint calls so; None for int4, which NumPy has none for, and for unknown names."""
    kind = tensor_to_ms_type.get(tensor_type_str)
    if kind is mstype.string:
        return "U"
    return None if kind in (None, mstype.int4) else mstype.to_numpy(kind).type


def _convert_save_obj_to_param_list(
    save_obj: Any, integrated_save: bool, append_dict: dict[str, Any] | None, choice_func: Any
) -> list[dict[str, Any]]:
    """Return what `save_checkpoint` saves of an object as a list of `{"name": ..., "data": ...}`.

    Args:
        save_obj: A Cell, a dict of name to Parameter, or such a list, which is returned.
        integrated_save, append_dict: Accepted: what is appended is saved beside the list.
        choice_func: Tells by name what is among them; None: everything.
    """
    if isinstance(save_obj, list):
        return save_obj
    named = save_obj.parameters_dict() if isinstance(save_obj, Cell) else save_obj
    return [
        {"name": name, "data": value.value() if isinstance(value, Parameter) else value}
        for name, value in named.items()
        if choice_func is None or choice_func(name)
    ]


def _update_param(param: Parameter, new_param: object, strict_load: bool = False) -> None:
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


def _get_merged_param_data(net: object, *arguments: object) -> Any:
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


def _exec_save(
    ckpt_file_name: str,
    data_list: dict[str, Any],
    enc_key: bytes | None = None,
    enc_mode: str = "AES-GCM",
    map_param_inc: bool = False,
    crc_check: bool = False,
    format: str = "ckpt",
    remove_redundancy: bool | None = None,
) -> None:
    """Save values to a file, see `save_checkpoint`.

    Args:
        ckpt_file_name: The file.
        data_list: By name `(shape, type, value)`; the value is an array, a Tensor or a string.
        enc_key, enc_mode, crc_check, format, remove_redundancy: As for `save_checkpoint`.
        map_param_inc: Accepted.
    """
    values = [{"name": name, "data": value[2]} for name, value in data_list.items()]
    save_checkpoint(
        values,
        ckpt_file_name,
        enc_key=enc_key,
        enc_mode=enc_mode,
        crc_check=crc_check,
        format=format,
        remove_redundancy=remove_redundancy,
    )

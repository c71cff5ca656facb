"""Descriptions of user-defined kernels: dtypes, layouts and attributes, as a dict attached to a function."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import Any, Self

from sporax._src.api.primitives.higher_order import PUBLIC
from sporax._src.engine.table import TABLE

_TYPES = {
    "BOOL": "bool", "I8": "int8", "U8": "uint8", "I16": "int16", "U16": "uint16", "I32": "int32", "U32": "uint32",
    "I64": "int64", "U64": "uint64", "F16": "float16", "F32": "float32", "F64": "float64", "BF16": "bfloat16",
    "C64": "complex64", "C128": "complex128",
}  # fmt: skip
_LAYOUTS = {
    "None": "", "Default": "DefaultFormat", "5HD": "NC1HWC0", "FracZ": "FRACTAL_Z", "FracNZ": "FRACTAL_NZ",
    "C1HWNCoC0": "C1HWNCoC0", "NCHW": "NCHW", "NHWC": "NHWC", "HWCN": "HWCN", "NDHWC": "NDHWC", "NCDHW": "NCDHW",
    "DHWCN": "DHWCN", "NDC1HWC0": "NDC1HWC0", "NC1HWC0": "NC1HWC0", "FRACTAL_Z_3D": "FRACTAL_Z_3D",
    "FracZNLSTM": "FRACTAL_ZN_LSTM", "FracZNRNN": "FRACTAL_ZN_RNN", "ND_RNNBIAS": "ND_RNN_BIAS",
    "ChannelLast": "ChannelLast",
}  # fmt: skip


class DataType:
    """Pairs of a dtype and a layout: `DataType.F16_Default` is `("float16", "DefaultFormat")`.

    Examples:
        >>> ops.DataType.F32_NCHW
        ('float32', 'NCHW')
    """

    None_None = ("", "")
    None_Default = ("", "DefaultFormat")


for _short, _dtype in _TYPES.items():
    for _name, _layout in _LAYOUTS.items():
        setattr(DataType, f"{_short}_{_name}", (_dtype, _layout))
    for _kind in ("Tuple", "List"):
        setattr(DataType, f"{_short}_Default_{_kind}", (_dtype, "DefaultFormat", _kind.lower()))


# --- builders --------------------------------------------------------------------------------------------------------


def _checked(label: str, value: object, kind: type) -> Any:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TypeError(f"{label} must be of type {kind.__name__}, got {type(value).__name__}.")
    return value


class RegOp:
    """Builds the description of a kernel, one method after the other.

    Args:
        op_name: The name of the operator.

    Raises:
        ValueError: If the name is not a str, or empty.
    """

    _defaults: dict[str, Any] = {}
    _inputs: dict[str, type] = {"index": int, "name": str, "param_type": str}
    _outputs: dict[str, type] = _inputs
    _attrs: dict[str, type] = {"name": str, "param_type": str, "value_type": str, "default_value": object}

    def __init__(self, op_name: str) -> None:
        if not isinstance(op_name, str) or not op_name:
            raise ValueError(f"{type(self).__name__}: op_name must be a str, and not empty, got {op_name!r}.")
        self.op_name = op_name
        self._info: dict[str, Any] = {"fusion_type": "", **self._defaults}
        self._parts: dict[str, list[dict[str, Any]]] = {"inputs": [], "outputs": [], "attr": []}
        self._rows: list[tuple[Any, ...]] = []

    def _add(self, part: str, kinds: dict[str, type], args: tuple[Any, ...], named: dict[str, Any]) -> Self:
        settings = {**dict(zip(kinds, args, strict=False)), **named}
        entry = {}
        for name, value in settings.items():
            if value is not None:
                key = {"param_type": "paramType", "value_type": "type", "default_value": "defaultValue"}.get(name, name)
                entry[key] = _checked(f"{type(self).__name__}: {name} of {part}", value, kinds.get(name, object))
        self._parts[part].append(entry)
        return self

    def input(self, *args: Any, **named: Any) -> Self:
        """Describe an input: its index, name and more; return the builder."""
        return self._add("inputs", self._inputs, args, named)

    def output(self, *args: Any, **named: Any) -> Self:
        """Describe an output: its index, name and more; return the builder."""
        return self._add("outputs", self._outputs, args, named)

    def attr(self, *args: Any, **named: Any) -> Self:
        """Describe an attribute: its name and type; return the builder."""
        return self._add("attr", self._attrs, args, named)

    def fusion_type(self, fusion_type: str) -> Self:
        """Set how the kernel may be fused; return the builder."""
        return self._set("fusion_type", fusion_type, str)

    def _set(self, name: str, value: object, kind: type) -> Self:
        self._info[name] = _checked(f"{type(self).__name__}: {name}", value, kind)
        return self

    def dtype_format(self, *args: object) -> Self:
        """Add a combination of pairs of `DataType`, one for each input and output; return the builder.

        Raises:
            ValueError: If there are more or fewer than inputs and outputs, or one is not a pair.
        """
        expected = len(self._parts["inputs"]) + len(self._parts["outputs"])
        if len(args) != expected:
            raise ValueError(
                f"{type(self).__name__}: dtype_format needs one pair for each of {expected} inputs and outputs, got {len(args)}."
            )
        for pair in args:
            if not isinstance(pair, tuple) or len(pair) not in (2, 3):
                raise ValueError(f"{type(self).__name__}: dtype_format takes pairs of DataType, got {pair!r}.")
        self._rows.append(args)
        return self

    def get_op_info(self) -> dict[str, Any]:
        """Return the description as a dict."""
        return {"op_name": self.op_name, **self._parts, "dtype_format": list(self._rows), **self._info}


class CustomRegOp(RegOp):
    """Builds the description of a function for `ops.Custom`.

    Args:
        op_name: The name of the operator.

    Examples:
        >>> info = ops.CustomRegOp().input(0, "x").output(0, "y")
        >>> info = info.dtype_format(ops.DataType.F32_None, ops.DataType.F32_None).target("CPU").get_op_info()
        >>> info["target"], info["dtype_format"]
        ('CPU', [(('float32', ''), ('float32', ''))])
    """

    _defaults = {"target": ""}

    def __init__(self, op_name: str = "Custom") -> None:
        super().__init__(op_name)

    def _add(self, part: str, kinds: dict[str, type], args: tuple[Any, ...], named: dict[str, Any]) -> Self:
        if part != "attr" and len(args) < 3:
            named = {"param_type": "required", **named}
        return super()._add(part, kinds, args, named)

    def target(self, target: str) -> Self:
        """Set the device of the function; return the builder."""
        return self._set("target", target, str)


class AiCPURegOp(RegOp):
    """Builds the description of a kernel for the processor of an accelerator.

    Args:
        op_name: The name of the operator.

    Examples:
        >>> ops.AiCPURegOp("Mine").input(0, "x", "required").get_op_info()["imply_type"]
        'AiCPU'
    """

    _defaults = {"imply_type": "AiCPU"}
    _attrs = {"name": str, "value_type": str, "value": object}


class TBERegOp(RegOp):
    """Builds the description of a kernel in the language of an accelerator.

    Args:
        op_name: The name of the operator.

    Examples:
        >>> ops.TBERegOp("Mine").async_flag(True).get_op_info()["async_flag"]
        True
    """

    _defaults = {
        "imply_type": "TBE", "async_flag": False, "binfile": "", "compute_cost": 10, "kernel": "", "partial_flag": False,
        "reshape_type": "", "dynamicRankSupport": False, "dynamicShapeSupport": False, "dynamicCompileStatic": False,
        "needCheckSupport": False, "dynamicFormat": False, "op_pattern": "", "real_input_index": [],
        "input_to_attr_index": [], "unknown_shape_formats": [],
    }  # fmt: skip
    _outputs = {"index": int, "name": str, "need_compile": bool, "param_type": str, "shape": str}
    _inputs = {**_outputs, "value_depend": str}
    _attrs = {"name": str, "param_type": str, "value_type": str, "value": str, "default_value": str}


_SETTINGS: dict[str, tuple[str, type, Any]] = {
    "async_flag": ("async_flag", bool, False),
    "binfile_name": ("binfile", str, ""),
    "compute_cost": ("compute_cost", int, 10),
    "kernel_name": ("kernel", str, ""),
    "partial_flag": ("partial_flag", bool, True),
    "reshape_type": ("reshape_type", str, ""),
    "dynamic_rank_support": ("dynamicRankSupport", bool, False),
    "dynamic_shape": ("dynamicShapeSupport", bool, False),
    "dynamic_compile_static": ("dynamicCompileStatic", bool, False),
    "need_check_supported": ("needCheckSupport", bool, False),
    "is_dynamic_format": ("dynamicFormat", bool, False),
    "op_pattern": ("op_pattern", str, ""),
    "real_input_index": ("real_input_index", list, []),
    "input_to_attr_index": ("input_to_attr_index", list, []),
    "unknown_shape_formats": ("unknown_shape_formats", list, []),
}


def _setting(key: str, kind: type, default: object) -> Callable[..., Any]:
    def method(self: Any, value: object = default) -> Any:
        return self._set(key, value, kind)

    method.__doc__ = f"Set the entry {key!r} of the description; return the builder."
    return method


for _method, (_key, _type, _default) in _SETTINGS.items():
    setattr(TBERegOp, _method, _setting(_key, _type, _default))


# --- descriptions travel with functions ------------------------------------------------------------------------------


def op_info_register(op_info: object) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that gives a function the description of its kernel, as `fn.reg_info`.

    Args:
        op_info: A dict, or a str in JSON.

    Raises:
        ValueError: If it is neither.

    Examples:
        >>> ops.op_info_register({"op_name": "Mine"})(abs).reg_info
        [{'op_name': 'Mine'}]
    """
    return _describing([op_info])


def custom_info_register(*reg_info: object) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that gives a function descriptions for several devices, as `fn.reg_info`; see `CustomRegOp`.

    Args:
        reg_info: Dicts, or texts in JSON.

    Raises:
        ValueError: If one is neither.

    Examples:
        >>> ops.custom_info_register({"op_name": "Mine"})(abs).reg_info
        [{'op_name': 'Mine'}]
    """
    return _describing(list(reg_info))


def _describing(infos: list[Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    known = [_parsed(info) for info in infos]

    def decorate(fn: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(fn)
        def described(*args: object, **kwargs: object) -> Any:
            return fn(*args, **kwargs)

        described.reg_info = known  # type: ignore[attr-defined]
        return described

    return decorate


def _parsed(info: object) -> dict[str, Any]:
    try:
        parsed = json.loads(info) if isinstance(info, str) else info
    except json.JSONDecodeError:
        parsed = None
    if not isinstance(parsed, dict) or "op_name" not in parsed:
        raise ValueError(f"op_info_register: expected a dict or a JSON text with an 'op_name', got {info!r}.")
    return parsed


# --- registries ------------------------------------------------------------------------------------------------------


class VmImplRegistry(dict[Any, Any]):
    """Python implementations of operators, by class and by name: `@vm_impl_registry.register("Type")`."""

    def register(self, prim: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Return a decorator that registers `fn(primitive) -> implementation` for a class or name."""

        def decorate(fn: Callable[..., Any]) -> Callable[..., Any]:
            self[prim if isinstance(prim, str) else prim.__name__] = fn
            return fn

        return decorate


vm_impl_registry = VmImplRegistry()


def get_vm_impl_fn(prim: Any) -> Any:
    """Return the Python implementation that was registered for an operator, or None.

    Args:
        prim: The operator or its name.

    Examples:
        >>> ops.get_vm_impl_fn("Mine") is None
        True
    """
    getter = vm_impl_registry.get(prim if isinstance(prim, str) else prim.name)
    return None if getter is None else getter(prim)


class Registry:
    """Operators that Tensor methods are looked up in: attributes, else the operators of `ops`."""

    def get(self, obj_str: str) -> Any:
        """Return the operator of a name.

        Raises:
            TypeError: If the name is not a str.
            AttributeError: If there is no such operator.
        """
        if not isinstance(obj_str, str):
            raise TypeError(f"tensor_operator_registry: the name must be a str, got {type(obj_str).__name__}.")
        return getattr(self, obj_str)

    def __getattr__(self, name: str) -> Any:
        row = TABLE.get(name)
        if row is None:
            raise AttributeError(f"tensor_operator_registry: there is no operator '{name}'.")
        return row.public


tensor_operator_registry = Registry()

_EXPORTS: tuple[Any, ...] = (
    DataType,
    CustomRegOp,
    AiCPURegOp,
    TBERegOp,
    op_info_register,
    custom_info_register,
    get_vm_impl_fn,
)
PUBLIC.update({thing.__name__: thing for thing in _EXPORTS})
PUBLIC.update({"tensor_operator_registry": tensor_operator_registry, "vm_impl_registry": vm_impl_registry})

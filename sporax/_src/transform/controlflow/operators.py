"""The functions that rewritten code calls besides branches and loops: for items, attributes, calls and classes."""

from __future__ import annotations

import builtins
import functools
import inspect
import operator
from collections.abc import Callable, Sequence, Sized
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import jax
import jax.numpy as jnp

from sporax._src.base.errors import NotCallable, describe
from sporax._src.core.stateful import Stateful
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.transform.controlflow import branches, failures, loops, strings, unbound
from sporax._src.transform.controlflow.branches import choose, if_exp, is_traced
from sporax._src.transform.controlflow.numbers import computed, kind_of
from sporax._src.transform.controlflow.undo_log import CONTAINERS, assigns, changes, makes
from sporax._src.transform.functional import collected

# --- items and attributes -------------------------------------------------------------------------------------------------


def get_item(target: Any, index: Any) -> Any:
    """`target[index]`."""
    if is_traced(index) and isinstance(target, (list, tuple)) and target:
        kind = type(target).__name__
        if all(map(callable, target)):
            return lambda *args, **kwargs: choose(
                [functools.partial(call, f, *args, **kwargs) for f in target], index, kind
            )
        return choose([lambda item=item: item for item in target], index, kind)
    method = getattr(type(target), "__getitem__", None)
    return call(method, target, index) if isinstance(method, FunctionType) else target[index]


def set_item(target: Any, indices: tuple[Any, ...], value: Any) -> None:
    """`target[index] = value`, or with further indices `target[i][j] = value`, which changes a Tensor `target` too."""
    owners = [target]
    for index in indices[:-1]:
        owners.append(get_item(owners[-1], index))
    _set(owners[-1], indices[-1], value)
    for owner, index, item in reversed(list(zip(owners, indices, owners[1:], strict=False))):
        if not isinstance(owner, Tensor) or item._view is not None:  # its own `__iadd__` has stored the result
            break
        _set(owner, index, item)


def _set(target: Any, index: Any, value: object) -> None:
    if isinstance(target, (list, dict)):
        changes(target)
    if isinstance(target, list) and is_traced(index):
        position = jnp.where(
            index._data.reshape(()) < 0, index._data.reshape(()) + len(target), index._data.reshape(())
        )
        target[:] = [
            if_exp(wrap(position == i), lambda: value, lambda old=old: old, "the item") for i, old in enumerate(target)
        ]
    else:
        target[index] = value


def update_item(target: object, indices: tuple[Any, ...], symbol: str, value: Callable[[], Any]) -> None:
    """`target[index] symbol= value()`, or `target[i][j] symbol= value()`."""
    old = functools.reduce(get_item, indices, target)
    set_item(target, indices, augmented(old, symbol, value()))


def del_item(target: Any, index: Any) -> None:
    """`del target[index]`."""
    if isinstance(target, (list, dict)):
        changes(target)
    del target[index]


def get_attr(target: object, name: str) -> Any:
    """`target.name`; properties of the program are rewritten like functions, and dicts have MindSpore's `has_key`."""
    if name == "has_key" and isinstance(target, dict) and not hasattr(target, name):
        return target.__contains__
    attribute = getattr(type(target), name, None)
    if isinstance(attribute, property) and isinstance(attribute.fget, FunctionType):
        return call(attribute.fget, target)
    return getattr(target, name)


def set_attr(target: object, name: str, value: object) -> None:
    """`target.name = value`."""
    attribute = getattr(type(target), name, None)
    if isinstance(attribute, property) and isinstance(attribute.fset, FunctionType):
        call(attribute.fset, target, value)
        return
    if not isinstance(target, (Stateful, Tensor)):  # a Cell notes it itself
        assigns(target, name, value)
    setattr(target, name, value)


def update_attr(target: object, name: str, symbol: str, value: Callable[[], Any]) -> None:
    """`target.name symbol= value()`."""
    set_attr(target, name, augmented(get_attr(target, name), symbol, value()))


def del_attr(target: object, name: str) -> None:
    """`del target.name`."""
    changes(target, name)
    delattr(target, name)


_IN_PLACE = {
    "Add": operator.iadd, "Sub": operator.isub, "Mult": operator.imul, "Div": operator.itruediv, "Mod": operator.imod,
    "FloorDiv": operator.ifloordiv, "Pow": operator.ipow, "MatMult": operator.imatmul, "BitAnd": operator.iand,
    "BitOr": operator.ior, "BitXor": operator.ixor, "LShift": operator.ilshift, "RShift": operator.irshift,
}  # fmt: skip


def augmented(target: object, symbol: str, value: object) -> Any:
    """Return what `target symbol= value` assigns to `target`."""
    if isinstance(target, CONTAINERS):
        changes(target)
    return _IN_PLACE[symbol](target, value)


# --- traced forms of Python's own functions --------------------------------------------------------------------------------


def _convert_number(kind: type) -> Callable[[Any], Any]:
    def convert(x: Tensor) -> Any:
        if x.size != 1:
            raise ValueError(f"Only one element tensors can be converted to Python scalars, got {describe(x)}.")
        return computed(kind, jax.lax.stop_gradient(x._data))  # a Python number has no gradient

    return convert


def _extreme(better: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def extreme(*values: Any, **options: object) -> Any:
        items = list(values[0]) if len(values) == 1 else list(values)
        key = options.get("key", lambda v: v)
        best = items[0]
        for item in items[1:]:
            best = if_exp(better(call(key, item), call(key, best)), lambda i=item: i, lambda b=best: b, "the extreme")
        return best

    return extreme


def _folded(combine: Callable[..., Any], start: bool) -> Callable[..., Any]:
    def folded(values: Any) -> Any:
        result: Any = start
        for value in values:
            result = combine(lambda r=result: r, lambda v=value: _truth(v))
        return result

    return folded


def _truth(value: Any) -> Any:
    return computed(bool, branches.predicate(value)) if is_traced(value) else bool(value)


_ON_TRACED: dict[Any, Callable[..., Any]] = {
    builtins.int: _convert_number(int),
    builtins.float: _convert_number(float),
    builtins.bool: _truth,
    builtins.isinstance: lambda x, kinds: isinstance(x if (kind := kind_of(x)) is None else kind(0), kinds),
    builtins.type: lambda x, *rest: kind_of(x) or type(x, *rest),
    builtins.str: strings.text_of,
    builtins.range: loops.TracedRange,
    builtins.max: _extreme(operator.gt),
    builtins.min: _extreme(operator.lt),
    builtins.any: _folded(branches.or_, False),
    builtins.all: _folded(branches.and_, True),
}
_ITERATORS = (builtins.map, builtins.filter, builtins.zip, builtins.enumerate)
_CHANGE = {"append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "update", "setdefault", "popitem", "add",
           "discard", "difference_update", "intersection_update", "symmetric_difference_update"}  # fmt: skip


# --- calls ------------------------------------------------------------------------------------------------------------------


class _Rewriting:
    """How functions of the program are rewritten; set by `install`."""

    function: Callable[[Any], Any] = staticmethod(lambda fn: fn)
    python_super: Callable[..., Any]


def call(f: object, *args: Any, **kwargs: object) -> Any:
    """`f(*args, **kwargs)`: functions of the program run rewritten, some built-in functions run in their traced form."""
    if isinstance(f, FunctionType):
        return _Rewriting.function(f)(*args, **kwargs)
    if isinstance(f, Stateful):
        return f(*args, **kwargs)  # a Cell
    if isinstance(f, type):
        return _call_class(f, args, kwargs)
    if not callable(f):
        raise NotCallable(f"The object is not callable. Please check code. Got {describe(f)}.")
    owner = getattr(f, "__self__", None)
    if isinstance(owner, CONTAINERS) and f.__name__ in _CHANGE:
        changes(owner)
    elif isinstance(owner, str) and f.__name__ == "format":
        return strings.formatted(owner, *args, **kwargs)
    elif f is builtins.setattr:
        return set_attr(*args)
    elif isinstance(f, BuiltinFunctionType) and f in _ON_TRACED:
        return _call_on_traced(f, args, kwargs)
    elif f is functools.reduce or f is builtins.sorted:
        args, kwargs = _with_rewritten(args), {k: _Rewriting.function(v) for k, v in kwargs.items()}
    elif not isinstance(f, (MethodType, functools.partial)):
        method = inspect.getattr_static(type(f), "__call__", None)
        if isinstance(method, FunctionType):
            return _Rewriting.function(method)(f, *args, **kwargs)
    return _Rewriting.function(f)(*args, **kwargs)


def _with_rewritten(values: Sequence[Any]) -> tuple[Any, ...]:
    return tuple([_Rewriting.function(v) for v in values])


def _call_on_traced(f: Any, args: Any, kwargs: Any) -> Any:
    if f in (builtins.any, builtins.all) and len(args) == 1 and not isinstance(args[0], Tensor):
        args = (list(args[0]),)
    return (_ON_TRACED[f] if strings.traced_in(args) else f)(*args, **kwargs)


def _call_class(cls: Any, args: Any, kwargs: Any) -> Any:
    if cls in _ON_TRACED:
        return _call_on_traced(cls, args, kwargs)
    if cls is builtins.enumerate and args and isinstance(args[0], loops.TracedRange):
        return loops.TracedEnumerate(*args, **kwargs)
    if cls in _ITERATORS:
        iterator = cls(*_with_rewritten(args), **kwargs)
        return collected(iterator) if all(isinstance(a, Sized) or callable(a) for a in args) else iterator
    plain = type(cls) is type and cls.__new__ is object.__new__ and not issubclass(cls, Stateful)
    if not plain or not isinstance(cls.__init__, FunctionType):
        instance = cls(*args, **kwargs)
        makes(instance)
        return instance
    instance = object.__new__(cls)
    makes(instance)
    _Rewriting.function(cls.__init__)(instance, *args, **kwargs)
    return instance


def converted_call(f: object, args: Any, kwargs: Any = None, scope: object = None, options: object = None) -> Any:
    """`f(*args, **kwargs)` in rewritten code."""
    if f is builtins.super and not args:
        return _Rewriting.python_super(f, args, scope)
    return call(f, *args, **(kwargs or {}))


def install(module: object, rewritten: Callable[[Any], Any]) -> None:
    """Add sporax's operators to the namespace that rewritten code uses."""
    from malt.operators import py_builtins

    _Rewriting.function = rewritten
    _Rewriting.python_super = py_builtins.super_in_original_context
    for fn in (branches.if_stmt, branches.if_exp, branches.and_, branches.or_, branches.not_, branches.compare,
               loops.while_stmt, loops.for_stmt, get_item, set_item, update_item, del_item, get_attr, set_attr,
               update_attr, del_attr, augmented, converted_call, failures.handled, failures.not_ours, strings.joined,
               strings.percent, unbound.load, unbound.load_free):  # fmt: skip
        setattr(module, fn.__name__, fn)

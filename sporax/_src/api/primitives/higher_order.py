"""Functions over functions and values: HyperMap, Map, MultitypeFuncGraph, partial, constexpr, tuples to Tensors."""

from __future__ import annotations

import functools
import math
import operator
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from sporax._src.base.errors import warn_user
from sporax._src.base.jax_compat import is_tracer
from sporax._src.bindings.primitive import primitive, primitives
from sporax._src.core import dtype as mstype
from sporax._src.core.scope import tracing
from sporax._src.core.tensor import Tensor
from sporax._src.engine.table import composite

PUBLIC: dict[str, Any] = {}
"""Names under `ops` that are no operators on Tensors."""


def _public(thing: Any) -> Any:
    PUBLIC[thing.__name__] = thing
    return thing


# --- dispatch on types -----------------------------------------------------------------------------------------------

_PYTHON: dict[str, Any] = {
    "Tensor": Tensor,
    "Number": (bool, int, float, complex, np.generic),
    "Bool": bool,
    "Int": int,
    "Float": float,
    "String": str,
    "Tuple": tuple,
    "List": list,
    "Dictionary": dict,
    "None": type(None),
    "NoneType": type(None),
    "Ref": Tensor,
    "Slice": slice,
    "Ellipsis": type(Ellipsis),
}


def _matches(value: object, kind: object) -> bool:
    """Return whether a value has the type that a name ("Tensor") or a MindSpore type (`mstype.number`) stands for."""
    name = kind.name if isinstance(kind, mstype.Type) else str(kind)
    if name in ("Func", "Function"):
        return callable(value) and not isinstance(value, Tensor)
    if name == "Any":
        return True
    if name in _PYTHON:
        plain_int = name == "Int" and isinstance(value, bool)
        return isinstance(value, _PYTHON[name]) and not plain_int
    if name.startswith("Tensor["):
        return isinstance(value, Tensor) and value.dtype.name == name[7:-1]
    return isinstance(value, np.generic) and mstype.from_numpy(value.dtype).name == name


@_public
class MultitypeFuncGraph:
    """A function with an implementation per combination of argument types.

    Args:
        name: The name, for messages.
        read_value: Accepted: Parameters are always passed by what they hold.

    Examples:
        >>> twice = ops.MultitypeFuncGraph("twice")
        >>> @twice.register("Number")
        ... def twice_number(x):
        ...     return 2 * x
        >>> @twice.register("Tensor")
        ... def twice_tensor(x):
        ...     return x + x
        >>> twice(3)
        6
    """

    def __init__(self, name: str, read_value: bool = False) -> None:
        if not isinstance(name, str):
            raise TypeError(f"MultitypeFuncGraph: name must be a string, got {type(name).__name__}.")
        self.name = self.__name__ = name
        self.entries: list[tuple[tuple[Any, ...], Callable[..., Any]]] = []

    def register(self, *type_names: object) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Return the decorator of an implementation for arguments of these types (names or MindSpore types)."""

        def add(fn: Callable[..., Any]) -> Callable[..., Any]:
            self.entries.append((type_names, fn))
            return fn

        return add

    def set_doc_url(self, doc_url: str) -> None:
        """Accept the address of a documentation page."""

    def __call__(self, *args: object) -> Any:
        for kinds, fn in self.entries:
            if len(kinds) == len(args) and all(map(_matches, args, kinds)):
                return fn(*args)
        types = ", ".join(type(a).__name__ for a in args)
        known = "; ".join(", ".join(map(str, kinds)) for kinds, _ in self.entries)
        raise ValueError(
            f"MultitypeFuncGraph '{self.name}' has no implementation for ({types}); it has: {known or 'none'}."
        )

    def __repr__(self) -> str:
        return self.name


@_public
class Map:
    """Applies a function to the elements of sequences: `Map(fn)(xs, ys)` is `(fn(x0, y0), fn(x1, y1), ...)`.

    Args:
        ops: The function; None: it is the first argument of the call.
        reverse: Accepted: the order of evaluation does not matter here.

    Examples:
        >>> ops.Map(lambda x, y: x + y)((1, 2), (10, 20))
        (11, 22)
    """

    def __init__(self, ops: Callable[..., Any] | None = None, reverse: bool = False) -> None:
        self.ops = ops
        self.reverse = reverse

    def __call__(self, *args: Any) -> Any:
        fn, rest = (args[0], args[1:]) if self.ops is None else (self.ops, args)
        _check_lengths(type(self).__name__, rest)
        return self._apply(fn, rest)

    def _apply(self, fn: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        return tuple([fn(*items) for items in zip(*args, strict=True)])


@_public
class HyperMap(Map):
    """Applies a function to the leaves of nested sequences of one structure.

    Args:
        ops: The function; None: it is the first argument of the call.
        reverse: Accepted: the order of evaluation does not matter here.

    Examples:
        >>> ops.HyperMap()(lambda x, y: x + y, (1, (2, 3)), (10, (20, 30)))
        (11, (22, 33))
    """

    def _apply(self, fn: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        if not isinstance(args[0], (tuple, list)):
            return fn(*args)
        _check_lengths("HyperMap", args)
        mapped = [self._apply(fn, items) for items in zip(*args, strict=True)]
        return tuple(mapped)


def _check_lengths(name: str, args: tuple[Any, ...]) -> None:
    if not args:
        raise ValueError(f"ops.{name}: give at least one sequence to map over.")
    sequences = [len(a) for a in args if isinstance(a, (tuple, list))]
    if sequences and (len(set(sequences)) > 1 or len(sequences) < len(args)):
        raise ValueError(f"ops.{name}: arguments must be sequences of one length, got {[_kind(a) for a in args]}.")


def _kind(value: object) -> str:
    return f"{type(value).__name__} of {len(value)}" if isinstance(value, (tuple, list)) else type(value).__name__


# --- functions -------------------------------------------------------------------------------------------------------


@_public
def partial(func: Callable[..., Any], *args: object, **kwargs: object) -> Callable[..., Any]:
    """Return the function with its first arguments filled in.

    Args:
        func: The function.
        *args: Its first arguments.
        **kwargs: Arguments by name.

    Examples:
        >>> ops.partial(ops.add, 1)(Tensor([1, 2])).asnumpy()
        array([2, 3])
    """
    return functools.partial(func, *args, **kwargs)


@_public
def constexpr(
    fn: Any = None, get_instance: bool = True, name: str | None = None, reuse_result: bool = True, check: bool = True
) -> Any:
    """Mark a function of Python values, which Python runs also while a graph is built.

    While a graph is built, it receives None for a Tensor without a known value, also in tuples and lists.

    Args:
        fn: The function; None: return the decorator.
        get_instance: Return the function; otherwise a class whose instances call it.
        name, reuse_result: Accepted for MindSpore programs.
        check: Warn of such a Tensor.

    Examples:
        >>> ops.constexpr(lambda n: n // 2)(5)
        2
    """

    def mark(f: Callable[..., Any]) -> Any:
        @functools.wraps(f)
        def run(*args: object, **kwargs: object) -> Any:
            known = [_known(a) for a in args] if tracing() else args
            if check and any(k is not a for k, a in zip(known, args, strict=True)):
                warn_user(f"constexpr {name or f.__name__}: an argument is not a constant; it is None there.")
            return f(*known, **kwargs)

        return (
            run if get_instance else type(name or f.__name__, (), {"__call__": staticmethod(run), "__doc__": f.__doc__})
        )

    return mark if fn is None else mark(fn)


def _known(value: object) -> Any:
    """Return a value with None for each Tensor whose value only a run of the graph determines."""
    if isinstance(value, (tuple, list)):
        known = [_known(v) for v in value]
        return (
            value
            if all(k is v for k, v in zip(known, value, strict=True))
            else (tuple(known) if isinstance(value, tuple) else known)
        )
    return None if isinstance(value, Tensor) and is_tracer(value._data) else value


@_public
def add_flags(fn: object = None, **flags: Any) -> Any:
    """Attach flags to a function or class and return it; without one, return the decorator.

    Args:
        fn: The function or class; None: return the decorator.
        **flags: The flags; they change nothing here.

    Examples:
        >>> ops.add_flags(lambda x: 2 * x, core=True)(4)
        8
    """

    def attach(f: Any) -> Any:
        f._func_graph_flags = {**getattr(f, "_func_graph_flags", {}), **flags}
        return f

    return attach if fn is None else attach(fn)


@_public
def typeof(x: object) -> mstype.Type:
    """Return the MindSpore type of a value: `mindspore.tensor_type` for Tensors.

    Args:
        x: Any value.

    Examples:
        >>> ops.typeof(Tensor([1])), ops.typeof(2.5)
        (mindspore.tensor, mindspore.float64)
    """
    return mstype.tensor_type if isinstance(x, Tensor) else mstype.get_py_obj_dtype(x)


@_public
def make_range(*args: int) -> tuple[int, ...]:
    """Return `range(*args)` as a tuple.

    Args:
        *args: Those of `range`.

    Examples:
        >>> ops.make_range(1, 6, 2)
        (1, 3, 5)
    """
    return tuple(range(*args))


def _plain(name: str, fn: Callable[..., Any]) -> None:
    """Register a Python function under a name that programs import for use in graphs."""
    if isinstance(fn, types.FunctionType):
        fn.__doc__ = f"Return what Python's `{name.split('_', 1)[-1]}` gives for plain values and Tensors."
    PUBLIC[name] = fn


_TUPLES: dict[str, Callable[..., Any]] = {
    "len": len,
    "getitem": operator.getitem,
    "equal": operator.eq,
    "setitem": lambda x, i, value: type(x)([*x[:i], value, *x[i + 1 :]]),
}
for _kind_name in ("tuple", "list"):
    for _name, _fn in _TUPLES.items():
        _plain(f"{_kind_name}_{_name}", _fn)
_SCALARS: dict[str, Callable[..., Any]] = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "div": lambda x, y: x / y,
    "pow": lambda x, y: x**y, "floordiv": lambda x, y: x // y, "mod": lambda x, y: x % y, "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y, "lt": lambda x, y: x < y, "le": lambda x, y: x <= y, "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y, "usub": lambda x: -x, "uadd": lambda x: +x, "log": lambda x: math.log(x),
    "max": lambda x, y: max(x, y), "min": lambda x, y: min(x, y),
}  # fmt: skip
for _name, _fn in _SCALARS.items():
    _plain(f"scalar_{_name}", _fn)
_plain("tuple_reversed", lambda x: x[::-1])
_plain("make_tuple", lambda *items: items)
_plain("make_list", lambda *items: list(items))
_plain("make_slice", slice)
_plain("dict_getitem", operator.getitem)
_plain("in_dict", lambda key, d: key in d)
_plain("not_in_dict", lambda key, d: key not in d)
_plain("is_", operator.is_)
_plain("is_not", operator.is_not)
_plain("bool_not", operator.not_)
_plain("bool_and", lambda x, y: x and y)
_plain("bool_or", lambda x, y: x or y)
_plain("bool_eq", operator.eq)
_plain("string_eq", operator.eq)
_plain("string_concat", operator.add)
for _name in ("add", "sub", "mul", "div", "floordiv", "mod"):
    _plain(f"augassign_{_name}", _SCALARS[_name])


# --- Python values as Tensors ----------------------------------------------------------------------------------------


@composite(cases=("(1, 2, 3)", "(1.5, 2.0)", "range(3)"), errors=(("3", "tuple"),), grad=0, primitive="TupleToArray()")
def tuple_to_array(input_x: tuple[Any, ...]) -> Tensor:
    """Return a tuple of numbers as a Tensor, int32 for integers and float32 for floats.

    Args:
        input_x: A tuple, list or range of numbers.

    Raises:
        TypeError: If `input_x` is not a sequence.

    Examples:
        >>> ops.tuple_to_array((1, 2)).asnumpy()
        array([1, 2], dtype=int32)
    """
    if not isinstance(input_x, (tuple, list, range)):
        raise TypeError(f"ops.tuple_to_array: expected a tuple, got {type(input_x).__name__}.")
    array = np.asarray(input_x)
    return Tensor(array.astype({"i": np.int32, "f": np.float32}.get(array.dtype.kind, array.dtype)))


@composite(cases=("1", "2.5, ms.float32", "True, ms.int32"), errors=(("'a'", "number"),), grad=0)
def scalar_to_tensor(input_x: object, dtype: mstype.TypeLike = mstype.float32) -> Tensor:
    """Return a number as a 0-d Tensor; float32 unless `dtype` says otherwise.

    Args:
        input_x: A number.
        dtype: The dtype.

    Raises:
        TypeError: If `input_x` is not a number.

    Examples:
        >>> ops.scalar_to_tensor(2).asnumpy()
        array(2., dtype=float32)
    """
    if not isinstance(input_x, (bool, int, float, np.generic)):
        raise TypeError(f"ops.scalar_to_tensor: expected a number, got {type(input_x).__name__}.")
    return Tensor(input_x, dtype)


@composite(cases=("1", "2.5"), errors=(("'a'", "number"),), grad=0, primitive="ScalarToArray()")
def scalar_to_array(input_x: object) -> Tensor:
    """Return a number as a 0-d Tensor, int64 for integers and float32 for floats.

    Args:
        input_x: A number.

    Raises:
        TypeError: If `input_x` is not a number.

    Examples:
        >>> ops.scalar_to_array(2).asnumpy()
        array(2)
    """
    return scalar_to_tensor(input_x, mstype.int64 if isinstance(input_x, int) else mstype.float32)


@primitive("ScalarCast()")
def _scalar_cast(input_x: object, input_y: object) -> Any:
    """Return a number converted to the Python type of a MindSpore dtype."""
    if not isinstance(input_x, _PYTHON["Number"]):
        raise TypeError(f"ops.scalar_cast: input_x must be a number, got {input_x!r}.")
    if not isinstance(input_y, mstype.Number):
        raise ValueError(f"ops.scalar_cast: input_y must be a dtype of numbers, got {input_y!r}.")
    return mstype.dtype_to_pytype(input_y)(input_x)


@composite(
    cases=("1.5, ms.int32",), errors=(("'x', ms.int32", "number, got 'x'"), ("1, 'x'", "numbers, got 'x'")), grad=0
)
def scalar_cast(input_x: object, input_y: object) -> Any:
    """Return a number converted to the Python type of a MindSpore dtype.

    Args:
        input_x: A number.
        input_y: A dtype.

    Raises:
        TypeError: If `input_x` is not a number.
        ValueError: If `input_y` is not a dtype of numbers.

    Examples:
        >>> ops.scalar_cast(1.5, ms.int32)
        1
    """
    return _scalar_cast(input_x, input_y)


primitives(
    """\
Partial()(func, *args) -> partial(func, *args)
    args: Its first arguments.
ScalarToTensor()(x, dtype=float32) -> scalar_to_tensor(x, dtype)
""",
    globals() | {"float32": mstype.float32},
)

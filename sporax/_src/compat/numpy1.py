"""Names of NumPy 1 for programs that were written for it: MindSpore needs NumPy < 2, JAX needs NumPy 2.

Each stands for what NumPy's own notes of migration name in its place. Names that NumPy 1.26 had dropped as well
(`np.bool`, `np.int`, `np.float`, `np.object`) are left as they are.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from sporax._src.base.numpy_integers import serve

_KINDS = "buifcSUVOMm"


class _Cast(Mapping[Any, Callable[..., Any]]):
    """The `np.cast` of NumPy 1: `cast[dtype](x)` is x as an array of that dtype."""

    def __getitem__(self, dtype: Any) -> Callable[..., Any]:
        return lambda x: np.asarray(x).astype(np.dtype(dtype))

    def __iter__(self) -> Any:
        return iter(np.sctypeDict.values())

    def __len__(self) -> int:
        return len(np.sctypeDict)


def asfarray(a: Any, dtype: Any = np.float64) -> np.ndarray:
    """Return an array of floating-point elements; `float64` where `dtype` is none."""
    return np.asarray(a, dtype if np.issubdtype(dtype, np.inexact) else np.float64)


def find_common_type(array_types: Sequence[Any], scalar_types: Sequence[Any]) -> np.dtype | None:
    """Return the dtype that NumPy 1 gave to arrays with scalars: a scalar counts only if its kind is higher."""
    arrays = np.result_type(*array_types) if array_types else None
    scalars = np.result_type(*scalar_types) if scalar_types else None
    if arrays is None or scalars is None:
        return scalars if arrays is None else arrays
    return np.result_type(arrays, scalars) if _KINDS.index(scalars.kind) > _KINDS.index(arrays.kind) else arrays


def in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False, *, kind: Any = None) -> np.ndarray:
    """Return for each element of a flattened array whether another has it."""
    return np.isin(np.ravel(ar1), ar2, assume_unique, invert, kind=kind)


def issctype(rep: object) -> bool:
    """Return whether an object stands for the type of a scalar."""
    return isinstance(rep, (type, np.dtype)) and obj2sctype(rep) not in (None, np.object_)


def issubclass_(arg1: object, arg2: Any) -> bool:
    """Return whether a class is another's subclass; False of what is no class."""
    return isinstance(arg1, type) and issubclass(arg1, arg2)


def msort(a: Any) -> np.ndarray:
    """Return an array sorted along its first axis."""
    return np.sort(a, axis=0)


def obj2sctype(rep: Any, default: object = None) -> Any:
    """Return the type of the scalars of a dtype or an array."""
    if isinstance(rep, type) and issubclass(rep, np.generic):
        return rep
    try:
        return np.dtype(rep.dtype if isinstance(rep, (np.ndarray, np.generic)) else rep).type
    except TypeError:
        return default


def round_(a: Any, decimals: int = 0, out: Any = None) -> Any:
    """Return an array rounded to decimals."""
    return np.round(a, decimals, out)


def sctype2char(sctype: Any) -> str:
    """Return the letter of a dtype."""
    return np.dtype(sctype).char


def source(object: Any, output: Any = None) -> None:
    """Write the source of an object."""
    print(inspect.getsource(object), file=output or sys.stdout)


def _sctypes() -> dict[str, list[type]]:
    groups = {"int": np.signedinteger, "uint": np.unsignedinteger, "float": np.floating, "complex": np.complexfloating}
    types = sorted(set(np.sctypeDict.values()), key=lambda t: (np.dtype(t).itemsize, t.__name__))
    kinds = {name: [t for t in types if issubclass(t, base)] for name, base in groups.items()}
    return {**kinds, "others": [bool, object, bytes, str, np.void]}


NAMES: dict[str, Any] = {
    "AxisError": np.exceptions.AxisError,
    "ComplexWarning": np.exceptions.ComplexWarning,
    "DataSource": np.lib.npyio.DataSource,
    "Inf": np.inf,
    "Infinity": np.inf,
    "NAN": np.nan,
    "NINF": -np.inf,
    "NZERO": -0.0,
    "NaN": np.nan,
    "PINF": np.inf,
    "PZERO": 0.0,
    "RankWarning": np.exceptions.RankWarning,
    "VisibleDeprecationWarning": np.exceptions.VisibleDeprecationWarning,
    "alltrue": np.all,
    "asfarray": asfarray,
    "bool8": np.bool_,
    "byte_bounds": np.lib.array_utils.byte_bounds,
    "bytes0": np.bytes_,
    "cast": _Cast(),
    "cfloat": np.complex128,
    "clongfloat": np.clongdouble,
    "compare_chararrays": lambda *args: np.char.compare_chararrays(*args),
    "complex_": np.complex128,
    "cumproduct": np.cumprod,
    "find_common_type": find_common_type,
    "float_": np.float64,
    "format_parser": lambda *args, **named: np.rec.format_parser(*args, **named),
    "in1d": in1d,
    "infty": np.inf,
    "int0": np.intp,
    "issctype": issctype,
    "issubclass_": issubclass_,
    "issubsctype": lambda arg1, arg2: issubclass(obj2sctype(arg1), obj2sctype(arg2)),
    "longcomplex": np.clongdouble,
    "longfloat": np.longdouble,
    "mat": np.asmatrix,
    "msort": msort,
    "obj2sctype": obj2sctype,
    "object0": np.object_,
    "product": np.prod,
    "round_": round_,
    "safe_eval": ast.literal_eval,
    "sctype2char": sctype2char,
    "sctypes": _sctypes(),
    "singlecomplex": np.complex64,
    "sometrue": np.any,
    "source": source,
    "str0": np.str_,
    "string_": np.bytes_,
    "trapz": np.trapezoid,
    "uint0": np.uintp,
    "unicode_": np.str_,
    "void0": np.void,
}
_WARNING = ("in1d", "trapz")  # NumPy 2.2 and 2.3 have them, and warn of their end
_placed: dict[str, Any] = {}
_printed: list[Any] = []  # how numbers were printed before


def install() -> None:
    """Give NumPy the names that it lacks or is about to lose, and have it print numbers as NumPy 1 does: `[0.5]`."""
    if not _printed:
        _printed.append(np.get_printoptions()["legacy"])
        np.set_printoptions(legacy="1.25")
    serve(True)
    for name, value in NAMES.items():
        if name not in _placed and (name in _WARNING or name not in vars(np)):
            _placed[name] = vars(np).get(name)
            setattr(np, name, value)


def uninstall() -> None:
    """Restore what `install` replaced."""
    serve(False)
    while _printed:
        np.set_printoptions(legacy=_printed.pop())
    while _placed:
        name, before = _placed.popitem()
        if before is None:
            delattr(np, name)
        else:
            setattr(np, name, before)

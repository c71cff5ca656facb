"""Data types: MindSpore's type objects, their NumPy counterparts, and the promotion table."""

from __future__ import annotations

import builtins
import enum
import sys
from typing import TYPE_CHECKING, Any, TypeAlias, overload

import jax
import ml_dtypes
import numpy as np

from sporax._src.base.typing import Array

if TYPE_CHECKING:
    from numpy.typing import DTypeLike


class Type:
    """A MindSpore type: prints as `Float32`; there is one object for each type, so types compare by identity."""

    def __init__(self, name: str, np_type: DTypeLike | None = None, *, kind: str = "", public: str = "") -> None:
        self.name = name
        self.kind = kind
        self.np_dtype = None if np_type is None else np.dtype(np_type)
        self._public = public or name.lower()

    @property
    def itemsize(self) -> int:
        """Bytes an element takes."""
        return self.np_dtype.itemsize if self.np_dtype is not None else 0

    @property
    def is_floating_point(self) -> bool:
        """Whether the type holds real floating-point numbers."""
        return self.kind == "f"

    @property
    def is_complex(self) -> bool:
        """Whether the type holds complex numbers."""
        return self.kind == "c"

    @property
    def is_signed(self) -> bool:
        """Whether the type can hold negative numbers."""
        return self.kind in "ifc"

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"mindspore.{self._public}"

    def __reduce__(self) -> tuple[Any, ...]:
        return (by_name, (self.name,))

    def __deepcopy__(self, memo: dict[int, Any]) -> Type:
        return self

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Type):
            return self is other
        if self.np_dtype is None or other is None or isinstance(other, str):
            return False
        try:
            return np.dtype(other) == self.np_dtype  # type: ignore[arg-type]
        except TypeError:
            return False

    def __hash__(self) -> int:
        return hash(self.name)


class Number(Type):
    """A numeric type."""


class Int(Number):
    """A signed integer type."""


class UInt(Number):
    """An unsigned integer type."""


class Float(Number):
    """A floating-point type."""


class BFloat(Number):
    """The brain floating-point type."""


class Complex(Number):
    """A complex type."""


class Bool(Number):
    """The truth-value type."""


class Tuple(Type):
    """The type of tuples."""


class List(Type):
    """The type of lists."""


class TensorType(Type):
    """The type of Tensors."""


bool_ = Bool("Bool", np.bool_, kind="b")
int8 = Int("Int8", np.int8, kind="i")
int16 = Int("Int16", np.int16, kind="i")
int32 = Int("Int32", np.int32, kind="i")
int64 = Int("Int64", np.int64, kind="i")
uint8 = UInt("UInt8", np.uint8, kind="u")
uint16 = UInt("UInt16", np.uint16, kind="u")
uint32 = UInt("UInt32", np.uint32, kind="u")
uint64 = UInt("UInt64", np.uint64, kind="u")
float16 = Float("Float16", np.float16, kind="f")
float32 = Float("Float32", np.float32, kind="f")
float64 = Float("Float64", np.float64, kind="f")
bfloat16 = BFloat("BFloat16", ml_dtypes.bfloat16, kind="f")
float8_e4m3fn = Float("Float8E4M3FN", ml_dtypes.float8_e4m3fn, kind="f", public="float8_e4m3fn")
float8_e5m2 = Float("Float8E5M2", ml_dtypes.float8_e5m2, kind="f", public="float8_e5m2")
complex64 = Complex("Complex64", np.complex64, kind="c")
complex128 = Complex("Complex128", np.complex128, kind="c")
int4 = Int("Int4", ml_dtypes.int4, kind="i")

# Names of the same types that follow NumPy and C.
half, single, double = float16, float32, float64
byte, short, intc, long, intp = int8, int16, int32, int64, int64
ubyte, ushort, uintc, uintp = uint8, uint16, uint32, uint64
cfloat, cdouble = complex64, complex128
qint4x2 = int4

string = Type("String", public="string_")
type_none = Type("None", public="type_none")
list_ = List("List", public="list_")
tuple_ = Tuple("Tuple", public="tuple_")
function = Type("Func", public="function")
tensor_type = TensorType("Tensor", public="tensor")
number = Number("Number", public="number")
float_ = Float("Float", public="float")
int_ = Int("Int", public="int")
uint = UInt("UInt", public="uint")

all_types: tuple[Type, ...] = (
    bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64,
    float16, float32, float64, bfloat16, complex64, complex128, float8_e4m3fn, float8_e5m2, int4,
)  # fmt: skip

number_type: tuple[Type, ...] = tuple([t for t in all_types if t is not bool_])
int_type, uint_type = (int8, int16, int32, int64), (uint8, uint16, uint32, uint64)
float_type = (float16, float32, float64, bfloat16, float8_e4m3fn, float8_e5m2)
complex_type = (complex64, complex128)
signed_type: tuple[Type, ...] = tuple([t for t in number_type if t not in uint_type])

_by_name = {
    t.name: t for t in (*all_types, string, type_none, list_, tuple_, function, tensor_type, number, float_, int_, uint)
}
_by_np = {t.np_dtype: t for t in all_types}
_by_python = {builtins.bool: bool_, builtins.int: int64, builtins.float: float32, builtins.complex: complex128}


TypeLike: TypeAlias = Type | type | np.dtype[Any] | str  # what names a type


def by_name(name: str) -> Type:
    """Return the type that prints as `name` (`"Float32"`)."""
    return _by_name[name]


def from_numpy(dtype: Any) -> Type:
    """Return the MindSpore type of a NumPy (or JAX) dtype."""
    try:
        return _by_np[dtype]
    except (KeyError, TypeError):
        result = string if np.dtype(dtype).kind in "US" else _by_np.get(np.dtype(dtype))
    if result is None:
        raise TypeError(f"Tensors of NumPy dtype {np.dtype(dtype)} are not supported.")
    return result


def to_numpy(dtype: TypeLike) -> np.dtype:
    """Return the NumPy dtype of a MindSpore type, a NumPy dtype, a Python type or a name such as `"float32"`."""
    if isinstance(dtype, Type):
        if dtype.np_dtype is None:
            raise TypeError(f"{dtype!r} is not a type that Tensors can hold.")
        return dtype.np_dtype
    return as_type(dtype).np_dtype  # type: ignore[return-value]


def as_type(dtype: TypeLike) -> Type:
    """Return the MindSpore type that `dtype` names; raises TypeError if it names none."""
    if isinstance(dtype, Type):
        return dtype
    if isinstance(dtype, type) and dtype in _by_python:
        return _by_python[dtype]
    if isinstance(dtype, str) and dtype in ("bool", "bfloat16"):
        return bool_ if dtype == "bool" else bfloat16
    try:
        return from_numpy(dtype)
    except TypeError as error:
        raise TypeError(f"expected a dtype such as mindspore.float32, got {dtype!r}.") from error


# --- promotion ------------------------------------------------------------------------------------------------------

_ORDER = (bool_, uint8, int8, int16, int32, int64, uint16, uint32, uint64, float16, bfloat16, float32, float64, complex64,
          complex128)  # fmt: skip
_SHORT = dict(zip("b u8 i8 i16 i32 i64 u16 u32 u64 f16 bf f32 f64 c64 c128".split(), _ORDER, strict=True))

# Result of an arithmetic operator on two Tensors, recorded from MindSpore 2.7.0 ('-': it raises TypeError).
_TABLE = """
b     b    u8   i8   i16  i32  i64  u16  u32  u64  f16  bf   f32  f64  c64  c128
u8    u8   u8   i16  i16  i32  i64  -    -    -    f16  bf   f32  f64  c64  c128
i8    i8   i16  i8   i16  i32  i64  -    -    -    f16  bf   f32  f64  c64  c128
i16   i16  i16  i16  i16  i32  i64  -    -    -    f16  bf   f32  f64  c64  c128
i32   i32  i32  i32  i32  i32  i64  -    -    -    f16  bf   f32  f64  c64  c128
i64   i64  i64  i64  i64  i64  i64  -    -    -    f16  bf   f32  f64  c64  c128
u16   u16  -    -    -    -    -    u16  -    -    -    -    -    -    -    -
u32   u32  -    -    -    -    -    -    u32  -    -    -    -    -    -    -
u64   u64  -    -    -    -    -    -    -    u64  -    -    -    -    -    -
f16   f16  f16  f16  f16  f16  f16  -    -    -    f16  f32  f32  f64  c64  c128
bf    bf   bf   bf   bf   bf   bf   -    -    -    f32  bf   f32  f64  c64  c128
f32   f32  f32  f32  f32  f32  f32  -    -    -    f32  f32  f32  f64  c64  c128
f64   f64  f64  f64  f64  f64  f64  -    -    -    f64  f64  f64  f64  c128 c128
c64   c64  c64  c64  c64  c64  c64  -    -    -    c64  c64  c64  c128 c64  c128
c128  c128 c128 c128 c128 c128 c128 -    -    -    c128 c128 c128 c128 c128 c128
"""


def _read_table() -> dict[tuple[np.dtype, np.dtype], np.dtype | None]:
    table: dict[tuple[np.dtype, np.dtype], np.dtype | None] = {}
    for line in _TABLE.strip().splitlines():
        row, *cells = line.split()
        for column, cell in zip(_ORDER, cells, strict=True):
            result = None if cell == "-" else _SHORT[cell].np_dtype
            table[to_numpy(_SHORT[row]), to_numpy(column)] = result
    return table


_promotions = _read_table()
_RANK = {"b": 0, "u": 1, "i": 1, "f": 2, "V": 2, "c": 3}
_STIFF = {np.dtype(np.uint16), np.dtype(np.uint32), np.dtype(np.uint64)}  # these mix with bool only


def promote(a: np.dtype, b: np.dtype) -> np.dtype:
    """Return the common dtype to which two Tensors are promoted."""
    if a == b:
        return a
    result = _promotions.get((a, b))
    if result is None:
        raise TypeError(f"Type implicit conversion between {from_numpy(a)} and {from_numpy(b)} is not supported.")
    return result


def promote_scalar(dtype: np.dtype, scalar: np.dtype) -> np.dtype:
    """Return the common dtype of a Tensor of `dtype` and a Python scalar of the kind of `scalar`."""
    have, want = _RANK[dtype.kind], _RANK[scalar.kind]
    if dtype in _STIFF and want > 0:
        raise TypeError(
            f"Type implicit conversion between {from_numpy(dtype)} and {from_numpy(scalar)} is not supported."
        )
    if have >= want:
        return dtype
    if want == 3:
        return np.dtype(np.complex128 if dtype == np.float64 else np.complex64)
    return np.dtype(np.float32 if want == 2 else np.int64)


@overload
def unify(a: Array, b: Array, /) -> tuple[jax.Array, jax.Array]: ...
@overload
def unify(*xs: Array) -> tuple[jax.Array, ...]: ...
def unify(*xs: Array) -> tuple[jax.Array, ...]:
    """Cast operands to their common dtype; Python scalars are weakly typed."""
    strong = [x.dtype for x in xs if not _is_weak(x)]
    if not strong:
        result = _scalars_meet([np.result_type(x).kind if not hasattr(x, "dtype") else x.dtype.kind for x in xs])
    else:
        result = strong[0]
        for dtype in strong[1:]:
            result = promote(result, dtype)
        for x in xs:
            if _is_weak(x):
                result = promote_scalar(result, x.dtype if hasattr(x, "dtype") else np.result_type(x))
    return tuple(jax.lax.convert_element_type(x, result) for x in xs)


def _scalars_meet(kinds: list[str]) -> np.dtype:
    return np.dtype((np.bool_, np.int64, np.float32, np.complex64)[max(_RANK[k] for k in kinds)])


def _is_weak(x: Array) -> bool:
    return isinstance(x, (builtins.bool, builtins.int, builtins.float, builtins.complex)) or bool(
        getattr(getattr(x, "aval", None), "weak_type", False)
    )


def to_float(x: Array) -> jax.Array:
    """Cast booleans and integers to float32, as MindSpore's division does; leave the rest."""
    dtype = np.result_type(x) if not hasattr(x, "dtype") else x.dtype
    return jax.lax.convert_element_type(x, np.float32) if dtype.kind in "biu" else x


# --- MindSpore's helper functions -----------------------------------------------------------------------------------


def dtype_to_nptype(type_: Type) -> Any:
    """Return the NumPy scalar type of a MindSpore type: `dtype_to_nptype(mindspore.int8)` is `numpy.int8`."""
    return to_numpy(type_).type


def dtype_to_pytype(type_: Type) -> type:
    """Return the Python type of a MindSpore type: `int` for every integer type."""
    return {"b": builtins.bool, "i": builtins.int, "u": builtins.int, "f": builtins.float, "c": builtins.complex}.get(
        type_.kind, builtins.list if type_ is list_ else builtins.str
    )


def pytype_to_dtype(obj: object) -> Type:
    """Return the MindSpore type of a Python or NumPy type: `pytype_to_dtype(bool)` is `mindspore.bool_`.

    Raises:
        TypeError: If it is no type.
        NotImplementedError: If MindSpore has no such type.
    """
    if isinstance(obj, Type):
        return obj
    if not isinstance(obj, (type, np.dtype)):
        raise TypeError(f"pytype_to_dtype: expected a type, got {type(obj).__name__} {obj!r}.")
    named = {builtins.str: string, builtins.list: list_, builtins.tuple: tuple_, type(None): type_none}
    named[builtins.float] = float64
    if obj in named:
        return named[obj]
    try:
        return as_type(obj)
    except TypeError:
        raise NotImplementedError(f"Unsupported convert python type {obj} to MindSpore type.") from None


def get_py_obj_dtype(obj: object) -> Type:
    """Return the MindSpore type of a Python object."""
    if callable(obj) and not isinstance(obj, type):
        return function
    return pytype_to_dtype(obj if isinstance(obj, (type, np.dtype)) else type(obj))


def issubclass_(type_: Type, group: Type | type) -> bool:
    """Return whether `type_` belongs to `group`, which may be a class such as `Float` or a generic such as `number`."""
    if isinstance(group, Type):
        return type_ is group or (group.np_dtype is None and isinstance(type_, type(group)))
    return isinstance(type_, group)


def type_size_in_bytes(type_: Type) -> int:
    """Return the number of bytes an element of `type_` takes."""
    return type_.itemsize


class QuantDtype(enum.Enum):
    """Types of quantised values, of 1 to 16 bits, with a sign or without."""

    INT1, INT2, INT3, INT4, INT5, INT6, INT7, INT8 = range(8)
    INT9, INT10, INT11, INT12, INT13, INT14, INT15, INT16 = range(8, 16)
    UINT1, UINT2, UINT3, UINT4, UINT5, UINT6, UINT7, UINT8 = range(100, 108)
    UINT9, UINT10, UINT11, UINT12, UINT13, UINT14, UINT15, UINT16 = range(108, 116)

    def __str__(self) -> str:
        return self.name

    def value(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]  (a method, as in MindSpore)
        """Return the number that stands for the type."""
        return self._value_


def __getattr__(name: str) -> Any:
    """Return a type whose name is also a Python builtin (`mstype.float`), or a class of types."""
    like_python = {"bool": bool_, "float": float32, "int": int32, "typing": sys.modules[__name__]}
    if name in like_python:
        return like_python[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

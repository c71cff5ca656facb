"""Result dtypes of operators are those recorded from MindSpore, over all pairs of dtypes and kinds of scalars.

Where MindSpore raised an error, one of three rules holds:
- its CPU kernels lack the dtype (the text says so): ours may compute or raise;
- dtypes do not convert into each other: ours raises TypeError too;
- the operand is of a kind it does not take: None raises here too, while NumPy scalars and arrays, lists and complex
  numbers count as numbers, in the dtype that the same Python number gives.
"""

import json
import operator
import re
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest
from house import ROOT

import sporax as ms
from sporax._src.core.dtype import all_types, from_numpy
from sporax._src.core.scope import Scope
from sporax._src.core.tensor import wrap

GOLDEN = json.loads((ROOT / "tests" / "goldens" / "promotion.json").read_text())
DTYPES = {t.np_dtype.name: t.np_dtype for t in all_types}
BINARY = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "matmul": operator.matmul,
}
FUNCTIONS = {
    "maximum": ms.ops.maximum,
    "minimum": ms.ops.minimum,
    "atan2": ms.ops.atan2,
    "where": lambda x, y: ms.ops.where(ms.Tensor([True, False]), x, y),
    "logical_and": ms.ops.logical_and,
    "squared_difference": lambda x, y: ms.ops.SquaredDifference()(x, y),
    "cat": lambda x, y: ms.ops.cat((x, y)),
    "stack": lambda x, y: ms.ops.stack((x, y)),
    "mint.add": ms.ops.add,
    "mint.div": ms.ops.div,
}
SPECIAL_UNARY = {
    "neg": operator.neg,
    "abs": operator.abs,
    "invert": operator.invert,
    "ops.cumsum": lambda x: ms.ops.cumsum(x, 0),
    "ops.ReduceSum": lambda x: ms.ops.ReduceSum()(x),
    "ops.ReduceMean": lambda x: ms.ops.ReduceMean()(x),
}
SCALARS: dict[str, Any] = {
    "bool": True,
    "int": 3,
    "float": 2.5,
    "complex": 1 + 2j,
    "int(300)": 300,
    "int(-1)": -1,
    "np.int32": np.int32(2),
    "np.int64": np.int64(2),
    "np.float32": np.float32(2),
    "np.float64": np.float64(2),
    "list": [1, 2],
    "ndarray.float64": np.ones(2),
    "None": None,
}
ALIKE = {"np.int32": "int", "np.int64": "int", "np.float32": "float", "np.float64": "float", "list": "int"}
NO_KERNEL = re.compile(
    "Select CPU operator|Unsupported op|does not support this kernel|KernelMod Init Failed|unsupported reduce|"
    "must be a type of|the input type <dtype> is invalid|must be in {Bool|has no attribute|input dtype must be|"
    "promote output type|the type of 'x2' should be same"
)
RAISES = (TypeError, ValueError, RuntimeError, AttributeError)
SHAPES = {"1d,1d": ((2,), (2,)), "0d,1d": ((), (2,)), "1d,0d": ((2,), ()), "0d,0d": ((), ())}

# A floor of complex numbers does not exist (MindSpore's floor division gives something); uint8.any() of MindSpore is
# uint8; its std and var of uint16 stumble over a conversion of their own.
DEVIATIONS = {
    ("floordiv", "complex64"), ("floordiv", "complex128"), ("x.any", "uint8"), ("x.std", "uint16"), ("x.var", "uint16"),
}  # fmt: skip


def traced(fn: Callable[..., Any], *operands: Any) -> Any:
    """Return the dtype name (or the Python value's type) that `fn` gives for abstract arrays and plain values."""
    plain: list[Any] = []

    def run(*arrays: Any) -> Any:
        rest = iter(arrays)
        with Scope():
            out = fn(*[wrap(next(rest)) if isinstance(x, jax.ShapeDtypeStruct) else x for x in operands])
        out = out[0] if isinstance(out, tuple) else out
        if isinstance(out, ms.Tensor):
            return out._data
        plain.append(out)
        return 0

    got = jax.eval_shape(run, *[x for x in operands if isinstance(x, jax.ShapeDtypeStruct)])
    return f"python {type(plain[0]).__name__}" if plain else from_numpy(got.dtype).np_dtype.name


def abstract(dtype: str, shape: tuple[int, ...] = (2,)) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, DTYPES[dtype])


def judge(want: str, call: Callable[[], str], lenient: bool = False) -> str | None:
    """Return what is wrong with the outcome of a call, or None (`lenient`: MindSpore's error may be a result here)."""
    try:
        got = call()
    except RAISES as error:
        got = f"!{type(error).__name__}"
    if want == "python ndarray" and got == "!TypeError":
        return None  # NumPy 2 refuses bit operators of int32 and uint64; the record was made with NumPy 1
    if not want.startswith("!"):
        return None if got == want else f"{got}, expected {want}"
    text = GOLDEN["errors"][int(want[1:])]
    if NO_KERNEL.search(text) or lenient or got.startswith("!"):
        return None
    return f"{got}, expected {text}"


def failures(
    table: dict[str, str], name: str, call: Callable[[str, str], str], lenient: Callable[[str, str], bool]
) -> dict[str, str]:
    found = {}
    for key, want in table.items():
        left, right = key.split(",")
        if {(name, left), (name, right)} & DEVIATIONS:
            continue
        wrong = judge(want, lambda: call(left, right), lenient(left, right))  # noqa: B023
        if wrong:
            found[key] = wrong
    return found


@pytest.mark.parametrize("name", BINARY)
def test_two_tensors(name: str) -> None:
    found = failures(
        GOLDEN["tensor_tensor"][name],
        name,
        lambda a, b: traced(BINARY[name], abstract(a), abstract(b)),
        lambda a, b: False,
    )
    assert found == {}


@pytest.mark.parametrize("name", GOLDEN["where_0d_differs"])
def test_no_axes_make_no_difference(name: str) -> None:
    operation, shapes = name.split(" ")
    left, right = SHAPES[shapes]
    table = GOLDEN["tensor_tensor"][operation] | GOLDEN["where_0d_differs"][name]
    found = failures(
        table,
        operation,
        lambda a, b: traced(BINARY[operation], abstract(a, left), abstract(b, right)),
        lambda a, b: False,
    )
    assert found == {}


def by_kind(table: dict[str, str], operation: str, place: int) -> dict[str, str]:
    """Return what ours must give with scalars: NumPy scalars and lists as Python numbers, comparisons that compare."""
    expected = {}
    for key, want in table.items():
        parts = key.split(",")
        kind = parts[place]
        identity = operation in ("eq", "ne") and want == "python bool"
        if kind in ALIKE and want != "python ndarray" and not (identity and kind == "list"):
            parts[place] = ALIKE[kind]
            want = table[",".join(parts)]
        elif identity and kind in ("complex", "ndarray.float64"):
            want = table[",".join("float" if i == place else p for i, p in enumerate(parts))]
        expected[key] = want
    return expected


def takes_more(kind: str) -> bool:
    return kind in ("complex", "ndarray.float64") or kind in ALIKE


@pytest.mark.parametrize("name", BINARY)
def test_tensor_and_scalar(name: str) -> None:
    table = by_kind(GOLDEN["tensor_scalar"][name], name, 1)
    found = failures(
        table, name, lambda a, b: traced(BINARY[name], abstract(a), SCALARS[b]), lambda a, b: takes_more(b)
    )
    assert found == {}


@pytest.mark.parametrize("name", BINARY)
def test_scalar_and_tensor(name: str) -> None:
    graph = GOLDEN["where_graph_differs"].get(f"{name} scalar_tensor", {})
    table = by_kind(GOLDEN["scalar_tensor"][name] | graph, name, 0)

    def call(a: str, b: str) -> str:
        if isinstance(SCALARS[a], (np.generic, np.ndarray)):  # NumPy computes, on the host
            return f"python {type(BINARY[name](SCALARS[a], ms.Tensor(np.full(2, 2).astype(DTYPES[b])))).__name__}"
        return traced(BINARY[name], SCALARS[a], abstract(b))

    assert failures(table, name, call, lambda a, b: takes_more(a)) == {}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_two(name: str) -> None:
    found = failures(
        GOLDEN["functions"][name],
        name,
        lambda a, b: traced(FUNCTIONS[name], abstract(a), abstract(b)),
        lambda a, b: False,
    )
    assert found == {}


def unary(name: str) -> Callable[[Any], Any]:
    if name in SPECIAL_UNARY:
        return SPECIAL_UNARY[name]
    kind, function = name.split(".")
    return operator.methodcaller(function) if kind == "x" else getattr(ms.ops, function)


@pytest.mark.parametrize("name", GOLDEN["unary"])
def test_functions_of_one(name: str) -> None:
    table = {k: v for k, v in GOLDEN["unary"][name].items() if (name, k) not in DEVIATIONS}
    found = {dtype: judge(want, lambda: traced(unary(name), abstract(dtype))) for dtype, want in table.items()}  # noqa: B023
    assert {k: v for k, v in found.items() if v} == {}


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "float16", "float32"])
def test_scalars_promote_alike_in_pynative_mode(dtype: str) -> None:
    """Tables are checked in a trace, with scalars as Python numbers; compiled operators see weakly typed arrays."""
    x = ms.Tensor(np.full(2, 2).astype(DTYPES[dtype]))
    for kind in ("bool", "int", "float", "int(300)", "int(-1)"):
        assert (x * SCALARS[kind]).dtype.np_dtype.name == GOLDEN["tensor_scalar"]["mul"][f"{dtype},{kind}"], kind
        assert (SCALARS[kind] * x).dtype.np_dtype.name == GOLDEN["scalar_tensor"]["mul"][f"{kind},{dtype}"], kind

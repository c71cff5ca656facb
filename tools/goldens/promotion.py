"""Result dtypes of operators over all pairs of dtypes, with Python scalars, and in graph mode."""

import operator
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np

from . import graph_functions
from .common import DTYPES, attempt, dtype_name, set_mode, write_json

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
    "maximum": lambda x, y: ms.ops.maximum(x, y),
    "minimum": lambda x, y: ms.ops.minimum(x, y),
    "atan2": lambda x, y: ms.ops.atan2(x, y),
    "where": lambda x, y: ms.ops.where(ms.Tensor([True, False]), x, y),
    "logical_and": lambda x, y: ms.ops.logical_and(x, y),
    "squared_difference": lambda x, y: ms.ops.SquaredDifference()(x, y),
    "cat": lambda x, y: ms.ops.cat((x, y)),
    "stack": lambda x, y: ms.ops.stack((x, y)),
    "mint.add": lambda x, y: ms.mint.add(x, y),
    "mint.div": lambda x, y: ms.mint.div(x, y),
}
UNARY = {
    "neg": operator.neg,
    "abs": operator.abs,
    "invert": operator.invert,
    **{
        f"x.{name}": operator.methodcaller(name)
        for name in (
            "sum mean prod max min cumsum std var all any sqrt exp log sin tanh floor round sign square "
            "relu sigmoid argmax norm rsqrt reciprocal isnan isfinite"
        ).split()
    },
    "ops.softmax": lambda x: ms.ops.softmax(x),
    "ops.gelu": lambda x: ms.ops.gelu(x),
    "ops.cumsum": lambda x: ms.ops.cumsum(x, 0),
    "ops.ReduceSum": lambda x: ms.ops.ReduceSum()(x),
    "ops.ReduceMean": lambda x: ms.ops.ReduceMean()(x),
    "ops.exp": lambda x: ms.ops.exp(x),
    "ops.log": lambda x: ms.ops.log(x),
    "ops.ones_like": lambda x: ms.ops.ones_like(x),
}
SCALARS = {
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
SHAPES = {"1d,1d": ((2,), (2,)), "0d,1d": ((), (2,)), "1d,0d": ((2,), ()), "0d,0d": ((), ())}

Table = dict[str, str]


def tensor(dtype: str, shape: tuple[int, ...] = (2,)) -> ms.Tensor:
    """Return a tensor of twos (of True for bool)."""
    return ms.Tensor(np.full(shape, 2), DTYPES[dtype])


def shortened(error: str) -> str:
    """Return an error's text without the dtypes at hand, which the table's key tells."""
    if "{" in error:
        return error.split(", but got")[0]
    return re.sub(r"(Tensor\[)?\b(Bool|U?Int\d+|B?Float\d+|Complex\d+)\b\]?", "<dtype>", error)


class Errors:
    """Error texts, stored once each; a table refers to number n as ``!n``."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def outcome(self, thunk: Callable[[], Any]) -> str:
        """Return the dtype that a call gives, or a reference to its error."""
        value, error = attempt(thunk)
        if error is None:
            return dtype_name(value) if isinstance(value, ms.Tensor) else f"python {type(value).__name__}"
        error = shortened(error)
        if error not in self.texts:
            self.texts.append(error)
        return f"!{self.texts.index(error)}"


def pairs() -> Iterator[tuple[str, str]]:
    """Yield every ordered pair of dtype names."""
    for left in DTYPES:
        for right in DTYPES:
            yield left, right


def tensor_pairs(function: Callable, errors: Errors, shapes: str = "1d,1d") -> Table:
    """Return the outcome of a binary function for all pairs of dtypes."""
    left_shape, right_shape = SHAPES[shapes]
    return {
        f"{left},{right}": errors.outcome(lambda: function(tensor(left, left_shape), tensor(right, right_shape)))  # noqa: B023
        for left, right in pairs()
    }


def with_scalars(function: Callable, errors: Errors, *, scalar_first: bool, shape: tuple[int, ...] = (2,)) -> Table:
    """Return the outcome of a binary function of a tensor and a Python scalar."""
    table = {}
    for dtype in DTYPES:
        for kind, scalar in SCALARS.items():
            pair = (scalar, tensor(dtype, shape)) if scalar_first else (tensor(dtype, shape), scalar)
            key = f"{kind},{dtype}" if scalar_first else f"{dtype},{kind}"
            table[key] = errors.outcome(lambda: function(*pair))  # noqa: B023
    return table


def differences(table: Table, reference: Table) -> Table:
    """Return the entries of a table that are not those of the reference."""
    return {key: value for key, value in table.items() if reference[key] != value}


def by_shape(errors: Errors, reference: dict[str, Table]) -> dict[str, Table]:
    """Return what differs from the 1-d result when an operand is 0-d."""
    result = {}
    for shapes in ("0d,1d", "1d,0d", "0d,0d"):
        for name in ("add", "truediv", "pow", "mod", "lt", "and"):
            table = tensor_pairs(BINARY[name], errors, shapes)
            result[f"{name} {shapes}"] = differences(table, reference[name])
    return result


def in_graph(errors: Errors, pynative: dict[str, dict[str, Table]]) -> dict[str, Table]:
    """Return the outcomes that graph mode gives and PyNative does not; error texts are not compared."""
    result = {}
    for name in graph_functions.NAMES:
        tables = {
            "tensor_tensor": tensor_pairs(graph_functions.Binary(name), errors),
            "tensor_scalar": graph_scalars(name, errors, scalar_first=False),
            "scalar_tensor": graph_scalars(name, errors, scalar_first=True),
        }
        for kind, table in tables.items():
            old = pynative[kind][name]
            result[f"{name} {kind}"] = {
                key: value
                for key, value in differences(table, old).items()
                if not value.startswith("!") or not old[key].startswith("!")
            }
    return result


def graph_scalars(name: str, errors: Errors, *, scalar_first: bool) -> Table:
    """Return the outcome in graph mode of an operator of a tensor and a constant."""
    table = {}
    for kind in ("bool", "int", "float", "int(300)", "int(-1)"):
        cell = graph_functions.Binary(name, SCALARS[kind], scalar_first=scalar_first)
        for dtype in DTYPES:
            key = f"{kind},{dtype}" if scalar_first else f"{dtype},{kind}"
            table[key] = errors.outcome(lambda: cell(tensor(dtype)))  # noqa: B023
    return table


def record(out: Path) -> None:
    """Write ``promotion.json``."""
    set_mode("pynative")
    errors = Errors()
    data: dict[str, Any] = {
        "tensor_tensor": {name: tensor_pairs(f, errors) for name, f in BINARY.items()},
        "tensor_scalar": {name: with_scalars(f, errors, scalar_first=False) for name, f in BINARY.items()},
        "scalar_tensor": {name: with_scalars(f, errors, scalar_first=True) for name, f in BINARY.items()},
        "functions": {name: tensor_pairs(f, errors) for name, f in FUNCTIONS.items()},
        "unary": {
            name: {dtype: errors.outcome(lambda: f(tensor(dtype))) for dtype in DTYPES}  # noqa: B023
            for name, f in UNARY.items()
        },
    }
    data["where_0d_differs"] = by_shape(errors, data["tensor_tensor"])
    data["errors"] = errors.texts
    write_json(out / "promotion.json", data)
    data["where_graph_differs"] = in_graph(errors, data)
    data["errors"] = errors.texts
    write_json(out / "promotion.json", data)

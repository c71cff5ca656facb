"""The laws of a module's rows, as a test: `test_row = laws_of("sporax._src.ops.math.reduction")`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest
import table_goldens

import sporax as ms  # (fills the table)
from laws.arrays import construction, taken
from laws.operators import check_op
from laws.samples import parse, to_tensors
from sporax import ops
from sporax._src.bindings.primitive import PRIMITIVES
from sporax._src.engine.table import TABLE, Op

ROWS = {row.name: row for row in TABLE.values()}


def module_of(row: Op) -> str:
    """Return the name of the module that defines a row."""
    return inspect.unwrap(row.fn or row.public).__globals__["__name__"]


def laws_of(module: str) -> Callable[[str], None]:
    """Return the test of a module's rows: one case a row."""
    names = sorted(name for name, row in ROWS.items() if module_of(row) == module)
    assert names, f"{module} defines no row"

    @pytest.mark.filterwarnings("ignore")
    @pytest.mark.parametrize("name", names)
    def test_row(name: str) -> None:
        check_row(ROWS[name])

    return test_row


def check_row(row: Op) -> None:
    """Value, both modes, gradient, dtypes, empty operands, errors; and MindSpore's answers where it has the row."""
    found = check_op(row)
    first, *others = table_goldens.names_of(row.name) or [""]
    for case, (value, gradient, outlines) in found.items() if first else ():
        table_goldens.check_value(row.name, first, case, value)
        if not (row.grad and row.jit) and table_goldens.has_gradient(row.name, case):
            gradient = table_goldens.gradients(row.public, *parse(case))
        table_goldens.check_gradient(row.name, case, gradient)
        table_goldens.check_outlines(row.name, case, outlines)
        for other in others:
            args, kwargs = parse(case)
            ms.set_seed(1)
            if "error" not in table_goldens.entry(other, case, row.name):
                table_goldens.check_value(
                    row.name, other, case, callable_of(row, other)(*to_tensors(args), **to_tensors(kwargs))
                )


def callable_of(row: Op, name: str) -> Callable[..., Any]:
    """Return the function that a row has under a name: of `ops`, of Tensor, or of a Primitive class."""
    kind, _, own = name.partition(".")
    if kind == "ops":
        return getattr(ops, own)
    if kind == "Tensor":
        return lambda x, *args, **kwargs: getattr(x, own)(*args, **kwargs)
    params = list(inspect.signature(row.public).parameters)
    cls = PRIMITIVES[own]

    def built(*args: Any, **kwargs: Any) -> Any:
        given, called = construction(params, taken(cls, params), args, kwargs)
        return cls(**given)(*called)

    return built

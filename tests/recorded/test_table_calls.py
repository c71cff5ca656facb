"""The calls that MindSpore recorded: those of `mint` and `numpy`, and the tables of differences from them."""

import operator
import runpy
from typing import Any

import pytest
import table_differences as differences
import table_goldens
from house import ROOT
from laws.arrays import arguments
from laws.samples import to_tensors
from mint_calls import FUNCTIONAL, FUNCTIONS, calls
from numpy_calls import CALLS

import sporax as ms
from sporax import mint
from sporax import numpy as mnp
from sporax._src.engine.table import TABLE

SPACES: dict[str, Any] = {"mint": mint, "mint.nn.functional": mint.nn.functional, "numpy": mnp}


TABLES = {"mint": FUNCTIONS, "mint.nn.functional": FUNCTIONAL, "numpy": CALLS}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("space", SPACES)
def test_namespace(space: str) -> None:
    """A call that MindSpore makes gives its values, dtypes and shapes, and its gradients."""
    compared = 0
    for call in calls(TABLES[space]):
        name, case = call[:-1].split("(", 1)
        key = f"{space}.{name}"
        if "error" in table_goldens.entry(key, case):
            continue
        args, kwargs = arguments(case, ms=ms, numpy=mnp)
        fn = operator.attrgetter(name)(SPACES[space])
        compared += table_goldens.check_value(key, key, case, fn(*to_tensors(args), **to_tensors(kwargs)))
        if table_goldens.has_gradient(key, case):
            compared += table_goldens.check_gradient(key, case, table_goldens.gradients(fn, args, kwargs))
    assert compared >= 20


def test_the_exported_calls_are_those_of_the_table() -> None:
    """The calls to record are the cases and the names of today's rows."""
    told = (table_goldens.GOLDENS / "table_calls.json").read_text(encoding="utf-8")
    assert told == runpy.run_path(str(ROOT / "tools" / "export_table_calls.py"))["written"](), (
        "run tools/export_table_calls.py, and record the section `table` where MindSpore is at hand"
    )


def test_differences_are_of_rows_and_calls() -> None:
    """Every key of the tables of differences names a row, one of its names, or a call that was recorded."""
    recorded = table_goldens.recorded()
    names = {row.name for row in TABLE.values()} | set(recorded)
    found = {f"{name}({case})" for name in recorded for case in recorded[name]}
    found |= {f"{row.name}({case})" for row in TABLE.values() for case in row.cases}
    for table in (differences.VALUES, differences.GRADIENTS, differences.DTYPES, differences.EMPTY):
        assert set(table) - names - found == set()
    assert differences.DRAWS <= names

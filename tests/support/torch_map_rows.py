"""The examples of the torch map, run under torch and converted, and those whose rows use the helpers of one module."""

from __future__ import annotations

import ast
import types
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from by_module import cases_of, without_a_file
from converted_programs import execute
from torch_results import assert_same, value

import sporax as ms
from sporax._src.migrate.source.convert import convert
from sporax._src.migrate.source.helper_modules import homes, replacements
from sporax._src.migrate.torch_map.expressions import dotted
from sporax._src.migrate.torch_map.rows import SAMPLES, Row, table

NO_HELPER = "sporax._src.migrate.torch_map.rows"  # the module of rows that use no helper
ROOTS = ("mint", "nn", "ops", "dataset", "mindspore", "np", "math")
# What these answer depends on how torch was built; here nothing was built for CUDA.
OF_THE_BUILD = frozenset(
    ("torch.distributed.is_nccl_available", "torch.cuda.get_arch_list", "torch.backends.cuda.is_built",
     "torch.backends.cudnn.is_available", "torch.backends.cudnn.version", "torch.accelerator.current_accelerator")
)  # fmt: skip


def found(path: str) -> Any:
    """Return what a dotted name of MindSpore stands for here."""
    value = {"mindspore": ms, "np": np, "math": __import__("math")}.get(path.split(".")[0], ms)
    for name in path.split(".")[0 if value is ms and not path.startswith("mindspore") else 1 :]:
        value = getattr(value, name)
    return value


def names_of_mindspore(expression: ast.expr) -> Iterator[str]:
    """Give the longest dotted names in an expression that begin with one of `ROOTS`."""
    inner = {id(n.value) for n in ast.walk(expression) if isinstance(n, ast.Attribute)}
    for node in ast.walk(expression):
        path = dotted(node) if isinstance(node, (ast.Name, ast.Attribute)) and id(node) not in inner else ""
        if path.split(".")[0] in ROOTS:
            yield path


def helpers_of(row: Row) -> list[str]:
    """Return the helpers that a row's right side names, the inner ones last."""
    return [n.id for n in ast.walk(row.expression("mint")) if isinstance(n, ast.Name) and n.id in homes()]


def replacements_of(row: Row) -> list[str]:
    """Return the helpers that replace names of `mint` in the right side that is written for the target "classic"."""
    return [REPLACED[path] for path in names_of_mindspore(row.expression("classic")) if path in REPLACED]


def module_of(helpers: list[str]) -> str:
    """Return the module of the last of some helpers."""
    return f"sporax._src.migrate.helpers.{homes()[helpers[-1]]}" if helpers else NO_HELPER


REPLACED = replacements("classic")
ROWS = list({id(row): row for rows in table().values() for row in rows}.values())
_EXAMPLES = [(row, example) for row in ROWS for example in row.examples]
_NO_CPU = [(row, example) for row, example in _EXAMPLES if replacements_of(row)]
_MODULES = {(row.name, example): module_of(helpers_of(row)) for row, example in _EXAMPLES}
_CLASSIC_MODULES = {(row.name, example): module_of(replacements_of(row)) for row, example in _NO_CPU}


def _parametrized(examples: list[tuple[Row, str]]) -> pytest.MarkDecorator:
    names = [f"{row.name}-{i}" for i, (row, _) in enumerate(examples)]
    return pytest.mark.parametrize(("name", "example"), [(row.name, example) for row, example in examples], ids=names)


@_parametrized(_EXAMPLES)
def test_example(name: str, example: str) -> None:
    """The example of a row computes what torch does."""
    if torch.version.cuda and name in OF_THE_BUILD:
        pytest.skip("this torch is built for GPUs, and says so")
    check(name, example, "mint")


@_parametrized(_NO_CPU)
def test_example_for_a_cpu(name: str, example: str) -> None:
    """So does that of a row whose right side for the target "classic" has names that helpers replace."""
    if "max_norm" in example:
        pytest.skip("the target classic has no max_norm, and says so when it runs")
    check(name, example, "classic")


def check(name: str, example: str, target: str) -> None:
    """Run an example under torch and converted, and compare the results."""
    *before, last = example.split("; ")
    program = SAMPLES + "".join(f"{line}\n" for line in before) + f"RESULT = {last}\n"
    converted = convert(program, name, target=target)
    assert not converted.todo, converted.todo
    theirs: dict[str, Any] = {}
    ours = types.ModuleType("converted")
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what torch deprecates is converted all the same
        exec(compile(program, name, "exec"), theirs)
    with np.printoptions():  # an example may set them
        execute(converted, vars(ours))
    try:
        assert_same(value(ours.RESULT), value(theirs["RESULT"]))
    except AssertionError as error:
        raise AssertionError(f"{example}\n{converted.text.splitlines()[-1]}\n{error}") from None


TABLES = [
    (test_example, lambda name, example: _MODULES[name, example]),
    (test_example_for_a_cpu, lambda name, example: _CLASSIC_MODULES[name, example]),
]


def rows_of(*modules: str) -> type:
    """Return the tests of the rows that use helpers of these modules, a method for each target."""
    return cases_of(modules, TABLES)


def modules_without_a_file() -> set[str]:
    """Return the modules of helpers whose rows no file runs."""
    return without_a_file(TABLES, "rows_of") - {NO_HELPER}

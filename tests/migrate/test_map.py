"""Every row of the map: its right side names what exists and takes what it is given, and its examples compute what torch does."""

import ast
import inspect
import types
import warnings

import numpy as np
import pytest
import torch
from converted_programs import execute
from torch_results import assert_same, value

import sporax as ms
from sporax._src.migrate.source.convert import convert
from sporax._src.migrate.source.helper_modules import homes, replacements
from sporax._src.migrate.torch_map.expressions import dotted
from sporax._src.migrate.torch_map.rows import SAMPLES, table

ROWS = {id(row): row for rows in table().values() for row in rows}.values()
EXAMPLES = [(row.name, example) for row in ROWS for example in row.examples]
# What these answer depends on how torch was built; here nothing was built for CUDA.
OF_THE_BUILD = frozenset(
    ("torch.distributed.is_nccl_available", "torch.cuda.get_arch_list", "torch.backends.cuda.is_built",
     "torch.backends.cudnn.is_available", "torch.backends.cudnn.version", "torch.accelerator.current_accelerator")
)  # fmt: skip
ROOTS = ("mint", "nn", "ops", "dataset", "mindspore", "np", "math")


def found(path):
    """Return what a dotted name of MindSpore stands for here."""
    value = {"mindspore": ms, "np": np, "math": __import__("math")}.get(path.split(".")[0], ms)
    for name in path.split(".")[0 if value is ms and not path.startswith("mindspore") else 1 :]:
        value = getattr(value, name)
    return value


def names_of_mindspore(expression):
    """Give the longest dotted names in an expression that begin with one of `ROOTS`."""
    inner = {id(n.value) for n in ast.walk(expression) if isinstance(n, ast.Attribute)}
    for node in ast.walk(expression):
        path = dotted(node) if isinstance(node, (ast.Name, ast.Attribute)) and id(node) not in inner else ""
        if path.split(".")[0] in ROOTS:
            yield path


@pytest.mark.parametrize("target", ["mint", "classic"])
def test_right_sides_name_what_exists(target):
    missing = []
    for row in ROWS:
        for path in names_of_mindspore(row.expression(target)) if row.target else ():
            try:
                found(path)
            except AttributeError:
                missing.append(f"{row.name}: {path}")
        helpers = {n.id for n in ast.walk(row.expression(target)) if isinstance(n, ast.Name)} if row.target else set()
        helpers -= {p.name for p in row.parameters or ()}
        missing += [f"{row.name}: {name}" for name in helpers if name.startswith("_") and name not in homes()]
    assert not missing


@pytest.mark.parametrize("target", ["mint", "classic"])
def test_right_sides_are_calls_that_bind(target):
    wrong = []
    for row in ROWS:
        expression = row.expression(target) if row.target else None
        path = dotted(expression.func) if isinstance(expression, ast.Call) else ""
        if path.split(".")[0] not in ROOTS or any(isinstance(a, ast.Starred) for a in expression.args):
            continue
        try:
            signature = inspect.signature(found(path))
            signature.bind(*expression.args, **{k.arg: k.value for k in expression.keywords if k.arg})
        except TypeError as error:
            wrong.append(f"{row.name}: {ast.unparse(expression)}: {error}")
        except ValueError:  # no signature
            continue
    assert not wrong


def test_arguments_that_keep_their_names_have_them():
    """A call of mint that gives an argument by name keeps torch's: the right side names it where MindSpore's is another."""
    wrong = []
    for row in ROWS:
        expression = row.expression("mint") if row.target else None
        path = dotted(expression.func) if isinstance(expression, ast.Call) else ""
        if not path.startswith("mint.") or any(isinstance(a, ast.Starred) for a in expression.args):
            continue
        named = {p.name for p in row.parameters or () if p.form == "any"}
        given = [a.id if isinstance(a, ast.Name) else "" for a in expression.args]
        taken = list(inspect.signature(found(path)).parameters.values())
        if "self" in given or any(p.kind is p.VAR_POSITIONAL for p in taken):
            continue
        pairs = zip(given, taken, strict=False)
        wrong += [f"{row.name}: {a} is {p.name} of {path}" for a, p in pairs if a in named and a != p.name]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=[f"{name}-{i}" for i, (name, _) in enumerate(EXAMPLES)])
def test_example(name, example):
    if torch.version.cuda and name in OF_THE_BUILD:
        pytest.skip("this torch is built for GPUs, and says so")
    check(name, example, "mint")


REPLACED = replacements("classic")
NO_CPU = [  # examples of rows whose right side is written by hand for the target "classic"
    (row.name, example)
    for row in ROWS
    for example in row.examples
    if row.target and set(names_of_mindspore(row.expression("classic"))) & REPLACED.keys()
]


@pytest.mark.parametrize(("name", "example"), NO_CPU, ids=[f"{name}-{i}" for i, (name, _) in enumerate(NO_CPU)])
def test_example_for_a_cpu(name, example):
    if "max_norm" in example:
        pytest.skip("the target classic has no max_norm, and says so when it runs")
    check(name, example, "classic")


@pytest.mark.parametrize("path", REPLACED)
def test_what_is_replaced_exists(path):
    assert callable(found(path))


def check(name, example, target):
    """Run an example under torch and converted."""
    *before, last = example.split("; ")
    program = SAMPLES + "".join(f"{line}\n" for line in before) + f"RESULT = {last}\n"
    converted = convert(program, name, target=target)
    assert not converted.todo, converted.todo
    theirs, ours = {}, types.ModuleType("converted")
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what torch deprecates is converted all the same
        exec(compile(program, name, "exec"), theirs)
    execute(converted, vars(ours))
    try:
        assert_same(value(ours.RESULT), value(theirs["RESULT"]))
    except AssertionError as error:
        raise AssertionError(f"{example}\n{converted.text.splitlines()[-1]}\n{error}") from None

"""Every row of the map: its right side names what exists and takes what it is given, and its examples compute what torch does.

The examples of a row that uses a helper are run by the file of the helper's module, in `helpers`.
"""

import ast
import inspect

import pytest
from torch_map_rows import NO_HELPER, REPLACED, ROOTS, ROWS, found, modules_without_a_file, names_of_mindspore, rows_of

from sporax._src.migrate.source.helper_modules import homes
from sporax._src.migrate.torch_map.expressions import dotted

TestRowsWithoutAHelper = rows_of(NO_HELPER)


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


@pytest.mark.parametrize("path", REPLACED)
def test_what_is_replaced_exists(path):
    assert callable(found(path))


def test_every_row_is_run_by_the_file_of_its_helper():
    assert modules_without_a_file() == set()

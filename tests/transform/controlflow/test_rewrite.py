"""A function's source is rewritten so that its control flow calls operators."""

import functools
import inspect
import math

import pytest

import sporax as ms
from sporax import Tensor
from sporax._src.transform.controlflow import rewrite


def sign(x):
    if x > 0:
        return 1
    return -1


class Scaled:
    def __init__(self, factor: int) -> None:
        self.factor = factor

    def times(self, x):
        return x * self.factor if x > 0 else x


def counted(n):
    yield from range(n)


def test_a_rewritten_function_computes_the_same() -> None:
    changed = rewrite.rewritten(sign)
    assert changed is not sign and [changed(3), changed(-3)] == [1, -1]
    assert inspect.signature(changed) == inspect.signature(sign)
    assert rewrite.rewritten(changed) is changed


def test_methods_and_partial_functions() -> None:
    method = Scaled(3).times
    changed = rewrite.rewritten(method)
    assert changed.__self__ is method.__self__ and [changed(2), changed(-2)] == [6, -2]
    partial = rewrite.rewritten(functools.partial(sign, x=-1))
    assert isinstance(partial, functools.partial) and partial() == -1


@pytest.mark.parametrize("fn", [math.sin, counted, ms.ops.relu, 3, Scaled])
def test_what_stays_as_it_is(fn: object) -> None:
    assert rewrite.rewritten(fn) is fn


def test_a_function_without_source_stays() -> None:
    scope: dict[str, object] = {"__name__": "program"}
    exec("def f(x):\n    return x if x else 1", scope)
    assert rewrite.rewritten(scope["f"]) is scope["f"]


def test_modules_of_the_program() -> None:
    assert rewrite.is_of_program("train") and rewrite.is_of_program("sporaxes.data")
    assert not rewrite.is_of_program("sporax.nn") and not rewrite.is_of_program("numpy.linalg")


def test_lines_of_rewritten_code_are_those_of_the_program() -> None:
    changed = rewrite.rewritten(sign)
    code = changed.__code__
    lines = {rewrite.origin(code.co_filename, line) for *_, line in code.co_lines() if line}
    first = sign.__code__.co_firstlineno
    assert {line for file, line in lines if file == __file__} & set(range(first, first + 4))
    assert rewrite.origin("other.py", 3) == ("other.py", 3)


def test_loops_and_conditions_of_a_graph() -> None:
    @functools.partial(ms.jit, fullgraph=True)
    def halved(x: Tensor) -> tuple[Tensor, int]:
        count = 0
        while x > 1:
            if count == 3:
                break
            x = x / 2
            count += 1
        return x, count

    assert [float(v) for v in halved(Tensor(3.0))] == [0.75, 2]
    assert [float(v) for v in halved(Tensor(64.0))] == [8.0, 3]

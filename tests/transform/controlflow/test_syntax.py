"""Variables of enclosing functions and global ones, assigned where a graph branches and loops: they end as in Python."""

# ruff: noqa: F821 (names without values are among what is tested)

from __future__ import annotations

import warnings

import pytest

import sporax as ms
from sporax import Parameter, Tensor, ops
from sporax._src.base.errors import CompileFallback

total = 0


def add_to_total():
    global total
    total += 1


def counts_iterations(x):
    n = 0

    def count():
        nonlocal n
        n += 1

    while x > 0:
        count()
        x = x - 1
    return n


def counts_in_a_branch(x):
    n = 0

    def count():
        nonlocal n
        n += 1
        return n

    y = count() if x > 0 else count() + count()
    return n, y


def sums_tensors(x):
    total = x * 0

    def add():
        nonlocal total
        total = total + x

    for i in range(3):
        if x > i:
            add()
    return total


def within_a_function_within(x):
    n = 0

    def outer():
        def inner():
            nonlocal n
            n += 1

        inner()

    while x > 0:
        outer()
        n = n * 2
        x = x - 1
    return n


def a_global(x):
    global total
    total = 0
    while x > 0:
        add_to_total()
        x = x - 1
    return total


def binds_what_has_no_value(x):
    def bind():
        nonlocal n
        n = 5

    if x > 0:
        bind()
    return n
    n = 0


def deletes(x):
    n = 1

    def delete():
        nonlocal n
        del n

    if x > 0:
        delete()
    return n


def of_objects(x):
    n = 0

    class Counter:
        def __call__(self):
            nonlocal n
            n += 1

        def ten(self):
            nonlocal n
            n += 10

    count = Counter()
    if x > 1:
        count.ten()
    while x > 0:
        count()
        x = x - 1
    return n


def given_to_map(x):
    n = 0

    def double(v):
        nonlocal n
        n += 1
        return v * 2

    doubled = list(map(double, [x, x])) if x > 0 else [x, x]
    return doubled, n


# --- conditions of loops that change something --------------------------------------------------------------------------


def a_condition_counts(x):
    n = 0

    def goes_on():
        nonlocal n
        n += 1
        return n < x

    while goes_on():
        x = x - 1
    return n, x


def a_condition_fills_a_list(x):
    seen = [0]

    def goes_on():
        seen[0] += 1
        return seen[0] < x

    while goes_on():
        x = x - 1
    return seen, x


def a_condition_writes_a_tensor(x):
    n = x * 0

    def goes_on():
        n.add_(1.0)
        return n < x

    while goes_on():
        x = x - 1
        if x < 2.5:
            break
    return n, x


def a_condition_assigns_a_parameter(x):
    ops.assign(COUNT, Tensor(0.0))

    def goes_on():
        ops.assign_add(COUNT, Tensor(1.0))
        return COUNT < x

    while goes_on():
        x = x - 1
    return COUNT + 0, x


COUNT = Parameter(Tensor(0.0), name="count")
COMPILED = [
    counts_iterations, counts_in_a_branch, sums_tensors, within_a_function_within, a_global, binds_what_has_no_value, deletes,
    of_objects, given_to_map, a_condition_counts, a_condition_fills_a_list, a_condition_writes_a_tensor,
    a_condition_assigns_a_parameter,
]  # fmt: skip


def outcome(program: Any, x: float) -> str:
    try:
        return repr(program(Tensor(x)))
    except NameError as error:
        return repr(error)


@pytest.mark.parametrize("program", COMPILED, ids=lambda p: p.__name__)
def test_the_outcome_is_that_of_python(program) -> None:
    compiled = ms.jit(program)
    with warnings.catch_warnings():
        warnings.simplefilter("error", CompileFallback)
        found = {x: outcome(compiled, x) for x in (5.0, 2.0, -1.0)}
    assert found == {x: outcome(program, x) for x in found}


def test_each_condition_of_a_loop_draws_anew() -> None:
    @ms.jit
    def run(x):
        n = x * 0
        while ops.rand(1)[0] * x > 0.2:
            n += 1
        return n

    ms.set_seed(3)
    assert len({int(run(Tensor(1.0))) for _ in range(8)}) > 2


def test_a_name_that_a_condition_binds() -> None:
    def run(x):
        n = 0
        while (n := n + 1) < x:
            x = x - 1
        return n, x

    with pytest.warns(CompileFallback):
        assert repr(ms.jit(run)(Tensor(6.0))) == repr(run(Tensor(6.0)))


def test_numbers_around_a_function_that_change_at_each_call() -> None:
    n = 0

    @ms.jit
    def run(x):
        nonlocal n
        n += 1
        return x * n

    with pytest.warns(CompileFallback, match="a variable of an enclosing function changes from 0 to 1 at each call"):
        assert [int(run(Tensor(2))) for _ in range(3)] == [2, 4, 6]
    assert n == 3


def test_global_numbers_that_change_at_each_call() -> None:
    global total
    total = 0

    @ms.jit
    def run(x):
        add_to_total()
        return x * total

    with pytest.warns(CompileFallback, match="global variable 'total' changes from 0 to 1 at each call"):
        assert [int(run(Tensor(2))) for _ in range(3)] == [2, 4, 6]
    assert total == 3


def test_a_tensor_around_a_function_is_a_state_of_its_graph() -> None:
    seen = Tensor(0.0)

    @ms.jit
    def run(x):
        nonlocal seen
        seen = seen + x
        return seen * 2

    with warnings.catch_warnings():
        warnings.simplefilter("error", CompileFallback)
        assert [float(run(Tensor(1.0))) for _ in range(3)] == [2, 4, 6]
    assert float(seen) == 3

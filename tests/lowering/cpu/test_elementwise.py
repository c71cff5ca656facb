"""Chains of elementwise operations by the kernel in C++: every operation rounds as NumPy's does."""

import shutil

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sporax._src.lowering.cpu import kernels
from sporax._src.lowering.elementwise import OPERATORS, Program, elementwise

pytestmark = [
    pytest.mark.of_cpus("the kernels are for CPUs"),
    pytest.mark.skipif(
        shutil.which("c++") is None and not kernels.ARE_BUILT, reason="the wheel was built without a compiler"
    ),
]
SPECIAL = np.float32([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 3e-39, 1e38, -1e38])
IN_NUMPY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "max": np.maximum, "min": np.minimum,
    "neg": np.negative, "abs": np.abs, "sign": lambda x: np.where(x == 0, x, np.sign(x)), "sqrt": np.sqrt,
    "rsqrt": lambda x: np.float32(1) / np.sqrt(x),
    "gt": np.greater, "ge": np.greater_equal, "lt": np.less, "le": np.less_equal, "eq": np.equal, "ne": np.not_equal,
}  # fmt: skip
UNARY = ("neg", "abs", "sign", "sqrt", "rsqrt")


def pairs() -> tuple[np.ndarray, np.ndarray]:
    a, b = np.meshgrid(SPECIAL, SPECIAL)
    drawn = np.random.default_rng(0).standard_normal((2, 1500)).astype(np.float32)
    return np.concatenate([a.ravel(), drawn[0]]), np.concatenate([b.ravel(), drawn[1]])


def run(program: Program, *arrays: np.ndarray, **options: object) -> list[np.ndarray]:
    fn = jax.jit(lambda *x: elementwise(*x, program=program, reused=(), **options))
    assert "sporax_elementwise" in fn.lower(*arrays).as_text()
    return [np.asarray(x) for x in fn(*arrays)]


@pytest.mark.parametrize("name", IN_NUMPY)
def test_each_operation_has_the_bits_of_numpy(name):
    a, b = pairs()
    normal = (np.abs(a) >= 1e-37) | (a == 0) | np.isnan(a)  # XLA's threads take smaller numbers for 0
    normal &= (np.abs(b) >= 1e-37) | (b == 0) | np.isnan(b)
    a, b = a[normal], b[normal]
    operands, program = ((a,), (0,)) if name in UNARY else ((a, b), (0, 1))
    steps: list[tuple[str, tuple[int, ...]]] = [(name, program)]
    count = len(operands) + 1
    if name in ("gt", "ge", "lt", "le", "eq", "ne"):
        steps.append(("select_n", (count, 0, 1)))
    (got,) = run(Program(len(operands), (0.0,), tuple(steps), (count + len(steps) - 1,)), *operands)
    with np.errstate(all="ignore"):
        expected = IN_NUMPY[name](*operands)
    expected = np.where(expected, b, a) if len(steps) > 1 else expected
    is_number = ~np.isnan(expected) & ~((np.abs(expected) < 1e-37) & (expected != 0))
    np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
    np.testing.assert_array_equal(got[is_number].view(np.int32), expected[is_number].view(np.int32))


def test_the_table_above_has_all_operations():
    assert {*IN_NUMPY, "select_n"} == set(OPERATORS)


@pytest.mark.parametrize("size", [1, 1023, 1024, 1025, 32768, 32769, 100_001])
def test_blocks_and_tasks_leave_no_element_out(size):
    x = np.random.default_rng(0).standard_normal(size).astype(np.float32)
    program = Program(2, (0.5,), (("mul", (0, 1)), ("add", (3, 2)), ("mul", (4, 4))), (4, 5))
    inner, square = run(program, x, np.float32(3))
    expected = x * np.float32(3) + np.float32(0.5)
    np.testing.assert_array_equal(inner, expected)
    np.testing.assert_array_equal(square, expected * expected)


def test_many_groups_of_all_sizes():
    arrays = [np.full(n, n, np.float32) for n in (1, 70000, 3, 1025, 40000, 1)]
    for array, got in zip(arrays, run(Program(1, (1.0,), (("add", (0, 1)),), (2,)), *arrays), strict=True):
        np.testing.assert_array_equal(got, array + 1)


def test_a_result_takes_the_memory_of_an_input_that_later_steps_read():
    """w ← w - m, m ← m + w of the old w."""
    program = Program(2, (0.0,), (("sub", (0, 1)), ("add", (1, 0))), (3, 4))
    step = jax.jit(lambda w, m: elementwise(w, m, program=program, reused=((0, 0), (1, 1))), donate_argnums=(0, 1))
    w, m = np.arange(2000, dtype=np.float32), np.float32(range(2000, 4000))
    new, moved = step(jnp.array(w), jnp.array(m))
    np.testing.assert_array_equal(new, w - m)
    np.testing.assert_array_equal(moved, w + m)


def test_one_value_may_be_several_results():
    x = np.arange(1500, dtype=np.float32)
    results = run(Program(1, (1.0,), (("add", (0, 1)), ("mul", (2, 2))), (2, 3, 2)), x)
    for got, expected in zip(results, (x + 1, (x + 1) ** 2, x + 1), strict=True):
        np.testing.assert_array_equal(got, expected)


def test_values_that_are_no_longer_needed_make_room():
    """A chain of 100 operations, each of the last two values."""
    steps = tuple(("add" if i % 2 else "sub", (i + 1, i)) for i in range(100))
    x, one = np.float32([1.0, 2.0, 3.0]), np.float32(0.25)
    values = [x, np.full_like(x, one)]
    for i in range(100):
        values.append(values[i + 1] + values[i] if i % 2 else values[i + 1] - values[i])
    (got,) = run(Program(1, (0.25,), steps, (101,)), x)
    np.testing.assert_array_equal(got, values[-1])

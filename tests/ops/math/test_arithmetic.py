"""Sums, products, quotients, powers and extremes of two and more operands, with MindSpore's promotion."""

import numpy as np
import pytest
from laws.rows import laws_of
from small_tensors import check

import sporax as ms
from sporax import Tensor, ops

test_row = laws_of("sporax._src.ops.math.arithmetic")


NAN = np.nan


@pytest.mark.parametrize("run", [lambda f: f, ms.jit])
@pytest.mark.parametrize(
    "op, to_x, to_y",
    [(ops.minimum, [0.5, 1, 1, 1], [0.5, 1, 1, 0]), (ops.maximum, [0.5, 1, 1, 0], [0.5, 1, 1, 1])],
)
def test_a_tie_shares_the_gradient_and_nan_gives_all_to_both(run, op, to_x, to_y):
    x, y = Tensor([0.0, NAN, 2, 3]), Tensor([0.0, 1, NAN, 5])
    got = run(lambda x, y: ms.grad(op, (0, 1))(x, y))(x, y)
    assert [g.tolist() for g in got] == [to_x, to_y]


def test_where_one_is_nan_the_other_operand_is_chosen():
    assert ops.maximum(Tensor([NAN, 1.0]), Tensor([0.5, NAN])).isnan().tolist() == [False, True]


@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_extreme_of_nan(name: str) -> None:
    """A comparison with NaN is false, and then it is the second operand."""
    got = getattr(ops, name)(Tensor([np.nan, 1.0]), Tensor([0.5, np.nan]))
    np.testing.assert_array_equal(got.asnumpy(), np.array([0.5, np.nan], np.float32))


ROW = np.array([1.0, np.nan, 3.0, -np.inf], np.float32)


def test_extremes_of_pairs_take_the_second_where_one_is_nan_and_halve_the_gradient_of_equals():
    check(ops.maximum(Tensor(ROW), 0), "float32", [1, 0, 3, 0])
    check(ms.grad(ops.maximum, (0, 1))(Tensor([2.0]), Tensor([2.0])), ("float32",) * 2, ([0.5], [0.5]))
    check(ops.fmax(Tensor(ROW), 0), "float32", [1, 0, 3, 0])
    check(ms.grad(ops.fmax, (0, 1))(Tensor([2.0]), Tensor([2.0])), ("float32",) * 2, ([1], [0]))


def test_float_power_takes_numbers_as_they_are(run):
    half = Tensor([1.5, 2.25], ms.float16)
    first, second = run(lambda x: (ops.float_power(x, 3.7), ops.float_power(3.7, x)), half)
    np.testing.assert_allclose(first.asnumpy(), np.array([1.5, 2.25]) ** 3.7, rtol=1e-12)
    np.testing.assert_allclose(second.asnumpy(), 3.7 ** np.array([1.5, 2.25]), rtol=1e-12)


@pytest.mark.parametrize("weight", [0.3, Tensor(0.3), Tensor([0.3, 0.3]), Tensor(0.3, ms.float64)])
def test_lerp_keeps_the_dtype_of_its_ends_and_rounds_once(run, weight):
    x, y = Tensor([1.7, 2], ms.float16), Tensor([3.3, -4], ms.float16)
    check(run(ops.lerp, x, y, weight), "float16", [2.1796875, 0.19995117])
    assert run(ops.lerp, x.float(), y.float(), weight).dtype == ms.float32


def test_the_weight_of_lerp_has_a_gradient_in_its_own_dtype(run):
    x, y = Tensor([1.7, 2], ms.float16), Tensor([3.3, -4], ms.float16)
    got = run(ms.grad(lambda w: ops.lerp(x, y, w)), Tensor([0.3, 0.4]))
    check(got, "float32", [1.60058594, -6])


@pytest.mark.parametrize("value", [3.7, Tensor(3.7), Tensor([3.7]), Tensor(3.7, ms.float64)])
def test_the_value_of_addcmul_and_addcdiv_takes_the_dtype_of_the_others(run, value):
    x = Tensor([5, 7, -9], ms.float16)
    check(run(ops.addcmul, x, x, x, value), "float16", [97.5, 188.25, 290.75])
    check(run(ops.addcdiv, x, x, x, value), "float16", [8.703125, 10.703125, -5.3046875])
    whole = Tensor([5, 7, -9], ms.int32)
    check(run(ops.addcmul, whole, whole, whole, value), "int32", [80, 154, 234])

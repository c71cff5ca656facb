"""Python's operators on Tensors, and methods that change a Tensor in place, as observed in MindSpore 2.7.0."""

import numpy as np
import pytest
from small_tensors import check, f

import sporax as ms
from sporax import Parameter, Tensor, ops


@pytest.mark.parametrize("make", [lambda: Tensor([1.0, 2.0]), lambda: Parameter(Tensor([1.0, 2.0]), name="p")])
def test_augmented_assignment_binds_a_new_tensor(make):
    p = kept = make()
    p += 1
    assert p is not kept and type(p) is Tensor
    check(p, "float32", [2, 3])
    check(kept, "float32", [1, 2])


@pytest.mark.parametrize("other", [None, "a", [3.0, 1.0], (3, 1), object()])
def test_equality_with_what_is_no_number(other):
    assert (f() == other) is False
    assert (f() != other) is True
    assert (other == f()) is False


@pytest.mark.parametrize("other", [None, "a", object()])
@pytest.mark.parametrize("operator", ["+", "-", "*", "/", "//", "%", "**", "<", "&"])
def test_operators_name_both_operands(operator, other):
    reflected = [] if operator == "%" and isinstance(other, str) else [f"y {operator} x"]  # a format string takes it
    for expression in (f"x {operator} y", *reflected):
        with pytest.raises(TypeError) as error:
            eval(expression, {"x": f(), "y": other})
        assert "float32[2, 3]" in str(error.value) and type(other).__name__ in str(error.value)


def test_reflected_operators():
    x = Tensor([1.0, 2.0, 4.0])
    check(1 - x, "float32", [0, -1, -3])
    check(2 / x, "float32", [2, 1, 0.5])
    check(9 // x, "float32", [9, 4, 2])
    check(9 % x, "float32", [0, 1, 1])
    check(2**x, "float32", [2, 4, 16])
    check(3 & Tensor([1, 6]), "int64", [1, 2])


def test_signs_of_division():
    x = Tensor([-7, 7], ms.int32)
    check(x // 2, "int32", [-4, 3])
    check(x % 3, "int32", [2, 1])
    check(ops.fmod(x, 3), "int32", [-1, 1])
    check(ops.truncate_div(x, 2), "int32", [-3, 3])
    check(ops.RealDiv()(x, 2), "int32", [-3, 3])
    check(ops.Div()(x, 2), "float32", [-3.5, 3.5])
    check(Tensor([-7.5, 7.0]) % -3, "float32", [-1.5, -2])


def test_powers():
    x = Tensor([1, 2, 3], ms.int32)
    check(x**-1, "int32", [1, 0, 0])
    check(x**2, "int32", [1, 4, 9])
    check(2.5**x, "float32", [2.5, 6.25, 15.625])
    check(Tensor([4.0, 9.0]) ** 0.5, "float32", [2, 3])
    check(Tensor([-1, -2], ms.int32) ** -3, "int32", [-1, 0])


def test_not_of_numbers_is_logical():
    check(~Tensor([0, 3]), "bool_", [True, False])
    check(ops.invert(Tensor([0, 3])), "int64", [-1, -4])


def test_numpy_on_the_left_computes_on_the_host_unless_traced_or_differentiated():
    x = Tensor([1.0, 2.0])
    assert isinstance(np.float32(2) * x, np.ndarray)
    assert isinstance(np.ones(2) == x, np.ndarray)
    assert isinstance(np.abs(x), np.ndarray)
    check(ms.grad(lambda x: np.float32(3) * x)(x), "float32", [3, 3])
    check(ms.jit(lambda x: np.float32(3) * x, fullgraph=True)(x), "float32", [3, 6])


@pytest.mark.parametrize(
    "change, want",
    [
        (lambda x: x.add_(1), [2, 3]),
        (lambda x: x.add_(Tensor([1.0, 1.0]), alpha=2), [3, 4]),
        (lambda x: x.sub_(1), [0, 1]),
        (lambda x: x.mul_(3), [3, 6]),
        (lambda x: x.div_(2), [0.5, 1]),
        (lambda x: x.zero_(), [0, 0]),
        (lambda x: x.fill_(4), [4, 4]),
        (lambda x: x.clamp_(1.5), [1.5, 2]),
        (lambda x: x.floor_divide_(2), [0, 1]),
        (lambda x: x.exp_(), np.exp([1, 2])),
        (lambda x: x.log_(), np.log([1, 2])),
    ],
)
@pytest.mark.parametrize("jit", [False, True])
def test_in_place_methods_change_the_tensor_and_return_it(change, want, jit):
    def run(x):
        y = x * 1
        assert change(y) is y
        return y

    check((ms.jit(run) if jit else run)(Tensor([1.0, 2.0])), "float32", want)


def test_in_place_results_must_fit():
    with pytest.raises(TypeError, match="does not fit in Int64"):
        Tensor([1, 2]).add_(1.5)
    with pytest.raises(ValueError, match=r"\[2, 2\], which does not fit in \[2\]"):
        Tensor([1.0, 2.0]).add_(Tensor(np.ones((2, 2), np.float32)))


def test_a_parameter_changes_in_place():
    p = Parameter(Tensor([1.0, 2.0]), name="p")
    assert p.mul_(2) is p
    check(p, "float32", [2, 4])


def test_operators_by_their_methods():
    x = Tensor([4.0, 5.0])
    check(x.__add__(Tensor(1), alpha=2), "float32", [6, 7])
    check(x.__sub__(Tensor(1), alpha=2), "float32", [2, 3])
    check(x.__iadd__(Tensor(1), alpha=2), "float32", [6, 7])
    check(x.__isub__(Tensor(1), alpha=2), "float32", [2, 3])
    check(x.__imul__(2), "float32", [8, 10])
    check(x.__itruediv__(2), "float32", [2, 2.5])
    check(x.__ifloordiv__(2), "float32", [2, 2])
    check(x.__imod__(2), "float32", [0, 1])
    check(x, "float32", [4, 5])

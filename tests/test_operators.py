"""Operators and methods of Tensors where the conventions are MindSpore's own, as observed in version 2.7.0."""

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, ops

F = np.array([[3.0, 1.0, 2.0], [2.0, 3.0, 3.0]], np.float32)
NAN = np.array([1.0, np.nan, 3.0, -np.inf], np.float32)


def f() -> Tensor:
    return Tensor(F)


def check(got, dtype, value):
    """A tuple of results, or one: dtype by name, and values."""
    if isinstance(got, tuple):
        for g, d, v in zip(got, dtype, value, strict=True):
            check(g, d, v)
        return
    assert got.dtype == getattr(ms, dtype)
    np.testing.assert_allclose(got.asnumpy(), value, rtol=1e-5)


# --- operators ------------------------------------------------------------------------------------------------------


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


# --- in place -------------------------------------------------------------------------------------------------------


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


# --- reductions -----------------------------------------------------------------------------------------------------


def test_extremes_and_their_overloads():
    pair = ("float32", "int64")
    check(ops.max(f()), pair, (3, 0))
    check(ops.max(f(), 1), pair, ([3, 3], [0, 1]))
    check(f().max(), "float32", 3)
    check(f().max(1), pair, ([3, 3], [0, 1]))
    check(f().max(dim=1, keepdim=True), pair, ([[3], [3]], [[0], [1]]))
    check(f().max(axis=1), "float32", [3, 3])
    check(f().max((0, 1)), "float32", 3)
    check(f().min(axis=1, return_indices=True), pair, ([1, 2], [1, 0]))
    check(f().max(axis=1, initial=9.0), "float32", [9, 9])
    mask = Tensor([[True, False, True], [False, True, True]])
    check(f().max(axis=1, initial=0.0, where=mask), "float32", [3, 3])
    with pytest.raises(ValueError, match="initial must be given together with where"):
        f().max(axis=1, where=mask)
    check(ops.ArgMaxWithValue(1)(f()), ("int64", "float32"), ([0, 1], [3, 3]))


def test_extremes_along_an_axis_that_is_given_by_position():
    """In a graph `x.max(0)` gives the values alone, as `x.max(axis=0)` does."""
    pair = ("float32", "int64")
    check(f().max(0, True), pair, ([[3, 3, 3]], [[0, 1, 1]]))
    check(f().max(0, True, initial=None), "float32", [[3, 3, 3]])
    check(f().min(0, where=True), "float32", [2, 1, 2])
    check(ms.jit(lambda x: x.max(0))(f()), "float32", [3, 3, 3])
    check(ms.jit(lambda x: x.min(0, True))(f()), "float32", [[2, 1, 2]])
    check(ms.jit(lambda x: x.max(dim=0))(f()), pair, ([3, 3, 3], [0, 1, 1]))


@pytest.mark.filterwarnings("ignore::sporax._src.base.errors.CompileFallback")
def test_extremes_of_a_graph_that_does_not_compile():
    check(ms.jit(lambda x: x.max(int(x.argmin()) - 1))(f()), "float32", [3, 3, 3])


def test_indices_of_extremes():
    check(f().argmax(), "int64", 0)
    check(f().argmax(dim=1, keepdim=True), "int64", [[0], [1]])
    check(f().argmin(axis=1), "int32", [1, 0])
    check(ops.Argmax()(f()), "int32", [0, 1])
    check(ops.Argmax(output_type=ms.int64)(f()), "int64", [0, 1])


def test_ties_give_the_gradient_to_the_first():
    check(ms.grad(lambda x: ops.max(x, 0)[0])(Tensor([1.0, 3.0, 3.0])), "float32", [0, 1, 0])


def test_a_sum_has_the_dtype_that_was_asked_for():
    check(f().sum(dtype=ms.bool_, initial=12), "bool_", True)
    check(f().sum(axis=0, dtype=ms.int32, initial=1), "int32", [6, 5, 6])
    check(f().astype(ms.int32).sum(axis=0, initial=2.5), "float32", [7.5, 6.5, 7.5])
    with pytest.raises(TypeError, match="initial must be a number or None"):
        f().sum(initial=Tensor(2))


def test_sums_and_their_overloads():
    small = Tensor(F.astype(np.int8))
    check(small.sum(0), "int64", [5, 4, 5])
    check(ops.ReduceSum()(small), "int8", 14)
    check(f().sum(axis=1, keepdims=True), "float32", [[6], [8]])
    check(f().sum(1, True), "float32", [[6], [8]])
    check(f().sum(axis=None, dtype=ms.float16), "float16", 14)
    check(f().sum(initial=10.0), "float32", 24)
    check(ops.ReduceSum(keep_dims=True, skip_mode=True)(f(), ()), "float32", F)
    check(f().mean(1, True), "float32", [[2], [8 / 3]])
    check(Tensor(F.astype(np.int32)).mean(), "int32", 2)
    check(f().prod(dim=1, keepdim=True), "float32", [[6], [18]])


def test_spread_and_its_overloads():
    check(ops.std(Tensor([3.0, 1.0, 2.0])), "float32", 0.816497)
    check(f().std(axis=1, ddof=1), "float32", [1, 0.57735])
    check(f().std(dim=1), "float32", [0.816497, 0.471405])
    check(f().std(dim=1, correction=1), "float32", [1, 0.57735])
    check(f().var(dim=1, correction=1), "float32", [1, 1 / 3])
    check(ops.ReduceStd(axis=1, unbiased=False)(f()), ("float32",) * 2, ([0.816497, 0.471405], [2, 8 / 3]))


def test_running_extremes_keep_the_latest_index_and_the_first_nan():
    check(ops.cummax(Tensor([2.0, 3.0, 3.0]), 0), ("float32", "int64"), ([2, 3, 3], [0, 1, 2]))
    check(ops.cummax(Tensor(NAN), 0), ("float32", "int64"), ([1, np.nan, np.nan, np.nan], [0, 1, 1, 1]))
    check(ops.cummin(Tensor(NAN), 0), ("float32", "int32"), ([1, np.nan, np.nan, np.nan], [0, 1, 1, 1]))


def test_running_sums():
    check(ops.CumSum(True, True)(f(), 1), "float32", [[3, 2, 0], [6, 3, 0]])
    check(ops.CumProd(True, False)(f(), 1), "float32", [[1, 3, 3], [1, 2, 6]])
    check(f().cumsum(), "float32", np.cumsum(F))
    check(Tensor([True, True]).cumsum(0), "int32", [1, 2])
    check(ops.cumsum(Tensor([1, 2], ms.int8), 0), "int8", [1, 3])


def test_medians():
    pair = ("float32", "int64")
    check(ops.median(f()), pair, ([2, 3], [2, 1]))
    check(ops.median(Tensor(NAN)), pair, (np.nan, 1))
    check(ops.nanmedian(Tensor(NAN)), pair, (1, 0))


def test_norms():
    check(ops.norm(f()), "float32", 6)
    check(ops.norm(f(), 2), "float32", 5.79001)
    check(ops.norm(f(), 1), "float32", 5)
    check(ops.norm(Tensor([3, 4])), "float32", 5)
    check(ops.LpNorm([0, 1], 3, True)(f()), "float32", [[4.61044]])


# --- selection ------------------------------------------------------------------------------------------------------


def test_limits():
    check(ops.clamp(Tensor([3, 1, 2], ms.int32), 1.5, 2), "int32", [2, 1, 2])
    check(ops.clip(f(), 2, 1), "float32", np.ones((2, 3)))
    check(f().clip(Tensor([1.0, 2.0, 3.0])), "float32", [[3, 2, 3], [2, 3, 3]])
    check(ops.clip_by_value([f(), Tensor([5])], 1, 2)[1], "int64", [2])
    check(ops.clip_by_global_norm([f(), f()], 1.0)[0], "float32", F / np.sqrt(72))
    check(ops.clip_by_norm(f(), 1.0), "float32", F / 6)


def test_extremes_of_pairs_take_the_second_where_one_is_nan_and_halve_the_gradient_of_equals():
    check(ops.maximum(Tensor(NAN), 0), "float32", [1, 0, 3, 0])
    check(ms.grad(ops.maximum, (0, 1))(Tensor([2.0]), Tensor([2.0])), ("float32",) * 2, ([0.5], [0.5]))
    check(ops.fmax(Tensor(NAN), 0), "float32", [1, 0, 3, 0])
    check(ms.grad(ops.fmax, (0, 1))(Tensor([2.0]), Tensor([2.0])), ("float32",) * 2, ([1], [0]))


def test_integers_have_no_exponential():
    for function in (ops.exp, ops.log, ops.sin, ops.tanh, ops.floor, ops.rsqrt):
        with pytest.raises(TypeError, match="float"):
            function(Tensor([1, 2], ms.int32))
    check(ops.sqrt(Tensor([1, 4], ms.int32)), "float32", [1, 2])
    check(ops.exp2(Tensor([1, 3], ms.int32)), "float32", [2, 8])


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


def test_arguments_of_methods_that_have_two_names():
    x, condition = Tensor([2.0, 3.0]), Tensor([True, False])
    check(x.expand_as(x=ops.ones((2, 2))), "float32", [[2, 3], [2, 3]])
    check(f().index_select(dim=1, index=Tensor([2])), "float32", [[2], [3]])
    check(x.select(condition, Tensor([7.0, 8.0])), "float32", [2, 8])
    check(x.select(condition=condition, y=9.0), "float32", [2, 9])
    check(Tensor([2, 3], ms.int32).select(condition, 1), "int32", [2, 1])
    check(f().select(dim=1, index=2), "float32", [2, 3])


def test_what_has_no_storage_to_give_away():
    assert Tensor([1.0])._offload() is None
    with pytest.raises(
        RuntimeError, match=f"The current Storage does not yet support {ms.get_context('device_target')}"
    ):
        Tensor([1.0]).untyped_storage()


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: f().min(axis=0, initial=f()), "initial must be a number or None, got float32"),
        (lambda: f().select(1, f()), r"Tensor.select: index must be an int, got float32\[2, 3\]"),
        (lambda: f().select(0, 1.5), "Tensor.select: index must be an int, got 1.5"),
        (
            lambda: f().select(f() > 1, 1),
            "if the argument 'y' is int, then the tensor type should be int32 but got Float32",
        ),
        (
            lambda: Tensor([1]).select(Tensor([True]), 1.0),
            "For 'Tensor.select', if the argument 'y' is float, then the tensor type should be float32 but got Int64",
        ),
    ],
)
def test_numbers_and_tensors_in_the_place_of_each_other(call, text):
    with pytest.raises(TypeError, match=text):
        call()

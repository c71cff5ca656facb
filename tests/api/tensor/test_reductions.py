"""Reductions as methods of Tensor: their overloads, places, ties and dtypes."""

import numpy as np
import pytest
from small_tensors import F, check, f

import sporax as ms
from sporax import Tensor, ops

NAN = np.array([1.0, np.nan, 3.0, -np.inf], np.float32)


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

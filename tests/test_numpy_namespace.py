"""The namespace `numpy`: every name resolves, agrees with NumPy, and computes the same in both modes."""

from typing import Any

import numpy
import numpy as np
import pytest
from laws.operators import assert_equal
from laws.samples import Sampler, to_tensors
from mint_calls import calls
from numpy_calls import CALLS

import sporax as ms
import sporax.numpy as mnp
from sporax._src.core import tree
from sporax._src.core.tensor import is_tensor

# NumPy has these under another name, or dropped them.
ELSEWHERE = {
    "trapz": np.trapezoid,
    "in1d": np.isin,
    "asfarray": lambda a: np.asarray(a, np.float32),
    "sometrue": np.any,
    "norm": np.linalg.norm,
    "multi_dot": np.linalg.multi_dot,
    "matrix_power": np.linalg.matrix_power,
    "array_str": str,
    "indices": lambda sizes: list(np.indices(sizes)),
}
TYPES = "bool_ float16 float32 float64 float_ int16 int32 int64 int8 int_ uint uint16 uint32 uint64 uint8".split()
CONSTANTS = {"inf": np.inf, "PINF": np.inf, "NINF": -np.inf, "pi": np.pi}
TESTED_BELOW = {
    "empty",
    "empty_like",
    "rand",
    "randn",
    "randint",
    "mgrid",
    "ogrid",
    "nan",
    "promote_types",
    "result_type",
}


def arguments(text: str, module: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the NumPy arguments of a call; `numpy` in it is the module under test or NumPy."""
    return eval(f"(lambda *a, **k: (a, k))({text})", Sampler(text).names() | {"numpy": module})


def single(value: Any) -> Any:
    """Return NumPy's result without the 64-bit floats it makes of Python numbers."""
    return tree.map_leaves(np.asarray, value, lambda v: isinstance(v, (np.ndarray, np.generic)))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", calls(CALLS))
def test_function(call: str) -> None:
    """A function agrees with NumPy's, in PyNative mode and in a graph, and gives no 64-bit floats."""
    name, text = call.split("(", 1)
    given, named = arguments(text[:-1], numpy)
    want = single((ELSEWHERE.get(name) or getattr(np, name))(*given, **named))
    args, kwargs = arguments(text[:-1], mnp)
    args, kwargs = to_tensors(args), to_tensors(kwargs)
    ours = getattr(mnp, name)
    got = ours(*args, **kwargs)
    if not is_tensor(got) and not isinstance(got, (tuple, list)):
        assert got == want
        return
    if not isinstance(want, bool):
        assert_equal(got, want, rtol=2e-5, label=call)
    found = got if isinstance(got, (tuple, list)) else (got,)
    assert all(t.dtype != ms.float64 for t in found if is_tensor(t)), call
    in_graph = ms.jit(lambda *a: ours(*a, **kwargs))(*args)
    assert_equal(
        in_graph, tree.map_leaves(lambda t: t.asnumpy(), got, is_tensor), rtol=2e-6, label=f"{call} in a graph"
    )


@pytest.mark.parametrize(
    ("value", "dtype"),
    [(1, ms.int32), (1.5, ms.float32), (True, ms.bool_), ([1, 2], ms.int32), ((1.0, 2), ms.float32), ([True], ms.bool_),
     (np.arange(2), ms.int64), (np.ones(2), ms.float64), (ms.Tensor([1]), ms.int64)],
)  # fmt: skip
def test_asarray(value: Any, dtype: Any) -> None:
    """Python numbers become 32-bit types; arrays and Tensors keep theirs."""
    assert mnp.asarray(value).dtype == dtype
    assert mnp.asarray(value, "float16").dtype == ms.float16


# Recorded from MindSpore 2.7.0.
@pytest.mark.parametrize(
    ("call", "dtype"),
    [("sin([True])", "Float16"), ("exp([1])", "Float32"), ("sum([1])", "Int64"), ("trace([[1]])", "Int64"),
     ("mean([1, 2])", "Int32"), ("argmax([1])", "Int64"), ("argmin([1])", "Int32"), ("reciprocal([2])", "Int32"),
     ("maximum(asarray([1], 'float16'), 2.0)", "Float16"), ("divide([1], [2])", "Float32"), ("sign([1])", "Float32"),
     ("float_power([2], [2])", "Float32"), ("bincount([1])", "Float32"), ("count_nonzero([1])", "Int32"),
     ("add([1], 2.0)", "Float32"), ("add([1], 2, dtype='int8')", "Int8"), ("searchsorted([1], 1)", "Int32"),
     ("cumsum([True])", "Int32"), ("nanmean([1])", "Float32"), ("where([True], 1, 2.0)", "Float32")],
)  # fmt: skip
def test_dtype(call: str, dtype: str) -> None:
    """The dtype of a result is MindSpore's."""
    assert str(eval(call, {n: getattr(mnp, n) for n in mnp.__all__}).dtype) == dtype


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [("asarray({1})", TypeError, "set"), ("reshape([1, 2], (3,))", TypeError, "numpy.reshape"),
     ("split([1, 2, 3], 2)", ValueError, "evenly"),
     ("clip([1], None, None)", ValueError, "xmin"), ("randint(0)", ValueError, "minval"),
     ("rand(2, dtype='int32')", ValueError, "float"),
     ("norm([1.0], ord='x')", ValueError, "ord"), ("pad([1], 1, 'x')", ValueError, "mode"),
     ("inner([1.0], [1.0, 2.0])", ValueError, "last axes"),
     ("add([1], 1, dtype='x')", TypeError, "dtype"), ("squeeze([1], 3)", ValueError, "axis")],
)  # fmt: skip
def test_error(call: str, error: type, text: str) -> None:
    """A bad call raises MindSpore's class of error with a clear text."""
    with pytest.raises(error, match=text):
        eval(call, {n: getattr(mnp, n) for n in mnp.__all__})


def test_grids() -> None:
    """Index expressions make grids."""
    assert_equal(mnp.mgrid[0:3, 0:2], np.mgrid[0:3, 0:2])
    assert_equal(mnp.mgrid[0:1:3j], np.mgrid[0:1:3j].astype(np.float32))
    assert_equal(mnp.ogrid[0:3, 0:2], list(np.ogrid[0:3, 0:2]))


@pytest.mark.parametrize("name", ["asarray", "empty_like", "zeros_like", "sum"])
def test_unequal_lengths(name: str) -> None:
    with pytest.raises(ValueError, match=r"numpy.asarray: nested sequences must have equal lengths, got \[\[1, 2"):
        getattr(mnp, name)([[1, 2, 3], [4, 5]])


@pytest.mark.parametrize("name", ["tril_indices", "triu_indices"])
def test_triangles_of_floats(name: str) -> None:
    for k in (1.0, -2.0, 0.0):
        assert_equal(getattr(mnp, name)(4.0, k, 3.0), getattr(np, name)(4, k, 3))


def test_draws() -> None:
    """Random numbers have the shape and range asked for, and start again with the seed."""
    ms.set_seed(1)
    first = mnp.rand(2, 3).asnumpy()
    assert ((first >= 0) & (first < 1)).all() and mnp.randn(2, dtype="float16").dtype == ms.float16
    assert set(mnp.randint(2, 4, (50,)).tolist()) == {2, 3} and mnp.randint(3).shape == (1,)
    ms.set_seed(1)
    np.testing.assert_array_equal(mnp.rand(2, 3).asnumpy(), first)


def test_gradients_flow() -> None:
    """Functions of the namespace are differentiable."""
    x = ms.Tensor(np.array([[1.0, 2.0], [3.0, 4.0]], np.float32))
    got = ms.grad(lambda x: mnp.sum(mnp.square(mnp.concatenate((x, x))) * mnp.mean(x)))(x)
    np.testing.assert_allclose(got.asnumpy(), 4 * x.asnumpy() * 2.5 + 60 / 4, rtol=1e-6)


def test_every_name_is_called() -> None:
    """The table and the tests above hold every public name."""
    used = {c.split("(")[0] for c in calls(CALLS)} | set(TYPES) | set(CONSTANTS) | TESTED_BELOW
    assert set(mnp.__all__) - used == set()
    assert {n: getattr(mnp, n) for n in CONSTANTS} == CONSTANTS and np.isnan(mnp.nan)
    assert mnp.empty((2,)).shape == (2,) and mnp.empty_like([1, 2]).shape == (2,)
    assert mnp.promote_types(ms.int32, ms.float16) == ms.float16
    assert mnp.result_type(ms.int8, ms.Tensor([1], ms.int32), 2.0) == ms.float32

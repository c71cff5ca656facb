"""The namespace `numpy`: dtypes and errors are MindSpore's, gradients flow, and every name is called."""

import re

import numpy as np
import pytest
from house import ROOT
from mint_calls import calls
from numpy_calls import CALLS

import sporax as ms
import sporax.numpy as mnp
from sporax._src.base.public_names import defined_in

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


def test_gradients_flow() -> None:
    """Functions of the namespace are differentiable."""
    x = ms.Tensor(np.array([[1.0, 2.0], [3.0, 4.0]], np.float32))
    got = ms.grad(lambda x: mnp.sum(mnp.square(mnp.concatenate((x, x))) * mnp.mean(x)))(x)
    np.testing.assert_allclose(got.asnumpy(), 4 * x.asnumpy() * 2.5 + 60 / 4, rtol=1e-6)


def test_every_name_is_called() -> None:
    """The table and the tests above hold every public name."""
    asked = [
        m for p in (ROOT / "tests").rglob("test_*.py") for m in re.findall(r'= calls_of\("([\w.]+)"\)', p.read_text())
    ]
    assert sorted(asked) == sorted({defined_in(getattr(mnp, c.split("(")[0])) for c in calls(CALLS)})
    used = {c.split("(")[0] for c in calls(CALLS)} | set(TYPES) | set(CONSTANTS) | TESTED_BELOW
    assert set(mnp.__all__) - used == set()
    assert {n: getattr(mnp, n) for n in CONSTANTS} == CONSTANTS and np.isnan(mnp.nan)
    assert mnp.empty((2,)).shape == (2,) and mnp.empty_like([1, 2]).shape == (2,)
    assert mnp.promote_types(ms.int32, ms.float16) == ms.float16
    assert mnp.result_type(ms.int8, ms.Tensor([1], ms.int32), 2.0) == ms.float32

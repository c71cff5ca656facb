"""Initializers give MindSpore 2.7.0's values, bounds, moments and errors."""

import builtins
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sporax as ms
from sporax.common import initializer as space

GOLDEN = json.loads((Path(__file__).parents[1] / "goldens" / "initializers.json").read_text(encoding="utf-8"))
SCOPE = {**vars(space), "ms": ms, "np": np}
# Calls that are errors there, and values here; why.
TAKEN = {
    "initializer(Zero(), (0, 3))": "a Tensor without elements is one here",
    "initializer(Constant(np.array([1.0, 2.0])), (2, 2))": "what broadcasts is taken",
    "initializer(Normal, (2,))": "a class stands for its object with default arguments",
}
UNIFORM = "MindSpore draws a uniform distribution of the same variance where its documents say a truncated normal one"
SHAPED = {
    "'variancescaling'|(400, 500)": UNIFORM,
    "VarianceScaling(2.0, 'fan_in', 'truncated_normal')|(50, 40, 10, 10)": UNIFORM,
    "VarianceScaling(2.0, 'fan_out', 'truncated_normal')|(400, 500)": UNIFORM,
}


def made(expression: str) -> np.ndarray:
    """Return the values of an initializer's Tensor."""
    return eval(expression, dict(SCOPE)).init_data().asnumpy()


def refuse(expression: str, error: str) -> None:
    """The call raises MindSpore's kind of error."""
    name = error.split(":")[0]
    kind: Any = TypeError if name == "AttributeError" else getattr(builtins, name)
    with pytest.raises(kind) as raised:
        made(expression)
    assert str(raised.value)


@pytest.mark.parametrize("expression", GOLDEN["exact"])
def test_exact(expression: str) -> None:
    """Initializers that draw nothing."""
    told = GOLDEN["exact"][expression]
    if "error" in told and expression not in TAKEN:
        refuse(expression, told["error"])
        return
    tensor = eval(expression, dict(SCOPE)).init_data()
    if "error" in told:
        assert 0 in tensor.shape or np.isfinite(tensor.asnumpy()).all()
        return
    assert (list(tensor.shape), str(tensor.dtype).lower()) == (told["shape"], told["dtype"])
    np.testing.assert_array_equal(tensor.float().asnumpy().ravel(), np.array(told["values"], np.float32))


@pytest.mark.parametrize("text", GOLDEN["random"])
def test_random(text: str) -> None:
    """Initializers that draw: bounds that are reached, mean, deviation, share of zeros, orthogonal rows."""
    told = GOLDEN["random"][text]
    how, shape = text.split("|")
    expression = f"initializer({how}, {shape})"
    if "error" in told:
        refuse(expression, told["error"])
        return
    value = made(expression)
    assert str(value.dtype) == told["dtype"]
    value = value.astype(np.float64)
    error = told["std"] / np.sqrt(value.size * (1 - told["zeros"]))
    assert abs(value.mean() - told["mean"]) < 8 * error
    assert abs(value.std() - told["std"]) < 8 * error
    assert (value == 0).mean() == pytest.approx(told["zeros"], abs=1e-9)
    for extreme, wanted in ((value.min(), told["min"]), (value.max(), told["max"])):
        assert abs(extreme - wanted) < 2.0 * told["std"]  # that of a normal distribution varies much
    uniform = max(-told["min"], told["max"]) < 1.9 * told["std"]
    if uniform and text not in SHAPED:  # its bounds are reached, and nothing lies beyond
        np.testing.assert_allclose([value.min(), value.max()], [told["min"], told["max"]], rtol=40 / value.size)
    if "gram_error" in told:
        rows = value.reshape(value.shape[0], -1)
        gram = rows @ rows.T if rows.shape[0] < rows.shape[1] else rows.T @ rows
        np.testing.assert_allclose(gram, told["gram_diagonal"] * np.eye(len(gram)), atol=1e-5)
    if "zeros_per_column" in told:
        assert (value == 0).sum(0).max() == told["zeros_per_column"]


@pytest.mark.parametrize(
    "expression, text",
    [
        ("initializer(TruncatedNormal(0.01, 5.0), (2, 3))", r"nothing of N\(5.0, 0.01²\) lies in \[-2.0, 2.0\]"),
        ("initializer(TruncatedNormal(0.0), (2, 3))", "sigma must be positive, got 0.0"),
        ("initializer('he_uniform', (3,))", r"at least 2 axes, got shape \(3,\)"),
    ],
)
def test_what_cannot_be_drawn(expression: str, text: str) -> None:
    """Errors name the initializer and the values."""
    with pytest.raises(ValueError, match=text):
        made(expression)

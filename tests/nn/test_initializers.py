"""Initializers give MindSpore 2.7.0's values, bounds, moments and errors."""

import builtins
import json
import zlib
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
LAYERS = json.loads((Path(__file__).parents[1] / "goldens" / "first_values.json").read_text(encoding="utf-8"))


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
    """Initializers that draw give the numbers that MindSpore draws after the same seed."""
    told = GOLDEN["random"][text]
    how, shape = text.split("|")
    expression = f"initializer({how}, {shape})"
    if "error" in told:
        refuse(expression, told["error"])
        return
    ms.set_seed(1)
    value = made(expression)
    assert str(value.dtype) == told["dtype"]
    value = value.astype(np.float64)
    found = {
        "min": value.min(),
        "max": value.max(),
        "mean": value.mean(),
        "std": value.std(),
        "zeros": (value == 0).mean(),
    }
    np.testing.assert_allclose([*found.values()], [told[name] for name in found], rtol=5e-6)  # six digits are recorded
    if "gram_error" in told:
        rows = value.reshape(value.shape[0], -1)
        gram = rows @ rows.T if rows.shape[0] < rows.shape[1] else rows.T @ rows
        np.testing.assert_allclose(gram, told["gram_diagonal"] * np.eye(len(gram)), atol=1e-5)
    if "zeros_per_column" in told:
        assert (value == 0).sum(0).max() == told["zeros_per_column"]


@pytest.mark.parametrize("expression", LAYERS)
def test_layers_begin_with_the_weights_they_have_in_mindspore(expression: str) -> None:
    """And what a program draws from NumPy after it made them is the same."""
    told = LAYERS[expression]
    ms.set_seed(5)
    layer = eval(expression, SCOPE | {"nn": ms.nn, "mint": ms.mint})
    parameters = layer.get_parameters() if isinstance(layer, ms.nn.Cell) else [layer]
    assert {p.name: zlib.crc32(p.asnumpy().tobytes()) for p in parameters} == told["weights"]
    assert np.random.rand() == told["next"]


@pytest.mark.parametrize(
    "expression, text",
    [
        ("initializer(TruncatedNormal(0.01, 5.0), (2, 3))", r"nothing of N\(5, 0.01²\) lies in \[-2, 2\]"),
        ("initializer(TruncatedNormal(0.0), (2, 3))", "sigma must be positive, got 0.0"),
        ("initializer('he_uniform', (3,))", r"at least 2 axes, got shape \(3,\)"),
    ],
)
def test_what_cannot_be_drawn(expression: str, text: str) -> None:
    """Errors name the initializer and the values."""
    with pytest.raises(ValueError, match=text):
        made(expression)

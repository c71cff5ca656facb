"""Optimizers step as MindSpore 2.7.0's do: values after each of five steps, and the state in the same order."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor
from sporax._src.transform import capture
from sporax.experimental import optim

GOLDENS = Path(__file__).parent.parent / "goldens"
CASES = json.loads((GOLDENS / "optimizers.json").read_text())["cases"]
DATA = np.load(GOLDENS / "optimizers.npz")

# MindSpore's CPU has no kernel for these, so there is nothing recorded to compare with.
NO_KERNEL = ("Unsupported op", "Not found op", "unregistered")


def served(text: str) -> bool:
    """Tell whether the expression names an optimizer that exists here."""
    space, name = text.split("(")[0].split(".")[-2:]
    return hasattr(ms.nn if space == "nn" else optim, name) and not text.startswith("mint.")


# MindSpore's vectorised CPU kernel divides by √s + epsilon, its own tail loop (and its documentation) by √(s + epsilon).
# With epsilon = 1e-3 that is a difference of 7e-4 of a step in the first eight elements; the formula is what we follow.
LOOSER = {"nn.RMSProp(params, 0.1, 0.9, 0.5, 1e-3)": 2e-3}

VALUES = [t for t, c in CASES.items() if "error" not in c and served(t)]
ERRORS = [t for t, c in CASES.items() if "error" in c and served(t) and not any(k in c["error"] for k in NO_KERNEL)]


def build(text: str) -> SimpleNamespace:
    """Build the optimizer of an expression over fresh Parameters."""
    w = Parameter(Tensor(DATA["fc.weight"]), name="fc.weight")
    gamma = Parameter(Tensor(DATA["bn.gamma"]), name="bn.gamma")
    names = {"nn": ms.nn, "optim": optim, "ms": ms, "Tensor": Tensor, "w": w, "gamma": gamma, "params": [w, gamma]}
    return SimpleNamespace(opt=eval(text, names), w=w, gamma=gamma)


@pytest.mark.parametrize("text", VALUES)
def test_values(text: str, mode: int) -> None:
    """Five steps from recorded gradients; steps after the first do not compile."""
    case, made = CASES[text], build(text)
    want = DATA[f"values/{case['case']}"]
    for step in range(5):
        before = capture.compilations
        made.opt(tuple(Tensor(DATA[f"grads/{name}"][step]) for name in case["gradient_order"]))
        assert step == 0 or capture.compilations == before
        got = np.concatenate([made.w.asnumpy().ravel(), made.gamma.asnumpy().ravel()])
        np.testing.assert_allclose(got, want[step], rtol=1e-5, atol=LOOSER.get(text, 2e-6))


@pytest.mark.parametrize("text", [t for t in VALUES if t.startswith("nn.")])
def test_state(text: str) -> None:
    """State Parameters have MindSpore's names, order, shapes and last values."""
    case, made = CASES[text], build(text)
    for step in range(5):
        made.opt(tuple(Tensor(DATA[f"grads/{name}"][step]) for name in case["gradient_order"]))
    state = [p for p in made.opt.get_parameters() if p.name not in ("fc.weight", "bn.gamma")]
    assert [[p.name, str(p.dtype).lower(), list(p.shape)] for p in state] == [s[:3] for s in case["state"]]
    got = np.concatenate([p.asnumpy().astype(np.float64).ravel() for p in state])
    np.testing.assert_allclose(got, DATA[f"state/{case['case']}"], rtol=1e-5, atol=LOOSER.get(text, 2e-6))


@pytest.mark.parametrize("text", ERRORS)
def test_errors(text: str) -> None:
    """Bad arguments raise MindSpore's exception class, and the text names the optimizer or the argument."""
    kind = CASES[text]["error"].split(":")[0]
    with pytest.raises((ValueError, TypeError, KeyError, RuntimeError)) as error:
        build(text)
    assert type(error.value).__name__ == kind
    assert "For '" in str(error.value)


def test_gradient_of_another_shape_names_the_parameter() -> None:
    """The error names the Parameter, its shape and what came; nothing is updated."""
    made = build("nn.SGD(params, 0.1)")
    with pytest.raises(ValueError, match=r"the gradient of 'fc.weight' must be a Tensor of shape \[3, 4\], got float32\[4\]"):
        made.opt((Tensor(np.ones(4, np.float32)), Tensor(np.ones(4, np.float32))))
    np.testing.assert_array_equal(made.w.asnumpy(), DATA["fc.weight"])
    with pytest.raises(ValueError, match="expected a tuple of 2 gradients"):
        made.opt((Tensor(np.ones((3, 4), np.float32)),))


@pytest.mark.parametrize("rate", [float("nan"), float("inf"), -1.0, True, "fast"])
def test_learning_rate_must_be_a_finite_number(rate: object) -> None:
    """NaN, infinite, negative and non-numeric rates are refused."""
    with pytest.raises((ValueError, TypeError), match="learning.rate"):
        ms.nn.SGD([Parameter(Tensor([1.0]), name="w")], rate)


def test_learning_rate_can_be_assigned() -> None:
    """A static rate is a Parameter: the next step uses what was assigned, without compiling again."""
    made = build("nn.SGD(params, 0.1)")
    grads = (Tensor(np.ones((3, 4), np.float32)), Tensor(np.ones(4, np.float32)))
    made.opt(grads)
    before, count = made.w.asnumpy(), capture.compilations
    made.opt.learning_rate.set_data(Tensor(0.01, ms.float32))
    made.opt(grads)
    np.testing.assert_allclose(before - made.w.asnumpy(), 0.01, rtol=1e-4)
    assert capture.compilations == count

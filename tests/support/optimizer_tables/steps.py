"""Optimizers step as MindSpore 2.7.0's do: values after each of five steps, the state in the same order, errors."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor
from sporax._src.transform import capture
from sporax.experimental import optim

GOLDENS = Path(__file__).parents[2] / "goldens"
CASES = json.loads((GOLDENS / "optimizers.json").read_text())["cases"]
DATA = np.load(GOLDENS / "optimizers.npz")


def build(text: str) -> SimpleNamespace:
    """Build the optimizer of an expression over fresh Parameters."""
    w = Parameter(Tensor(DATA["fc.weight"]), name="fc.weight")
    gamma = Parameter(Tensor(DATA["bn.gamma"]), name="bn.gamma")
    names = {"nn": ms.nn, "optim": optim, "ms": ms, "Tensor": Tensor, "w": w, "gamma": gamma, "params": [w, gamma]}
    return SimpleNamespace(opt=eval(text, names), w=w, gamma=gamma)


def stepped(text: str, steps: int = 3) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return fc.weight after some steps of an optimizer, and the gradients it received."""
    made, grads = build(text), DATA["grads/fc.weight"][:steps]
    for n, g in enumerate(grads):
        made.opt((Tensor(g), Tensor(DATA["grads/bn.gamma"][n])))
    return made.w.asnumpy(), [g.astype(np.float64) for g in grads]


# MindSpore's CPU has no kernel for these, so there is nothing recorded to compare with.
NO_KERNEL = ("Unsupported op", "Not found op", "unregistered")


def served(text: str) -> bool:
    """Tell whether the expression names an optimizer that exists here.

    `mint.optim` is left out: on the CPU MindSpore's Adam and AdamW have no kernel, and its SGD leaves all values as they
    are. `optim/param_groups/test_optimizer.py` shows that sporax's are those of `experimental.optim`.
    """
    space, name = text.split("(")[0].split(".")[-2:]
    return hasattr(ms.nn if space == "nn" else optim, name) and not text.startswith("mint.")


# MindSpore's vectorised CPU kernel divides by √s + epsilon, its own tail loop (and its documentation) by √(s + epsilon).
# With epsilon = 1e-3 that is a difference of 7e-4 of a step in the first eight elements; the formula is what we follow.
# MindSpore's CPU kernel adds 2 · l1 to z of positive weights, which drives them away from 0; its documentation and the
# paper do not. `test_ftrl_is_the_papers` has the exact values.
LOOSER = {
    "nn.RMSProp(params, 0.1, 0.9, 0.5, 1e-3)": 2e-3,
    "nn.FTRL(params, 0.2, 0.1, -0.5, 0.01, 0.02)": 1e-2,
}
STATE_LOOSER = {**LOOSER, "nn.FTRL(params, 0.2, 0.1, -0.5, 0.01, 0.02)": 0.2}
VALUES = [t for t, c in CASES.items() if "error" not in c and served(t)]
ERRORS = [t for t, c in CASES.items() if "error" in c and served(t) and not any(k in c["error"] for k in NO_KERNEL)]


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
    np.testing.assert_allclose(got, DATA[f"state/{case['case']}"], rtol=1e-5, atol=STATE_LOOSER.get(text, 2e-6))


@pytest.mark.parametrize("text", ERRORS)
def test_errors(text: str) -> None:
    """Bad arguments raise MindSpore's exception class, and the text names the optimizer or the argument."""
    kind = CASES[text]["error"].split(":")[0]
    with pytest.raises((ValueError, TypeError, KeyError, RuntimeError)) as error:
        build(text)
    assert type(error.value).__name__ == kind
    assert "For '" in str(error.value)


BAD = [
    ("nn.Adadelta(params, rho=1.5)", ValueError, r"'rho' must be in range of \[0.0, 1.0\], but got 1.5"),
    ("nn.Adadelta(params, rho=1)", TypeError, "'rho' must be a float, got 1"),
    ("nn.AdaMax(params, beta1=1.0)", ValueError, r"'beta1' must be in range of \(0.0, 1.0\)"),
    ("nn.LazyAdam(params, use_nesterov=1)", TypeError, "'use_nesterov' must be a bool, got 1"),
    ("nn.Adam(params, lr=0.1)", KeyError, "Adam: the keywords besides are use_lazy and use_offload, got lr."),
    ("nn.AdamOffload(params, eps=0.0)", ValueError, "'eps' must be a finite number > 0, got 0.0"),
    ("nn.ASGD(params, lambd=1)", TypeError, "'lambd' must be a float, got 1"),
    ("nn.Rprop(params, etas=[0.5, 1.2])", TypeError, "'etas' must be a tuple of two floats"),
    ("nn.Rprop(params, etas=(0.5, 1.2, 1.3))", ValueError, "'etas' must be a tuple of two floats, got 3"),
    ("nn.Rprop(params, etas=(1.5, 1.2))", ValueError, r"etas\[0\] must be in \(0, 1\) and etas\[1\] > 1"),
    ("nn.Rprop(params, step_sizes=(1.0, 0.5))", ValueError, "the least of step_sizes must not exceed the largest"),
    ("nn.FTRL(params, learning_rate=[0.1, 0.2])", ValueError, "the learning rate must be one number, not a list"),
    ("nn.FTRL(params, lr_power=0.5)", ValueError, "'-lr_power' must be a finite number >= 0, got -0.5"),
    ("nn.FTRL(params, use_locking=1)", TypeError, "'use_locking' must be a bool, got 1"),
    ("nn.ProximalAdagrad(params, l1=-1.0)", ValueError, "'l1' must be a finite number >= 0, got -1.0"),
    ("nn.Lamb(params, 0.1, beta2=2.0)", ValueError, "'beta2' must be in range"),
    ("nn.LARS(1)", TypeError, "'optimizer' must be Optimizer, got 1"),
    ("nn.LARS(nn.SGD(params), use_clip=1)", TypeError, "'use_clip' must be bool, got 1"),
    (
        "nn.LARS(nn.SGD([{'params': [w], 'lr': [0.1, 0.2]}, {'params': [gamma]}]), use_clip=True)",
        ValueError,
        "use_clip cannot be combined with varying learning rates of groups",
    ),
    ("nn.AdaFactor(params, 0.1)", ValueError, "give a learning_rate or relative_step=True, not both"),
    ("nn.AdaFactor(params, relative_step=False)", ValueError, "relative_step=False needs a learning_rate"),
    ("nn.AdaFactor(params, 0.1, relative_step=False, warmup_init=True)", ValueError, "warmup_init=True needs"),
    ("nn.AdaFactor(params, eps=(1e-3,))", ValueError, "'eps' must be two floats"),
    ("nn.AdaFactor(params, compression=1)", TypeError, "'compression' must be a bool, got 1"),
    ("nn.AdaFactor(params, weight_decay=1.0)", ValueError, r"'weight_decay' must be in \[0, 1\), got 1.0"),
]


@pytest.mark.parametrize(("text", "kind", "match"), BAD)
def test_errors_of_our_own(text: str, kind: type, match: str) -> None:
    with pytest.raises(kind, match=match):
        build(text)

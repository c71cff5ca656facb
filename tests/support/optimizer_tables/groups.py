"""Optimizers with `param_groups`: MindSpore's states and texts of errors."""

import json
from pathlib import Path

import numpy as np
import pytest

from sporax import Parameter, Tensor
from sporax.experimental import optim

DATA = np.load(Path(__file__).parents[2] / "goldens" / "optimizers.npz")


def group_params() -> list[Parameter]:
    return [Parameter(Tensor(DATA[n]), name=n) for n in ("fc.weight", "bn.gamma")]


def grads(step: int) -> tuple[Tensor, ...]:
    return tuple(Tensor(DATA[f"grads/{n}"][step]) for n in ("fc.weight", "bn.gamma"))


CASES = json.loads((Path(__file__).parents[2] / "goldens" / "optimizers.json").read_text())["cases"]


@pytest.mark.parametrize("text", [t for t in CASES if t.startswith("optim.")])
def test_state_of_groups(text: str) -> None:
    """The state has MindSpore's names, order and shapes, and holds its values."""
    w, gamma = group_params()
    opt = eval(text, {"optim": optim, "w": w, "gamma": gamma, "params": [w, gamma]})
    for step in range(5):
        opt(grads(step))
    case = CASES[text]
    state = [p for p in opt.get_parameters() if p.name not in ("fc.weight", "bn.gamma")]
    assert sorted([p.name, str(p.dtype).lower(), list(p.shape)] for p in state) == sorted(s[:3] for s in case["state"])
    by_name = {p.name: p.asnumpy().astype(np.float64).ravel() for p in state}
    got = np.concatenate([by_name[s[0]] for s in case["state"]])
    if "Adam(" not in text and "Adagrad" not in text and "Rprop" not in text:
        np.testing.assert_allclose(got, DATA[f"state/{case['case']}"], rtol=1e-5, atol=2e-6)


BAD_GROUPS = [
    ("SGD(None, 0.1)", ValueError, "SGD: params must be Parameters or groups, got None"),
    ("SGD(3, 0.1)", TypeError, "SGD: params must be a list of Parameters or of groups, got 3"),
    ("SGD([], 0.1)", ValueError, "SGD: params must not be empty"),
    ("SGD([3], 0.1)", TypeError, "only Parameters can be optimized, got 3"),
    ("SGD([{'lr': 1}], 0.1)", TypeError, "a group must be a dict with 'params'"),
    ("SGD([{'params': {w}}], 0.1)", TypeError, "must be in an ordered collection, got a set"),
    ("SGD([{'params': [w]}, {'params': [w]}], 0.1)", ValueError, "the Parameter 'fc.weight' is in more than one group"),
    ("SGD([w], lr='a')", TypeError, "lr must be a number or a Tensor, got 'a'"),
    ("SGD([w], lr=-1.0)", ValueError, "lr must be >= 0, got -1.0"),
    ("SGD([w], lr=Tensor([0.1, 0.2]))", ValueError, r"an lr Tensor must be a scalar, got float32\[2\]"),
    ("SGD([w], weight_decay='a', lr=0.1)", TypeError, "weight_decay must be a number, got 'a'"),
    ("SGD([w], weight_decay=-1.0, lr=0.1)", ValueError, "weight_decay must be >= 0, got -1.0"),
    ("SGD([w], momentum=-1, lr=0.1)", ValueError, "SGD: momentum must be >= 0, got -1"),
    ("SGD([w], nesterov=True, lr=0.1)", ValueError, "nesterov needs momentum > 0 and dampening 0, got 0 and 0"),
    ("Adam([w], betas=0.9)", TypeError, "betas must be two numbers, got 0.9"),
    ("Adam([w], betas=(0.9, 1.0))", ValueError, r"betas\[1\] must be in \[0, 1\), got 1.0"),
    ("AdamW([w], eps=-1.0)", ValueError, "eps must be >= 0, got -1.0"),
    ("Adamax([w], eps=0.0)", ValueError, "eps must be > 0, got 0.0"),
    ("NAdam([w], momentum_decay=-1.0)", ValueError, "momentum_decay must be >= 0, got -1.0"),
    ("RAdam([w], lr=0.0)", ValueError, "lr must be > 0, got 0.0"),
    ("Adagrad([w], lr_decay=-1.0)", ValueError, "lr_decay must be >= 0, got -1.0"),
    ("Adadelta([w], rho=1.5)", ValueError, r"rho must be in \[0, 1\], got 1.5"),
    ("RMSprop([w], alpha=-0.1)", ValueError, "alpha must be >= 0, got -0.1"),
    ("ASGD([w], t0=1)", TypeError, "t0 must be a float, got 1"),
    ("Rprop([w], etas=(0.5, 0.9))", ValueError, r"etas\[0\] must be in \(0, 1\) and etas\[1\] > 1"),
    ("SGD([w], 0.1)((1, 2))", ValueError, "SGD: expected a tuple of 1 gradients, got 2"),
    (
        "SGD([w], 0.1)((Tensor([1.0]),))",
        ValueError,
        r"the gradient of 'fc.weight' must be a Tensor of shape \[3, 4\], got",
    ),
]


@pytest.mark.parametrize(("text", "kind", "match"), BAD_GROUPS)
def test_errors_of_groups(text: str, kind: type, match: str) -> None:
    names = {name: getattr(optim, name) for name in optim.__all__}
    with pytest.raises(kind, match=match):
        eval(text, {**names, "w": group_params()[0], "Tensor": Tensor})

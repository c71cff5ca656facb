"""Optimizers with `param_groups`: groups, states and errors (values of the rules: see `test_optimizers.py`)."""

import json
from pathlib import Path

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor
from sporax._src.transform import capture
from sporax.experimental import optim
from sporax.mint import optim as mint_optim

GOLDEN = json.loads((Path(__file__).parent.parent / "goldens" / "optimizers.json").read_text())["cases"]
DATA = np.load(Path(__file__).parent.parent / "goldens" / "optimizers.npz")


def params() -> list[Parameter]:
    return [Parameter(Tensor(DATA[n]), name=n) for n in ("fc.weight", "bn.gamma")]


def grads(step: int) -> tuple[Tensor, ...]:
    return tuple(Tensor(DATA[f"grads/{n}"][step]) for n in ("fc.weight", "bn.gamma"))


@pytest.mark.parametrize("text", [t for t in GOLDEN if t.startswith("optim.")])
def test_state(text: str) -> None:
    """The state has MindSpore's names, order and shapes, and holds its values."""
    w, gamma = params()
    opt = eval(text, {"optim": optim, "w": w, "gamma": gamma, "params": [w, gamma]})
    for step in range(5):
        opt(grads(step))
    case = GOLDEN[text]
    state = [p for p in opt.get_parameters() if p.name not in ("fc.weight", "bn.gamma")]
    assert sorted([p.name, str(p.dtype).lower(), list(p.shape)] for p in state) == sorted(s[:3] for s in case["state"])
    by_name = {p.name: p.asnumpy().astype(np.float64).ravel() for p in state}
    got = np.concatenate([by_name[s[0]] for s in case["state"]])
    if "Adam(" not in text and "Adagrad" not in text and "Rprop" not in text:
        np.testing.assert_allclose(got, DATA[f"state/{case['case']}"], rtol=1e-5, atol=2e-6)


def test_radam_is_exact() -> None:
    """Its rectification, a small difference of large numbers, is that of double precision."""
    rate, (b1, b2) = 0.01, (0.9, 0.999)
    rng = np.random.default_rng(0)
    w, m, v = rng.normal(size=50), np.zeros(50), np.zeros(50)
    parameter = Parameter(Tensor(w.astype(np.float32)), name="w")
    optimizer = optim.RAdam([parameter], lr=rate, betas=(b1, b2))
    most = 2 / (1 - b2) - 1
    for t in range(1, 21):
        g = rng.normal(size=50)
        optimizer((Tensor(g.astype(np.float32)),))
        m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
        rho = most - 2 * t * b2**t / (1 - b2**t)
        factor = 1.0
        if rho > 5:
            factor = np.sqrt((rho - 4) * (rho - 2) * most / ((most - 4) * (most - 2) * rho) * (1 - b2**t)) / np.sqrt(v)
        w = w - rate * m / (1 - b1**t) * factor
    np.testing.assert_allclose(parameter.asnumpy(), w, atol=1e-4 * rate)


def test_mint_views() -> None:
    """`mint.optim` has the same rules (MindSpore's CPU has no kernels for its own)."""
    assert [getattr(mint_optim, n) is getattr(optim, n) for n in ("SGD", "Adam", "AdamW")] == [True] * 3
    assert mint_optim.SGD(params(), 0.1).param_groups[0]["lr"].item() == pytest.approx(0.1)
    with pytest.raises(TypeError, match="'lr'"):
        mint_optim.SGD(params())  # type: ignore[call-arg]


def test_groups_can_change(mode: int) -> None:
    """Options of a group count from the next step on; a group can be added; a rate can be a plain number."""
    w, gamma = params()
    opt = optim.SGD([w], lr=0.1)
    opt(grads(0)[:1])
    opt.param_groups[0]["weight_decay"] = 0.5
    before = w.asnumpy()
    opt(grads(1)[:1])
    np.testing.assert_allclose(
        w.asnumpy(), before - 0.1 * (DATA["grads/fc.weight"][1] + 0.5 * before), rtol=1e-5, atol=1e-6
    )
    opt.add_param_group({"params": gamma, "lr": 0.2})
    opt.param_groups[0]["lr"] = 0.0
    before, other = w.asnumpy(), gamma.asnumpy()
    opt(grads(2))
    np.testing.assert_allclose(w.asnumpy(), before)
    np.testing.assert_allclose(gamma.asnumpy(), other - 0.2 * DATA["grads/bn.gamma"][2], rtol=1e-5, atol=1e-6)
    assert [p.name for p in opt.accum] == ["accum.fc.weight", "accum.bn.gamma"]
    assert opt.group_start_id == [0, 1, 2]


def test_inside_a_jitted_step() -> None:
    """A whole step is one graph, to which the learning rate is an operand."""
    net = ms.nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
    opt = optim.Adam(net.trainable_params(), lr=0.1)
    grad_fn = ms.value_and_grad(lambda x: net(x).sum(), None, opt.parameters)

    @ms.jit
    def step(x: Tensor) -> Tensor:
        loss, gradients = grad_fn(x)
        opt(gradients)
        return loss

    x = Tensor([[1.0, 2.0]])
    assert step(x).item() == 3.0
    before = capture.compilations
    opt.param_groups[0]["lr"].set_data(Tensor(0.0, ms.float32))
    middle = step(x).item()
    assert step(x).item() == middle < 3.0
    assert capture.compilations == before
    assert opt.state_step.item() == 3


def test_own_optimizer() -> None:
    """A subclass with its own `construct` finds groups, rates and the helper for weight decay."""

    class Sign(optim.Optimizer):
        def __init__(self, params: list[Parameter], lr: float) -> None:
            super().__init__(params, {"lr": lr, "weight_decay": 0.5})

        def construct(self, gradients: tuple[Tensor, ...]) -> bool:
            for number, group in enumerate(self.param_groups):
                start, end = self.group_start_id[number], self.group_start_id[number + 1]
                given = self._decay_weight(group["weight_decay"], self.parameters[start:end], gradients[start:end])
                for p, g in zip(self.parameters[start:end], given, strict=True):
                    p.set_data(p - self.lrs[number] * g.sign())
            return True

    w = Parameter(Tensor([1.0, -1.0]), name="w")
    Sign([w], 0.25)((Tensor([-0.1, -0.1]),))
    np.testing.assert_allclose(w.asnumpy(), [0.75, -0.75])


def test_text() -> None:
    text = repr(optim.SGD(params(), lr=0.5))
    assert text.startswith("SGD (\nParameter Group 0\n    dampening: 0.0\n")
    assert "    lr: 0.5\n" in text and "params" not in text


BAD = [
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
    ("Rprop([w], etas=(0.5, 0.9))", ValueError, r"etas must be in \(0, 1\) and > 1"),
    ("SGD([w], 0.1)((1, 2))", ValueError, "SGD: expected a tuple of 1 gradients, got 2"),
    (
        "SGD([w], 0.1)((Tensor([1.0]),))",
        ValueError,
        r"the gradient of 'fc.weight' must be a Tensor of shape \[3, 4\], got",
    ),
]


@pytest.mark.parametrize(("text", "kind", "match"), BAD)
def test_errors(text: str, kind: type, match: str) -> None:
    names = {name: getattr(optim, name) for name in optim.__all__}
    with pytest.raises(kind, match=match):
        eval(text, {**names, "w": params()[0], "Tensor": Tensor})

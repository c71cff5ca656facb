"""Optimizers step as MindSpore 2.7.0's do: values after each of five steps, and the state in the same order."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn
from sporax._src.base.public_names import defined_in
from sporax._src.transform import capture
from sporax.experimental import optim

GOLDENS = Path(__file__).parent.parent / "goldens"
CASES = json.loads((GOLDENS / "optimizers.json").read_text())["cases"]
DATA = np.load(GOLDENS / "optimizers.npz")

# MindSpore's CPU has no kernel for these, so there is nothing recorded to compare with.
NO_KERNEL = ("Unsupported op", "Not found op", "unregistered")


def served(text: str) -> bool:
    """Tell whether the expression names an optimizer that exists here.

    `mint.optim` is left out: on the CPU MindSpore's Adam and AdamW have no kernel, and its SGD leaves all values as they
    are. `test_param_groups.py` shows that sporax's are those of `experimental.optim`.
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
    np.testing.assert_allclose(got, DATA[f"state/{case['case']}"], rtol=1e-5, atol=STATE_LOOSER.get(text, 2e-6))


@pytest.mark.parametrize("text", ERRORS)
def test_errors(text: str) -> None:
    """Bad arguments raise MindSpore's exception class, and the text names the optimizer or the argument."""
    kind = CASES[text]["error"].split(":")[0]
    with pytest.raises((ValueError, TypeError, KeyError, RuntimeError)) as error:
        build(text)
    assert type(error.value).__name__ == kind
    assert "For '" in str(error.value)


def test_groups_with_a_parameter_twice() -> None:
    """One Parameter in two groups, and two Parameters of one name, are the errors that MindSpore makes of them."""
    first, second = nn.Dense(2, 2), nn.Dense(2, 2)
    for other, kind, match in ((first, RuntimeError, "is in the groups twice"), (second, ValueError, "have the name")):
        with pytest.raises(kind, match=f"For 'SGD', .*'weight'.* {match}|For 'SGD', .* {match} 'weight'"):
            nn.SGD([{"params": net.trainable_params()} for net in (first, other)], 0.1)


def test_gradient_of_another_shape_names_the_parameter() -> None:
    """The error names the Parameter, its shape and what came; nothing is updated."""
    made = build("nn.SGD(params, 0.1)")
    with pytest.raises(
        ValueError, match=r"the gradient of 'fc.weight' must be a Tensor of shape \[3, 4\], got float32\[4\]"
    ):
        made.opt((Tensor(np.ones(4, np.float32)), Tensor(np.ones(4, np.float32))))
    np.testing.assert_array_equal(made.w.asnumpy(), DATA["fc.weight"])
    with pytest.raises(ValueError, match="expected a tuple of 2 gradients"):
        made.opt((Tensor(np.ones((3, 4), np.float32)),))


@pytest.mark.parametrize("rate", [float("nan"), float("inf"), -1.0, True, "fast"])
def test_learning_rate_must_be_a_finite_number(rate: object) -> None:
    """NaN, infinite, negative and non-numeric rates are refused."""
    with pytest.raises((ValueError, TypeError), match=r"learning.rate"):
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


def stepped(text: str, steps: int = 3) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return fc.weight after some steps of an optimizer, and the gradients it received."""
    made, grads = build(text), DATA["grads/fc.weight"][:steps]
    for n, g in enumerate(grads):
        made.opt((Tensor(g), Tensor(DATA["grads/bn.gamma"][n])))
    return made.w.asnumpy(), [g.astype(np.float64) for g in grads]


def test_ftrl_is_the_papers() -> None:
    """Values of the formula in double precision."""
    got, grads = stepped("nn.FTRL(params, 0.2, 0.1, -0.5, 0.1, 0.02)")
    w, a, z = DATA["fc.weight"].astype(np.float64), 0.2, 0.0
    for g in grads:
        z = z + g - (np.sqrt(a + g * g) - np.sqrt(a)) / 0.1 * w
        a = a + g * g
        w = np.where(np.abs(z) > 0.1, (np.sign(z) * 0.1 - z) / (np.sqrt(a) / 0.1 + 0.04), 0)
    np.testing.assert_allclose(got, w, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_lamb_is_the_papers(mode: int, decay: float) -> None:
    """MindSpore's CPU has no kernel: values of the formula in double precision."""
    got, grads = stepped(f"nn.Lamb(params, 0.1, 0.8, 0.9, 1e-4, {decay})")
    w, m, v = DATA["fc.weight"].astype(np.float64), 0.0, 0.0
    for t, g in enumerate(grads, 1):
        m, v = 0.8 * m + 0.2 * g, 0.9 * v + 0.1 * g * g
        r = m / (1 - 0.8**t) / (np.sqrt(v / (1 - 0.9**t)) + 1e-4) + decay * w
        w = w - 0.1 * np.linalg.norm(w) / np.linalg.norm(r) * r
    np.testing.assert_allclose(got, w, rtol=1e-5, atol=1e-6)


def test_lamb_of_nothing() -> None:
    """A Parameter of zeros, or a gradient of zeros, makes no NaN."""
    w = Parameter(Tensor(np.zeros(2, np.float32)), name="w")
    opt = ms.nn.Lamb([w], 0.1)
    opt((Tensor(np.zeros(2, np.float32)),))
    np.testing.assert_array_equal(w.asnumpy(), [0, 0])
    opt((Tensor(np.ones(2, np.float32)),))
    assert np.isfinite(w.asnumpy()).all() and (w.asnumpy() < 0).all()


@pytest.mark.parametrize("clip", [False, True])
@pytest.mark.parametrize("scale", [1.0, 8.0])
def test_lars_is_the_papers(mode: int, clip: bool, scale: float) -> None:
    """MindSpore's CPU has no kernel: gradients scaled by the formula, then the momentum of the optimizer inside."""
    inner = f"nn.Momentum(params, 0.1, 0.9, weight_decay=0.1, loss_scale={scale})"
    text = f"nn.LARS({inner}, 1e-5, 0.02, {clip}, lars_filter=lambda p: 'gamma' not in p.name)"
    made = build(text)
    w, gamma = DATA["fc.weight"].astype(np.float64), DATA["bn.gamma"].astype(np.float64)
    v, u = 0.0, 0.0
    for n in range(3):
        before = capture.compilations
        g, h = DATA["grads/fc.weight"][n], DATA["grads/bn.gamma"][n]
        made.opt((Tensor(g * np.float32(scale)), Tensor(h * np.float32(scale))))
        assert n == 0 or capture.compilations == before
        rate = 0.02 * np.linalg.norm(w) / (np.linalg.norm(g) + 0.1 * np.linalg.norm(w) + 1e-5)
        rate = min(rate / 0.1, 1) if clip else rate
        v, u = 0.9 * v + rate * (g + 0.1 * w), 0.9 * u + h
        w, gamma = w - 0.1 * v, gamma - 0.1 * u
    np.testing.assert_allclose(made.w.asnumpy(), w, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(made.gamma.asnumpy(), gamma, rtol=1e-5, atol=1e-6)
    assert made.opt.global_step.asnumpy().tolist() == [3]
    assert {"learning_rate", "global_step", "moments.fc.weight"} <= {p.name for p in made.opt.get_parameters()}


def test_a_users_own_step_is_left_alone() -> None:
    """A subclass with a `construct` of its own runs as written, with the helpers of the base."""

    class Sign(ms.nn.Optimizer):
        def construct(self, gradients: tuple[Tensor, ...]) -> bool:
            rate = self.get_lr()
            self.assignadd(self.global_step, self.global_step_increase_tensor)
            for param, grad in zip(self.parameters, self.scale_grad(self.decay_weight(gradients)), strict=True):
                param.set_data(param - rate * grad.sign())
            return True

    w = Parameter(Tensor([1.0, -1.0]), name="w")
    opt = Sign(0.5, [w], loss_scale=2.0)
    before = capture.compilations
    opt((Tensor([3.0, -0.1]),))
    np.testing.assert_allclose(w.asnumpy(), [0.5, -0.5])
    assert capture.compilations == before and opt.global_step.asnumpy().tolist() == [1]


def test_a_users_own_step_with_the_maps_of_the_base() -> None:
    class Scaled(ms.nn.Optimizer):
        def construct(self, gradients: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
            steps = self.hyper_map(lambda g: g * 2, gradients), self.hyper_map_reverse(lambda g: g * 3, gradients)
            self.map_reverse(lambda p, g: p.set_data(p - g), self.parameters, steps[0])
            return self.map_(lambda p, g: p - g, self.parameters, steps[1])

    w, v = Parameter(Tensor([1.0]), name="w"), Parameter(Tensor([2.0]), name="v")
    got = Scaled(0.5, [w, v])((Tensor([3.0]), Tensor([4.0])))
    assert [w.asnumpy(), v.asnumpy()] == [-5.0, -6.0]
    assert [t.asnumpy() for t in got] == [-14.0, -18.0]


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
    ("nn.Rprop(params, etas=(1.5, 1.2))", ValueError, r"etas must be in \(0, 1\) and > 1"),
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
        "use_clip does not go with learning rates of groups that change",
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


def test_adafactor_variants() -> None:
    """Without first moment, with decay, with averages of vectors in float16."""
    got, grads = stepped(
        "nn.AdaFactor(params, 0.1, scale_parameter=False, relative_step=False, beta1=None, weight_decay=0.1)"
    )
    w, rows, columns = DATA["fc.weight"].astype(np.float64), 0.0, 0.0
    for t, g in enumerate(grads, 1):
        b = 1 - t**-0.8
        rows = b * rows + (1 - b) * (g * g).mean(1)
        columns = b * columns + (1 - b) * (g * g).mean(0)
        u = g / np.sqrt(np.outer(rows, columns) / rows.mean())
        u = u / max(1, np.sqrt((u * u).mean()))
        w = w - 0.1 * u - 0.1 * 0.1 * w
    np.testing.assert_allclose(got, w, rtol=1e-5, atol=1e-6)
    small = build("nn.AdaFactor(params, compression=True, warmup_init=True)").opt
    assert [str(p.dtype) for p in small.exp_avg_sq] == ["Float32", "Float16"]
    small((Tensor(grads[0].astype(np.float32)), Tensor(np.ones(4, np.float32))))


def test_every_optimizer_is_recorded() -> None:
    """No public optimizer lacks a case; the bases have none."""
    for prefix, module in (("nn", ms.nn), ("optim", optim), ("mint.optim", ms.mint.optim)):
        classes = [n for n in module.__all__ if isinstance(getattr(module, n), type)]
        kinds = [n for n in classes if ".optim." in defined_in(getattr(module, n))]
        lacking = [n for n in kinds if not any(text.startswith(f"{prefix}.{n}(") for text in CASES)]
        assert {n for n in lacking if not n.endswith(("LR", "Schedule"))} <= {"Optimizer"}, prefix


@pytest.mark.parametrize("optimizer", ["AdamWeightDecay", "Lamb", "Momentum"])
@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_weight_decay_that_varies_is_that_of_the_step(optimizer, mode):
    """The first step gets the decay of step 0: as many values as steps are enough."""

    class Decay(nn.Cell):
        def __init__(self):
            super().__init__()
            self.values = Tensor([0.1, 0.0], ms.float32)

        def construct(self, global_step):
            return self.values[global_step]

    ms.set_context(mode=mode)
    kind = getattr(nn, optimizer)
    settings = {"momentum": 0.0} if optimizer == "Momentum" else {}

    def stepped(weight_decay, steps):
        weight = ms.Parameter(Tensor([1.0, 2.0]), name="w")
        step = kind([weight], learning_rate=0.1, weight_decay=weight_decay, **settings)
        for _ in range(steps):
            step((Tensor([0.3, 0.1]),))
        return weight.asnumpy()

    np.testing.assert_array_equal(stepped(Decay(), 1), stepped(0.1, 1))
    assert (stepped(Decay(), 1) != stepped(0.0, 1)).any()
    assert np.isfinite(stepped(Decay(), 2)).all()

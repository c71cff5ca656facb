"""The base of optimizers with `param_groups`: groups that change, compiled steps, texts."""

import numpy as np
import pytest
from optimizer_tables.groups import DATA, grads, group_params

import sporax as ms
from sporax import Parameter, Tensor
from sporax._src.transform import capture
from sporax.experimental import optim
from sporax.mint import optim as mint_optim


def test_mint_views() -> None:
    """`mint.optim` has the same rules (MindSpore's CPU has no kernels for its own)."""
    assert [getattr(mint_optim, n) is getattr(optim, n) for n in ("SGD", "Adam", "AdamW")] == [True] * 3
    assert mint_optim.SGD(group_params(), 0.1).param_groups[0]["lr"].item() == pytest.approx(0.1)
    with pytest.raises(TypeError, match="'lr'"):
        mint_optim.SGD(group_params())  # type: ignore[call-arg]


def test_groups_can_change(mode: int) -> None:
    """Options of a group count from the next step on; a group can be added; a rate can be a plain number."""
    w, gamma = group_params()
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
    text = repr(optim.SGD(group_params(), lr=0.5))
    assert text.startswith("SGD (\nParameter Group 0\n    dampening: 0.0\n")
    assert "    lr: 0.5\n" in text and "params" not in text

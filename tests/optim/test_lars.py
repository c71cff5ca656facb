"""LARS: the rows of the tables, and the paper's formula."""

import numpy as np
import pytest
from optimizer_tables import optimizers_of
from optimizer_tables.steps import DATA, build

from sporax import Tensor
from sporax._src.transform import capture

TestRows = optimizers_of("sporax._src.optim.lars")


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

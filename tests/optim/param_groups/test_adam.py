"""Adam and AdamW with `param_groups`: the rows of the tables."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from optimizer_tables import optimizers_of

import sporax as ms
from sporax.mint import optim

TestRows = optimizers_of("sporax._src.optim.param_groups.adam")


@pytest.mark.parametrize("run", [lambda f: f, ms.jit])
@pytest.mark.parametrize(
    "options", [{}, {"weight_decay": 0.1, "amsgrad": True}, {"maximize": True, "betas": (0.5, 0.9)}]
)
def test_the_fused_steps_are_those_of_torch(run: Callable[[Any], Any], options: dict[str, Any]) -> None:
    first = np.array([1.0, -2.0, 0.5], np.float32)
    w, theirs = ms.Parameter(ms.Tensor(first), name="w"), torch.tensor(first, requires_grad=True)
    step, reference = run(optim.FusedAdamW([w], 0.1, **options)), torch.optim.AdamW([theirs], 0.1, **options)
    for gradient in ([0.5, 1.0, -3.0], [0.1, -2.0, 0.2], [0.0, 0.3, 0.4]):
        step((ms.Tensor(gradient, ms.float32),))
        theirs.grad = torch.tensor(gradient)
        reference.step()
    np.testing.assert_allclose(w.asnumpy(), theirs.detach().numpy(), rtol=1e-5)


def test_groups_of_the_fused_optimizer_agree_on_amsgrad() -> None:
    groups = [{"params": [ms.Parameter(ms.Tensor([1.0]), name=n)], "amsgrad": n == "a"} for n in "ab"]
    with pytest.raises(ValueError, match=r"FusedAdamW: amsgrad must be the same in all groups, got \[True, False\]"):
        optim.FusedAdamW(groups)

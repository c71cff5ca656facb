"""Every public optimizer obeys the laws of `check_optimizer`."""

from pathlib import Path

import pytest
from optimizer_laws import check_optimizer

from sporax import Parameter, ParameterTuple, Tensor, nn
from sporax._src import optim as rules
from sporax._src.optim import param_groups
from sporax.experimental import optim

# Constructors where `learning_rate=0.1` (`lr=0.1`) does not do.
ROWS = {
    "nn.Momentum": "nn.Momentum(params, 0.1, 0.5)",
    "nn.Adadelta": "nn.Adadelta(params, 1.0, epsilon=1e-3)",
    "nn.AdaFactor": "nn.AdaFactor(params, 0.1, scale_parameter=False, relative_step=False)",
    "nn.Adagrad": "nn.Adagrad(params, learning_rate=0.5)",
    "nn.FTRL": "nn.FTRL(params, learning_rate=0.5)",
    "nn.ProximalAdagrad": "nn.ProximalAdagrad(params, learning_rate=0.5)",
    "nn.LARS": "nn.LARS(nn.SGD(params, 0.5), coefficient=0.1)",
    "nn.thor": "nn.thor(Holding(params), Tensor([0.1] * 300), Tensor([0.01] * 300), 0.5)",
    "optim.Adadelta": "optim.Adadelta(params, lr=1.0, eps=1e-3)",
    "optim.Adagrad": "optim.Adagrad(params, lr=0.5)",
}
# What these remember besides is in no checkpoint, as in MindSpore.
UNSAVED = {"optim.ASGD", "optim.NAdam"}
ALL = [f"nn.{n}" for n in rules.__all__ if n != "Optimizer"]
ALL += [f"optim.{n}" for n in param_groups.__all__ if n != "Optimizer"]


class Holding(nn.Cell):
    """A network that has Parameters."""

    def __init__(self, params: list[Parameter]) -> None:
        super().__init__()
        self.params = ParameterTuple(params)


SCOPE = {"nn": nn, "optim": optim, "Tensor": Tensor, "Holding": Holding}


@pytest.mark.parametrize("name", ALL)
def test_laws(name: str, tmp_path: Path) -> None:
    rate = "learning_rate=0.1" if name.startswith("nn.") else "lr=0.1"
    call = ROWS.get(name, f"{name}(params, {rate})")
    check_optimizer(lambda params: eval(call, {**SCOPE, "params": params}), tmp_path, saved=name not in UNSAVED)

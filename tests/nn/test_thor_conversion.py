"""Networks converted for THOR: MindSpore's layers and Parameters, and what stays as it is."""

from typing import Any

import numpy as np
import pytest
from thor_cases import GOLDEN, RATE, SCOPE, Block, Net

from sporax import Tensor, nn, ops
from sporax.train import ConvertNetUtils

RNG = np.random.default_rng(0)


def described(params: Any) -> list[str]:
    """Return name, dtype, shape and whether it is trained, of each Parameter."""
    return [f"{p.name}: {str(p.dtype).lower()}{list(p.shape)}{'' if p.requires_grad else '!'}" for p in params]


@pytest.mark.parametrize("text", GOLDEN["networks"])
def test_converted_networks(text: str) -> None:
    scope: dict[str, Any] = dict(SCOPE)
    exec(text, scope)
    net, told = scope["net"], GOLDEN["networks"][text]
    opt = nn.thor(net, RATE, RATE, 0.9)
    own = {id(p) for p in net.get_parameters()}
    assert repr(net).splitlines() == told["repr"]
    assert described(net.get_parameters()) == told["parameters"]
    assert [p.name for p in opt.parameters] == told["trained"]
    assert sorted(described(p for p in opt.get_parameters() if id(p) not in own)) == told["states"]
    assert net.cell_type == told["cell_type"]


class Own(nn.Dense):
    """A class of a program's own."""


def test_what_is_not_converted() -> None:
    """MindSpore fails at these; they are trained by their gradients."""
    net = nn.SequentialCell(nn.Conv2d(4, 4, 3, group=2), nn.Flatten(), Own(36, 2))
    before = list(net.cells())
    opt = nn.thor(net, RATE, RATE, 0.0)
    assert list(net.cells()) == before and len(opt.matrix_a) == 0
    weights = [p.asnumpy() for p in opt.parameters]
    opt(tuple(ops.ones_like(p) for p in opt.parameters))
    for param, w in zip(opt.parameters, weights, strict=True):
        np.testing.assert_allclose(param.asnumpy(), w - np.float32(0.1), rtol=1e-6)


def test_a_layer_in_two_places_stays_one() -> None:
    net: Any = Net()
    net.a = Block()
    net.b = net.a.fc
    ConvertNetUtils().convert_to_thor_net(net)
    assert type(net.b) is nn.DenseThor and net.b is net.a.fc and net.b.weight.name == "a.fc.weight"


def test_values_are_taken_over() -> None:
    net, x = nn.SequentialCell(nn.Conv2d(2, 3, (1, 2), dilation=2, has_bias=True), nn.Flatten(), nn.Dense(36, 2)), RNG
    given = Tensor(x.normal(size=(2, 2, 3, 4)).astype(np.float32))
    before = net(given).asnumpy()
    nn.thor(net, RATE, RATE, 0.9)
    np.testing.assert_allclose(net(given).asnumpy(), before, rtol=1e-5, atol=1e-6)

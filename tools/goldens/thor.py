"""The optimizer THOR on the CPU, where it can be made but not run: what it converts, what its layers gather, its errors."""

from functools import partial
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn
from mindspore.train import ConvertModelUtils, ConvertNetUtils

from .common import attempt, dtype_name, set_mode, write_json

# Statements that build `net`, which `nn.thor` then converts.
NETS = """
net = nn.SequentialCell(nn.Dense(4, 3), nn.ReLU(), nn.Dense(3, 2, has_bias=False))
net = nn.SequentialCell(nn.Dense(4, 3, activation='relu'), nn.Dense(3, 2, activation='fast_gelu'))
net = nn.SequentialCell(nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), nn.Flatten(), nn.Dense(12, 2))
net = nn.SequentialCell(nn.Conv2d(2, 3, 3, 2, 'pad', 1, has_bias=True, bias_init='zeros'), nn.Flatten(), nn.Dense(12, 130))
net = nn.SequentialCell(nn.Conv2d(20, 140, 3), nn.Flatten(), nn.Dense(300, 256))
net = Net(); net.table = nn.Embedding(7, 4); net.norm = nn.LayerNorm((4,)); net.head = nn.Dense(4, 3)
net = Net(); net.table = nn.EmbeddingLookup(7, 4); net.head = nn.Dense(4, 3)
net = Net(); net.blocks = nn.CellList([Block(), Block()]); net.head = nn.Dense(3, 3)
net = Net(); net.body = nn.SequentialCell(nn.SequentialCell(nn.Dense(3, 3)), nn.Dense(3, 2))
net = nn.WithLossCell(nn.SequentialCell(nn.Dense(4, 3)), nn.MSELoss())
net = Net(); net.wide = nn.Dense(3, 3); net.deep = nn.Dense(3, 3)
"""

# Expressions of `net`, a network, and `rate`, a Tensor of four learning rates or dampings.
CALLS = """
nn.thor(net, rate, rate, 0.9)
nn.thor(net, rate, rate, 0.0, frequency=2)
nn.thor(net, rate, rate, 0.9, weight_decay=1)
nn.thor(net, rate, rate, 0.9, weight_decay=1e-4, loss_scale=128.0, batch_size=8, use_nesterov=True, frequency=2)
nn.thor(net, Tensor(0.1, ms.float32), rate, 0.9)
nn.thor(net, 0.1, rate, 0.9)
nn.thor(net, [0.1, 0.1], rate, 0.9)
nn.thor(net, nn.ExponentialDecayLR(0.1, 0.9, 2), rate, 0.9)
nn.thor(net, rate.reshape(2, 2), rate, 0.9)
nn.thor(net, rate, rate, 1)
nn.thor(net, rate, rate, True)
nn.thor(net, rate, rate, '0.9')
nn.thor(net, rate, rate, -0.1)
nn.thor(net, rate, rate, 0.9, frequency=1)
nn.thor(net, rate, rate, 0.9, frequency=0)
nn.thor(net, rate, rate, 0.9, frequency=2.0)
nn.thor(net, rate, rate, 0.9, frequency=True)
nn.thor(net, rate, rate, 0.9, loss_scale=0.0)
nn.thor(net, rate, rate, 0.9, loss_scale='1')
nn.thor(net, rate, rate, 0.9, weight_decay=-0.1)
nn.thor(net, rate, rate, 0.9, weight_decay='0.1')
nn.thor(net, rate, rate, 0.9, use_nesterov=1)
nn.DenseThor(0, 3)
nn.DenseThor(3.0, 3)
nn.DenseThor(3, 3, has_bias=1)
nn.DenseThor(3, 3, weight_init=Tensor(np.ones((2, 3)), ms.float32))
nn.DenseThor(3, 3, bias_init=Tensor(np.ones(2), ms.float32))
nn.Conv2dThor(0, 3, 3)
nn.Conv2dThor(3, 3, 0)
nn.Conv2dThor(3, 3, 3, stride=0)
nn.Conv2dThor(3, 3, 3, dilation=0)
nn.Conv2dThor(3, 3, 3, group=2)
nn.Conv2dThor(3, 3, 3, pad_mode='full')
nn.EmbeddingThor(3.0, 2)
nn.EmbeddingThor(3, 2, use_one_hot=1)
nn.EmbeddingThor(3, 2, padding_idx=4)
nn.EmbeddingLookupThor(0, 2)
nn.EmbeddingLookupThor(3, 2, target='GPU')
nn.EmbeddingLookupThor(3, 2, sparse=False)
ConvertModelUtils.convert_to_thor_model('other', net, optimizer=nn.SGD(net.trainable_params()))
type(ConvertModelUtils().convert_to_thor_model('other', net, optimizer=nn.thor(net, rate, rate, 0.9))).__name__
ConvertNetUtils().convert_to_thor_net(net)
"""

# Layers with their inputs: what they hold after a gradient of the sum of the outputs, weighted with 1, 2, 3, ...
LAYERS = {
    "nn.DenseThor(3, 2, 'ones', 'ones')": [[[1.0, 2.0, -1.0], [0.5, 0.0, 2.0], [1.0, 1.0, 1.0], [0.0, -2.0, 0.25]]],
    "nn.DenseThor(2, 3, 'ones', has_bias=False)": [[[1.0, 2.0]]],
    "nn.DenseThor(2, 2, 'ones', activation='relu')": [[[1.0, 2.0], [-3.0, 1.0], [0.5, 0.5]]],
    "nn.EmbeddingThor(5, 2, embedding_table='ones')": [[[0, 3, 3], [4, 0, 3]]],
}


class Net(nn.Cell):
    """An empty Cell."""


class Block(nn.Cell):
    """A Cell with a layer in it, and one below that."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Dense(3, 3)
        self.more = nn.SequentialCell(nn.Dense(3, 3), nn.Tanh())


SCOPE = {
    "nn": nn,
    "ms": ms,
    "np": np,
    "Tensor": Tensor,
    "Net": Net,
    "Block": Block,
    "ConvertModelUtils": ConvertModelUtils,
    "ConvertNetUtils": ConvertNetUtils,
}


def described(params: Any) -> list[str]:
    """Return name, dtype, shape and whether it is trained, of each Parameter."""
    return [f"{p.name}: {dtype_name(p)}{list(p.shape)}{'' if p.requires_grad else '!'}" for p in params]


def converted(text: str) -> dict[str, Any]:
    """Return what a network is like that `nn.thor` has converted, and the optimizer's own Parameters."""
    scope: dict[str, Any] = dict(SCOPE)
    exec(text, scope)
    net, rate = scope["net"], Tensor([0.1, 0.1, 0.1, 0.1], ms.float32)
    optimizer, error = attempt(lambda: nn.thor(net, rate, rate, 0.9))
    if error is not None:
        return {"error": error}
    own = {id(p) for p in net.get_parameters()}
    return {
        "repr": repr(net).splitlines(),
        "parameters": described(net.get_parameters()),
        "trained": [p.name for p in optimizer.parameters],
        "states": sorted(described(p for p in optimizer.get_parameters() if id(p) not in own)),
        "cell_type": net.cell_type,
    }


def called(text: str) -> str:
    """Return the class of what an expression gives, or the type of its error."""
    net = nn.SequentialCell(nn.Dense(4, 3), nn.Dense(3, 2))
    value, error = attempt(lambda: eval(text, {**SCOPE, "net": net, "rate": Tensor([0.1, 0.1, 0.1, 0.1], ms.float32)}))
    if error is not None:
        return error.partition(":")[0]
    return value if isinstance(value, str) else type(value).__name__


class Weighted(nn.Cell):
    """The sum of a layer's outputs, weighted with 1, 2, 3, ..."""

    def __init__(self, layer: nn.Cell) -> None:
        super().__init__()
        self.layer = layer

    def construct(self, x: Tensor) -> Tensor:
        """Return the sum."""
        out = self.layer(x)
        return (out * ms.ops.arange(1, out.size + 1).reshape(out.shape).astype(out.dtype)).sum()


def gathered(constructor: str, inputs: list[Any]) -> dict[str, Any]:
    """Return A and G of a layer after one gradient, in each mode."""
    found: dict[str, Any] = {"inputs": inputs}
    for mode in ("pynative", "graph"):
        set_mode(mode)
        layer = eval(constructor, SCOPE)
        weights = [p for p in layer.get_parameters() if p.requires_grad]
        args = [Tensor(np.array(x, np.int32 if isinstance(x[0][0], int) else np.float32)) for x in inputs]
        gradient = ms.grad(Weighted(layer), None, weights)
        _, error = attempt(partial(gradient, *args))
        found[mode] = error or {
            name: getattr(layer, name).asnumpy().astype(np.float64).tolist() for name in ("matrix_a", "matrix_g")
        }
    return found


def record(out: Path) -> None:
    """Write ``thor.json``."""
    set_mode("pynative")
    data = {
        "networks": {text: converted(text) for text in NETS.strip().splitlines()},
        "calls": {text: called(text) for text in CALLS.strip().splitlines()},
    }
    data["gathered"] = {key: gathered(key, inputs) for key, inputs in LAYERS.items()}
    write_json(out / "thor.json", data)

"""Checkpoints of a small network, of its optimizer, and of edge cases, with the values that they hold."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn

from .common import attempt, dtype_name, set_mode, to_numpy, write_json, write_npz
from .sampling import Sampler


class Network(nn.Cell):
    """A convolution, a batch norm, a dense layer, a parameter of its own and a shared weight."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, has_bias=True)
        self.bn = nn.BatchNorm2d(2)
        self.head = nn.SequentialCell(nn.Flatten(), nn.Dense(32, 3))
        self.tied = nn.Dense(32, 3, has_bias=False)
        self.tied.weight = self.head[1].weight
        self.scale = Parameter(Tensor(2.0, ms.float32))
        self.frozen = Parameter(Tensor([1, 2], ms.int32), requires_grad=False)

    def construct(self, x):
        """Return class scores."""
        x = nn.ReLU()(self.bn(self.conv(x)))
        return self.head(x) * self.scale


def network() -> nn.Cell:
    """Return a network whose parameters hold small random values."""
    net = Network()
    sampler = Sampler("checkpoint")
    for item in net.get_parameters():
        if item.dtype == ms.float32:
            item.set_data(Tensor(np.abs(sampler.r(*item.shape))))
    return net


def train(net: nn.Cell, optimizer: nn.Optimizer) -> nn.Cell:
    """Take two training steps; return the cell that holds network and optimizer."""
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()
    sampler = Sampler("data")
    for _ in range(2):
        step(Tensor(sampler.r(4, 1, 4, 4)), Tensor(sampler.i(3, 4)))
    return step


def odd_values() -> list[dict[str, Any]]:
    """Return what save_checkpoint accepts as a list: odd names, shapes and values."""
    values = {
        "scalar": Tensor(1.5),
        "int": Tensor(7),
        "true": Tensor(True),
        "special": Tensor([np.nan, np.inf, -np.inf, -0.0, 1e-45], ms.float32),
        "half": Tensor([65504.0, 6e-8, -0.0], ms.float16),
        "bfloat16": Tensor([1.0, -3.0e38, 1e-3], ms.bfloat16),
        "bfloat16_scalar": Tensor(2.5, ms.bfloat16),
        "extremes": Tensor([-(2**63), 2**63 - 1], ms.int64),
        "ones.of.rank.five": Tensor(np.ones((1, 2, 1, 2, 1)), ms.float32),
        "название": Tensor([1.0]),
        "a name with spaces/and:more": Tensor([2.0]),
    }
    return [{"name": name, "data": value} for name, value in values.items()]


def saves() -> dict[str, Callable[[str], None]]:
    """Return what writes each file."""
    net = network()
    momentum = nn.Momentum(net.trainable_params(), 0.1, 0.9, weight_decay=0.01)
    step = train(net, momentum)
    adam_net = network()
    adam = nn.Adam(adam_net.trainable_params(), nn.ExponentialDecayLR(0.1, 0.5, 2))
    train(adam_net, adam)
    empty = [{"name": "empty", "data": Tensor(np.zeros((0, 3)), ms.float32)}]
    return {
        "network.ckpt": lambda path: ms.save_checkpoint(network(), path),
        "network.safetensors": lambda path: ms.save_checkpoint(network(), path, format="safetensors"),
        "trained.ckpt": lambda path: ms.save_checkpoint(net, path),
        "step.ckpt": lambda path: ms.save_checkpoint(step, path),
        "momentum.ckpt": lambda path: ms.save_checkpoint(momentum, path),
        "adam.ckpt": lambda path: ms.save_checkpoint(adam, path),
        "adam.safetensors": lambda path: ms.save_checkpoint(adam, path, format="safetensors"),
        "append.ckpt": lambda path: ms.save_checkpoint(
            net, path, append_dict={"epoch_num": 3, "lr": 0.25, "done": False, "tensor": Tensor([1, 2]), "text": "abc"}
        ),
        "choice.ckpt": lambda path: ms.save_checkpoint(net, path, choice_func=lambda name: name.startswith("conv")),
        "odd.ckpt": lambda path: ms.save_checkpoint(odd_values(), path),
        "odd.safetensors": lambda path: ms.save_checkpoint(odd_values(), path, format="safetensors"),
        "dict.ckpt": lambda path: ms.save_checkpoint(net.parameters_dict(), path),
        "empty.ckpt": lambda path: ms.save_checkpoint(empty, path),
        "nothing.ckpt": lambda path: ms.save_checkpoint([], path),
    }


def described(path: Path) -> tuple[list[Any], dict[str, np.ndarray]]:
    """Return name, dtype and shape of each entry in file order, and the values."""
    loaded = ms.load_checkpoint(str(path), format=path.suffix[1:])
    entries, arrays = [], {}
    for name, value in loaded.items():
        if isinstance(value, str):
            entries.append([name, "string", value])
            continue
        entries.append([name, dtype_name(value), list(value.shape)])
        arrays[name] = to_numpy(value)
    return entries, arrays


def loading(folder: Path) -> dict[str, Any]:
    """Return what loading into a network that fits badly answers."""

    def into(name: str, **options: Any) -> Any:
        found = ms.load_param_into_net(Network(), ms.load_checkpoint(str(folder / name)), **options)
        return [list(part) for part in found]

    def renamed(**options: Any) -> Any:
        loaded = ms.load_checkpoint(str(folder / "network.ckpt"))
        loaded["extra"] = loaded.pop("bn.gamma")
        return [list(part) for part in ms.load_param_into_net(Network(), loaded, **options)]

    def wrong_shape() -> Any:
        loaded = ms.load_checkpoint(str(folder / "network.ckpt"))
        loaded["conv.weight"] = Parameter(Tensor(np.ones((1, 2, 3, 3)), ms.float32), name="conv.weight")
        return [list(part) for part in ms.load_param_into_net(Network(), loaded)]

    def wrong_dtype(**options: Any) -> Any:
        loaded = ms.load_checkpoint(str(folder / "network.ckpt"))
        loaded["scale"] = Parameter(Tensor(1.0, ms.float16), name="scale")
        return [list(part) for part in ms.load_param_into_net(Network(), loaded, **options)]

    calls = {
        "network.ckpt": lambda: into("network.ckpt"),
        "choice.ckpt": lambda: into("choice.ckpt"),
        "momentum.ckpt": lambda: into("momentum.ckpt"),
        "one name changed": renamed,
        "one name changed, strict_load": lambda: renamed(strict_load=True),
        "wrong shape": wrong_shape,
        "float16 for float32": wrong_dtype,
        "float16 for float32, strict_load": lambda: wrong_dtype(strict_load=True),
        "prefix": lambda: sorted(ms.load_checkpoint(str(folder / "network.ckpt"), filter_prefix="conv")),
        "specify_prefix": lambda: sorted(ms.load_checkpoint(str(folder / "network.ckpt"), specify_prefix="conv")),
        "missing file": lambda: ms.load_checkpoint(str(folder / "missing.ckpt")),
        "into the network": lambda: sorted(ms.load_checkpoint(str(folder / "network.ckpt"), network())),
        "not a checkpoint": lambda: ms.load_checkpoint(str(folder / "values.npz")),
    }
    outcomes = {}
    for name, call in calls.items():
        value, error = attempt(call)
        outcomes[name] = {"error": error} if error is not None else value
    return outcomes


def record(out: Path) -> None:
    """Write ``checkpoint/``: the files, ``values.npz`` under ``<file>/<number of the entry>``, and ``index.json``."""
    set_mode("pynative")
    folder = out / "checkpoint"
    folder.mkdir(parents=True, exist_ok=True)
    files: dict[str, Any] = {}
    arrays: dict[str, np.ndarray] = {}
    for name, save in saves().items():
        path = folder / name
        path.unlink(missing_ok=True)
        _, error = attempt(lambda: save(str(path)))  # noqa: B023
        if error is not None:
            files[name] = {"error": error}
            continue
        path.chmod(0o644)
        found, error = attempt(lambda: described(path))  # noqa: B023
        if error is not None:
            files[name] = {"load_error": error}
            continue
        files[name], values = found
        arrays |= {
            f"{name}/{number}": values[entry[0]] for number, entry in enumerate(files[name]) if entry[0] in values
        }
    write_npz(folder / "values.npz", arrays)
    write_json(folder / "index.json", {"files": files, "loading": loading(folder)})

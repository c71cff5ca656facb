"""`sporax check`: versions, devices, and a small training step on each device in each mode."""

from __future__ import annotations

import platform
import sys
import time
from importlib.metadata import version

import click
import jax
import numpy as np
from rich.console import Console
from rich.table import Table

import sporax as ms
from sporax import nn
from sporax._src.base import config

STEPS = 5


@click.command()
def check() -> None:
    """Show versions and devices, and train a few steps on each device."""
    console = Console(soft_wrap=True)
    console.print(f"sporax {ms.__version__}, Python {platform.python_version()}, NumPy {np.__version__}")
    console.print(f"JAX {jax.__version__}, jaxlib {version('jaxlib')}, {platform.platform()}")
    console.print(f"compile cache: {config.cache_dir() or 'off'}")
    failures = []
    table = Table("device", "mode", "loss before", f"after {STEPS} steps", "first step", "later steps")
    for device in devices():
        for mode in ("PYNATIVE", "GRAPH"):
            try:
                table.add_row(device, mode, *measure(device, getattr(ms, f"{mode}_MODE")))
            except Exception as error:
                table.add_row(device, mode, "[red]failed[/red]")
                failures.append(f"{device}, {mode}: {type(error).__name__}: {error}")
    console.print(table)
    for failure in failures:
        console.print(failure, markup=False)
    sys.exit(1 if failures else 0)


def devices() -> list[str]:
    """Return the kinds of device present, as `device_target` names them."""
    names = {"cpu": "CPU", "tpu": "TPU"}
    kinds = {names.get(device.platform, "GPU") for device in [*jax.devices(), *jax.devices("cpu")]}
    return sorted(kinds)


def measure(device: str, mode: int) -> tuple[str, str, str, str]:
    """Train a few steps and return losses and times as text.

    Raises:
        ArithmeticError: If the loss does not fall.
    """
    ms.set_context(mode=mode, device_target=device)
    ms.set_seed(0)
    network = nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 1))
    optimizer = nn.SGD(network.trainable_params(), learning_rate=0.05)
    step = nn.TrainOneStepCell(nn.WithLossCell(network, nn.MSELoss()), optimizer)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(32, 8)).astype(np.float32)
    data, label = ms.Tensor(x), ms.Tensor(x.sum(1, keepdims=True))
    losses, seconds = [], []
    for _ in range(STEPS + 1):
        start = time.perf_counter()
        losses.append(float(step(data, label).asnumpy()))
        seconds.append(time.perf_counter() - start)
    if not losses[-1] < losses[0]:
        raise ArithmeticError(f"the loss did not fall: {losses}")
    later = 1000 * float(np.median(seconds[1:]))
    return f"{losses[0]:.4f}", f"{losses[-1]:.4f}", f"{seconds[0]:.2f} s", f"{later:.2f} ms"

"""`sporax check`: versions, devices, a small training step on each device in each mode, and layers that libraries compute."""

from __future__ import annotations

import platform
import re
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import distributions, version

import click
import jax
import numpy as np
from rich.console import Console
from rich.table import Table

import sporax as ms
from sporax import nn, ops
from sporax._src.base import config

STEPS = 5
_LIBRARY = re.compile(r"nvidia-(?:cuda-runtime|cudnn|cublas|nccl)(?:-cu\d+)?$")  # the packages that JAX's extras bring
_QUERY = ("nvidia-smi", "--query-gpu=name,driver_version,memory.free,memory.total", "--format=csv,noheader")


@click.command()
def check() -> None:
    """Show versions and devices, train a few steps on each device, and run attention and a convolution there."""
    console = Console(soft_wrap=True)
    console.print(f"sporax {ms.__version__}, Python {platform.python_version()}, NumPy {np.__version__}")
    console.print(f"JAX {jax.__version__}, jaxlib {version('jaxlib')}, {platform.platform()}")
    console.print(f"compile cache: {config.cache_dir() or 'off'}")
    if "GPU" in devices():
        for line in gpu_lines():
            console.print(line, markup=False)
    failures = []
    table = Table("device", "mode", "loss before", f"after {STEPS} steps", "first step", "later steps")
    for device in devices():
        for mode in ("PYNATIVE", "GRAPH"):
            try:
                table.add_row(device, mode, *measure(device, getattr(ms, f"{mode}_MODE")))
            except Exception as error:
                table.add_row(device, mode, "[red]failed[/red]")
                failures.append(f"{device}, {mode}: {type(error).__name__}: {error}")
        for name, layer in LAYERS.items():
            try:
                console.print(f"{device}: {name} in {1000 * layer(device):.2f} ms")
            except Exception as error:
                failures.append(f"{device}, {name}: {type(error).__name__}: {error}")
    console.print(table)
    for failure in failures:
        console.print(failure, markup=False)
    sys.exit(1 if failures else 0)


def devices() -> list[str]:
    """Return the kinds of device present, as `device_target` names them."""
    names = {"cpu": "CPU", "tpu": "TPU"}
    kinds = {names.get(device.platform, "GPU") for device in [*jax.devices(), *jax.devices("cpu")]}
    return sorted(kinds)


def gpu_lines() -> list[str]:
    """Return what is known of the GPUs: cards, driver and free memory, and the libraries that are installed as packages."""
    lines = cards_of(_QUERY)
    found = {d.metadata["Name"]: d.version for d in distributions() if _LIBRARY.match(d.metadata["Name"] or "")}
    lines.append(
        "libraries: " + (", ".join(f"{name} {found[name]}" for name in sorted(found)) or "those of the system")
    )
    return lines


def cards_of(query: tuple[str, ...]) -> list[str]:
    """Return a line for each card that `nvidia-smi` lists, or the reason why it lists none."""
    try:
        done = subprocess.run(query, capture_output=True, text=True)
    except FileNotFoundError:
        return ["GPU: there is no nvidia-smi, which would name driver and free memory"]
    if done.returncode:
        return [f"GPU: nvidia-smi failed: {(done.stderr or done.stdout).strip()}"]
    rows = [[cell.strip() for cell in line.split(",")] for line in done.stdout.splitlines()]
    return [
        f"GPU {i}: {name}, driver {driver}, {free} of {all} free" for i, (name, driver, free, all) in enumerate(rows)
    ]


def attention(device: str) -> float:
    """Compute attention in bfloat16, compare it with its formula, and return the seconds of a run.

    Raises:
        ArithmeticError: If the results differ.
    """
    q, k, v = (np.random.default_rng(i).normal(size=(2, 4, 128, 64)) for i in range(3))
    scores = q @ k.swapaxes(-1, -2) / 8
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    expected = weights / weights.sum(-1, keepdims=True) @ v

    def compute(q: ms.Tensor, k: ms.Tensor, v: ms.Tensor) -> ms.Tensor:
        return ops.matmul(ops.softmax(ops.matmul(q, k.swapaxes(-1, -2)) * 0.125, -1), v)

    return compared(device, compute, [ms.Tensor(x, ms.bfloat16) for x in (q, k, v)], expected)


def convolution(device: str) -> float:
    """Compute a convolution, compare it with its formula, and return the seconds of a run.

    Raises:
        ArithmeticError: If the results differ.
    """
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(4, 16, 32, 32)), rng.normal(size=(32, 16, 3, 3))
    expected = np.zeros((4, 32, 30, 30))
    for i, j in np.ndindex(3, 3):
        expected += np.einsum("nchw,oc->nohw", x[:, :, i : i + 30, j : j + 30], w[:, :, i, j])
    tensors = [ms.Tensor(a, ms.float32) for a in (x, w)]
    return compared(device, lambda x, w: ops.conv2d(x, w), tensors, expected)


def compared(device: str, fn: Callable[..., ms.Tensor], operands: list[ms.Tensor], expected: np.ndarray) -> float:
    """Run a graph on a device, compare its result, and return the seconds of a further run.

    Raises:
        ArithmeticError: If the result is not the expected one within the precision of bfloat16.
    """
    ms.set_context(mode=ms.GRAPH_MODE, device_target=device)
    graph = ms.jit(fn)
    error = np.abs(graph(*operands).astype(ms.float32).asnumpy() - expected).max() / np.abs(expected).max()
    if not error < 2e-2:
        raise ArithmeticError(f"the result is off by {error:.1e} of its largest value")
    start = time.perf_counter()
    graph(*operands).asnumpy()
    return time.perf_counter() - start


LAYERS: dict[str, Callable[[str], float]] = {"attention": attention, "convolution": convolution}


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

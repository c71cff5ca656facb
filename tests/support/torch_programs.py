"""Programs written for PyTorch beside what conversion makes of them: the same outputs, gradients and losses.

Each file of `tests/migrate/programs/sources` is a program of its own that imports torch, NumPy and the standard library only.
Its data and every random draw inside a step come from NumPy generators of fixed seeds, so that a converted program sees the
same. It has

    build_model()                -> a net, or a tuple of nets
    example_inputs()             -> a tuple of tensors
    predict(model, inputs)       -> a tensor or a tuple of tensors: what the nets compute
    forward_loss(model, inputs)  -> the scalar whose gradients are compared
    train(model, steps=20)       -> the loss of every step, as floats

and conversion keeps these names. `compare` builds both, carries torch's weights over, and returns how far apart they are.

    python tests/support/torch_programs.py CONVERTED [NAME ...]

prints the table for converted programs in a folder.
"""

import contextlib
import copy
import functools
import importlib.util
import io
import subprocess
import sys
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch
from converted_programs import answering_mindspore, helpers_in

import sporax as ms
from sporax.migrate import transfer_weights

PROGRAMS = Path(__file__).parents[1] / "migrate" / "programs" / "sources"
NAMES = sorted(path.stem for path in PROGRAMS.glob("*.py"))
STEPS = 20


@dataclass(frozen=True)
class Differences:
    """The largest difference of each kind, relative to the scale of the values."""

    forward: float
    gradients: float
    losses: float


BOUNDS = Differences(forward=3e-6, gradients=1e-5, losses=1e-4)


@dataclass(frozen=True)
class TorchRun:
    """What a program does under torch, from the weights of `model`; `gradients` has them in the place of weights."""

    model: Any
    outputs: list[np.ndarray]
    gradients: Any
    losses: list[float]


def load(path: Path) -> ModuleType:
    """Import a file under a name of its own, with `mindspore` answered by sporax while it is imported."""
    name = f"{path.parent.name}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    with answering_mindspore(), helpers_in(path.parent):
        spec.loader.exec_module(module)
    return module


def convert(out: Path) -> None:
    """Convert all programs in one call of the command."""
    command = [sys.executable, "-m", "sporax", "migrate", str(PROGRAMS), "-o", str(out)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@functools.cache
def torch_run(name: str) -> TorchRun:
    """Run a program under torch; once in a process."""
    module = load(PROGRAMS / f"{name}.py")
    torch.manual_seed(0)
    with quiet(), one_thread():
        model = module.build_model()
        with torch.no_grad():
            outputs = _arrays(
                module.predict(_each(model, lambda net: copy.deepcopy(net).eval()), module.example_inputs())
            )
        differentiated = _each(model, copy.deepcopy)
        module.forward_loss(differentiated, module.example_inputs()).backward()
    return TorchRun(model, outputs, _each(differentiated, _gradients_for_weights), torch_losses(module, model))


def torch_losses(module: ModuleType, model: Any) -> list[float]:
    """Train a copy of the model."""
    with quiet():
        return module.train(_each(model, copy.deepcopy), STEPS)


def compare(name: str, converted: Path) -> Differences:
    """Run a converted program from torch's weights and return how far it is from torch."""
    expected = torch_run(name)
    module = load(converted)
    with quiet(), answering_mindspore():
        evaluated = _each(built(module, expected.model), lambda cell: cell.set_train(False))
        outputs = _arrays(module.predict(evaluated, module.example_inputs()))
        gradients = _gradients(module, built(module, expected.model))
        reference = _trainable(built(module, expected.gradients))
        losses = module.train(built(module, expected.model), STEPS)
    assert len(losses) == len(expected.losses), f"{len(losses)} losses for {len(expected.losses)}"
    return Differences(
        forward=max(_apart(a, b) for a, b in zip(expected.outputs, outputs, strict=True)),
        gradients=_gradients_apart([p.asnumpy() for p in reference], gradients),
        losses=_apart(np.array(expected.losses), np.array(losses)),
    )


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep what programs print, and torch's warnings, from the report."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Let torch compute on one thread: it adds what several threads found in the order in which they end."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def built(module: ModuleType, source: Any) -> Any:
    """Build a converted program's nets, with the weights of torch's; they must be born in training mode, as torch's are."""
    model = module.build_model()
    for net, cell in zip(_as_tuple(source), _as_tuple(model), strict=True):
        transfer_weights(net, cell)
    return model


def _gradients(module: ModuleType, model: Any) -> list[np.ndarray]:
    inputs = module.example_inputs()
    grad = ms.value_and_grad(lambda: module.forward_loss(model, inputs), None, _trainable(model))
    return [g.asnumpy() for g in grad()[1]]


def _gradients_for_weights(net: torch.nn.Module) -> torch.nn.Module:
    """Put gradients in the place of weights, so that what carries weights brings them into the other's layout, too."""
    for parameter in net.parameters():
        gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        parameter.data = gradient.detach().clone()
    return net


def _trainable(model: Any) -> list[ms.Parameter]:
    return [parameter for cell in _as_tuple(model) for parameter in cell.trainable_params()]


def _gradients_apart(expected: list[np.ndarray], found: list[np.ndarray]) -> float:
    """The largest difference; a gradient that is next to nothing is measured by a hundredth of the largest of all."""
    floor = 1e-2 * max(np.abs(g).max() for g in expected)
    return max(_apart(a, b, floor) for a, b in zip(expected, found, strict=True))


def _apart(expected: np.ndarray, found: np.ndarray, floor: float = 1e-30) -> float:
    """The largest difference, relative to the largest value."""
    assert expected.shape == found.shape, f"shape {found.shape}, expected {expected.shape}"
    if expected.size == 0:
        return 0.0
    wide, other = expected.astype(np.float64), found.astype(np.float64)
    largest = float(np.abs(wide - other).max() / max(np.abs(wide).max(), floor))
    return largest if np.isfinite(largest) else float("inf")


def _arrays(values: Any) -> list[np.ndarray]:
    """Flatten nested tensors of either library to arrays."""
    if isinstance(values, (tuple, list)):
        return [array for value in values for array in _arrays(value)]
    return [values.detach().numpy() if isinstance(values, torch.Tensor) else values.asnumpy()]


def _as_tuple(model: Any) -> tuple[Any, ...]:
    return model if isinstance(model, tuple) else (model,)


def _each(model: Any, change: Any) -> Any:
    return tuple(change(net) for net in model) if isinstance(model, tuple) else change(model)


def main(folder: str, *names: str) -> int:
    """Print a row for each program; return the number of those that differ or fail."""
    torch.set_num_threads(1)
    print(f"{'program':16s} {'forward':>9s} {'gradients':>9s} {'losses':>9s}")
    failed = 0
    for name in names or NAMES:
        try:
            found = compare(name, Path(folder) / f"{name}.py")
        except Exception as error:
            failed += 1
            frame = traceback.extract_tb(error.__traceback__)[-1]
            lines = str(error).strip().splitlines() or [""]
            print(f"{name:16s} {type(error).__name__}: {lines[0]} ({Path(frame.filename).name}:{frame.lineno})")
            continue
        agrees = all(getattr(found, kind) <= getattr(BOUNDS, kind) for kind in vars(BOUNDS))
        failed += not agrees
        row = f"{name:16s} {found.forward:9.1e} {found.gradients:9.1e} {found.losses:9.1e}"
        print(row if agrees else f"{row}  differs")
    print(f"{len(names or NAMES) - failed} of {len(names or NAMES)} agree")
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

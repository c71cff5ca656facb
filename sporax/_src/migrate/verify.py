"""A program and its conversion side by side: what both print, number by number, from the same initial weights.

Each runs in a process of its own, whose `main` notes (under torch) or sets (converted) the Parameters of a network when it is first
called, and draws the numbers of `rand`, `randn` and `randperm` from NumPy.
"""

from __future__ import annotations

import itertools
import math
import re
import runpy
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?\b(?:nan|inf)\b")
_NO_TORCH = 3  # the status of the process of the source if torch is not installed


@dataclass(frozen=True)
class Verification:
    """What a program and its conversion print.

    Args:
        lines: How many lines agree.
        line: The number of the first line that differs, 0 if none does.
        source: This line of the source.
        converted: This line of the conversion.
    """

    lines: int
    line: int = 0
    source: str = ""
    converted: str = ""

    def summary(self) -> str:
        """Return the result in a sentence or two."""
        if not self.line:
            return f"verified: {self.lines} printed lines agree."
        return f"line {self.line} differs:\n  source:    {self.source}\n  converted: {self.converted}"


def verify(
    source: Path, converted: Path, command: str, tolerance: float = 1e-3, timeout: float | None = None
) -> Verification:
    """Run a program and its conversion, and compare what they print.

    Args:
        source: The folder of the program.
        converted: The folder of its conversion.
        command: How it is run in its folder: `python SCRIPT ARGUMENTS` or `python -m MODULE ARGUMENTS`.
        tolerance: How far two numbers may be apart, relative to the larger one.
        timeout: How many seconds each run may take, None for any.

    Raises:
        ValueError: If the command is of another form.
        RuntimeError: If torch is not installed, or a run fails or takes longer.
    """
    words = shlex.split(command)
    if len(words) < 2 or not Path(words[0]).name.startswith("python"):
        raise ValueError(f"--verify {command!r}: expected `python SCRIPT ...` or `python -m MODULE ...`.")
    with tempfile.TemporaryDirectory() as weights:
        expected = _output("torch", source, weights, words[1:], timeout)
        printed = _output("mindspore", converted, weights, words[1:], timeout)
    return compared(expected.splitlines(), printed.splitlines(), tolerance)


def compared(source: Sequence[str], converted: Sequence[str], tolerance: float) -> Verification:
    """Compare the lines that two programs print: their numbers, and the text between these."""
    pairs = itertools.zip_longest(source, converted, fillvalue="(nothing)")
    for number, (one, other) in enumerate(pairs, 1):
        if not _agree(one, other, tolerance):
            return Verification(number - 1, number, one, other)
    return Verification(len(source))


def _agree(one: str, other: str, tolerance: float) -> bool:
    if _NUMBER.sub("#", one) != _NUMBER.sub("#", other):
        return False
    numbers = zip(map(float, _NUMBER.findall(one)), map(float, _NUMBER.findall(other)), strict=True)
    return all(a == b or math.isclose(a, b, rel_tol=tolerance, abs_tol=1e-6) or (a != a and b != b) for a, b in numbers)


def _output(framework: str, folder: Path, weights: str, words: Sequence[str], timeout: float | None) -> str:
    """Run a program in its folder and return what it prints."""
    side = "the source" if framework == "torch" else "the conversion"
    command = [sys.executable, "-B", __file__, framework, weights, *words]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"verify: {side} did not end within {timeout:g} seconds.") from None
    if done.returncode == _NO_TORCH and framework == "torch":
        raise RuntimeError("verify: torch is not installed here; install it to run the source.")
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise RuntimeError(f"verify: {side} ended with status {done.returncode}: {last}")
    return done.stdout


# --- in the process of a program ----------------------------------------------------------------------------------------


def main(framework: str, weights: str, *words: str) -> None:
    """Run a script or module, with weights and random numbers that do not depend on the framework."""
    sys.path[0] = str(Path.cwd())
    (_prepare_torch if framework == "torch" else _prepare_mindspore)(Path(weights))
    if words[0] == "-m":
        sys.argv = [*words[1:]]
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = [*words]
        sys.path[0] = str(Path(words[0]).resolve().parent)
        runpy.run_path(words[0], run_name="__main__")


def _prepare_torch(folder: Path) -> None:
    """Note the Parameters of each network at its first call."""
    try:
        import torch
    except ImportError:
        sys.exit(_NO_TORCH)

    def note(net: Any, path: Path) -> None:
        np.savez(path, *(p.detach().cpu().numpy() for p in net.parameters()))

    torch.nn.Module.__call__ = _at_first_call(torch.nn.Module.__call__, folder, note)
    _draw_with_numpy(torch, torch.as_tensor)


def _prepare_mindspore(folder: Path) -> None:
    """Give each network at its first call the Parameters that the network of the same turn had under torch."""
    import sporax as ms
    from sporax import compat

    compat.install()

    def set_weights(net: Any, path: Path) -> None:
        parameters = [*net.get_parameters()]
        values = [*np.load(path).values()] if path.exists() else []
        if [p.size for p in parameters] != [value.size for value in values]:
            raise ValueError(f"{type(net).__name__} has other Parameters than its counterpart under torch")
        for parameter, value in zip(parameters, values, strict=True):
            parameter.set_data(ms.Tensor(value.reshape(parameter.shape), parameter.dtype))

    ms.nn.Cell.__call__ = _at_first_call(ms.nn.Cell.__call__, folder, set_weights)
    _draw_with_numpy(ms.mint, ms.Tensor)


def _at_first_call(call: Callable[..., Any], folder: Path, act: Callable[[Any, Path], None]) -> Callable[..., Any]:
    """Return the call of a network that acts before the first call of each outermost network with Parameters."""
    seen: dict[int, Any] = {}
    depth = 0

    def called(net: Any, *args: Any, **kwargs: Any) -> Any:
        nonlocal depth
        parameters = net.parameters() if hasattr(net, "parameters") else net.get_parameters()
        if not depth and id(net) not in seen and any(True for _ in parameters):
            act(net, folder / f"{len(seen)}.npz")
            seen[id(net)] = net
        depth += 1
        try:
            return call(net, *args, **kwargs)
        finally:
            depth -= 1

    return called


def _draw_with_numpy(module: ModuleType, tensor: Callable[..., Any]) -> None:
    """Let the functions of a module draw their numbers from one generator of NumPy."""
    rng = np.random.default_rng(0)

    def sized(draw: Callable[..., np.ndarray]) -> Callable[..., Any]:
        def drawn(*size: Any, dtype: Any = None, **_: object) -> Any:
            shape = size[0] if size and isinstance(size[0], (tuple, list)) else size
            value = tensor(np.asarray(draw(tuple(shape)), np.float32))
            return value if dtype is None else value.to(dtype)

        return drawn

    def permuted(n: int, **_: object) -> Any:
        return tensor(rng.permutation(n))

    for name, function in (("randn", sized(rng.standard_normal)), ("rand", sized(rng.random)), ("randperm", permuted)):
        setattr(module, name, function)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""A program with weights and random numbers that do not depend on the framework: a process of `sporax migrate --verify`.

It notes (under torch) or sets (converted) the Parameters of a network when it is first called, and draws the numbers of `rand`,
`randn` and `randperm` and the order of shuffled data from NumPy.
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import sporax as ms
from sporax import compat

NO_TORCH = 3  # the status of the process if torch is not installed


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
        sys.exit(NO_TORCH)

    def note(net: Any, path: Path) -> None:
        np.savez(path, **{name: p.detach().cpu().numpy() for name, p in net.named_parameters()})

    def order(sampler: Any) -> Any:
        if sampler.replacement or sampler.generator is not None:
            return iterate(sampler)
        return iter(np.random.permutation(len(sampler.data_source)).tolist())

    samplers: Any = torch.utils.data.RandomSampler
    iterate, samplers.__iter__ = samplers.__iter__, order
    torch.nn.Module.__call__ = _at_first_call(torch.nn.Module.__call__, folder, note, torch.nn.Module.parameters)
    _draw_with_numpy(torch, torch.as_tensor)


def _prepare_mindspore(folder: Path) -> None:
    """At the first call of the n-th network, give it the Parameters of the n-th network under torch."""
    compat.install()

    def set_weights(net: Any, path: Path) -> None:
        parameters = dict(net.parameters_and_names())
        values = dict(np.load(path)) if path.exists() else {}
        other = [
            name for name, value in values.items() if name not in parameters or parameters[name].shape != value.shape
        ]
        if other or not values:
            names = ", ".join(other) or "all"
            raise ValueError(f"{type(net).__name__} has other Parameters than its counterpart under torch: {names}")
        for name, value in values.items():
            parameters[name].set_data(ms.Tensor(value, parameters[name].dtype))

    def parameters_of(net: Any) -> Any:
        return () if isinstance(net, ms.nn.Optimizer) else net.get_parameters()

    ms.nn.Cell.__call__ = _at_first_call(ms.nn.Cell.__call__, folder, set_weights, parameters_of)
    _draw_with_numpy(ms.mint, ms.Tensor)


def _at_first_call(
    call: Callable[..., Any],
    folder: Path,
    act: Callable[[Any, Path], None],
    parameters_of: Callable[[Any], Iterable[Any]],
) -> Callable[..., Any]:
    """Return the call of a network that acts before the first call of each outermost network with Parameters."""
    seen: dict[int, Any] = {}
    depth = 0

    def called(net: Any, *args: Any, **kwargs: Any) -> Any:
        nonlocal depth
        if not depth and id(net) not in seen and any(True for _ in parameters_of(net)):
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
    np.random.permutation = np.random.default_rng(1).permutation  # the helpers of converted programs shuffle by it

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

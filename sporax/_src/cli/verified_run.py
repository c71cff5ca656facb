"""A program with weights and random numbers that do not depend on the framework: a process of `sporax migrate --verify`.

It notes (under torch) or sets (converted) the Parameters of a network when it is first called, and draws the numbers of `rand`,
`randn`, `randint`, `randperm` and similar functions, and the order of shuffled data, from NumPy.

The module itself imports neither framework: `tools/scripts/driver.py` also runs it with a Python that has MindSpore, not sporax.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import runpy
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

NO_TORCH = 3  # the status of the process if torch is not installed
NamedParameters = Callable[[Any], Iterable[tuple[str, Any]]]


def main(framework: str, weights: str, *words: str) -> None:
    """Run a script or module, with weights and random numbers that do not depend on the framework."""
    sys.path[0] = str(Path.cwd())
    if framework == "torch":
        prepare_torch(Path(weights))
    else:
        prepare_mindspore(Path(weights), *sporax_as_mindspore())
    run(*words)


def sporax_as_mindspore() -> tuple[ModuleType, NamedParameters]:
    """Let `import mindspore` give sporax; return this module, and what names Parameters as torch does."""
    importlib.import_module("sporax.compat").install()
    helpers = importlib.import_module("sporax._src.migrate.helpers.classic.attributes")
    return importlib.import_module("mindspore"), helpers._named_as_by_torch


def run(*words: str) -> None:
    """Run a script or module as `python` does."""
    if words[0] == "-m":
        sys.argv = [*words[1:]]
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = [*words]
        sys.path[0] = str(Path(words[0]).resolve().parent)
        runpy.run_path(words[0], run_name="__main__")


def prepare_torch(folder: Path) -> None:
    """Note the Parameters of each network at its first call."""
    try:
        import torch
    except ImportError:
        sys.exit(NO_TORCH)

    def note(net: Any, path: Path) -> None:
        np.savez(path, **{name: p.detach().cpu().numpy() for name, p in net.named_parameters()})

    def order(sampler: Any) -> Any:
        count = len(sampler.data_source)
        if sampler.generator is not None:
            return iterate(sampler)
        return (
            _drawn(count, sampler.num_samples) if sampler.replacement else iter(np.random.permutation(count).tolist())
        )

    samplers: Any = torch.utils.data.RandomSampler
    iterate, samplers.__iter__ = samplers.__iter__, order
    module = torch.nn.Module
    module.__call__ = _at_first_call(module.__call__, folder, note, module.parameters, module.modules)
    _draw_with_numpy([torch], torch.as_tensor)


def _drawn(count: int, samples: int) -> Iterator[int]:
    """Yield samples of [0, count), as the helpers of converted programs draw them."""
    for first in range(0, samples, 1024):
        yield from np.random.randint(0, count, min(1024, samples - first)).tolist()


def prepare_mindspore(folder: Path, mindspore: ModuleType, named_parameters: NamedParameters) -> None:
    """At the first call of the n-th network, give it the Parameters of the n-th network under torch.

    Args:
        folder: Where these Parameters are.
        mindspore: MindSpore, or sporax in its place.
        named_parameters: Gives the Parameters of a Cell with torch's names.
    """

    def set_weights(net: Any, path: Path) -> None:
        parameters = dict(named_parameters(net))
        values = dict(np.load(path)) if path.exists() else {}
        other = [
            name for name, value in values.items() if name not in parameters or parameters[name].size != value.size
        ]
        if other or not values:
            names = ", ".join(other) or "all"
            raise ValueError(f"{type(net).__name__} has other Parameters than its counterpart under torch: {names}")
        for name, value in values.items():
            parameter = parameters[name]  # the classic Conv1d has one axis more
            parameter.set_data(mindspore.Tensor(value.reshape(parameter.shape), parameter.dtype))

    optimizers = (mindspore.nn.Optimizer, mindspore.experimental.optim.Optimizer)

    def parameters_of(net: Any) -> Any:
        return () if isinstance(net, optimizers) else net.get_parameters()

    def parts_of(net: Any) -> Any:
        return (part for _, part in net.cells_and_names())

    cell = mindspore.nn.Cell
    cell.__call__ = _at_first_call(cell.__call__, folder, set_weights, parameters_of, parts_of)
    _draw_with_numpy([mindspore.mint, mindspore.ops], mindspore.Tensor)
    _keep_numpy_state(mindspore)


def _keep_numpy_state(mindspore: ModuleType) -> None:
    """Let first values of Parameters leave the random state of NumPy as it is, as torch does: they come from torch anyway."""
    kinds = {
        kind for module in (mindspore.nn, mindspore.mint.nn) for kind in vars(module).values() if isinstance(kind, type)
    }
    for kind in kinds - {mindspore.nn.Cell}:
        if issubclass(kind, mindspore.nn.Cell) and "__init__" in vars(kind):
            kind.__init__ = _with_numpy_state_kept(kind.__init__)
    drawn = mindspore.common.initializer.Initializer
    drawn.__call__ = _with_numpy_state_kept(drawn.__call__)


def _with_numpy_state_kept(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        state = np.random.get_state()
        try:
            return function(*args, **kwargs)
        finally:
            np.random.set_state(state)

    return called


def _at_first_call(
    call: Callable[..., Any],
    folder: Path,
    act: Callable[[Any, Path], None],
    parameters_of: Callable[[Any], Iterable[Any]],
    parts_of: Callable[[Any], Iterable[Any]],
) -> Callable[..., Any]:
    """Return the call of a network that acts before the first call of each network with Parameters, but not of its parts.

    A network that another one makes when it is called is no part of it.
    """
    seen: dict[int, Any] = {}
    count = itertools.count()

    def called(net: Any, *args: Any, **kwargs: Any) -> Any:
        if id(net) not in seen and any(True for _ in parameters_of(net)):
            act(net, folder / f"{next(count)}.npz")
            seen.update((id(part), part) for part in parts_of(net))
        return call(net, *args, **kwargs)

    return called


def _draw_with_numpy(modules: Iterable[ModuleType], tensor: Callable[..., Any]) -> None:
    """Let the functions of some modules draw their numbers from one generator of NumPy."""
    rng = np.random.default_rng(0)
    np.random.permutation = np.random.default_rng(1).permutation  # the helpers of converted programs shuffle by it

    def as_tensor(value: np.ndarray, dtype: Any = None, requires_grad: bool = False, **_: object) -> Any:
        made = tensor(value)
        made = made if dtype is None else made.to(dtype)
        return made.requires_grad_() if requires_grad else made

    def sized(draw: Callable[..., np.ndarray]) -> Callable[..., Any]:
        def drawn(*size: Any, **options: Any) -> Any:
            shape = size[0] if size and isinstance(size[0], (tuple, list)) else size or options.pop("size", ())
            return as_tensor(np.asarray(draw(tuple(shape)), np.float32), **options)

        return drawn

    def like(draw: Callable[..., np.ndarray]) -> Callable[..., Any]:
        def drawn(x: Any, dtype: Any = None, **options: Any) -> Any:
            return as_tensor(np.asarray(draw(tuple(x.shape)), np.float32), dtype or x.dtype, **options)

        return drawn

    def permuted(n: int, **options: Any) -> Any:
        return as_tensor(np.argsort(rng.random(n).astype(np.float32), kind="stable"), **options)

    def integers(*bounds: Any, size: Any = None, low: int = 0, high: int | None = None, **options: Any) -> Any:
        *ends, shape = bounds if size is None else (*bounds, size)
        ends = [*ends, high] if high is not None else ends
        first, last = ends if len(ends) > 1 else (low, ends[0])
        return as_tensor(rng.integers(first, last, tuple(shape)), **options)

    draws = {"randn": rng.standard_normal, "rand": rng.random}
    functions = {name: sized(draw) for name, draw in draws.items()}
    functions |= {f"{name}_like": like(draw) for name, draw in draws.items()}
    functions |= {"randperm": permuted, "randint": integers}
    for module in modules:
        vars(module).update(functions)


if __name__ == "__main__":
    main(*sys.argv[1:])

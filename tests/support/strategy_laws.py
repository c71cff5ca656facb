"""The law of strategies: a network whose operators are cut over devices computes what it computes on one.

Every operator that a graph calls gets a strategy, drawn among those that fit it: what a program would write with
`Primitive.shard` before each of them. The process needs eight devices.
"""

from __future__ import annotations

import contextlib
import math
import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import numpy as np
from laws.cells import in_mode
from laws.operators import leaves

import sporax as ms
from sporax import nn
from sporax._src.base import config
from sporax._src.core import tree
from sporax._src.core.generator import set_seed
from sporax._src.core.parameter import ParameterTuple
from sporax._src.core.tensor import Tensor, is_tensor, wrap
from sporax._src.engine.dispatch import Kernel
from sporax._src.sharding.axis_links import Links, links_of
from sporax._src.sharding.strategies import cut_call, cutting_here
from sporax._src.transform.jit import Jit

DEVICES = 8
NEAR = 1e-5  # of the largest element of what is compared, or of 1 if all are smaller


class Network(NamedTuple):
    """A network of the law.

    Attributes:
        name: What a result calls it.
        build: Returns it.
        inputs: Returns its inputs.
    """

    name: str
    build: Callable[[], nn.Cell]
    inputs: Callable[[], tuple[Any, ...]]


class Outcome(NamedTuple):
    """What the law found of a network.

    Attributes:
        operators: How many operators its graphs called.
        cut: How many of them had a strategy that cuts something.
        distance: The largest difference.
        rounding: If that is large: by how much the network differs from itself, on one device, when all it is given is moved by
            the last bit of a float.
    """

    operators: int
    cut: int
    distance: float
    rounding: float = 0.0

    @property
    def holds(self) -> bool:
        """Whether the difference is small, or no larger than rounding makes it."""
        return self.distance <= max(NEAR, self.rounding)


class Drawn:
    """Strategies drawn by a seed, put on each operator of the graphs that are captured meanwhile."""

    def __init__(self, seed: int) -> None:
        self.draw = np.random.default_rng(seed)
        self.operators = self.cut = 0
        self._is_inside = False

    def strategies(self, links: Links, shapes: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """Return a strategy for each operand: what runs along each other is cut alike, into as many pieces as fit."""
        sizes: dict[int, int] = {}
        for classes, shape in zip(links.operands, shapes, strict=True):
            for one, size in zip(classes, shape, strict=True):
                sizes[one] = math.gcd(sizes.get(one, 0), size)
        for one, made in links.windows:
            sizes |= {one: math.gcd(sizes[one], made)} if one in sizes else {}
        left, pieces = DEVICES, {}
        for one, size in sizes.items():
            fitting = [n for n in (2, 4, 8) if n <= left and size % n == 0 and size and one not in links.whole]
            fitting = [n for n in fitting if all(reach.fits(n) for at, reach in links.reaches if at == one)]
            pieces[one] = int(self.draw.choice(fitting)) if fitting and self.draw.random() < 0.7 else 1
            left //= pieces[one]
        return [tuple(pieces[one] for one in classes) for classes in links.operands]

    def call(self, kernel: Kernel, plain: Callable[..., Any], arrays: tuple[Any, ...]) -> Any:
        """Run an operator on arrays of a trace, cut as a strategy says that is drawn."""
        tensors = [wrap(a) if hasattr(a, "aval") else a for a in arrays]
        given = [t for t in tensors if is_tensor(t)]
        if self._is_inside or not any(t.ndim for t in given):
            return plain(kernel, *arrays)
        self._is_inside, self.operators = True, self.operators + 1
        try:

            def on_tensors(*values: Any) -> Any:
                out = plain(kernel, *[v._data if is_tensor(v) else v for v in values])
                return tuple(map(wrap, out)) if isinstance(out, tuple) else wrap(out)

            def on_arrays(*some: Any) -> Any:
                rest = iter(some)
                return plain(kernel, *[next(rest) if is_tensor(t) else t for t in tensors])

            avals = [jax.ShapeDtypeStruct(t._data.shape, t._data.dtype) for t in given]
            chosen = self.strategies(links_of(on_arrays, avals), [a.shape for a in avals])
            self.cut += any(n > 1 for strategy in chosen for n in strategy)
            out = cut_call(kernel.name, on_tensors, (tensors, {}), tuple(chosen), None, DEVICES)
        finally:
            self._is_inside = False
        return tuple([t._data for t in out]) if isinstance(out, tuple) else out._data


@contextlib.contextmanager
def on_devices(**settings: Any) -> Iterator[None]:
    """Set parallel training over the devices of this process."""
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", device_num=DEVICES, **settings)
    try:
        yield
    finally:
        ms.reset_auto_parallel_context()


@contextlib.contextmanager
def cut_everywhere(drawn: Drawn) -> Iterator[None]:
    """Put a strategy on each operator of the graphs captured within."""
    plain = Kernel.strongly_typed

    def strongly_typed(self: Kernel, *arrays: Any) -> Any:
        return plain(self, *arrays) if cutting_here() is None else drawn.call(self, plain, arrays)

    Kernel.strongly_typed = strongly_typed  # type: ignore[method-assign]
    try:
        yield
    finally:
        Kernel.strongly_typed = plain  # type: ignore[method-assign]


def _numbers(values: Any) -> list[np.ndarray]:
    found: list[Any] = []
    tree.flatten(values, is_tensor, found)
    return [t.asnumpy() for t in found]


def run(cell: nn.Cell, args: tuple[Any, ...]) -> list[np.ndarray]:
    """Return what a network gives in evaluation, and of one training step: outputs, gradients, all Parameters after it."""
    weights = cell.trainable_params()
    where = tuple(i for i, a in enumerate(args) if isinstance(a, Tensor) and a._data.dtype.kind == "f")

    def loss(*xs: Any) -> Any:
        out = cell(*xs)
        total: Any = 0.0
        for t in leaves(out):
            if t._data.dtype.kind == "f":
                total = total + (t * t).sum()
        return total, out

    def step(*xs: Any) -> Any:
        if not where and not weights:
            return cell(*xs), ()
        (_, out), grads = ms.value_and_grad(loss, where or None, weights or None, has_aux=True)(*xs)
        if weights:
            found = grads[1] if where else grads
            for w, g in zip(weights, found if isinstance(found, (tuple, list)) else (found,), strict=True):
                w.set_data(w - 0.1 * g.astype(w.dtype))
        return out, grads

    step.reaches = (cell,)  # type: ignore[attr-defined]
    cell.set_train(False)
    set_seed(0)
    found = _numbers(Jit(lambda *xs: cell(*xs))(*args))
    cell.set_train(True)
    set_seed(0)
    found += _numbers(Jit(step)(*args))
    return found + [p.asnumpy() for p in ParameterTuple(cell.get_parameters())]


def distance(got: list[np.ndarray], want: list[np.ndarray]) -> float:
    """Return the largest difference of arrays, as a part of the largest element of its array, if that is above 1."""
    worst = 0.0
    for a, b in zip(got, want, strict=True):
        assert a.shape == b.shape and a.dtype == b.dtype, f"{a.dtype}{a.shape} for {b.dtype}{b.shape}"
        wide = complex if a.dtype.kind == "c" else np.float64
        x, y = np.asarray(a, wide), np.asarray(b, wide)
        if not x.size or np.array_equal(x, y, equal_nan=True):
            continue
        known = np.isfinite(y)
        assert np.array_equal(x[~known], y[~known], equal_nan=True), "infinities or NaNs are elsewhere"
        gap = np.abs(x - y)[known].max() / max(1.0, np.abs(y[known]).max())
        coarse = {2: 2.0**-10, 8: 1e-12}.get(a.dtype.itemsize, NEAR) if a.dtype.kind == "f" else NEAR
        worst = max(worst, float(gap) * NEAR / max(coarse, NEAR))
    return worst


def _moved(cell: nn.Cell, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Move floats by their last bit: the Parameters of a network, and what is returned for its arguments."""

    def moved(t: Any) -> Any:
        last_bit = np.finfo(t._data.dtype).eps if t._data.dtype.kind == "f" else 0
        return Tensor(t.asnumpy() * np.asarray(1 + last_bit, t._data.dtype)) if last_bit else t

    for param in cell.get_parameters():
        param.set_data(moved(param))
    return tree.map_leaves(moved, args, is_tensor)


def compared(network: Network, seed: int) -> Outcome:
    """Run a network with and without strategies.

    Args:
        network: The network.
        seed: What strategies are drawn by.

    Returns:
        What was found.
    """
    drawn = Drawn(seed ^ zlib.crc32(network.name.encode()))
    settings: Any = {"dataset_strategy": "data_parallel"} if drawn.draw.random() < 0.5 else {"full_batch": True}

    def result(where: Any, move: bool = False) -> list[np.ndarray]:
        set_seed(1)
        cell, args = network.build(), network.inputs()
        args = _moved(cell, args) if move else args
        with in_mode(config.GRAPH_MODE), where, cut_everywhere(drawn):
            return run(cell, args)

    plain = result(contextlib.nullcontext())
    gap = distance(result(on_devices(**settings)), plain)
    rounding = distance(result(contextlib.nullcontext(), True), plain) if gap > NEAR else 0.0
    return Outcome(drawn.operators, drawn.cut, gap, rounding)

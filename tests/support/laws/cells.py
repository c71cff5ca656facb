"""`check_cell`: what every layer must satisfy; a new layer is tested by a row of the table of layers."""

from __future__ import annotations

import contextlib
import copy
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from laws.operators import assert_equal, leaves
from laws.samples import parse, to_tensors
from sporax._src.base import config
from sporax._src.core import dtype as mstype
from sporax._src.core import tree
from sporax._src.core.generator import set_seed
from sporax._src.core.tensor import Tensor, is_tensor
from sporax._src.nn.cell.cell import Cell
from sporax._src.transform import capture
from sporax._src.transform.grad import grad

Build = Callable[[], Cell]


@contextlib.contextmanager
def in_mode(mode: int) -> Iterator[None]:
    """Run in PyNative or graph mode."""
    before = config.mode()
    config.set_context(mode=mode)
    try:
        yield
    finally:
        config.set_context(mode=before)


def _host(value: Any) -> Any:
    return tree.map_leaves(lambda t: t.asnumpy(), value, is_tensor)


def _state(cell: Cell) -> dict[str, np.ndarray]:
    return {name: p.asnumpy() for name, p in cell.parameters_and_names()}


def _load(cell: Cell, state: dict[str, np.ndarray]) -> None:
    for name, p in cell.parameters_and_names():
        p.set_data(Tensor(state[name], p.dtype))


def _arguments(case: str) -> tuple[Any, ...]:
    return to_tensors(parse(case)[0]) if case else ()


def check_modes(cell: Cell, args: tuple[Any, ...], training: bool, label: str) -> None:
    """Both modes give the same results and leave the same state; the second call of the graph does not compile."""
    cell.set_train(training)
    start = _state(cell)
    set_seed(0)
    eager = _host(cell(*args))
    after = _state(cell)
    _load(cell, start)
    with in_mode(config.GRAPH_MODE):
        set_seed(0)
        assert_equal(cell(*args), eager, rtol=1e-5, label=f"{label} in graph mode")
        for name, value in _state(cell).items():
            np.testing.assert_allclose(value, after[name], rtol=1e-5, atol=1e-6, err_msg=f"{label}: state {name}")
        before = capture.compilations
        cell(*args)
        assert capture.compilations == before, f"{label} compiled again"
    _load(cell, start)


def check_gradients(cell: Cell, args: tuple[Any, ...], label: str) -> None:
    """Gradients of inputs and Parameters, in training, are finite and the same in both modes."""
    cell.set_train(True)
    where = tuple(i for i, a in enumerate(args) if isinstance(a, Tensor) and a._data.dtype.kind == "f")
    weights = cell.trainable_params()
    if not where and not weights:
        return
    start = _state(cell)
    results = []
    for mode in (config.PYNATIVE_MODE, config.GRAPH_MODE):
        with in_mode(mode):
            set_seed(0)
            results.append(_host(grad(_loss_of(cell), where or None, weights or None)(*args)))
        _load(cell, start)
    for value in _arrays(results[0]):
        assert np.isfinite(value.astype(np.float64)).all(), f"gradient of {label} is not finite"
    for got, want in zip(_arrays(results[1]), _arrays(results[0]), strict=True):
        np.testing.assert_allclose(got, want, rtol=2e-4, atol=2e-5, err_msg=f"gradient of {label} in graph mode")


def _loss_of(cell: Cell) -> Callable[..., Any]:
    def loss(*xs: Any) -> Any:
        total: Any = 0.0
        for t in leaves(cell(*xs)):
            if t._data.dtype.kind == "f":
                total = total + (t * t).sum()
        return total

    return loss


def _arrays(value: Any) -> list[np.ndarray]:
    found: list[np.ndarray] = []
    tree.flatten(value, lambda v: isinstance(v, np.ndarray), found)
    return found


def check_copies(cell: Cell, args: tuple[Any, ...], label: str) -> None:
    """Copies and pickles have the same Parameters, of their own, and give the same results."""
    cell.set_train(False)
    set_seed(0)
    want = _host(cell(*args))
    for twin in (copy.deepcopy(cell), pickle.loads(pickle.dumps(cell))):
        own = dict(twin.parameters_and_names())
        assert [p.name for p in own.values()] == [p.name for p in cell.get_parameters()], label
        assert not {id(p) for p in own.values()} & {id(p) for p in cell.get_parameters()}, (
            f"{label} shares Parameters with its copy"
        )
        set_seed(0)
        assert_equal(twin(*args), want, rtol=1e-6, label=f"copy of {label}")


def check_half(cell: Cell, args: tuple[Any, ...], label: str) -> None:
    """The layer runs in half precision, and its Parameters keep their dtype."""
    dtypes = [p.dtype for p in cell.get_parameters()]
    cell.to_float(mstype.float16).set_train(True)
    for t in leaves(cell(*args)):
        assert t._data.dtype != np.float64, f"{label} widens in half precision"
    assert [p.dtype for p in cell.get_parameters()] == dtypes, label


def check_cell(build: Build, case: str, label: str = "", half: bool = True) -> None:
    """Run every law on a layer.

    Args:
        build: Returns a new layer.
        case: The inputs, in the language of `laws.samples`.
        label: How messages call it.
        half: Whether it must run in half precision.
    """
    with in_mode(config.PYNATIVE_MODE):
        cell, args = build(), _arguments(case)
        assert repr(cell).startswith(f"{type(cell).__name__}("), label
        for training in (False, True):
            check_modes(cell, args, training, f"{label}, training={training}")
        check_gradients(cell, args, label)
        check_copies(cell, args, label)
        if half:
            check_half(cell, args, label)

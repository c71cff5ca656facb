"""The forward part of a gradient in PyNative mode: a function runs on watched Tensors, during its gradient or before.

A Cell that `set_grad` marked records its forward when it is called outside of a gradient. The first gradient of the Cell at the
same arguments uses this record. Random draws and counters of the forward (a sampler, the statistics of BatchNorm) are
therefore not repeated.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from sporax._src.core import tree
from sporax._src.core.execution import current, run_apart
from sporax._src.core.parameter import Parameter
from sporax._src.core.stateful import Stateful
from sporax._src.core.tape import Node, Session, is_recording, leaf, opened, recording, watched
from sporax._src.core.tensor import Tensor, is_tensor, wrap
from sporax._src.core.traced_number import TracedNumber
from sporax._src.engine.vjp import has_gradient
from sporax._src.processes.parallel_context import pipelining
from sporax._src.processes.world import is_joined


def counts(value: object) -> bool:
    """Return whether an argument can be differentiated."""
    return isinstance(value, (Tensor, tree.Mutable, tree.Container)) and type(value) is not TracedNumber


def tensors_of(value: object) -> list[Tensor]:
    """Return the Tensors of a nested value."""
    leaves: list[Tensor] = []
    tree.flatten(value, is_tensor, leaves)
    return leaves


def is_watchable(t: Tensor) -> bool:
    """Return whether a Tensor may have a gradient."""
    return has_gradient(t._data) and not t._is_sparse_index


def without_history(value: object) -> Any:
    """Return a nested value with Tensors that are not on any tape."""
    return tree.map_leaves(lambda t: t if isinstance(t, Parameter) else wrap(t._data), value, is_tensor)


def by_position(fn: Callable[..., Any], count: int, names: tuple[str, ...]) -> Callable[..., Any]:
    """Return `fn` with the keyword arguments `names` as further positional ones, so that they are differentiated, too."""

    def call(*values: object) -> Any:
        scope = current.get().scope
        inner = fn if scope is None or scope.rewrite is None else scope.rewrite(fn)
        return inner(*values[:count], **dict(zip(names, values[count:], strict=True)))

    call.__name__ = getattr(fn, "__name__", type(fn).__name__)
    return call


class Forward:
    """A function that has run on watched Tensors.

    Args:
        fn: The function.
        args: Its arguments.
        positions: The positions of the watched ones.
        weights: The Parameters to watch, in addition to those among the watched arguments.

    A Tensor that is passed twice is one Tensor in the function, and a Parameter is passed unchanged.

    Attributes:
        out: Its result.
        edges: The node and index of each Tensor of `out`.
        leaves: The leaf nodes of the Tensors of each watched argument, by position; None: it has no gradient.
        weights: The leaf node of each Parameter, by its `id`.
    """

    def __init__(
        self, fn: Callable[..., Any], args: Sequence[Any], positions: Sequence[int], weights: Sequence[Parameter]
    ) -> None:
        self._session: Session = current.get().session
        differentiated = [
            t for p in positions for t in tensors_of(args[p]) if isinstance(t, Parameter) and is_watchable(t)
        ]
        parameters = list({id(w): w for w in (*weights, *differentiated)}.values())
        outer = [w._node for w in parameters]
        self.weights = {id(w): leaf(w._data, edge) for w, edge in zip(parameters, outer, strict=True)}
        self._session.edges.update({id(w): (w, (self.weights[id(w)], 0)) for w in parameters})
        nodes, replacements = dict(self.weights), {}
        self.leaves = {p: [_leaf_of(t, nodes, replacements) for t in tensors_of(args[p])] for p in positions}
        fresh = [_with_fresh(a, replacements) for a in args]
        try:
            with recording():
                self.out = fn(*fresh)
            self.edges = [t._node for t in tensors_of(self.out)]  # while the weights are leaves: one may be a result
        finally:
            for w, edge in zip(parameters, outer, strict=True):
                w._node = edge

    def resumed(self) -> opened:
        """Return a context in which the nodes of this forward may be walked again."""
        return opened(self._session)


def _leaf_of(t: Tensor, nodes: dict[int, Node], replacements: dict[int, Tensor]) -> Node | None:
    """Return the leaf of a Tensor, None if it has no gradient.

    Args:
        t: The Tensor.
        nodes: The leaves by the `id` of their Tensors.
        replacements: The fresh Tensors that the function receives, by the `id` of the originals.
    """
    if not is_watchable(t):
        return None
    if id(t) not in nodes:
        node = nodes[id(t)] = leaf(t._data, t._node if watched(t) else None)
        new = replacements[id(t)] = wrap(t._data)
        new._hooks = t._hooks
        new._node = (node, 0)
        node.input = weakref.ref(new)
    return nodes[id(t)]


def _with_fresh(value: object, replacements: dict[int, Tensor]) -> Any:
    """Return a nested value with fresh Tensors; without Tensors the value itself, as a function may change a list."""
    if not any(id(t) in replacements for t in tensors_of(value)):
        return value
    return tree.map_leaves(lambda t: replacements.get(id(t), t), value, is_tensor)


# --- Ahead of the gradient ------------------------------------------------------------------------------------------


class _Ahead:
    """A forward that ran before its gradient, and its arguments: it is valid while they are unchanged."""

    def __init__(self, forward: Forward, values: Sequence[Any], weights: Sequence[Parameter]) -> None:
        self.forward = forward
        tensors: list[Tensor] = []
        self._structure = tree.flatten(values, is_tensor, tensors)
        self._arguments = [(weakref.ref(t, self._drop), t._data) for t in tensors]
        self._weights = [(w, w._data) for w in weights]
        self._drops: list[_Ahead] = []

    def join(self, forwards: list[_Ahead]) -> None:
        """Add this to `forwards` until an argument is deleted, because then no gradient at it can be requested."""
        self._drops = forwards
        forwards.append(self)

    def _drop(self, _: object) -> None:
        if self in self._drops:
            self._drops.remove(self)

    def ran_on(self, values: Sequence[Any]) -> bool:
        """Return whether these were the arguments."""
        tensors: list[Tensor] = []
        return (
            tree.flatten(values, is_tensor, tensors) == self._structure
            and all(ref() is t and t._data is a for (ref, a), t in zip(self._arguments, tensors, strict=True))
            and all(w._data is a for w, a in self._weights)
        )


_ahead: WeakKeyDictionary[Stateful, list[_Ahead]] = WeakKeyDictionary()


def runs_ahead() -> bool:
    """Return whether a Cell marked by `set_grad` records its forward now: not within a gradient, which records it anyway.

    With pipeline stages on several processes the differentiated inputs must be known beforehand, so it does not record.
    """
    now = current.get()
    return not (now.recording or now.refuses_gradients or (is_joined() and pipelining() is not None))


def _opened_forward(fn: Callable[..., Any], values: Sequence[Any], weights: Sequence[Parameter]) -> Forward:
    with opened():
        return Forward(fn, values, [p for p, v in enumerate(values) if counts(v)], weights)


def run_ahead(cell: Any, run: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return `run(*args, **kwargs)`, which runs a Cell, and save the forward for the Cell's gradient."""
    values = (*args, *kwargs.values())
    weights = [w for w in cell.trainable_params() if has_gradient(w._data)]
    forward = run_apart(_opened_forward, by_position(run, len(args), tuple(kwargs)), values, weights)
    forwards = _ahead.setdefault(cell, [])
    forwards[:] = [f for f in forwards if not f.ran_on(values)]
    _Ahead(forward, values, weights).join(forwards)
    return without_history(forward.out)


def claim(fn: object, values: Sequence[Any], trainable: Callable[[], Sequence[Parameter]]) -> Forward | None:
    """Return and remove the forward that `fn` has run on these arguments; None if there is none.

    Args:
        fn, values: The function and its arguments.
        trainable: Returns the Parameters whose gradients are needed.
    """
    if is_recording() or not isinstance(fn, Stateful):
        return None
    forwards = _ahead.get(fn, [])
    for f in forwards:
        if f.ran_on(values) and all(id(w) in f.forward.weights for w in trainable()):
            forwards.remove(f)
            return f.forward
    return None

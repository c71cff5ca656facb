"""The tape of PyNative mode: the operation that made a Tensor, and the backward walk from results to leaves.

While a gradient is computed, every operation with a watched operand records a `Node`. A node of a plain gradient keeps the vjp
closure of its operation. Under a second, outer gradient a node keeps its operands instead. Its backward is then an operation like
any other (`vjp(fn, *operands)(cotangents)`) and is recorded in turn, so gradients of any order work.
"""

from __future__ import annotations

import heapq
import itertools
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import jax

from sporax._src.base.jax_compat import full
from sporax._src.base.typing import Array
from sporax._src.core.execution import current, running

_numbers = itertools.count()
_sessions = itertools.count()


class Session:
    """A gradient in progress with all gradients nested in it; after its end its nodes are no longer watched.

    Attributes:
        open: Whether the gradient is in progress.
        number: The number of sessions before.
        edges: For each Parameter, by `id`: the Parameter and the node of its value. Threads share Parameters, but each gradient
            belongs to one thread.
    """

    __slots__ = ("edges", "number", "open")

    def __init__(self) -> None:
        self.open = True
        self.number = next(_sessions)
        self.edges: dict[int, tuple[Any, tuple[Node, int]]] = {}


class opened:
    """Open a session for the block, or join the one that is open.

    Args:
        session: An ended session to continue.
    """

    __slots__ = ("_again", "_running", "_session")

    def __init__(self, session: Session | None = None) -> None:
        self._again = session

    def __enter__(self) -> Session:
        joined = current.get().session
        if joined is not None and joined.open:
            self._session = None
            return joined
        self._session = self._again or Session()
        self._session.open = True
        self._running = running(session=self._session)
        self._running.__enter__()
        return self._session

    def __exit__(self, *_: object) -> None:
        if self._session is not None:
            self._session.open = False
            self._session.edges.clear()  # they refer to nodes, which hold the residuals of their backwards
            self._running.__exit__()


def recording() -> running:
    """Record operations: the forward pass of one gradient."""
    return running(recording=current.get().recording + 1)


def paused() -> running:
    """Record nothing."""
    return running(recording=0)


def refusing() -> running:
    """Record nothing, and refuse gradients: the body of `no_grad`."""
    return running(recording=0, refuses_gradients=True)


def is_recording() -> bool:
    """Return whether a gradient records the operations that run."""
    now = current.get()
    return now.recording > 0 and not now.refuses_gradients


class Node:
    """One recorded operation: how to turn cotangents of its results into cotangents of its operands.

    Attributes:
        input: Of a leaf: the Tensor whose gradient is computed, if there is one. (Its copies have the same leaf.)
    """

    __slots__ = ("avals", "backward", "hooks", "input", "number", "operands", "parents", "session")

    def __init__(
        self,
        parents: tuple[tuple[Node, int] | None, ...],
        backward: Callable[[list[Any]], Sequence[Any]] | None,
        avals: Sequence[Any],
        session: Session | None = None,
    ) -> None:
        self.parents = parents
        self.backward = backward
        self.avals = avals
        self.number = next(_numbers)
        session = session or current.get().session
        assert session is not None, "a node is made while a gradient is taken"
        self.session = session
        self.hooks: dict[int, list[Callable[[Any], Any]]] | None = None
        self.input: weakref.ref[Any] | None = None


def watched(tensor: Any) -> bool:
    """Return whether a gradient in progress depends on this Tensor."""
    edge = tensor._node
    return edge is not None and edge[0].session.open


def leaf(array: Array, parent: tuple[Node, int] | None = None) -> Node:
    """Return a node at which a gradient stops; an outer gradient continues at `parent`."""
    aval = getattr(array, "aval", None) or jax.typeof(array)  # `typeof` is slow
    return Node((parent,), _same, (aval,)) if parent else Node((), _nothing, (aval,))


def _same(cts: list[Any]) -> Sequence[Any]:
    return cts


def _nothing(cts: list[Any]) -> Sequence[Any]:
    return ()


def zeros(aval: Any) -> Any:
    """Return the zero cotangent of an abstract value."""
    return full(aval.shape, 0, aval.dtype)


def walk(
    roots: Sequence[tuple[tuple[Node, int], Any]], targets: Sequence[Node], add: Callable[[Any, Any], Any]
) -> list[Any | None]:
    """Propagate cotangents from `roots` back to `targets` and return the sum at each (None: no path leads there).

    Args:
        roots: Pairs of (node, output index) and the cotangent that starts there.
        targets: Leaves. Nodes older than the oldest of them cannot lead to one and are not visited.
        add: Sums two cotangents.
    """
    first = min((t.number for t in targets), default=0)
    stops = {t.number: i for i, t in enumerate(targets)}
    arrived: list[Any | None] = [None] * len(targets)
    waiting: dict[int, tuple[Node, list[Any]]] = {}
    queue: list[int] = []

    def push(edge: tuple[Node, int], ct: Array) -> None:
        node, index = edge
        number = node.number
        if number < first or not node.session.open:
            return
        sums: list[Any]
        if number in stops and not node.hooks:
            sums, index = arrived, stops[number]
        elif number in waiting:
            sums = waiting[number][1]
        else:
            sums = [None] * len(node.avals)
            waiting[number] = (node, sums)
            heapq.heappush(queue, -number)
        sums[index] = ct if sums[index] is None else add(sums[index], ct)

    for edge, ct in roots:
        push(edge, ct)
    while queue:
        node, cts = waiting.pop(-heapq.heappop(queue))
        if node.hooks:
            _run_hooks(node, cts)
        if node.number in stops:
            arrived[stops[node.number]] = cts[0]
            continue
        assert node.backward is not None
        for parent, ct in zip(node.parents, node.backward(cts), strict=True):
            if parent is not None and ct is not None:
                push(parent, ct)
    return arrived


def _run_hooks(node: Node, cts: list[Any]) -> None:
    assert node.hooks is not None
    for index, hooks in node.hooks.items():
        for hook in hooks:
            if cts[index] is not None:
                replaced = hook(cts[index])
                cts[index] = cts[index] if replaced is None else replaced

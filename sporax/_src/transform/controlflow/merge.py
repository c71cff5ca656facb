"""Bringing the variables of two branches, or of two iterations, to one structure of arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.jax_compat import UNTRACEABLE, jaxpr_as_fun
from sporax._src.core import tree
from sporax._src.core.dtype import promote
from sporax._src.core.parameter import Parameter
from sporax._src.core.scope import Scope, current
from sporax._src.core.tensor import Tensor, is_tensor, wrap

_NUMBERS = (bool, int, float)


class NeedsValue(Exception):
    """The graph cannot be built without the value of a Tensor; the call runs in PyNative mode instead."""


class Absent:
    """Stands for a variable that has no value on this path."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Absent)

    def __hash__(self) -> int:
        return 0


def is_absent(value: Any) -> bool:
    """Tell whether a variable has no value (AutoGraph's marks for that are classes of its own)."""
    return isinstance(value, Absent) or type(value).__name__ in ("Undefined", "UndefinedReturnValue")


def number_array(value: Any) -> Any:
    """Return a Python number as the array a Tensor of it holds."""
    return jnp.asarray(value, np.float32 if isinstance(value, float) else None)


class Path:
    """A stretch of Python traced on its own: a graph of closed-over values, what it returns and what it writes."""

    depth = 0  # how many paths are being traced, one within the other

    def __init__(self, run: Callable[[], Any]) -> None:
        self.states: list[Any] = []
        self.structure: Any = None

        def traced() -> Any:
            with Scope() as scope:
                value = run()
                leaves: list[Tensor] = []
                self.structure = tree.flatten(plain(value), is_tensor, leaves)
                arrays = [t._data for t in leaves]
            self.states = [s for s, _ in scope.writes.values()]
            return arrays, [v for _, v in scope.writes.values()]

        Path.depth += 1
        try:
            self.graph = jax.make_jaxpr(traced)()
        except (*UNTRACEABLE, NeedsValue):
            raise
        except Exception as error:
            # The branch may never run: what it raises is for the run that takes it to raise.
            raise NeedsValue(f"a branch raised {type(error).__name__}: {error}") from error
        finally:
            Path.depth -= 1

    def arrays(self) -> tuple[list[Any], list[Any]]:
        """Return (results, written values), in the trace that asks."""
        out = jaxpr_as_fun(self.graph)()
        n = len(out) - len(self.states)
        return list(out[:n]), list(out[n:])

    def avals(self) -> list[Any]:
        """Return the shapes and dtypes of the results."""
        return list(self.graph.out_avals[: len(self.graph.out_avals) - len(self.states)])


def plain(value: Any) -> Any:
    """Return the variables with one mark for those that have no value."""
    return tuple(Absent() if is_absent(v) else v for v in value) if isinstance(value, tuple) else value


def merged(structures: Sequence[Any], avals: Sequence[Iterator[Any]], name: str) -> tuple[Any, list[Any]]:
    """Return the structure both sides can be brought to, and the shape and dtype of each of its arrays."""
    kinds = [s.value if isinstance(s, tree.Static) else s for s in structures]
    if all(isinstance(s, tree.Leaf) for s in structures):
        return tree.Leaf(Tensor), [_meet([next(a) for a in avals], name)]
    if all(isinstance(s, tree.Branch) for s in structures):
        return _merged_branches(structures, avals, name)
    if all(isinstance(s, tree.Static) for s in structures) and structures[0] == structures[1]:
        return structures[0], []
    if all(is_absent(k) for k in kinds):
        return structures[0], []
    return _merged_mixed(structures, kinds, avals, name)


def _merged_branches(structures: Sequence[Any], avals: Sequence[Iterator[Any]], name: str) -> tuple[Any, list[Any]]:
    first, second = structures
    if first.kind is not second.kind or first.keys != second.keys or len(first.children) != len(second.children):
        raise NeedsValue(f"'{name}' has another structure on each path: {first!r} and {second!r}")
    children, found = [], []
    for pair in zip(first.children, second.children, strict=True):
        child, more = merged(pair, avals, name)
        children.append(child)
        found += more
    return tree.Branch(first.kind, first.keys, tuple(children)), found


def _merged_mixed(structures: Any, kinds: Any, avals: Any, name: str) -> tuple[Any, list[Any]]:
    for i, j in ((0, 1), (1, 0)):
        if is_absent(kinds[i]):
            return _with_absent(structures[j], kinds[j], avals[j])
    if all(isinstance(k, (tree.Leaf, *_NUMBERS)) for k in kinds):
        found = [
            next(a) if isinstance(k, tree.Leaf) else jax.typeof(number_array(k))
            for k, a in zip(kinds, avals, strict=True)
        ]
        return tree.Leaf(Tensor), [_meet(found, name)]
    raise NeedsValue(f"'{name}' is {kinds[0]!r} on one path and {kinds[1]!r} on the other")


def _with_absent(structure: Any, kind: Any, avals: Iterator[Any]) -> tuple[Any, list[Any]]:
    if isinstance(kind, _NUMBERS):
        return tree.Leaf(Tensor), [jax.typeof(number_array(kind))]
    return structure, [next(avals) for _ in range(_count(structure))]


def _count(structure: Any) -> int:
    if isinstance(structure, tree.Leaf):
        return 1
    return sum(map(_count, structure.children)) if isinstance(structure, tree.Branch) else 0


def _meet(avals: Sequence[Any], name: str) -> Any:
    if avals[0].shape != avals[1].shape:
        raise NeedsValue(
            f"'{name}' has shape {list(avals[0].shape)} on one path and {list(avals[1].shape)} on the other"
        )
    try:
        return jax.ShapeDtypeStruct(avals[0].shape, promote(np.dtype(avals[0].dtype), np.dtype(avals[1].dtype)))
    except TypeError as error:
        raise NeedsValue(f"'{name}': {error}") from None


def bring(structure: Any, arrays: Iterator[Any], target: Any, avals: Iterator[Any]) -> Iterator[Any]:
    """Yield the arrays of `structure` as the arrays of `target`: cast, made of numbers, or zeros for what is absent."""
    if isinstance(target, tree.Leaf):
        aval = next(avals)
        if isinstance(structure, tree.Leaf):
            yield next(arrays).astype(aval.dtype)
        elif is_absent(structure.value):
            yield jnp.zeros(aval.shape, aval.dtype)
        else:
            yield number_array(structure.value).astype(aval.dtype)
    elif isinstance(target, tree.Branch):
        for i, child in enumerate(target.children):
            part = structure.children[i] if isinstance(structure, tree.Branch) else structure
            yield from bring(part, arrays, child, avals)


def take(structure: Any, arrays: Sequence[Any]) -> Any:
    """Return the nested value of a structure with Tensors around arrays."""
    return tree.unflatten(structure, iter([wrap(a) for a in arrays]))


def value_now(state: Any) -> Any:
    """Return the value of a Parameter, random state or Tensor in the trace that runs."""
    scope = current.get()
    if scope is not None and not (isinstance(state, Tensor) and not isinstance(state, Parameter)):
        return scope.read(state)
    return state.concrete()

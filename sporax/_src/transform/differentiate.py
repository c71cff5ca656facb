"""Taking a gradient: in PyNative mode by a walk back over the tape, in a graph by `jax.vjp` of the functional."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from sporax._src.core import tree
from sporax._src.core.parameter import Parameter
from sporax._src.core.scope import tracing
from sporax._src.core.tape import Node, leaf, tape, walk, watched
from sporax._src.core.tensor import Tensor, is_tensor, wrap
from sporax._src.ops.dispatch import Kernel, is_inexact, run
from sporax._src.transform.functional import Traced, adopt, functional, is_operand, split

_add = Kernel(jnp.add, "gradient sum")


class Plan:
    """What a gradient is asked for: positions, weights, and which outputs count.

    Args:
        positions: Indices of the positional arguments, or None.
        weights: Parameters, or None.
        has_aux: Whether only the first output is differentiated.
        sens: Whether the last argument is the cotangent of the output.
    """

    def __init__(
        self, positions: tuple[int, ...] | None, weights: list[Parameter] | None, has_aux: bool, sens: bool
    ) -> None:
        self.positions = positions
        self.weights = weights
        self.has_aux = has_aux
        self.sens = sens

    def differentiate(
        self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Any, Any, Any]:
        """Return (output, gradients of positions, gradients of weights)."""
        cotangent = None
        if self.sens:
            *rest, cotangent = args
            args = tuple(rest)
        self._check(fn, args)
        take = _in_graph if tracing() else _on_tape
        return take(self, fn, args, kwargs, cotangent)

    def _check(self, fn: Callable[..., Any], args: tuple[Any, ...]) -> None:
        for p in self.positions or ():
            if not 0 <= p < len(args):
                name = getattr(fn, "__name__", type(fn).__name__)
                raise RuntimeError(
                    f"grad: grad_position {p} is out of range: '{name}' was called with {len(args)} positional arguments."
                )


# --- PyNative: run the function on watched Tensors, then walk back --------------------------------------------------


def _on_tape(plan: Plan, fn: Callable[..., Any], args: Any, kwargs: Any, cotangent: Any) -> tuple[Any, Any, Any]:
    weights = [w for w in plan.weights or () if w.requires_grad]
    with tape.opened():
        fresh, leaves = _watch_arguments(plan, args)
        saved = [w._node for w in weights]
        for w in weights:
            w._node = (leaf(w._data, w._node if watched(w) else None), 0)
        weight_leaves = [w._node[0] for w in weights if w._node is not None]
        try:
            with tape.recording():
                out = fn(*fresh, **kwargs)
        finally:
            for w, node in zip(weights, saved, strict=True):
                w._node = node
        nested = tape.depth > 0
        roots = _roots(plan, out, cotangent)
        targets = [*(n for n in leaves if n is not None), *weight_leaves]
        found = walk(roots, targets, _sum_tensors if nested else _sum_arrays)
        out = out if nested else _forget(out)
    by_node = dict(zip(targets, found, strict=True))
    return out, _argument_grads(plan, args, leaves, by_node), _weight_grads(plan, weights, weight_leaves, by_node)


def _watch_arguments(plan: Plan, args: Any) -> tuple[list[Any], list[Node | None]]:
    """Replace the Tensors at the watched positions by fresh ones; return them and their leaves in order of appearance."""
    leaves: list[Node | None] = []

    def watch(t: Tensor) -> Tensor:
        if not is_inexact(t._data):
            leaves.append(None)
            return t
        new = wrap(t._data)
        node = leaf(t._data, t._node if watched(t) else None)
        leaves.append(node)
        new._node = (node, 0)
        return new

    fresh = list(args)
    for p in plan.positions or ():
        fresh[p] = tree.map_leaves(watch, args[p], is_tensor)
    return fresh, leaves


def _roots(plan: Plan, out: Any, cotangent: Any) -> list[tuple[tuple[Node, int], Any]]:
    outs = _differentiated(plan, out)
    cts = _seeds(outs, cotangent)
    return [(t._node, ct) for t, ct in zip(outs, cts, strict=True) if t._node is not None]


def _differentiated(plan: Plan, out: Any) -> list[Tensor]:
    if plan.has_aux:
        if not isinstance(out, tuple) or len(out) < 2:
            raise ValueError("grad: has_aux=True needs a function with at least two outputs, it returned one.")
        out = out[0]
    leaves: list[Tensor] = []
    tree.flatten(out, is_tensor, leaves)
    return [t for t in leaves if is_inexact(t._data)]


def _seeds(outs: Sequence[Tensor], cotangent: Any) -> list[Any]:
    if cotangent is None:
        return [jnp.ones(t._data.shape, t._data.dtype) for t in outs]
    given: list[Tensor] = []
    tree.flatten(cotangent, is_tensor, given)
    if not given and isinstance(cotangent, (int, float)):
        given = [wrap(jnp.full(t._data.shape, cotangent, t._data.dtype)) for t in outs]
    if len(given) != len(outs):
        raise ValueError(f"grad: the function has {len(outs)} differentiable outputs, got {len(given)} sensitivities.")
    for t, g in zip(outs, given, strict=True):
        if t._data.shape != g._data.shape:
            raise ValueError(
                f"grad: the sensitivity must have the output's shape {list(t.shape)}, got {list(g.shape)}."
            )
    return [wrap(g._data.astype(t._data.dtype)) if not tape.depth else g for t, g in zip(outs, given, strict=True)]


def _sum_arrays(a: Any, b: Any) -> Any:
    a = a._data if isinstance(a, Tensor) else a
    return _add.run(a, b._data if isinstance(b, Tensor) else b)


def _sum_tensors(a: Any, b: Any) -> Any:
    return run(_add, (a if isinstance(a, Tensor) else wrap(a), b if isinstance(b, Tensor) else wrap(b)))


def _forget(out: Any) -> Any:
    return tree.map_leaves(lambda t: t if isinstance(t, Parameter) else wrap(t._data), out, is_tensor)


def _as_tensor(ct: Any, like: Tensor) -> Tensor:
    if ct is None:
        return wrap(jnp.zeros(like._data.shape, like._data.dtype))
    return ct if isinstance(ct, Tensor) else wrap(ct)


def _argument_grads(plan: Plan, args: Any, leaves: list[Node | None], by_node: dict[Node, Any]) -> Any:
    rest = iter(leaves)

    def grad_of(t: Tensor) -> Tensor:
        node = next(rest)
        return _as_tensor(None if node is None else by_node[node], t)

    return None if plan.positions is None else tuple([_map_grads(grad_of, args[p]) for p in plan.positions])


def _map_grads(grad_of: Callable[[Tensor], Tensor], value: Any) -> Any:
    """Return the gradients of a nested argument; Python numbers have the gradient `()`."""
    if isinstance(value, (int, float)):
        return ()
    return tree.map_leaves(grad_of, value, is_tensor)


def _weight_grads(plan: Plan, used: list[Parameter], nodes: list[Node], by_node: dict[Node, Any]) -> Any:
    if plan.weights is None:
        return None
    found = {id(w): by_node[n] for w, n in zip(used, nodes, strict=True)}
    return tuple([_as_tensor(found.get(id(w)), w) for w in plan.weights])


# --- Graph: the vjp of the function with its Parameters substituted -------------------------------------------------


def _in_graph(plan: Plan, fn: Callable[..., Any], args: Any, kwargs: Any, cotangent: Any) -> tuple[Any, Any, Any]:
    weights = [w for w in plan.weights or () if w.requires_grad]
    tensors, structure = split((args, kwargs))
    wrt = [i for i in _chosen(plan, args) if is_inexact(tensors[i]._data)]
    params = [p for p in _parameters(plan, args) if is_inexact(p._data)]
    states = list({id(w): w for w in (*weights, *params)}.values())
    arrays = [t._data for t in tensors]
    seen = Traced()
    pure = functional(fn, states, structure, seen)

    def of_diff(values: list[Any], diff: list[Any]) -> Any:
        full = list(arrays)
        for i, d in zip(wrt, diff, strict=True):
            full[i] = d
        outs, written = pure(values, full)
        tensors = [wrap(o) for o in outs]
        result = tree.unflatten(seen.structure, iter(tensors))
        return [t._data for t in _differentiated(plan, result)], (outs, written)

    mains, pull, (outs, written) = jax.vjp(of_diff, [s._data for s in states], [arrays[i] for i in wrt], has_aux=True)
    adopt(seen.written, written)
    value_cts, diff_cts = pull([_array(s) for s in _seeds([wrap(m) for m in mains], cotangent)])
    out = tree.unflatten(seen.structure, iter([wrap(o) for o in outs]))
    by_id = {id(s): wrap(ct) for s, ct in zip(states, value_cts, strict=True)}
    by_index = {i: wrap(ct) for i, ct in zip(wrt, diff_cts, strict=True)}
    order = iter(_chosen(plan, args))

    def grad_of(t: Tensor) -> Tensor:
        if isinstance(t, Parameter):
            return by_id[id(t)] if id(t) in by_id else _zero(t)
        index = next(order)
        return by_index[index] if index in by_index else _zero(t)

    positions = None if plan.positions is None else tuple([_map_grads(grad_of, args[p]) for p in plan.positions])
    trainable = {id(w) for w in weights}
    found = (
        None
        if plan.weights is None
        else tuple([by_id[id(w)] if id(w) in trainable else _zero(w) for w in plan.weights])
    )
    return out, positions, found


def _zero(t: Tensor) -> Tensor:
    return _as_tensor(None, t)


def _array(value: Any) -> Any:
    return value._data if isinstance(value, Tensor) else value


def _chosen(plan: Plan, args: Any) -> list[int]:
    """Return the indices, among all Tensors of the arguments, of those at the watched positions."""
    ends = [0]
    for a in args:
        ends.append(ends[-1] + len(operands_of(a)))
    return [i for p in plan.positions or () for i in range(ends[p], ends[p + 1])]


def operands_of(value: Any) -> list[Tensor]:
    """Return the Tensors of a nested argument that are no Parameters."""
    leaves: list[Tensor] = []
    tree.flatten(value, is_operand, leaves)
    return leaves


def _parameters(plan: Plan, args: Any) -> list[Parameter]:
    found: list[Parameter] = []
    for p in plan.positions or ():
        tree.flatten(args[p], lambda v: isinstance(v, Parameter), found)
    return found

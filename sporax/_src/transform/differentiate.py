"""Gradients: in PyNative mode by a backward walk over the tape, in a graph by `jax.vjp` of the functional."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from sporax._src.base.errors import shown
from sporax._src.base.jax_compat import full, one
from sporax._src.base.typing import Array, OptArray
from sporax._src.core import tree
from sporax._src.core.execution import current, run_apart, running
from sporax._src.core.parameter import Parameter
from sporax._src.core.scope import tracing
from sporax._src.core.tape import Node, is_recording, opened, walk
from sporax._src.core.tensor import Tensor, is_tensor, wrap
from sporax._src.core.traced_number import TracedNumber, is_number
from sporax._src.engine.dispatch import Kernel, run
from sporax._src.engine.vjp import Shadow, has_gradient, is_inexact, mirror, start
from sporax._src.transform.custom import adopt_late_writes
from sporax._src.transform.functional import Traced, adopt, functional, split
from sporax._src.transform.graph.attention import with_attention
from sporax._src.transform.recorded_forward import (
    Forward,
    by_position,
    claim,
    counts,
    is_watchable,
    tensors_of,
    without_history,
)
from sporax._src.transform.tensor_hooks import gradient_of

_log = logging.getLogger("sporax.grad")  # on request: `logging.getLogger("sporax.grad").setLevel("INFO")`


def _plus(a: Array, b: Array) -> Any:
    with jax.numpy_dtype_promotion("standard"):  # at an integer, float and integer gradients may be added
        return jnp.add(a, b)


_add = Kernel(_plus, "gradient sum")


class Plan:
    """What to differentiate: positions, weights, and which outputs.

    Args:
        positions: Indices of the positional arguments, or None.
        weights: Parameters, or None.
        has_aux: Whether only the first output is differentiated.
        sens: Whether the last argument is the cotangent of the output.
        resumes: Whether a Cell's recorded forward may be reused: only if nothing but the gradient is needed.
    """

    def __init__(
        self,
        positions: tuple[int, ...] | None,
        weights: list[Parameter] | None,
        has_aux: bool,
        sens: bool,
        resumes: bool = False,
    ) -> None:
        self.positions = positions
        self.weights = weights
        self.has_aux = has_aux
        self.sens = sens
        self.resumes = resumes

    def differentiate(
        self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Any, Any, Any]:
        """Return (output, gradients of positions, gradients of weights)."""
        cotangent = None
        if self.sens:
            args, kwargs, cotangent = split_sens(args, kwargs)
        called, args = fn, (*args, *kwargs.values())
        if kwargs:
            fn = by_position(fn, len(args) - len(kwargs), tuple(kwargs))
        self._check(fn, args)
        plan = Plan(self.counted(args), self.weights, self.has_aux, self.sens)
        if (scope := current.get().scope) is not None:
            tensors, structure = split(args)
            scope.roll_back_forward(called, structure, [t._data for t in tensors])
            return _in_graph(plan, fn, args, cotangent)
        ahead = claim(called, args, self.trainable) if self.resumes else None
        return _on_tape(plan, fn, args, cotangent, ahead)

    def trainable(self) -> list[Parameter]:
        """Return the weights that have gradients."""
        return [w for w in self.weights or () if w.requires_grad and has_gradient(w._data)]

    def counted(self, values: Sequence[Any]) -> tuple[int, ...] | None:
        """Return the positions to differentiate: those of Tensors and of containers marked `mutable`."""
        return None if self.positions is None else tuple([p for p in self.positions if counts(values[p])])

    def _check(self, fn: Callable[..., Any], args: tuple[Any, ...]) -> None:
        for p in self.positions or ():
            if not 0 <= p < len(args):
                name = getattr(fn, "__name__", type(fn).__name__)
                raise RuntimeError(
                    f"grad: grad_position {p} is out of range: '{name}' was called with {len(args)} positional arguments."
                )


def split_sens(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any], Any]:
    """Return the arguments without the sensitivity, and the sensitivity: the keyword `sens`, or the last argument."""
    if "sens" in kwargs:
        return args, {k: v for k, v in kwargs.items() if k != "sens"}, kwargs["sens"]
    if not args:
        raise ValueError("grad: the sensitivity is missing: give it as the last argument, or as sens=.")
    return args[:-1], kwargs, args[-1]


# --- PyNative: run the function on watched Tensors, then walk back --------------------------------------------------


def _on_tape(
    plan: Plan, fn: Callable[..., Any], args: Sequence[Any], cotangent: object, ahead: Forward | None
) -> tuple[Any, Any, Any]:
    now = current.get()
    if now.refuses_gradients:
        raise RuntimeError("In no_grad context, you can not calculate gradient.")
    if now.session is None:
        return run_apart(_recorded, plan, fn, args, cotangent, ahead)
    return _recorded(plan, fn, args, cotangent, ahead)


def _recorded(
    plan: Plan, fn: Callable[..., Any], args: Sequence[Any], cotangent: object, ahead: Forward | None
) -> tuple[Any, Any, Any]:
    weights = plan.trainable()
    with ahead.resumed() if ahead else opened():
        forward = ahead or Forward(fn, args, plan.positions or (), weights)
        roots = _roots(plan, forward, cotangent)
        nested = is_recording()
        leaves = [n for p in plan.positions or () for n in forward.leaves[p]]
        ends = [*(n for n in leaves if n is not None), *(forward.weights[id(w)] for w in weights)]
        targets = list(dict.fromkeys(ends))  # an input or weight that occurs twice has one target
        gradients = walk(roots, targets, _sum_tensors if nested else _sum_arrays)
        out = forward.out if nested else without_history(forward.out)
    by_node = dict(zip(targets, gradients, strict=True))
    if not nested and _log.isEnabledFor(logging.INFO):
        _tell_cuts(plan, fn, args, leaves, [(w, forward.weights[id(w)]) for w in weights], by_node)
    return out, _argument_grads(plan, args, leaves, by_node), _weight_grads(plan, forward.weights, by_node)


def _tell_cuts(
    plan: Plan,
    fn: Callable[..., Any],
    args: Sequence[Any],
    leaves: list[Node | None],
    weights: Iterable[tuple[Parameter, Node]],
    by_node: Mapping[Node, Any],
) -> None:
    """Log the arguments and weights without a gradient path; their gradients are zeros without an error."""
    rest = iter(leaves)
    cut = []
    for p in plan.positions or ():
        nodes = [n for _, n in zip(tensors_of(args[p]), rest, strict=False) if n is not None]
        if nodes and all(by_node[n] is None for n in nodes):
            cut.append(f"argument {p}")
    cut += [f"weight '{shown(w.name)}'" for w, n in weights if by_node[n] is None]
    if cut:
        name = getattr(fn, "__name__", type(fn).__name__)
        _log.info(
            "no gradient flows from '%s' to %s: the gradient is zeros. A value that passes through NumPy (asnumpy()) is constant "
            "to the gradient; use Tensors, or define bprop in the Cell that uses NumPy.",
            *(name, ", ".join(cut)),
        )


def _roots(plan: Plan, forward: Forward, cotangent: object) -> list[tuple[tuple[Node, int], Any]]:
    outs = _differentiated(plan, forward.out)
    edges = forward.edges[: len(outs)]
    flows = [is_inexact(t._data) or edge is not None for t, edge in zip(outs, edges, strict=True)]
    cts = _seeds([t for t, flow in zip(outs, flows, strict=True) if flow], flows, cotangent)
    starts = [edge for edge, flow in zip(edges, flows, strict=True) if flow]
    return [(edge, ct) for edge, ct in zip(starts, cts, strict=True) if edge is not None]


def _differentiated(plan: Plan, out: object) -> list[Tensor]:
    return tensors_of(with_aux("grad", out)[0] if plan.has_aux else out)


def with_aux(name: str, out: object) -> tuple[Any, ...]:
    """Return the outputs of a function of which only the first one is differentiated.

    Raises:
        ValueError: If it is no tuple of several outputs.
    """
    if not isinstance(out, tuple) or len(out) < 2:
        raise ValueError(f"{name}: has_aux=True needs a function with at least two outputs, it returned one.")
    return out


def _ones(like: Array) -> Array:
    """Return ones that are not a constant for XLA in a graph, because XLA folds constants slowly at compilation.

    The gradient of a sum of an enlarged image, (4, 64, 112, 112), took 13 s to compile and now takes 0.1 s.
    """
    if not tracing():
        return full(like.shape, 1, like.dtype) if like.shape else one(like.dtype)
    return jnp.broadcast_to(jax.lax.optimization_barrier(jnp.ones((), like.dtype)), like.shape)


def _seeds(mains: Sequence[Tensor], flows: Sequence[bool], cotangent: object) -> list[Any]:
    """Return the cotangents that the backward walk starts with.

    Args:
        mains: The differentiable outputs.
        flows: For each output whether it is one of them.
        cotangent: One for each of them, one for each output, or one number for all; None: ones.
    """
    if cotangent is None:
        return [_ones(t._data) for t in mains]
    seeds = tensors_of(cotangent)
    if not seeds and isinstance(cotangent, (int, float)):
        seeds = [wrap(full(t._data.shape, cotangent, t._data.dtype)) for t in mains]
    if len(seeds) == len(flows):
        seeds = [g for g, flow in zip(seeds, flows, strict=True) if flow]
    if len(seeds) != len(mains):
        raise ValueError(f"grad: the function has {len(mains)} differentiable outputs, got {len(seeds)} sensitivities.")
    for t, g in zip(mains, seeds, strict=True):
        if t._data.shape != g._data.shape:
            raise ValueError(
                f"grad: the sensitivity must have the output's shape {list(t.shape)}, got {list(g.shape)}."
            )
    nested = is_recording()
    return [g if nested else wrap(g._data.astype(t._data.dtype)) for t, g in zip(mains, seeds, strict=True)]


def _sum_arrays(a: Array | Tensor, b: Array | Tensor) -> Any:
    a = a._data if isinstance(a, Tensor) else a
    return _add.run(a, b._data if isinstance(b, Tensor) else b)


def _sum_tensors(a: Array | Tensor, b: Array | Tensor) -> Any:
    return run(_add, (a if isinstance(a, Tensor) else wrap(a), b if isinstance(b, Tensor) else wrap(b)))


def _as_tensor(ct: Tensor | OptArray, like: Tensor) -> Tensor:
    if ct is None:
        return like if like._is_sparse_index else wrap(full(like._data.shape, 0, like._data.dtype))
    return gradient_of(like, ct if isinstance(ct, Tensor) else wrap(ct))


def _of_weight(ct: Tensor | OptArray, weight: Parameter) -> Tensor:
    """Return the gradient of a weight; its hooks are also called with zeros."""
    return _as_tensor(full(weight._data.shape, 0, weight._data.dtype) if ct is None else ct, weight)


def _parts(grad_of: Callable[[Tensor], Tensor], value: object) -> Any:
    """Return the gradient of an argument: that of each Tensor in it, and zero for each number."""

    def part(v: Any) -> Any:
        if isinstance(v, tree.Container):
            return tree.map_leaves(grad_of, v, is_tensor)
        return v.__class__(0) if _is_constant(v) else grad_of(v)

    return tree.map_leaves(part, value, lambda v: isinstance(v, tree.Container) or _is_constant(v) or is_tensor(v))


def _is_constant(value: object) -> bool:
    return is_number(value) or type(value) is TracedNumber


def _argument_grads(plan: Plan, args: Sequence[Any], leaves: list[Node | None], by_node: dict[Node, Any]) -> Any:
    rest = iter(leaves)

    def grad_of(t: Tensor) -> Tensor:
        node = next(rest)
        return _as_tensor(None if node is None else by_node[node], t)

    return None if plan.positions is None else tuple([_parts(grad_of, args[p]) for p in plan.positions])


def _weight_grads(plan: Plan, nodes: Mapping[int, Node], by_node: dict[Node, Any]) -> Any:
    if plan.weights is None:
        return None
    gradients = {which: by_node.get(node) for which, node in nodes.items()}
    return tuple([_of_weight(gradients.get(id(w)), w) for w in plan.weights])


# --- Graph: the vjp of the function with its Parameters substituted -------------------------------------------------


def _in_graph(plan: Plan, fn: Callable[..., Any], args: Sequence[Any], cotangent: object) -> tuple[Any, Any, Any]:
    weights = plan.trainable()
    inputs = _with_own_values(plan, args)
    tensors, structure = split((inputs, {}))
    wrt = [i for i in _chosen(plan, inputs) if is_watchable(tensors[i])]
    states = list({id(w): w for w in weights}.values())
    arrays = [t._data for t in tensors]
    entry = _Entry([*(s._data for s in states), *(arrays[i] for i in wrt)])
    seen = Traced()
    pure = functional(fn, states, structure, seen, shadows=entry.table, differentiates=True)
    flows: list[bool] = []

    def of_diff(diff: list[Any]) -> Any:
        entered = entry(diff)
        full = list(arrays)
        for i, d in zip(wrt, entered[len(states) :], strict=True):
            full[i] = d
        outs, written = pure(entered[: len(states)], full)
        result = tree.unflatten(seen.structure, iter([wrap(o) for o in outs]))
        mains = [entry.differentiable(t._data) for t in _differentiated(plan, result)]
        flows.extend([m is not None for m in mains])
        return [m for m in mains if m is not None], (outs, written)

    fused = of_diff if entry.table is not None else with_attention(of_diff)
    mains, pull, (outs, written) = jax.vjp(fused, entry.starts, has_aux=True)
    adopt(seen.written, written)
    seeds = [mirror(_array(s)) for s in _seeds([wrap(m) for m in mains], flows, cotangent)]
    late: list[tuple[Any, Any]] = []
    with running(late_writes=late):
        cts = entry.gradients(pull(seeds)[0])
    adopt_late_writes(late)
    out = tree.unflatten(seen.structure, iter([wrap(o) for o in outs]))
    by_id = {id(s): wrap(ct) for s, ct in zip(states, cts, strict=False)}
    by_index = {i: wrap(ct) for i, ct in zip(wrt, cts[len(states) :], strict=True)}
    order = iter(_chosen(plan, inputs))

    def grad_of(t: Tensor) -> Tensor:
        return _as_tensor(by_index.get(next(order)), t)

    positions = None if plan.positions is None else tuple([_parts(grad_of, args[p]) for p in plan.positions])
    trainable = {id(w) for w in weights}
    weight_grads = (
        None
        if plan.weights is None
        else tuple([_of_weight(by_id[id(w)] if id(w) in trainable else None, w) for w in plan.weights])
    )
    return out, positions, weight_grads


class _Entry:
    """The differentiated arrays as inputs of the function: integers have float shadows, see `Shadow`.

    Attributes:
        starts: The arrays with respect to which `jax.vjp` differentiates.
        table: The shadows by the `id` of their arrays; None if all arrays are floats.
    """

    def __init__(self, arrays: Sequence[Any]) -> None:
        scope = current.get().scope
        self._outer = None if scope is None else scope.shadows
        self._arrays = arrays
        self._entered: list[Shadow | None] = []
        self.table: dict[int, Shadow] | None = None if all(map(is_inexact, arrays)) else {}
        outer = self._outer or {}
        self.starts = [outer[id(a)].array if id(a) in outer else start(a) for a in arrays]

    def __call__(self, diff: Sequence[Any]) -> list[Any]:
        """Return the arrays that the function receives."""
        self._entered = [
            None if is_inexact(a) else Shadow(jnp.copy(a), d) for a, d in zip(self._arrays, diff, strict=True)
        ]
        for s in self._entered:
            if s is not None and self.table is not None:
                self.table[id(s.of)] = s
        return [d if s is None else s.of for d, s in zip(diff, self._entered, strict=True)]

    def differentiable(self, array: Array) -> Any:
        """Return the float array or shadow of a result, or None."""
        if is_inexact(array):
            return array
        return self.table[id(array)].array if self.table and id(array) in self.table else None

    def gradients(self, cotangents: Sequence[Any]) -> list[Any]:
        """Return the gradients of the arrays; an integer gradient gets a shadow for the enclosing gradient."""
        results = []
        for ct, s in zip(cotangents, self._entered, strict=True):
            results.append(mirror(ct) if s is None else s.gradient()(ct))
            if self._outer is not None and not is_inexact(results[-1]):
                self._outer[id(results[-1])] = Shadow(results[-1], ct)
        return results


def _array(value: Tensor | Array) -> Any:
    return value._data if isinstance(value, Tensor) else value


def _chosen(plan: Plan, args: Sequence[Any]) -> list[int]:
    """Return the indices, among all Tensors of the arguments, of those at the watched positions."""
    ends = [0]
    for a in args:
        ends.append(ends[-1] + len(split(a)[0]))
    return [i for p in plan.positions or () for i in range(ends[p], ends[p + 1])]


def _with_own_values(plan: Plan, args: Sequence[Any]) -> list[Any]:
    """Return the arguments with Tensors for Parameters at the watched positions: in a graph they are separate variables."""
    own = lambda t: wrap(t._data) if isinstance(t, Parameter) else t
    return [tree.map_leaves(own, a, is_tensor) if i in (plan.positions or ()) else a for i, a in enumerate(args)]

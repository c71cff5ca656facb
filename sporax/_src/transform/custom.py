"""User-defined backwards: for a function of Tensors, and for a function written as a class (`_Function`)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.custom_derivatives import SymbolicZero

from sporax._src.base.errors import shown
from sporax._src.base.jax_compat import full, is_of_current_trace, is_tracer
from sporax._src.base.typing import Array, OptArray
from sporax._src.core import dtype as mstype
from sporax._src.core import tree
from sporax._src.core.derivative import instead
from sporax._src.core.execution import current
from sporax._src.core.parameter import Parameter
from sporax._src.core.scope import traceable, tracing
from sporax._src.core.tape import Node, is_recording, paused, watched
from sporax._src.core.tensor import Tensor, is_tensor, wrap
from sporax._src.engine import saved_tensors
from sporax._src.engine.vjp import Shadow, has_gradient, is_inexact, mirror, start, whole
from sporax._src.transform.controlflow.rewrite import rewritten
from sporax._src.transform.functional import Traced, adopt, functional, split


def identity_with_backward(tensors: Sequence[Tensor], backward: Callable[..., Any]) -> list[Tensor]:
    """Return the Tensors with a custom backward: `backward(cotangents) -> cotangents`, as Tensors."""
    return custom_backward(lambda *xs: xs, lambda inputs, outs, cts: backward(materialized(outs, cts)), tensors)


def custom_backward(
    forward: Callable[..., tuple[Tensor, ...]],
    backward: Callable[..., tuple[Any, ...]],
    tensors: Sequence[Tensor],
    packs: Callable[[], tuple[int, int]] = lambda: (0, sys.maxsize),
) -> list[Tensor]:
    """Run `forward(*tensors)` with `backward(tensors, outputs, cotangents)` as its derivative, in either mode.

    The cotangent of an unused output is None (see `materialized`); a gradient may be None, too.

    Args:
        forward, backward: The functions.
        tensors: The inputs.
        packs: Says after the forward which values `saved_tensors_hooks` pack: so many of the inputs, and the outputs from this one.
    """
    if tracing():
        return _custom_in_graph(forward, backward, tensors, packs)
    wrt = [i for i, t in enumerate(tensors) if watched(t)] if is_recording() else []
    parents = tuple([tensors[i]._node for i in wrt])
    integers = not all(is_inexact(tensors[i]._data) for i in wrt)
    with paused():
        outs = [wrap(o._data) for o in forward(*[wrap(t._data) for t in tensors])]
    if wrt:
        node = Node(parents, None, [jax.typeof(o._data) for o in outs])
        kept = _kept(tensors, outs, packs)

        def pull(cts: list[Any]) -> list[Any]:
            cotangents = [c if c is None or isinstance(c, Tensor) else wrap(c) for c in cts]
            grads = backward(*kept(), tuple(cotangents))
            nested = is_recording()
            return [grads[i] if nested else _raw(grads[i]) for i in wrt]

        node.backward = pull
        for i, o in enumerate(outs):
            if is_inexact(o._data) or (integers and has_gradient(o._data)):
                o._node = (node, i)
    return outs


def _kept(
    tensors: Sequence[Tensor], outs: Sequence[Tensor], packs: Callable[[], tuple[int, int]]
) -> Callable[[], tuple[tuple[Tensor, ...], tuple[Tensor, ...]]]:
    """Return the function that returns inputs and outputs for a backward; hooks pack some of them until then."""
    hooks = current.get().saved_hooks
    if hooks is None:
        return lambda: (tuple(tensors), tuple(outs))
    count, first = packs()
    rest, begin = tuple(tensors[count:]), tuple(outs[:first])
    unpack = saved_tensors.kept([*tensors[:count], *outs[first:]], hooks, alike=False)

    def kept() -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
        found = tuple(unpack())
        return (*found[:count], *rest), (*begin, *found[count:])

    return kept


class Like(NamedTuple):
    """The shape and dtype of a Tensor that is not kept."""

    shape: tuple[int, ...]
    dtype: mstype.Type

    @classmethod
    def of(cls, tensor: Tensor) -> Like:
        """Return those of a Tensor."""
        return cls(tensor.shape, tensor.dtype)


def materialized(outs: Sequence[Tensor | Like], cts: Sequence[Tensor | None]) -> tuple[Tensor, ...]:
    """Return the cotangents of outputs, zeros for unused outputs."""
    return tuple([filled(o, 0) if c is None else c for o, c in zip(outs, cts, strict=True)])


def filled(like: Tensor | Like, value: float) -> Tensor:
    """Return a Tensor of a number in the shape and dtype of another one."""
    return wrap(full(like.shape, value, mstype.to_numpy(like.dtype)))


def fitted(grad: Tensor, like: Tensor | Like, label: str) -> Tensor:
    """Return the gradient of a Tensor in its dtype, summed to its shape if that broadcasts to the gradient's shape.

    Raises:
        RuntimeError: If it does not broadcast.
    """
    if grad.shape != like.shape:
        if not _broadcasts(like.shape, grad.shape):
            raise RuntimeError(
                "For custom function, grad tensor should be broadcast to input shape, but got "
                f"{list(grad.shape)} vs {list(like.shape)}: {label}."
            )
        grad = grad.sum_to_size(like.shape)
    return grad if grad.dtype == like.dtype else grad.astype(like.dtype)


def _broadcasts(small: tuple[int, ...], large: tuple[int, ...]) -> bool:
    pairs = zip(small[::-1], large[::-1], strict=False)
    return len(small) <= len(large) and all(a in (1, b) for a, b in pairs)


def _raw(value: object) -> Any:
    return value._data if isinstance(value, Tensor) else value


def _custom_in_graph(
    forward: Callable[..., Any],
    backward: Callable[..., Any],
    tensors: Sequence[Tensor],
    packs: Callable[[], tuple[int, int]],
) -> list[Tensor]:
    seen = Traced()
    structure = split((tuple(tensors), {}))[1]
    pure = functional(lambda *xs: tuple(forward(*xs)), [], structure, seen)
    operands = [t._data for t in tensors]
    # JAX differentiates by arguments only: other values that the forward reads (Parameters) become arguments of gradient zero.
    closed_pure, closed = jax.closure_convert(lambda *arrays: pure([], arrays), *operands)

    scope = current.get().scope
    table = None if scope is None else scope.shadows
    floats = [_behind(x, table) for x in operands]
    hooks, kinds = current.get().saved_hooks, []
    package = None if hooks is None else saved_tensors.Package(hooks, alike=False)

    def ends(out: Any) -> Any:
        return out, [start(o) if has_gradient(o) and not is_inexact(o) else None for o in out[0]]

    @jax.custom_vjp
    def call(closed: Sequence[Array], floats: Sequence[OptArray], *arrays: Array) -> Any:
        return ends(closed_pure(*arrays, *closed))

    def fwd(closed: Any, floats: Any, *arrays: Any) -> Any:
        values = [a.value for a in arrays]
        out = closed_pure(*values, *[c.value for c in closed])
        outs, packed = out[0], []
        kinds[:] = [jax.ShapeDtypeStruct(o.shape, o.dtype) for o in outs]
        if package is not None:
            count, first = packs()
            packed = package.pack([*values[:count], *outs[first:]])
            values, outs = values[count:], outs[:first]
        return ends(out), (values, [None if f is None else f.value for f in floats], outs, packed)

    def bwd(saved: Any, cts: Any) -> Any:
        values, floats, outs, packed = saved
        if package is not None:
            found, count = package.unpack(packed), len(operands) - len(values)
            values, outs = [*found[:count], *values], [*outs, *found[count:]]
        values = [v if f is None else jnp.copy(v) for v, f in zip(values, floats, strict=True)]
        shadows = {id(v): Shadow(v, f) for v, f in zip(values, floats, strict=True) if f is not None} or None
        cotangents = tuple([_cotangent(c, b, o) for c, b, o in zip(cts[0][0], cts[1], kinds, strict=True)])
        leaves, structure = split(((tuple(map(wrap, values)), tuple(map(wrap, outs)), cotangents), {}))
        back = Traced()
        # Control flow is always rewritten here, because the outer graph may be finished and cannot be traced again.
        pure = functional(lambda *xs: tuple(backward(*xs)), [], structure, back, rewritten, shadows)
        results, assigned = pure([], [t._data for t in leaves])
        _note_writes(back.written, assigned)
        grads = tree.unflatten(back.structure, iter(results))
        by_float = [None if f is None else _by_float(g, f, shadows) for f, g in zip(floats, grads, strict=True)]
        return None, by_float, *[_matching(g, x) for g, x in zip(grads, operands, strict=True)]

    call.defvjp(fwd, bwd, symbolic_zeros=True)
    (outs, written), behind = call(closed, floats, *operands)
    adopt(seen.written, written)
    if table is not None and any(f is not None for f in floats):
        table.update({id(o): Shadow(o, f) for o, f in zip(outs, behind, strict=True) if f is not None})
    return [wrap(o) for o in outs]


def _note_writes(states: Sequence[Any], values: Sequence[Any]) -> None:
    """Record the Parameters that a backward has assigned, for the enclosing gradient."""
    assigned = [pair for pair in zip(states, values, strict=True) if isinstance(pair[0], Parameter)]
    notes = current.get().late_writes
    if assigned and notes is None:
        raise _assigned_elsewhere(assigned[0][0])
    if notes is not None:
        notes.extend(assigned)


def adopt_late_writes(notes: Sequence[tuple[Any, Any]]) -> None:
    """Give Parameters the values that backwards of this graph have assigned to them.

    Raises:
        RuntimeError: If a backward was traced in an inner graph: a recomputed one, or the body of a loop.
    """
    for param, value in notes:
        if is_tracer(value) and not is_of_current_trace(value):
            raise _assigned_elsewhere(param)
        param.adopt(value)


def _assigned_elsewhere(param: Parameter) -> RuntimeError:
    return RuntimeError(
        f"'{shown(param.name)}' is assigned in a backward that is not part of the outer graph: within recompute, a loop "
        "that is compiled as one, or a compiled function whose gradient is taken in PyNative mode. Compile the whole step, "
        "without these."
    )


def _behind(array: Array, table: MutableMapping[int, Shadow] | None) -> Any:
    """Return the float shadow of an integer array, or None."""
    return table[id(array)].array if table is not None and id(array) in table else None


def _cotangent(ct: object, behind: OptArray, out: Array) -> Tensor | None:
    """Return the cotangent of a result for the user's backward."""
    if is_inexact(out):
        return None if isinstance(ct, SymbolicZero) else wrap(mirror(ct))
    return None if behind is None or isinstance(behind, SymbolicZero) else wrap(whole(behind, out.dtype))


def _matching(grad: OptArray, array: Array) -> Any:
    if not is_inexact(array):
        return jnp.zeros(array.shape, jax.dtypes.float0)
    return full(array.shape, 0, array.dtype) if grad is None else mirror(grad.astype(array.dtype))


def _by_float(grad: OptArray, like: Array, shadows: MutableMapping[int, Shadow] | None) -> Any:
    """Return the gradient of an integer as the gradient of its float shadow."""
    if grad is None:
        return jnp.zeros_like(like)
    behind, value = _behind(grad, shadows), grad.astype(like.dtype)
    return value if behind is None else instead(value, behind.astype(like.dtype))


# --- a function as a class -------------------------------------------------------------------------------------------------


class Context:
    """The state that the forward of a `_Function` saves for its backward; attributes may be set freely.

    Attributes:
        saved_tensors: The arguments of `save_for_backward`; those that `saved_tensors_hooks` packed are unpacked each time.
        needs_input_grad: For each argument, whether it is a Tensor.
        non_differentiable, dirty_tensors: The Tensors that were marked so.
        materialize_grads: Whether a zero gradient is a Tensor of zeros, or None.
    """

    def __init__(self) -> None:
        self._saved: Callable[[], Sequence[Any]] | tuple[Any, ...] = ()  # a function if they are packed
        self.needs_input_grad: tuple[bool, ...] = ()
        self.non_differentiable: tuple[Any, ...] = ()
        self.dirty_tensors: tuple[Any, ...] = ()
        self.materialize_grads = True

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The arguments of `save_for_backward`."""
        return tuple(self._saved()) if callable(self._saved) else self._saved

    @saved_tensors.setter
    def saved_tensors(self, values: tuple[Any, ...]) -> None:
        self._saved = values

    def save_for_backward(self, *tensors: Tensor) -> None:
        """Keep Tensors for the backward, which finds them as `saved_tensors`."""
        self._saved = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Let no gradient pass through these outputs."""
        self.non_differentiable = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Treat these inputs, which the forward changes in place and returns, as outputs in gradients."""
        self.dirty_tensors = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Choose whether the gradient of an output on which nothing depends is zeros (the default), or None."""
        self.materialize_grads = value


class Function:
    """A differentiable function: a subclass defines `forward(ctx, ...)` and `backward(ctx, *gradients)` as static methods.

    `backward` takes a gradient for each output (None for one that is no Tensor) and returns one for each argument: None,
    or a Tensor whose shape the argument's broadcasts to. It is called by its method `apply`.

    Raises:
        RuntimeError: If `backward` returns too few gradients, something else, or one of another shape.

    Examples:
        >>> import sporax as ms
        >>> class Square(ms._Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x * x
        ...     @staticmethod
        ...     def backward(ctx, dout):
        ...         (x,) = ctx.saved_tensors
        ...         return 2 * x * dout
        >>> ms.grad(Square.apply)(ms.Tensor(3.0)).item()
        6.0
    """

    @classmethod
    def apply(cls, *args: object) -> Any:
        """Run the function."""
        return _Call(cls, args).run()


class _Call:
    """One call of a `Function`."""

    def __init__(self, function: Any, args: tuple[Any, ...]) -> None:
        self._function, self._args = function, args
        self._inputs = [a for a in args if isinstance(a, Tensor)]
        self._context = Context()
        self._context.needs_input_grad = tuple([isinstance(a, Tensor) for a in args])
        self._forward_inputs: list[Tensor] = []  # the inputs that the forward receives
        self._leaves: list[Tensor] = []  # the Tensors of its result
        self._leaf_indices: list[int | None] = []  # for each output its index among these
        self._result: Any = None
        self._saved_structure: Any = None  # in a graph: that of the context's saved values, which are outputs too

    def run(self) -> Any:
        outs = custom_backward(self._forward, self._backward, self._inputs, lambda: (0, len(self._leaves)))
        outs = outs[: len(self._leaves)]
        if any(o._node is not None for o in outs) and (hooks := current.get().saved_hooks) is not None:
            self._pack(hooks, outs)
        stopped = (*self._context.non_differentiable, *self._hidden())
        for i, leaf in enumerate(self._leaves):
            if _among(leaf, stopped):
                outs[i] = wrap(jax.lax.stop_gradient(outs[i]._data))
            for passed, original in zip(self._forward_inputs, self._inputs, strict=True):
                if passed is leaf and _among(leaf, self._context.dirty_tensors):
                    original._rebind(outs[i])
        return tree.unflatten(self._result, iter(outs))

    def _pack(self, hooks: saved_tensors.Hooks, outs: Sequence[Tensor]) -> None:
        """Let the hooks of a program pack what the context has saved."""
        results = self._results(outs)
        values = [results.get(id(value), value) for value in self._context.saved_tensors]
        self._context._saved = saved_tensors.kept(values, hooks, alike=False)

    def _results(self, outs: Sequence[Tensor]) -> dict[int, Tensor]:
        """Return the outputs that stand for Tensors of the forward, by the `id` of these."""
        pairs = zip(self._leaves, outs, strict=True)
        return {id(leaf): out for leaf, out in pairs if not _among(leaf, self._forward_inputs)}

    def _hidden(self) -> Iterator[Tensor]:
        """Yield the Tensors inside of lists and other containers, which take no part in gradients."""
        return (leaf for i, leaf in enumerate(self._leaves) if i not in self._leaf_indices)

    def _forward(self, *xs: Tensor) -> tuple[Tensor, ...]:
        # Eager: the tape is paused, so the user's Tensors serve. In a graph the derivative needs the traced Tensors.
        pairs = zip(self._inputs, xs, strict=True)
        self._forward_inputs = [t if isinstance(t, Parameter) or not tracing() else x for t, x in pairs]
        inputs = iter(self._forward_inputs)
        args = [next(inputs) if isinstance(a, Tensor) else a for a in self._args]
        result = traceable(self._function.forward)(self._context, *args)
        self._leaves, self._leaf_indices = [], []
        for out in result if isinstance(result, tuple) else (result,):
            self._leaf_indices.append(len(self._leaves) if isinstance(out, Tensor) else None)
            tree.flatten(out, is_tensor, self._leaves)
        self._result = tree.flatten(result, is_tensor, [])
        saved: list[Tensor] = []
        if tracing():
            self._saved_structure = tree.flatten(vars(self._context), is_tensor, saved)
        return (*self._leaves, *saved)

    def _backward(self, inputs: object, outs: Any, cts: Any) -> tuple[Any, ...]:
        context = self._context_for(outs)
        if context.materialize_grads:
            cts = materialized(outs, cts)
        cotangents = [None if index is None else cts[index] for index in self._leaf_indices]
        grads = traceable(self._function.backward)(context, *cotangents)
        grads = grads if isinstance(grads, tuple) else (grads,)
        if len(grads) < len(self._args):
            raise RuntimeError(
                f"Function backward return a wrong number of gradients, expect: {len(self._args)}, but: {len(grads)}: "
                f"{self._function.__name__}."
            )
        checked = [self._checked(n, a, g) for n, (a, g) in enumerate(zip(self._args, grads, strict=False))]
        return tuple([g for a, g in zip(self._args, checked, strict=True) if isinstance(a, Tensor)])

    def _context_for(self, outs: Sequence[Tensor]) -> Context:
        """Return the context with the Tensors that this backward and its own gradient depend on."""
        context = Context()
        if self._saved_structure is not None:
            vars(context).update(tree.unflatten(self._saved_structure, iter(outs[len(self._leaves) :])))
        elif is_recording():
            known = self._results(outs)
            vars(context).update(tree.map_leaves(lambda t: known.get(id(t), t), vars(self._context), is_tensor))
        else:
            return self._context
        return context

    def _checked(self, position: int, argument: object, grad: object) -> Tensor | None:
        name = self._function.__name__
        if grad is None:
            return None
        if not isinstance(argument, Tensor):
            raise RuntimeError(
                f"Input is not tensor, but gradient is not none, position: {position} type: {type(grad)}: {name}."
            )
        if not isinstance(grad, Tensor):
            raise RuntimeError(f"Gradient should be none or tensor, position: {position} type: {type(grad)}: {name}.")
        return fitted(grad, argument, f"{name}.backward: the gradient of input {position}")


def _among(tensor: Tensor, tensors: Sequence[Any]) -> bool:
    return any(tensor is t for t in tensors)

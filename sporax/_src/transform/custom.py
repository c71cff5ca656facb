"""Backwards of the user's own: for a function, for one Tensor, as a class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from sporax._src.base.errors import describe
from sporax._src.core import tree
from sporax._src.core.scope import tracing
from sporax._src.core.tape import Node, tape, watched
from sporax._src.core.tensor import Tensor, is_tensor, wrap
from sporax._src.ops.dispatch import is_inexact
from sporax._src.transform.controlflow.merge import NeedsValue
from sporax._src.transform.functional import Traced, adopt, functional, join, split


def identity_with_backward(tensors: Sequence[Tensor], backward: Callable[..., Any]) -> list[Tensor]:
    """Return the Tensors with a backward of the caller's: `backward(cotangents) -> cotangents`, as Tensors."""
    return custom_backward(lambda *xs: xs, lambda inputs, out, cts: backward(cts), tensors)


def custom_backward(
    forward: Callable[..., tuple[Tensor, ...]], backward: Callable[..., tuple[Any, ...]], tensors: Sequence[Tensor]
) -> list[Tensor]:
    """Run `forward(*tensors)` with `backward(tensors, outputs, cotangents)` as its derivative, in either mode."""
    if tracing():
        return _custom_in_graph(forward, backward, tensors)
    with tape.paused():
        outs = [wrap(o._data) for o in forward(*[wrap(t._data) for t in tensors])]
    wrt = [i for i, t in enumerate(tensors) if tape.depth and watched(t) and is_inexact(t._data)]
    if wrt:
        node = Node(tuple([tensors[i]._node for i in wrt]), None, [o._data for o in outs])

        def pull(cts: list[Any]) -> list[Any]:
            full = [
                wrap(jnp.zeros(o.shape, o.dtype)) if c is None else _tensor(c)
                for c, o in zip(cts, node.avals, strict=True)
            ]
            grads = backward(tuple(tensors), tuple(outs), tuple(full))
            return [grads[i] if tape.depth else _raw(grads[i]) for i in wrt]

        node.backward = pull
        for i, o in enumerate(outs):
            if is_inexact(o._data):
                o._node = (node, i)
    return outs


def _tensor(value: Any) -> Tensor:
    return value if isinstance(value, Tensor) else wrap(value)


def _raw(value: Any) -> Any:
    return value._data if isinstance(value, Tensor) else value


def _custom_in_graph(
    forward: Callable[..., Any], backward: Callable[..., Any], tensors: Sequence[Tensor]
) -> list[Tensor]:
    seen = Traced()
    structure = split((tuple(tensors), {}))[1]
    pure = functional(lambda *xs: tuple(forward(*xs)), [], structure, seen)

    @jax.custom_vjp
    def call(*arrays: Any) -> Any:
        return pure([], arrays)

    def fwd(*arrays: Any) -> Any:
        out = pure([], arrays)
        return out, (arrays, out[0])

    def bwd(saved: Any, cts: Any) -> Any:
        arrays, outs = saved
        triple = tuple(tuple(map(wrap, part)) for part in (arrays, outs, cts[0]))
        inner = functional(lambda *xs: tuple(backward(*xs)), [], split((triple, {}))[1], Traced())
        grads = inner([], [*arrays, *outs, *cts[0]])[0]
        return tuple(_matching(g, a) for g, a in zip(grads, arrays, strict=True))

    call.defvjp(fwd, bwd)
    outs, written = call(*[t._data for t in tensors])
    adopt(seen.written, written)
    return [wrap(o) for o in outs]


def _matching(grad: Any, array: Any) -> Any:
    if not is_inexact(array):
        return jnp.zeros(array.shape, jax.dtypes.float0)
    return grad.astype(array.dtype)


# --- hooks on one Tensor --------------------------------------------------------------------------------------------------


class TensorHookHandle:
    """Removes a hook of a Tensor: what `Tensor.register_hook` returns."""

    def __init__(self) -> None:
        self.active = True

    def remove(self) -> None:
        """Let gradients pass as they are from now on."""
        self.active = False


def register_hook(tensor: Tensor, hook_fn: Callable[[Tensor], Any]) -> TensorHookHandle:
    """Call `hook_fn(gradient)` when the gradient of this Tensor is known; what it returns replaces the gradient.

    Args:
        tensor: The Tensor; operations that use it from now on are behind the hook.
        hook_fn: Takes the gradient and returns one of the same shape, or None to leave it.

    Returns:
        A handle with `remove()`.
    """
    if not callable(hook_fn):
        raise TypeError(f"Tensor.register_hook: hook_fn must be a function, got {describe(hook_fn)}.")
    handle = TensorHookHandle()
    tensor._rebind(hooked(tensor, lambda g: hook_fn(g) if handle.active else None))
    return handle


Tensor.register_hook = register_hook  # type: ignore[attr-defined]


def hooked(tensor: Tensor, hook: Callable[[Tensor], Any]) -> Tensor:
    """Return the Tensor with its gradient passed through `hook`."""

    def backward(cts: tuple[Tensor, ...]) -> tuple[Any, ...]:
        changed = hook(cts[0])
        return (cts[0] if changed is None else changed,)

    return identity_with_backward([tensor], backward)[0]


class HookBackward:
    """An operator that returns its input(s) and calls `hook_fn` with the gradient(s) in the backward.

    Args:
        hook_fn: Takes the gradients as a tuple; what it returns replaces them.
        cell_id: Accepted for MindSpore programs.
    """

    def __init__(self, hook_fn: Callable[..., Any], cell_id: str = "") -> None:
        if not callable(hook_fn):
            raise TypeError(f"ops.HookBackward: hook_fn must be a function, got {describe(hook_fn)}.")
        self.hook_fn = hook_fn

    def __call__(self, *inputs: Tensor) -> Any:
        def backward(cts: tuple[Tensor, ...]) -> tuple[Any, ...]:
            changed = self.hook_fn(cts)
            changed = cts if changed is None else changed
            return changed if isinstance(changed, tuple) else (changed,)

        out = identity_with_backward(inputs, backward)
        return out[0] if len(out) == 1 else tuple(out)


class InsertGradientOf:
    """An operator that returns its input and passes the gradient through `f`.

    Args:
        f: Takes the gradient and returns one of the same shape.
    """

    def __init__(self, f: Callable[[Tensor], Any]) -> None:
        if not callable(f):
            raise TypeError(f"ops.InsertGradientOf: f must be a function, got {describe(f)}.")
        self.f = f

    def __call__(self, x: Tensor) -> Tensor:
        return hooked(x, self.f)


# --- a function as a class -------------------------------------------------------------------------------------------------


class Context:
    """What the forward of a `_Function` keeps for its backward."""

    saved_tensors: tuple[Any, ...] = ()
    needs_input_grad: tuple[bool, ...] = ()

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep Tensors for the backward, which finds them as `saved_tensors`."""
        self.saved_tensors = tensors

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Accept outputs without gradient."""

    def mark_dirty(self, *tensors: Any) -> None:
        """Accept inputs changed in place."""

    def set_materialize_grads(self, value: bool) -> None:
        """Accept a hint; gradients that are zero come as Tensors of zeros."""


class Function:
    """A differentiable function: a subclass defines `forward(ctx, ...)` and `backward(ctx, *gradients)` as static methods."""

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Run the function (in a graph: fall back to PyNative mode, where what the context keeps has values)."""
        if tracing():
            raise NeedsValue(f"{cls.__name__} keeps values for its backward")
        ctx = Context()
        tensors, structure = split((args, {}))
        ctx.needs_input_grad = tuple(isinstance(a, Tensor) for a in args)
        shape: dict[str, Any] = {}

        def forward(*xs: Tensor) -> tuple[Tensor, ...]:
            leaves: list[Tensor] = []
            inner, _ = join(structure, [x._data for x in xs])
            shape["out"] = tree.flatten(cls.forward(ctx, *inner), is_tensor, leaves)  # type: ignore[attr-defined]
            return tuple(leaves)

        def backward(inputs: Any, outs: Any, cts: Any) -> tuple[Any, ...]:
            grads = cls.backward(ctx, *cts)  # type: ignore[attr-defined]
            grads = grads if isinstance(grads, tuple) else (grads,)
            given = [g for a, g in zip(args, grads, strict=False) if isinstance(a, Tensor)]
            pairs = zip(given, inputs, strict=True)
            return tuple([wrap(jnp.zeros(x.shape, x._data.dtype)) if g is None else g for g, x in pairs])

        return (
            tree.unflatten(shape["out"], iter(outs)) if (outs := custom_backward(forward, backward, tensors)) else None
        )

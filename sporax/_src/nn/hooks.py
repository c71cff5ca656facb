"""Hooks of a Cell, and Cells that define their own backward (`bprop`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from sporax._src.base.errors import describe
from sporax._src.core import tree
from sporax._src.core.tensor import Tensor, is_tensor, wrap
from sporax._src.transform.custom import custom_backward, identity_with_backward
from sporax._src.transform.functional import join, split


class HookHandle:
    """Removes a hook: what `register_..._hook` returns."""

    def __init__(self, hooks: list[Any], hook: Any) -> None:
        self._hooks, self._hook = hooks, hook

    def remove(self) -> None:
        """Remove the hook; a second call does nothing."""
        if self._hook in self._hooks:
            self._hooks.remove(self._hook)


class Hooks:
    """The hooks of one Cell, in the order they were registered."""

    def __init__(self) -> None:
        self.of: dict[str, list[tuple[Callable[..., Any], bool]]] = {}

    def __bool__(self) -> bool:
        return any(self.of.values())

    def add(self, kind: str, hook: Callable[..., Any], with_kwargs: bool = False) -> HookHandle:
        """Register a hook and return its handle."""
        if not callable(hook):
            raise TypeError(f"Cell.register_{kind}_hook: hook_fn must be a function, got {describe(hook)}.")
        entry = (hook, with_kwargs)
        self.of.setdefault(kind, []).append(entry)
        return HookHandle(self.of[kind], entry)

    def run(self, cell: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a Cell's construct between its hooks."""
        for hook, with_kwargs in list(self.of.get("forward_pre", ())):
            changed = hook(cell, args, kwargs) if with_kwargs else hook(cell, args)
            if changed is not None and with_kwargs:
                args, kwargs = changed
            elif changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
        backward = [h for h, _ in self.of.get("backward", ())]
        shared: dict[str, Any] = {}
        if backward:
            args = _intercept(args, lambda cts: _call_backward(backward, cell, cts, shared))
        out = cell._construct(args, kwargs)
        pre = [h for h, _ in self.of.get("backward_pre", ())]
        if backward or pre:
            out = _intercept(out, lambda cts: _call_pre(pre, cell, cts, shared))
        for hook, with_kwargs in list(self.of.get("forward", ())):
            changed = hook(cell, args, kwargs, out) if with_kwargs else hook(cell, args, out)
            out = out if changed is None else changed
        return out


def _call_backward(hooks: list[Any], cell: Any, cts: tuple[Any, ...], shared: dict[str, Any]) -> tuple[Any, ...]:
    for hook in hooks:
        changed = hook(cell, cts, shared.get("grad_output", ()))
        if changed is not None:
            cts = changed if isinstance(changed, tuple) else (changed,)
    return cts


def _call_pre(hooks: list[Any], cell: Any, cts: tuple[Any, ...], shared: dict[str, Any]) -> tuple[Any, ...]:
    for hook in hooks:
        changed = hook(cell, cts)
        if changed is not None:
            cts = changed if isinstance(changed, tuple) else (changed,)
    shared["grad_output"] = cts
    return cts


def _intercept(value: Any, backward: Callable[[tuple[Tensor, ...]], tuple[Any, ...]]) -> Any:
    """Return the nested value unchanged, its cotangents passed through `backward` (Tensors in, Tensors out)."""
    leaves: list[Tensor] = []
    structure = tree.flatten(value, is_tensor, leaves)
    passed = identity_with_backward(leaves, backward)
    return tree.unflatten(structure, iter(passed))


def run_with_bprop(cell: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run a Cell whose gradient is its own `bprop(*inputs, out, dout)`."""
    tensors, structure = split((args, kwargs))
    shape: dict[str, Any] = {}

    def forward(*xs: Tensor) -> tuple[Tensor, ...]:
        inner_args, inner_kwargs = join(structure, [x._data for x in xs])
        leaves: list[Tensor] = []
        shape["out"] = tree.flatten(cell.construct(*inner_args, **inner_kwargs), is_tensor, leaves)
        return tuple(leaves)

    def backward(inputs: Any, outs: Any, douts: Any) -> tuple[Any, ...]:
        inner_args, _ = tree.unflatten(structure, iter(inputs))
        out = tree.unflatten(shape["out"], iter(outs))
        dout = tree.unflatten(shape["out"], iter(douts))
        grads = cell.bprop(*inner_args, out, dout)
        grads = grads if isinstance(grads, tuple) else (grads,)
        if len(grads) < len(inner_args):
            raise TypeError(
                f"{type(cell).__name__}.bprop must return a gradient for each of the {len(inner_args)} inputs, got {len(grads)}."
            )
        flat: list[Any] = []
        for given, grad in zip(inner_args, grads, strict=False):
            flat.extend(_grads_of(given, grad))
        return tuple(flat)

    outs = custom_backward(forward, backward, tensors)
    return tree.unflatten(shape["out"], iter(outs))


def _grads_of(given: Any, grad: Any) -> list[Any]:
    """Return one gradient for each Tensor of an input, zeros where `bprop` gave none."""
    inputs, found = [], []
    tree.flatten(given, is_tensor, inputs)
    tree.flatten(grad, is_tensor, found)
    if len(found) == len(inputs):
        return found
    if isinstance(grad, (int, float)) and len(inputs) == 1:
        return [wrap(jnp.full(inputs[0].shape, grad, inputs[0]._data.dtype))]
    return [wrap(jnp.zeros(t.shape, t._data.dtype)) for t in inputs]

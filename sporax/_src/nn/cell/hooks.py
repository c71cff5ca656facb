"""Hooks of a Cell, and Cells that define their own backward (`bprop`)."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, NamedTuple

from sporax._src.base.errors import describe, warn_user
from sporax._src.core import tree
from sporax._src.core.parameter import Parameter
from sporax._src.core.scope import traceable, tracing
from sporax._src.core.stateful import graph_version
from sporax._src.core.tensor import Tensor, is_tensor
from sporax._src.nn.cell.parameter_hooks import ParameterHooks
from sporax._src.transform.controlflow.merge import NeedsValue
from sporax._src.transform.custom import (
    Like,
    custom_backward,
    filled,
    fitted,
    identity_with_backward,
    materialized,
)
from sporax._src.transform.jit import Jit
from sporax._src.transform.saved_tensors import saved_tensors_hooks
from sporax._src.transform.tensor_hooks import check_hook


class Hook(NamedTuple):
    """A registered hook, and how it is called."""

    fn: Callable[..., Any]
    with_kwargs: bool = False
    always: bool = False  # also after an error

    def after(self, cell: Any, args: tuple[Any, ...], kwargs: dict[str, Any], out: Any) -> Any:
        """Call it after `construct`; return the output, which its result replaces."""
        given = (args, kwargs, out) if self.with_kwargs else (args, out)
        changed = traceable(self.fn)(cell, *given)
        return out if changed is None else changed


class HookHandle:
    """The handle that `register_..._hook` returns; it removes the hook."""

    def __init__(self, hooks: Hooks, kind: str, hook: object) -> None:
        self._hooks, self._kind, self._hook = hooks, kind, hook

    def remove(self) -> None:
        """Remove the hook; a second call does nothing."""
        registered = self._hooks.of[self._kind]
        if any(self._hook is h for h in registered):
            registered[:] = [h for h in registered if h is not self._hook]
            self._hooks.changed()


class Hooks:
    """The hooks of one Cell, in the order they were registered."""

    def __init__(self) -> None:
        self.of: dict[str, list[Hook]] = {}
        self.of_parameters = ParameterHooks()
        self.saved_tensors: saved_tensors_hooks | None = None
        self.version = 0  # changes with the hooks; graphs depend on it

    def changed(self) -> None:
        """Mark graphs built with the hooks as invalid."""
        if tracing():
            raise NeedsValue("a hook of a Cell is registered or removed")
        self.version += 1
        graph_version.advance()

    def __bool__(self) -> bool:
        return any(self.of.values()) or self.of_parameters.enabled or self.saved_tensors is not None

    def add(self, kind: str, hook: Callable[..., Any], prepend: bool = False, **how: bool) -> HookHandle:
        """Register a hook, behind the others or before them, and return its handle."""
        check_hook(f"Cell.register_{kind}_hook", hook)
        self.changed()
        entry = Hook(hook, **how)
        registered = self.of.setdefault(kind, [])
        registered.insert(0 if prepend else len(registered), entry)
        return HookHandle(self, kind, entry)

    def run(self, cell: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a Cell's construct between its hooks; after an error those that are always called, with what there is."""
        waiting = list(self.of.get("forward", ()))
        before = (args, kwargs)
        made: list[Any] = []  # the output of construct
        try:
            return self._run(cell, args, kwargs, waiting, made)
        except Exception:
            if not tracing():
                out = made[0] if made else None
                for hook in [hook for hook in waiting if hook.always]:
                    try:
                        out = hook.after(cell, *before, out)
                    except Exception as error:
                        warn_user(f"a forward hook with always_call=True raised after another error: {error!r}.")
            raise

    def _run(
        self, cell: Any, args: tuple[Any, ...], kwargs: dict[str, Any], waiting: list[Hook], made: list[Any]
    ) -> Any:
        for hook, with_kwargs, _ in self.of.get("forward_pre", ()):
            hook = traceable(hook)
            changed = hook(cell, args, kwargs) if with_kwargs else hook(cell, args)
            if changed is not None and with_kwargs:
                if not isinstance(changed, tuple) or len(changed) != 2:
                    raise RuntimeError(
                        "forward pre hook with kwargs must return None or a tuple of (new_args, new_kwargs), "
                        f"but got {describe(changed)}."
                    )
                args, kwargs = changed
            elif changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
        backward = [hook.fn for hook in self.of.get("backward", ())]
        shared: dict[str, Any] = {}
        if backward:
            args = _intercept(args, lambda cts: _call_backward(backward, cell, cts, shared))
        with self.of_parameters.applied(cell), self.saved_tensors or contextlib.nullcontext():
            out = cell._sporax_construct(args, kwargs)
        made.append(out)
        while waiting:
            out = waiting.pop(0).after(cell, args, kwargs, out)
        pre = [hook.fn for hook in self.of.get("backward_pre", ())]
        if backward or pre:
            out = _intercept(out, lambda cts: _call_pre(pre, cell, cts, shared))
        return out


_of_all_cells = Hooks()


def register_cell_buffer_registration_hook(hook: Callable[..., Any]) -> HookHandle:
    """Call a function whenever a Cell registers a buffer: `hook(cell, name, tensor)` returns None or the Tensor to register.

    Raises:
        TypeError: If `hook` cannot be called.

    Examples:
        >>> import sporax as ms
        >>> from sporax.nn.cell import register_cell_buffer_registration_hook
        >>> handle = register_cell_buffer_registration_hook(lambda cell, name, tensor: tensor * 2)
        >>> net = ms.nn.Cell()
        >>> net.register_buffer("count", ms.Tensor([1]))
        >>> handle.remove()
        >>> net.count.tolist()
        [2]
    """
    return _of_all_cells.add("buffer_registration", hook)


def to_register(cell: object, name: str, tensor: Any) -> Any:
    """Return what hooks of all Cells make of a buffer that is registered."""
    for hook in _of_all_cells.of.get("buffer_registration", ()):
        changed = hook.fn(cell, name, tensor)
        tensor = tensor if changed is None else changed
    return tensor


class HookMethods:
    """The part of a Cell that registers hooks."""

    _sporax_hooks: Hooks

    def register_forward_pre_hook(
        self, hook_fn: Callable[..., Any], with_kwargs: bool = False, *, prepend: bool = False
    ) -> Any:
        """Call `hook_fn(cell, inputs)` before `construct`; its result replaces the inputs. Returns a handle.

        Args:
            hook_fn: The function.
            with_kwargs: Whether it is called as `hook_fn(cell, inputs, kwargs)` and returns both.
            prepend: Whether it is called before the hooks that are registered already.
        """
        return self._sporax_hooks.add("forward_pre", hook_fn, prepend, with_kwargs=with_kwargs)

    def register_forward_hook(
        self,
        hook_fn: Callable[..., Any],
        with_kwargs: bool = False,
        *,
        prepend: bool = False,
        always_call: bool = False,
    ) -> Any:
        """Call `hook_fn(cell, inputs, output)` after `construct`; its result replaces the output. Returns a handle.

        Args:
            hook_fn: The function.
            with_kwargs: Whether it is called as `hook_fn(cell, inputs, kwargs, output)`.
            prepend: Whether it is called before the hooks that are registered already.
            always_call: Whether it is called after an error too, in PyNative mode; `output` is None if `construct` gave none.
        """
        return self._sporax_hooks.add("forward", hook_fn, prepend, with_kwargs=with_kwargs, always=always_call)

    def register_backward_hook(self, hook_fn: Callable[..., Any]) -> Any:
        """Call `hook_fn(cell, grad_input, grad_output)` in the backward; its result replaces `grad_input`."""
        return self._sporax_hooks.add("backward", hook_fn)

    def register_backward_pre_hook(self, hook_fn: Callable[..., Any]) -> Any:
        """Call `hook_fn(cell, grad_output)` before the backward; its result replaces `grad_output`."""
        return self._sporax_hooks.add("backward_pre", hook_fn)

    def register_parameter_forward_hook(self, hook: Callable[..., Any] | list[dict[str, Any]]) -> None:
        """Let graphs compute with `hook(parameter)` in place of each Parameter, here and below; PyNative mode does not.

        A Parameter's own hook takes precedence over that of the innermost Cell that has one; a later registration replaces
        the former.

        Args:
            hook: A function for all Parameters, or dicts of `"params"`, a list of Parameters, and `"hook"`, their function.

        Raises:
            TypeError: If `hook` is something else, or a hook cannot be called or returns no Tensor.
            ValueError: If a dict has not both keys.
        """
        self._sporax_hooks.of_parameters.register(hook)
        self._sporax_hooks.changed()

    def register_saved_tensors_hooks(self, pack_hook: Callable[..., Any], unpack_hook: Callable[..., Any]) -> None:
        """Let `construct` run within `saved_tensors_hooks(pack_hook, unpack_hook)`, in both modes."""
        self._sporax_hooks.changed()
        self._sporax_hooks.saved_tensors = saved_tensors_hooks(pack_hook, unpack_hook)


def _call_backward(hooks: list[Any], cell: object, cts: tuple[Any, ...], shared: dict[str, Any]) -> tuple[Any, ...]:
    for hook in hooks:
        changed = traceable(hook)(cell, cts, shared.get("grad_output", ()))
        cts = _replaced(
            cts, changed, hook, "backward hook return value size is {} not equal to expect grad input size {}"
        )
    return cts


def _call_pre(hooks: list[Any], cell: object, cts: tuple[Any, ...], shared: dict[str, Any]) -> tuple[Any, ...]:
    for hook in hooks:
        changed = traceable(hook)(cell, cts)
        cts = _replaced(
            cts, changed, hook, "backward pre hook return value size is {} not equal to expect output size {}"
        )
    shared["grad_output"] = cts
    return cts


def _replaced(cts: tuple[Any, ...], changed: object, hook: Callable[..., Any], sizes: str) -> tuple[Any, ...]:
    """Return the checked gradients that a hook returned; None leaves the gradients unchanged."""
    if changed is None:
        return cts
    changed = changed if isinstance(changed, tuple) else (changed,)
    name = getattr(hook, "__name__", type(hook).__name__)
    if len(changed) != len(cts):
        raise TypeError(f"The {sizes.format(len(changed), len(cts))}: {name}.")
    for ct in changed:
        if not isinstance(ct, Tensor):
            raise TypeError(f"The output type of function: {name} should be a tensor but got {type(ct).__name__}.")
    return changed


def _intercept(value: object, backward: Callable[[tuple[Tensor, ...]], tuple[Any, ...]]) -> Any:
    """Return the nested value unchanged; its cotangents pass through `backward` (Tensors in, Tensors out)."""
    leaves: list[Tensor] = []
    structure = tree.flatten(value, is_tensor, leaves)
    passed = identity_with_backward(leaves, backward)
    return tree.unflatten(structure, iter(passed))


def run_with_bprop(cell: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run a Cell whose gradient is its own `bprop(*inputs, out, dout)`.

    It returns a gradient for each input, and then one for each of the Cell's `internal_params`; or a tuple of those for
    the inputs and a dict of those for the Parameters.

    Raises:
        RuntimeError: If `bprop` is compiled by `jit` and the call is not part of a graph.
    """
    if isinstance(getattr(type(cell), "bprop", None), Jit) and not tracing():
        raise RuntimeError(f"Decorating bprop with '@jit' is not supported: {type(cell).__name__}.")
    tensors: list[Tensor] = []
    structure = tree.flatten((args, kwargs), is_tensor, tensors)
    weights = list(getattr(cell, "internal_params", ()))
    shape: dict[str, Any] = {}

    def forward(*xs: Tensor) -> tuple[Tensor, ...]:
        inputs = [t if isinstance(t, Parameter) else x for t, x in zip(tensors, xs, strict=False)]  # may be assigned to
        inner_args, inner_kwargs = tree.unflatten(structure, iter(inputs))
        leaves: list[Tensor] = []
        shape["out"] = tree.flatten(traceable(cell.construct)(*inner_args, **inner_kwargs), is_tensor, leaves)
        shape["likes"] = [Like.of(t) for t in xs], [Like.of(t) for t in leaves]
        return tuple(leaves)

    def backward(inputs: Any, outs: Any, douts: Any) -> tuple[Any, ...]:
        inner_args, _ = tree.unflatten(structure, iter(inputs))
        out = tree.unflatten(shape["out"], iter(outs))
        input_likes, out_likes = shape["likes"]
        dout = tree.unflatten(shape["out"], iter(materialized(out_likes, douts)))
        name = f"{type(cell).__name__}.bprop"
        grads = traceable(cell.bprop)(*inner_args, out, dout)
        if grads is None:
            raise TypeError(f"{name} must return a gradient for each of the {len(inner_args)} inputs, got None.")
        grads = grads if isinstance(grads, tuple) else (grads,)
        if len(grads) == 2 and isinstance(grads[0], tuple) and isinstance(grads[1], dict):
            grads = (*grads[0], *grads[1].values())
        if len(grads) < len(inner_args):
            raise TypeError(
                f"{name} must return a gradient for each of the {len(inner_args)} inputs, got {len(grads)}."
            )
        if len(grads) < len(inner_args) + len(weights):
            counts = f"{len(inner_args)} inputs and {len(weights)} internal_params, got {len(grads)}"
            raise RuntimeError(f"{name} must return a gradient for each of the {counts}.")
        flat: list[Any] = []
        for n, (operand, grad) in enumerate(zip((*inner_args, *weights), grads, strict=False)):
            what = f"input {n}" if n < len(inner_args) else f"Parameter '{operand.name}'"
            likes = input_likes[len(flat) : len(flat) + len(_tensors_of(operand))]
            flat.extend(_grads_of(likes, grad, f"{name}: the gradient of {what}"))
        return tuple(flat)

    outs = custom_backward(forward, backward, [*tensors, *weights], lambda: (len(tensors), 0))
    return tree.unflatten(shape["out"], iter(outs))


def _tensors_of(value: object) -> list[Tensor]:
    found: list[Tensor] = []
    tree.flatten(value, is_tensor, found)
    return found


def _grads_of(likes: list[Like], grad: object, label: str) -> list[Any]:
    """Return one gradient for each Tensor of an input, in its shape and dtype; zeros where `bprop` gave none."""
    grads = _tensors_of(grad)
    if len(grads) == len(likes):
        return [fitted(g, like, label) for like, g in zip(likes, grads, strict=True)]
    if isinstance(grad, (int, float)) and len(likes) == 1:
        return [filled(likes[0], grad)]
    return [filled(like, 0) for like in likes]

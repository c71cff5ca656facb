"""Hooks on the gradient of one Tensor, and the operators that pass a gradient through a function."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.core.parameter import Parameter
from sporax._src.core.scope import traceable, tracing
from sporax._src.core.stateful import graph_version
from sporax._src.core.tape import is_recording, watched
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.transform.custom import identity_with_backward
from sporax._src.transform.jit import Jit


def check_hook(where: str, hook_fn: object) -> None:
    """Raise TypeError unless a hook is a function that is not decorated with `jit`."""
    if not callable(hook_fn):
        raise TypeError(f"{where}: hook_fn must be a function, got {describe(hook_fn)}.")
    if isinstance(getattr(hook_fn, "__func__", hook_fn), Jit):
        raise TypeError(f"{where}: Decorating hook function {hook_fn.__name__} with '@jit' is not supported.")


_passed_through_a_hook: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()  # traced values


class TensorHookHandle:
    """The handle that `Tensor.register_hook` returns; it removes the hook.

    Args:
        tensor: The Tensor.
        hook_fn: The hook.
    """

    def __init__(self, tensor: Tensor, hook_fn: Callable[[Tensor], Any]) -> None:
        self._tensor = weakref.ref(tensor)
        self._hook = hook_fn
        self._active = True

    def remove(self) -> None:
        """Remove the hook; a second call does nothing."""
        tensor = self._tensor()
        if self._active and tensor is not None and self._hook in tensor._hooks:
            i = tensor._hooks.index(self._hook)
            _keep(tensor, tensor._hooks[:i] + tensor._hooks[i + 1 :])
        self._active = False

    def through(self, gradient: Tensor) -> Any:
        """Return the gradient after the hook: a Tensor, or an array while a single gradient is walked."""
        if not self._active:
            return gradient
        result = _called(self._hook, gradient if isinstance(gradient, Tensor) else wrap(gradient))
        return result if isinstance(gradient, Tensor) or is_recording() else result._data


def _called(hook: Callable[[Tensor], Any], gradient: Tensor) -> Tensor:
    result = traceable(hook)(gradient)
    if result is not None and not isinstance(result, Tensor):
        raise RuntimeError(f"Tensor hook should be return Tensor, but get type: {type(result).__name__}.")
    return gradient if result is None else result


def _keep(tensor: Tensor, hooks: tuple[Callable[[Tensor], Any], ...]) -> None:
    tensor._hooks = hooks
    if isinstance(tensor, Parameter):
        graph_version.advance()  # graphs with its gradient were built with other hooks


def register_hook(tensor: Tensor, hook_fn: Callable[[Tensor], Any]) -> TensorHookHandle:
    """Call `hook_fn(gradient)` when the gradient of this Tensor is known; the result replaces the gradient.

    Parameters and differentiated Tensors keep their hooks between calls.

    Args:
        tensor: The Tensor.
        hook_fn: Takes the gradient and returns one of the same shape, or None to leave it.

    Returns:
        A handle with `remove()`.

    Raises:
        TypeError: If `hook_fn` is no function, or one decorated with `jit`.
        RuntimeError: If the Tensor is a Parameter without gradients (`requires_grad=False`), or has a hook in this graph; in
            the backward, if the hook returns something else.
        ValueError: If the Tensor is a Parameter, and this is a part of a graph.

    Examples:
        >>> import sporax as ms
        >>> x = ms.Tensor(3.0)
        >>> handle = x.register_hook(lambda gradient: gradient * 10)
        >>> ms.grad(lambda x: x * x)(x).item()
        60.0
    """
    check_hook("Tensor.register_hook", hook_fn)
    if isinstance(tensor, Parameter) and not tensor.requires_grad:
        raise RuntimeError("The tensor requires grad is false, which can not register tensor hook")
    handle = TensorHookHandle(tensor, hook_fn)
    if tracing():
        if isinstance(tensor, Parameter):
            raise ValueError("Register hook for Parameter inside graph is not supported.")
        if _passed_through_a_hook.get(id(tensor._data)) is tensor._data:
            raise RuntimeError("It is not supported to register multiple hooks for a Tensor.")
        tensor._rebind(hooked(tensor, handle.through))
        _passed_through_a_hook[id(tensor._data)] = tensor._data
    elif isinstance(tensor, Parameter) or not watched(tensor) or tensor._node is None:
        _keep(tensor, (*tensor._hooks, hook_fn))
    else:
        node, index = tensor._node
        node.hooks = node.hooks or {}
        node.hooks.setdefault(index, []).append(handle.through)
    return handle


def hooks_of(tensor: Tensor) -> list[Callable[[Tensor], Any]]:
    """Return the hooks that a Tensor has, in the order in which they are called."""
    node, index = tensor._node or (None, 0)
    passed = [] if node is None or node.hooks is None else node.hooks.get(index, ())
    handles = [through.__self__ for through in passed]
    return [*tensor._hooks, *(h._hook for h in handles if h._active)]


Tensor.register_hook = register_hook  # type: ignore[attr-defined]
Tensor.hooks = hooks_of  # type: ignore[attr-defined]


def gradient_of(tensor: Tensor, gradient: Tensor) -> Tensor:
    """Return the gradient of a Tensor after the Tensor's hooks."""
    for hook in tensor._hooks:
        gradient = _called(hook, gradient)
    return gradient


def hooked(tensor: Tensor, hook: Callable[[Tensor], Any]) -> Tensor:
    """Return the Tensor with its gradient passed through `hook`."""
    return identity_with_backward([tensor], lambda cts: (_called(hook, cts[0]),))[0]


class HookBackward:
    """An operator that returns its input(s) and calls `hook_fn` with the gradient(s) in the backward.

    Args:
        hook_fn: Takes the gradients as a tuple; the result replaces them.
        cell_id: Accepted for MindSpore programs.
    """

    def __init__(self, hook_fn: Callable[..., Any], cell_id: str = "") -> None:
        check_hook("ops.HookBackward", hook_fn)
        self.hook_fn = hook_fn

    def __call__(self, *inputs: Tensor) -> Any:
        def backward(cts: tuple[Tensor, ...]) -> tuple[Any, ...]:
            changed = traceable(self.hook_fn)(cts)
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

"""Hooks on the values that backwards keep: a program packs each when it is saved, and unpacks it when it is needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax

from sporax._src.base.errors import describe
from sporax._src.core import tree
from sporax._src.core.execution import running
from sporax._src.core.scope import Scope
from sporax._src.core.tensor import Tensor, is_tensor, wrap

Hooks = tuple[Callable[[Tensor], Any], Callable[[Any], Tensor]]


def pack(hooks: Hooks, arrays: Sequence[Any]) -> Callable[[], list[Any]]:
    """Pack arrays, Python's numbers not among them, and return the function that unpacks them."""
    pack_hook, unpack_hook = hooks
    kept = [_packed(pack_hook, a) if _is_saved(a) else None for a in arrays]
    shapes = [(a.shape, a.dtype) for a in arrays]
    rest = [None if _is_saved(a) else a for a in arrays]

    def unpack() -> list[Any]:
        values = zip(kept, shapes, rest, strict=True)
        return [_unpacked(unpack_hook, p, *shape) if r is None else r for p, shape, r in values]

    return unpack


def _is_saved(array: Any) -> bool:
    return not getattr(getattr(array, "aval", None), "weak_type", False)


def _called(hook: Callable[[Any], Any], value: object) -> Any:
    """Call a hook of the program, which is part of no gradient; its error does not belong to the operator."""
    with running(saved_hooks=None, recording=0):
        try:
            return hook(value)
        except Exception as error:
            error._explained = True  # type: ignore[attr-defined]
            raise


def _packed(pack_hook: Callable[[Tensor], Any], array: Any) -> Any:
    tensor = wrap(array)
    packed = _called(pack_hook, tensor)
    if tensor._data is not array:
        raise RuntimeError(
            "saved_tensors_hooks: pack_hook must not change its argument in place; let it return a new Tensor."
        )
    return packed


def _unpacked(unpack_hook: Callable[[Any], Tensor], packed: object, shape: tuple[int, ...], dtype: Any) -> Any:
    tensor = _called(unpack_hook, packed)
    if not isinstance(tensor, Tensor):
        raise TypeError(f"saved_tensors_hooks: unpack_hook must return a Tensor, got {describe(tensor)}.")
    if tensor._data.shape != shape or tensor._data.dtype != dtype:
        raise ValueError(
            f"saved_tensors_hooks: unpack_hook must return a Tensor like the packed one, "
            f"{describe(jax.ShapeDtypeStruct(shape, dtype))}, got {describe(tensor)}."
        )
    return tensor._data


def run_packed(fn: Callable[..., Any], data: Sequence[Any], hooks: Hooks) -> Any:
    """Run a function in a trace; what its backward needs is packed and unpacked by the hooks.

    Args:
        fn: A function of arrays that says which of its intermediate values are saved.
        data: Its operands.
        hooks: The functions of the program.
    """
    structures: list[Any] = []  # of the pullback, and of the packed values

    def forward(*arrays: Any) -> Any:
        out, pullback = jax.vjp(fn, *arrays)
        residuals, structure = jax.tree.flatten(pullback)
        tensors: list[Tensor] = []
        with Scope():
            packed = [_packed(hooks[0], r) if _is_saved(r) else wrap(r) for r in residuals]
            nest = tree.flatten(packed, is_tensor, tensors)
            saved = [t._data for t in tensors]
        structures[:] = [structure, nest, [(r.shape, r.dtype, _is_saved(r)) for r in residuals]]
        return out, saved

    def backward(saved: Any, cotangents: Any) -> Any:
        structure, nest, kinds = structures
        packed = tree.unflatten(nest, iter([wrap(a) for a in saved]))
        with Scope():
            residuals = [
                _unpacked(hooks[1], p, shape, dtype) if is_saved else p._data
                for p, (shape, dtype, is_saved) in zip(packed, kinds, strict=True)
            ]
        return jax.tree.unflatten(structure, residuals)(cotangents)

    call = jax.custom_vjp(fn)
    call.defvjp(forward, backward)
    return call(*data)

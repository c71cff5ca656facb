"""`vmap`: a function of one sample as a function of a batch."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeAlias, TypeVar

import jax
import jax.numpy as jnp

from sporax._src.base.errors import describe
from sporax._src.core import tree
from sporax._src.core.parameter import Parameter
from sporax._src.core.scope import traceable
from sporax._src.core.tensor import Tensor, is_tensor, wrap
from sporax._src.core.traced_number import is_number
from sporax._src.transform.controlflow.branches import each_sample
from sporax._src.transform.controlflow.failures import of_batch
from sporax._src.transform.functional import Traced, adopt, functional, is_operand, split
from sporax._src.transform.jit import Jit

_P = ParamSpec("_P")
_R = TypeVar("_R")
Axes: TypeAlias = int | Sequence[Any] | None  # for one argument or for each, with their nesting


def vmap(fn: Callable[_P, _R], in_axes: Axes = 0, out_axes: Axes = 0) -> Callable[_P, _R]:
    """Return a function that runs `fn` on every slice of its arguments, as one vectorised computation.

    Args:
        fn: A function or Cell of Tensors; or a CellList of Cells of one kind, each of which gets a slice of its own.
        in_axes: The axis to slice of each argument: an int, None (the whole argument for every slice), or a tuple with
            one of these (or a nested structure of them) for each argument.
        out_axes: The position of the batch axis in the results, in the same form.

    Returns:
        A function of batches.

    Raises:
        RuntimeError: If `fn` is no function, or axes do not fit the arguments or the results.
        ValueError: If the Cells of a CellList differ in class or Parameters.

    Examples:
        >>> import sporax as ms
        >>> ms.vmap(lambda x, y: x * y, in_axes=(0, None))(ms.Tensor([1.0, 2.0]), ms.Tensor(3.0)).asnumpy()
        array([3., 6.], dtype=float32)
    """
    if not callable(fn):
        raise RuntimeError(f"vmap: fn must be a function or a Cell, got {describe(fn)}.")
    _check_axes("in_axes", in_axes)
    _check_axes("out_axes", out_axes)

    def body(*batches: Any, **kwargs: object) -> Any:
        args = tuple([_sliced(a, axis) for a, axis in zip(batches, _each(in_axes, len(batches)), strict=True)])
        tensors, structure = split((args, kwargs))
        axes = _axes_of(args, in_axes) + [None] * len(split(kwargs)[0])
        models, weights = _ensemble(fn)
        size = _check_sizes([*tensors, *weights], [*axes, *[0] * len(weights)])
        seen, changed = Traced(), []
        states = list(models[0].get_parameters()) if weights else []
        pure = functional(_with_changes(models[0], changed), states, structure, seen)
        with each_sample():
            outs, written = jax.vmap(lambda vs, *xs: pure(vs, xs), in_axes=(0, *axes))(
                [w._data for w in weights], *[t._data for t in tensors]
            )
        _adopt(models, states, seen.written, written)
        result, new = tree.unflatten(seen.structure, iter([wrap(o) for o in outs]))
        for i, value in zip(changed, new, strict=True):
            batches[i]._rebind(_with_batch_axis(value, _each(in_axes, len(batches))[i], size))
        return _with_batch_axis(result, out_axes, size)

    name = getattr(fn, "__name__", type(fn).__name__)
    body.__name__ = body.__qualname__ = f"vmap({name})"
    body.reaches = [fn]
    compiled = Jit(body, always=True)
    functools.update_wrapper(compiled, body)
    return compiled


def _ensemble(fn: Callable[..., Any]) -> tuple[list[Any], list[Tensor]]:
    """Return the Cells of a list and their stacked Parameters; for any other function the function and no Parameters."""
    if not hasattr(fn, "ensemble"):
        return [fn], []
    models = fn.ensemble()
    each = [list(model.get_parameters()) for model in models]
    forms = [[(p._data.shape, p._data.dtype) for p in parameters] for parameters in each]
    if any(type(m) is not type(models[0]) for m in models) or any(form != forms[0] for form in forms):
        raise ValueError(
            "vmap: the Cells of a CellList must be of one class, with Parameters of equal shapes and dtypes."
        )
    return models, [wrap(jnp.stack([p._data for p in same])) for same in zip(*each, strict=True)]


def _adopt(models: list[Any], states: list[Any], changed: list[Any], batches: list[Any]) -> None:
    """Write the states that a batch of runs changed; each Cell of an ensemble gets the Parameters of its own run."""
    indices = {id(s): i for i, s in enumerate(states)}
    shared = [(s, v) for s, v in zip(changed, batches, strict=True) if id(s) not in indices]
    adopt([s for s, _ in shared], of_batch(*map(list, zip(*shared, strict=True))) if shared else [])
    for state, batch in zip(changed, batches, strict=True):
        if id(state) in indices:
            for model, value in zip(models, batch, strict=True):
                list(model.get_parameters())[indices[id(state)]].adopt(value)


def _each(axes: Axes, count: int) -> list[Any]:
    return list(axes) if isinstance(axes, (tuple, list)) and len(axes) == count else [axes] * count


def _sliced(value: object, axis: Axes) -> Any:
    """Return the value of a Parameter if it is sliced; return any other argument unchanged."""
    return wrap(value._data) if isinstance(value, Parameter) and axis is not None else value


def _with_changes(fn: Callable[..., Any], changed: list[int]) -> Callable[..., Any]:
    """Return `fn` with a second result: the arguments it has written to; it stores their positions in `changed`."""

    def call(*args: Any, **kwargs: object) -> Any:
        before = [a._data if is_operand(a) else None for a in args]
        out = traceable(fn)(*args, **kwargs)
        changed[:] = [i for i, a in enumerate(args) if is_operand(a) and a._data is not before[i]]
        return out, [args[i] for i in changed]

    return call


def _check_axes(name: str, axes: object) -> None:
    if isinstance(axes, (tuple, list)):
        for a in axes:
            _check_axes(name, a)
    elif axes is not None and (isinstance(axes, bool) or not isinstance(axes, int)):
        raise RuntimeError(f"vmap: {name} must be None, an int, or a tuple of these, got {describe(axes)}.")


def _axes_of(value: Any, axes: Axes) -> list[Any]:
    """Return the axis of every Tensor in a nested argument."""
    if is_operand(value):
        if isinstance(axes, (tuple, list)):
            raise RuntimeError(f"vmap: in_axes gives {axes} for one Tensor.")
        if axes is not None and not -value.ndim <= axes < value.ndim:
            raise RuntimeError(f"vmap: axis {axes} is out of range for a Tensor of shape {list(value.shape)}.")
        return [axes]
    if isinstance(value, dict):
        return [a for v in value.values() for a in _axes_of(v, axes)]
    if not isinstance(value, (tuple, list)):
        return []
    each = list(axes) if isinstance(axes, (tuple, list)) else [axes] * len(value)
    if len(each) != len(value):
        raise RuntimeError(f"vmap: in_axes has {len(each)} entries for {len(value)} arguments.")
    return [a for v, part in zip(value, each, strict=True) for a in _axes_of(v, part)]


def _check_sizes(tensors: list[Tensor], axes: list[Any]) -> int:
    """Return the size that all sliced axes have."""
    sizes = {t.shape[a] for t, a in zip(tensors, axes, strict=True) if a is not None}
    if not sizes:
        raise RuntimeError("vmap: in_axes must not be None for every argument.")
    if len(sizes) > 1:
        raise RuntimeError(f"vmap: the sliced axes must have one size, got {sorted(sizes)}.")
    return sizes.pop()


def _with_batch_axis(value: Any, axes: Axes, size: int) -> Any:
    """Return a result with the axis of the samples at `axes`; a number is repeated for all samples."""
    if is_number(value) and isinstance(axes, int):
        return wrap(jnp.broadcast_to(Tensor(value)._data, (size,)))
    if is_tensor(value):
        if axes is None:
            return wrap(value._data[0])
        if isinstance(axes, (tuple, list)):
            raise RuntimeError(f"vmap: out_axes gives {axes} for one Tensor.")
        if not -value.ndim <= axes < value.ndim:
            raise RuntimeError(f"vmap: out_axes gives axis {axes} for a result of {value.ndim} axes.")
        return value if axes == 0 else wrap(jnp.moveaxis(value._data, 0, axes))
    if isinstance(value, (tuple, list)):
        each = list(axes) if isinstance(axes, (tuple, list)) else [axes] * len(value)
        if len(each) != len(value):
            raise RuntimeError(f"vmap: out_axes has {len(each)} entries for {len(value)} results.")
        return type(value)(_with_batch_axis(v, a, size) for v, a in zip(value, each, strict=True))
    return value

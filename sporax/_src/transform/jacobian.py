"""Derivatives along directions and whole Jacobians: `jvp`, `linearize`, `vjp`, `jacfwd`, `jacrev`; `get_grad` selects one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Number
from typing import Any

import jax
import numpy as np

from sporax._src.base.errors import describe
from sporax._src.base.typing import Array
from sporax._src.core import tree
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor, is_tensor, wrap
from sporax._src.engine.vjp import mirror
from sporax._src.transform.controlflow.reverse import forward_mode
from sporax._src.transform.differentiate import Plan, with_aux
from sporax._src.transform.functional import Traced, adopt, functional, split
from sporax._src.transform.grad import Weights, check_arguments, one, positions, weights_of
from sporax._src.transform.jit import Jit, compiles


def _graph(fn: Callable[..., Any], body: Callable[..., Any]) -> Jit:
    body.__name__ = body.__qualname__ = f"{body.__name__}({getattr(fn, '__name__', type(fn).__name__)})"
    body.reaches = [fn]
    return Jit(body, always=True)


def _pure(fn: Callable[..., Any], args: tuple[Any, ...]) -> tuple[list[Any], Callable[..., Any], Traced]:
    tensors, structure = split((args, {}))
    seen = Traced()
    return [t._data for t in tensors], functional(fn, [], structure, seen), seen


def _outputs(seen: Traced, arrays: Sequence[Array]) -> Any:
    return tree.unflatten(seen.structure, iter([wrap(a) for a in arrays]))


def _as_tuple(value: object) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def directional(fn: Callable[..., Any], has_aux: bool = False) -> Callable[[Any, Any], Any]:
    """Return the function `(inputs, v) -> jvp(fn, inputs, v, has_aux)`, which caches its graphs."""
    check_arguments(fn, 0, None, has_aux=has_aux)

    def body(inputs: tuple[Any, ...], v: tuple[Any, ...]) -> Any:
        arrays, pure, seen = _pure(fn, inputs)
        directions = [t._data.astype(a.dtype) for t, a in zip(v, arrays, strict=True)]
        with forward_mode():
            (outs, written), (tangents, _) = jax.jvp(lambda *xs: pure([], xs), arrays, directions)
        adopt(seen.written, written)
        out, tangent = _outputs(seen, outs), _outputs(seen, tangents)
        if not has_aux:
            return out, tangent
        first, *others = with_aux("jvp", out)
        return first, tangent[0], one(tuple(others))

    body.__name__ = "jvp"
    graph = _graph(fn, body)

    def along(inputs: Tensor | Sequence[Tensor], v: Tensor | Sequence[Tensor]) -> Any:
        inputs, v = _as_tuple(inputs), _as_tuple(v)
        _check_directions("jvp", inputs, v)
        return graph(inputs, v)

    return along


def jvp(
    fn: Callable[..., Any], inputs: Tensor | Sequence[Tensor], v: Tensor | Sequence[Tensor], has_aux: bool = False
) -> Any:
    """Return `(fn(*inputs), J·v)`, the result and its derivative along `v` (forward mode).

    Args:
        fn: A function or Cell of Tensors.
        inputs: A Tensor, or a tuple of Tensors.
        v: Directions, in the shapes of `inputs`.
        has_aux: Whether only the first output is differentiated; the others are returned as a third item.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If directions do not fit the inputs, or `has_aux` is true and there is one output.

    Examples:
        >>> import sporax as ms
        >>> ms.jvp(lambda x: x * x, ms.Tensor(3.0), ms.Tensor(1.0))[1].item()
        6.0
    """
    return directional(fn, has_aux)(inputs, v)


def linearize(fn: Callable[..., Any], inputs: Tensor | Sequence[Tensor]) -> tuple[Any, Callable[[Any], Any]]:
    """Return `(fn(*inputs), jvp_fn)` with `jvp_fn(v)` the derivative J·v; the function itself runs once.

    Args:
        fn: A function or Cell of Tensors.
        inputs: A Tensor, or a tuple of Tensors.

    Raises:
        TypeError, ValueError: If directions do not fit the inputs.

    Examples:
        >>> import sporax as ms
        >>> out, along = ms.ops.linearize(lambda x: x * x, ms.Tensor(3.0))
        >>> out.item(), along(ms.Tensor(1.0)).item(), along(ms.Tensor(2.0)).item()
        (9.0, 6.0, 12.0)
    """
    check_arguments(fn, 0, None)
    inputs = _as_tuple(inputs)
    arrays, pure, seen = _pure(fn, inputs)
    with forward_mode():
        (outs, written), linear = jax.linearize(lambda *xs: pure([], xs), *arrays)
    adopt(seen.written, written)

    def jvp_fn(v: Tensor | Sequence[Tensor]) -> Any:
        v = _as_tuple(v)
        _check_directions("linearize", inputs, v)
        tangents, _ = linear(*[t._data.astype(a.dtype) for t, a in zip(v, arrays, strict=True)])
        return _outputs(seen, tangents)

    return _outputs(seen, outs), jvp_fn


def _check_directions(name: str, inputs: tuple[Any, ...], v: tuple[Any, ...]) -> None:
    if len(inputs) != len(v):
        raise ValueError(f"{name}: {len(inputs)} inputs need as many directions, got {len(v)}.")
    for x, d in zip(inputs, v, strict=True):
        if not isinstance(x, Tensor) or not isinstance(d, Tensor):
            raise TypeError(f"{name}: inputs and directions must be Tensors, got {describe(x)} and {describe(d)}.")
        if x.shape != d.shape:
            raise ValueError(f"{name}: a direction must have its input's shape {list(x.shape)}, got {list(d.shape)}.")


def vjp(fn: Callable[..., Any], *inputs: Tensor, weights: Weights = None, has_aux: bool = False) -> Any:
    """Return `(fn(*inputs), vjp_fn)` with `vjp_fn(v)` the gradients vᵀ·J with respect to the inputs (reverse mode).

    Args:
        fn: A function or Cell of Tensors.
        *inputs: Tensors.
        weights: Parameters to differentiate as well; `vjp_fn` then returns (gradients of inputs, gradients of weights).
        has_aux: Whether only the first output is differentiated; the others are returned as a third item.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If `has_aux` is true and there is one output.

    Examples:
        >>> import sporax as ms
        >>> ms.vjp(lambda x: x * x, ms.Tensor(3.0))[1](ms.Tensor(1.0))[0].item()
        6.0
    """
    check_arguments(fn, 0, None, has_aux=has_aux)
    params, single = weights_of(weights)
    _check_tensors("inputs", inputs)
    plan = Plan(tuple(range(len(inputs))), params, has_aux, True)
    out = fn(*inputs)
    others = with_aux("vjp", out)[1:] if has_aux else ()

    def vjp_fn(*v: Tensor) -> Any:
        _check_tensors("sensitivities", v)
        operands = (
            [wrap(x._data) for x in inputs] if compiles() else inputs
        )  # in a graph, an input that occurs twice is two variables
        _, by_input, by_weight = plan.differentiate(fn, (*operands, v[0] if len(v) == 1 else v), {})
        if by_weight is None:
            return by_input
        return by_input, (by_weight[0] if single else by_weight)

    return (out[0], vjp_fn, one(others)) if has_aux else (out, vjp_fn)


def _check_tensors(what: str, values: Sequence[object]) -> None:
    for value in values:
        if isinstance(value, (Number, str, np.ndarray)):
            raise TypeError(f"vjp: {what} must be Tensors, got {describe(value)}.")


def _jacobian(
    name: str,
    transform: Callable[..., Any],
    fn: Callable[..., Any],
    grad_position: int | tuple[int, ...],
    has_aux: bool,
) -> Callable[..., Any]:
    check_arguments(fn, grad_position, None, has_aux=has_aux)
    wanted = positions(grad_position) or (0,)

    def body(*args: object) -> Any:
        for position in wanted:
            if position >= len(args):
                raise ValueError(f"{name}: grad_position {position} is out of range for {len(args)} arguments.")
            if not isinstance(args[position], Tensor):
                raise TypeError(f"{name}: argument {position} must be a Tensor, got {describe(args[position])}.")
        arrays, pure, seen = _pure(fn, args)
        chosen = {id(args[p]) for p in wanted}
        where = tuple(i for i, t in enumerate(split((args, {}))[0]) if id(t) in chosen)
        fixed = list(arrays)

        def of(*xs: Array) -> Any:
            for i, x in zip(where, xs, strict=True):
                fixed[i] = x
            outs, written = pure([], fixed)
            if has_aux:
                with_aux(name, _outputs(seen, outs))
            return (outs[:1] if has_aux else outs), (outs, written)

        jac, (outs, written) = transform(of, argnums=tuple(range(len(where))), has_aux=True)(
            *[arrays[i] for i in where]
        )
        adopt(seen.written, written)
        rows = [tuple([wrap(mirror(j) if transform is jax.jacrev else j) for j in row]) for row in jac]
        picked = [row[0] if isinstance(grad_position, int) else row for row in rows]
        out = _outputs(seen, outs)
        result = picked[0] if is_tensor(out) or has_aux else tuple(picked)
        return (result, one(tuple(out[1:]))) if has_aux else result

    body.__name__ = name
    return _graph(fn, body)


def jacfwd(
    fn: Callable[..., Any], grad_position: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Return a function that computes the Jacobian ∂out/∂in in forward mode: shape `out.shape + in.shape`.

    Args:
        fn: A function or Cell of Tensors.
        grad_position: An index, or a tuple of indices, of arguments.
        has_aux: Whether only the first output is differentiated; the others are returned along with the Jacobian.
    """
    return _jacobian("jacfwd", jax.jacfwd, fn, grad_position, has_aux)


def jacrev(
    fn: Callable[..., Any], grad_position: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Return a function that computes the Jacobian ∂out/∂in in reverse mode: shape `out.shape + in.shape`.

    Args:
        fn: A function or Cell of Tensors.
        grad_position: An index, or a tuple of indices, of arguments.
        has_aux: Whether only the first output is differentiated; the others are returned along with the Jacobian.
    """
    return _jacobian("jacrev", jax.jacrev, fn, grad_position, has_aux)


def get_grad(gradients: object, identifier: int | str | Parameter) -> Tensor:
    """Return one gradient out of the result of `grad(..., return_ids=True)`.

    Args:
        gradients: The result of the gradient function.
        identifier: A position (int), the name of a Parameter, or a Parameter.

    Raises:
        RuntimeError: If there is no such gradient.
    """
    wanted = identifier.name if isinstance(identifier, Parameter) else identifier
    if isinstance(wanted, bool) or not isinstance(wanted, (int, str)):
        raise TypeError(f"get_grad: identifier must be an int, a name or a Parameter, got {describe(identifier)}.")
    gradient = _find(gradients, wanted)
    if gradient is None:
        raise RuntimeError(f"get_grad: there is no gradient of {wanted!r}.")
    return gradient


def _find(gradients: object, wanted: int | str) -> Any:
    if not isinstance(gradients, tuple):
        return None
    if len(gradients) == 2 and isinstance(gradients[0], (int, str)):
        return gradients[1] if type(gradients[0]) is type(wanted) and gradients[0] == wanted else None
    return next((f for f in (_find(g, wanted) for g in gradients) if f is not None), None)

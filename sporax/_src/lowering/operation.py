"""Operations that sporax adds to JAX: a function of JAX defines each, and a platform may compute it by a kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import jax
from jax.interpreters import ad, batching, mlir

from sporax._src.base.jax_compat import Primitive, runs_here_whole
from sporax._src.base.typing import Array


class Defined(Primitive):
    """An operation of JAX with the function that defines it."""

    defined_by: Callable[..., tuple[Array, ...]]


class Operation:
    """An operation of JAX, with several results, whose values, derivatives and `vmap` are those of a function.

    JAX compiles the function, except where a `Lowering` of `primitive` applies.

    Args:
        name: Its name in graphs.
        fn: The function of arrays and of hashable keyword arguments.
        results: Returns the shapes and dtypes of the results, where a trace of `fn` would take long.

    Attributes:
        fn: The function.
        primitive: The operation of JAX.
    """

    def __init__(
        self, name: str, fn: Callable[..., tuple[Array, ...]], results: Callable[..., Sequence[Any]] | None = None
    ) -> None:
        self.fn, self.primitive = fn, Defined(name)
        self.primitive.multiple_results = True
        self.primitive.defined_by = fn
        self.primitive.def_impl(lambda *arrays, **params: jax.jit(partial(self.primitive.bind, **params))(*arrays))
        self.primitive.def_abstract_eval(results or _results(fn))
        mlir.register_lowering(self.primitive, mlir.lower_fun(fn, multiple_results=True))
        ad.primitive_jvps[self.primitive] = partial(_jvp, fn)
        batching.primitive_batchers[self.primitive] = partial(_vmap, fn)

    def __call__(self, *arrays: Array, **params: Any) -> list[Array]:
        """Return the results."""
        return self.primitive.bind(*arrays, **params)


def has_derivative(operation: Operation, rule: Callable[..., Sequence[Array]]) -> None:
    """Set the derivative of an operation.

    Args:
        operation: The operation.
        rule: `(operands, results, derivatives of the operands, **params) -> derivatives` of the first results; those of the others
            are zero.
    """

    def jvp(primals: Sequence[Any], tangents: Sequence[Any], **params: Any) -> Any:
        outs = operation(*primals, **params)
        moving = rule(primals, outs, [ad.instantiate_zeros(tangent) for tangent in tangents], **params)
        return outs, [*moving, *[ad.Zero(jax.typeof(out)) for out in outs[len(moving) :]]]

    ad.primitive_jvps[operation.primitive] = jvp


def are_transposes(one: Operation, other: Operation, constants: int) -> None:
    """Say that two operations are linear in the operands after the first `constants`, and each the transpose of the other."""
    for operation, transpose in ((one, other), (other, one)):
        ad.primitive_jvps[operation.primitive] = partial(_linear_jvp, operation, constants)
        ad.primitive_transposes[operation.primitive] = partial(_transposed, transpose, constants)


def lower_whole(operation: Operation, fn: Callable[..., tuple[Array, ...]]) -> None:
    """Compile an operation as another function, except where XLA divides its arrays among devices or exports it."""
    usual, whole = (mlir.lower_fun(each, multiple_results=True) for each in (operation.fn, fn))

    def rule(ctx: Any, *args: Any, **params: Any) -> Any:
        return (whole if runs_here_whole(ctx) else usual)(ctx, *args, **params)

    mlir.register_lowering(operation.primitive, rule)


def _results(fn: Callable[..., Any]) -> Callable[..., Any]:
    @lru_cache(256)
    def results(*avals: Any, **params: Any) -> Any:
        return jax.make_jaxpr(partial(fn, **params))(*avals).out_avals

    return results


def _jvp(fn: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], **params: Any) -> Any:
    moving = [i for i, tangent in enumerate(tangents) if type(tangent) is not ad.Zero]

    def of_moving(*values: Any) -> Any:
        operands = list(primals)
        for i, value in zip(moving, values, strict=True):
            operands[i] = value
        return fn(*operands, **params)

    return jax.jvp(of_moving, [primals[i] for i in moving], [tangents[i] for i in moving])


def _linear_jvp(
    operation: Operation, constants: int, primals: Sequence[Any], tangents: Sequence[Any], **params: Any
) -> Any:
    if any(type(tangent) is not ad.Zero for tangent in tangents[:constants]):
        return _jvp(operation.fn, primals, tangents, **params)
    linear = [ad.instantiate_zeros(tangent) for tangent in tangents[constants:]]
    return operation(*primals, **params), operation(*primals[:constants], *linear, **params)


def _vmap(fn: Callable[..., Any], operands: Sequence[Any], axes: Sequence[Any], /, **params: Any) -> Any:
    outs = jax.vmap(partial(fn, **params), in_axes=tuple(axes))(*operands)
    return outs, [0] * len(outs)


def _transposed(transpose: Operation, constants: int, gradients: Sequence[Any], *operands: Any, **params: Any) -> Any:
    fixed, linear = operands[:constants], operands[constants:]
    outs = transpose(*fixed, *(ad.instantiate_zeros(gradient) for gradient in gradients), **params)
    return [None] * constants + [
        out if ad.is_undefined_primal(x) else None for out, x in zip(outs, linear, strict=True)
    ]

"""Operators that a program describes by the shapes and dtypes of their results, without saying how to compute them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax

from sporax._src.base.typing import Array
from sporax._src.bindings.primitive import PRIMITIVES, Primitive
from sporax._src.core.scope import tracing
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.transform.custom import custom_backward, materialized


class PrimitiveWithInfer(Primitive):
    """A user-defined operator that infers its results: a subclass defines `infer_shape` and `infer_dtype`.

    Without an implementation (no `__call__`, or one that raises NotImplementedError) a graph with it can be built and,
    with `get_bprop`, differentiated, but not run.

    Args:
        name: The name of the operator.

    Raises:
        RuntimeError: When it runs and no operator has its name, or is differentiated without `get_bprop`.

    Examples:
        >>> class Total(ops.PrimitiveWithInfer):
        ...     def infer_shape(self, shape):
        ...         return []
        ...     def infer_dtype(self, dtype):
        ...         return dtype
        >>> ms.jit(lambda x: Total("Total")(x) + 1).graph(Tensor([1.0, 2.0])).jaxpr.out_avals
        [ShapedArray(float32[])]
    """

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        if "__call__" in cls.__dict__:
            cls.__call__ = _or_described(cls.__call__)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.name not in PRIMITIVES and tracing() and hasattr(self, "infer_shape"):
            return described(self, args)
        return super().__call__(*args, **kwargs)


def _or_described(call: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(call)
    def __call__(self: PrimitiveWithInfer, *args: object, **kwargs: object) -> Any:
        try:
            return call(self, *args, **kwargs)
        except NotImplementedError:
            if not tracing() or not hasattr(self, "infer_shape"):
                raise
            return described(self, args)

    return __call__


def described(primitive: Any, args: Sequence[Any]) -> Any:
    """Return the results of an operator without an implementation inside a graph; running it raises RuntimeError.

    Args:
        primitive: The operator.
        args: Tensors, and other arguments.
    """
    tensors = [arg for arg in args if isinstance(arg, Tensor)]
    shapes = primitive.infer_shape(*[list(arg.shape) if isinstance(arg, Tensor) else [] for arg in args])
    dtypes = primitive.infer_dtype(*[arg.dtype if isinstance(arg, Tensor) else type(arg) for arg in args])
    one = all(isinstance(size, int) for size in shapes)
    pairs = [(shapes, dtypes)] if one else list(zip(shapes, dtypes, strict=True))
    results = tuple([jax.ShapeDtypeStruct(tuple(shape), dtype.np_dtype) for shape, dtype in pairs])

    def run(*arrays: Array) -> Any:
        raise RuntimeError(f"Primitive '{primitive.name}' has no kernel here.")

    def forward(*tensors: Tensor) -> tuple[Tensor, ...]:
        outs = jax.pure_callback(run, results, *[t._data for t in tensors], vmap_method="sequential")
        return tuple(map(wrap, outs))

    def backward(inputs: Any, outs: Any, cotangents: Any) -> tuple[Any, ...]:
        if not hasattr(primitive, "get_bprop"):
            raise RuntimeError(f"Primitive '{primitive.name}' has no derivative: define get_bprop.")
        left, full = iter(inputs), materialized(outs, cotangents)
        operands = [next(left) if isinstance(arg, Tensor) else arg for arg in args]
        grads = primitive.get_bprop()(*operands, *((outs[0], full[0]) if one else (outs, full)))
        return tuple([grad for grad, arg in zip(grads, args, strict=False) if isinstance(arg, Tensor)])

    outs = custom_backward(forward, backward, tensors)
    return outs[0] if one else tuple(outs)

"""Operators about the program: functions as operators, copies between devices, casts of nested values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp

from sporax._src.base.errors import describe
from sporax._src.bindings.primitive import primitive
from sporax._src.core import tree
from sporax._src.core.dtype import TypeLike
from sporax._src.core.tensor import Tensor, is_tensor
from sporax._src.engine.table import composite
from sporax._src.ops.array.assign import value_of, write, writes
from sporax._src.ops.array.cast import cast
from sporax._src.ops.array.joining import cat
from sporax._src.transform.custom import custom_backward, fitted, materialized

_DEVICES = ("CPU", "Ascend", "GPU", "TPU")


@primitive("Morph(fn, infer_shape, infer_dtype, bprop_fn=None)")
def _morph(
    *args: object,
    fn: Callable[..., Any],
    infer_shape: object,
    infer_dtype: object,
    bprop_fn: Callable[..., Any] | None = None,
) -> Any:
    """Return `fn(*args)`; its shapes and dtypes follow from running it.

    Args:
        args: The arguments of the function.
        fn: A function of Tensors.
        infer_shape, infer_dtype: Accepted.
        bprop_fn: A function `(*args, out, dout)` that returns the gradient of each argument; None: that of `fn`.

    Raises:
        TypeError: If there is a `bprop_fn`, and an argument or a result is no Tensor, or it returns another number of
            gradients.

    Examples:
        >>> ops.Morph(lambda x: x + 1, lambda s: s, lambda d: d)(Tensor([1, 2])).asnumpy()
        array([2, 3])
    """
    return fn(*args) if bprop_fn is None else _with_backward(fn, bprop_fn, args)


def _with_backward(fn: Callable[..., Any], bprop_fn: Callable[..., Any], args: Sequence[Any]) -> Any:
    """Return `fn(*args)`, with a function of the program as its derivative."""
    single: list[bool] = []

    def forward(*xs: Tensor) -> tuple[Tensor, ...]:
        out = fn(*xs)
        single.append(not isinstance(out, tuple))
        outs = (out,) if single[-1] else out
        _check_tensors("result", outs)
        return outs

    def backward(xs: Sequence[Tensor], outs: Sequence[Tensor], cts: Sequence[Tensor | None]) -> tuple[Any, ...]:
        full = materialized(outs, cts)
        grads = bprop_fn(*xs, *((outs[0], full[0]) if single[-1] else (outs, full)))
        grads = grads if isinstance(grads, tuple) else (grads,)
        if len(grads) != len(xs):
            raise TypeError(f"ops.Morph: bprop_fn must return {len(xs)} gradients, got {len(grads)}.")
        return tuple(
            [
                fitted(g, x, f"ops.Morph: the gradient of input {i}")
                for i, (g, x) in enumerate(zip(grads, xs, strict=True))
            ]
        )

    _check_tensors("argument", args)
    outs = custom_backward(forward, backward, args)
    return outs[0] if single[-1] else tuple(outs)


def _check_tensors(what: str, values: Sequence[Any]) -> None:
    for value in values:
        if not isinstance(value, Tensor):
            raise TypeError(f"ops.Morph: with bprop_fn each {what} must be a Tensor, got {describe(value)}.")


@primitive("Reusing()(x)")
def _reusing(input_x: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function: XLA decides which calls of a graph it shares.

    Args:
        input_x: A function.

    Examples:
        >>> ops.Reusing()(abs) is abs
        True
    """
    return input_x


@composite(
    cases=("T(2, 3)", "T(2, 3), 'CPU', False"),
    ref="references.program.first",
    errors=(("T(2), 'disk'", "to must be"), ("3, 'CPU'", "must be a Tensor")),
    primitive="MoveTo()",
)
def move_to(input: Tensor, to: str = "CPU", blocking: bool = True) -> Tensor:
    """Return the Tensor: its values stay on the program's device, where the host can read them.

    Args:
        input: A Tensor.
        to: "CPU", "GPU", "TPU" or "Ascend".
        blocking: Accepted: whoever reads the values waits for them.

    Raises:
        TypeError: If `input` is not a Tensor.
        ValueError: If `to` is unknown.

    Examples:
        >>> ops.move_to(Tensor([1, 2]), "CPU").asnumpy()
        array([1, 2])
    """
    if not isinstance(input, Tensor):
        raise TypeError(f"ops.move_to: input must be a Tensor, got {type(input).__name__}.")
    if to not in _DEVICES:
        raise ValueError(f"ops.move_to: to must be one of {', '.join(_DEVICES)}, got {to!r}.")
    return value_of(input)


@primitive("PyExecute()")
def _py_execute(expression: str, names: Sequence[str], values: Sequence[Any]) -> Any:
    """Return the value of a Python expression, in which `names` stand for `values`.

    Args:
        expression: Python's text.
        names: The names in it.
        values: What they stand for.

    Examples:
        >>> ops.PyExecute()("a + b", ("a", "b"), (1, 2))
        3
    """
    return eval(expression, {}, dict(zip(names, values, strict=True)))


@composite(
    cases=("ms.float16, T(2, 3)", "ms.float32, (T(2), I(3))"),
    ref="references.program.mixed_precision_cast",
    errors=(("'x', T(2)", "dtype"),),
    grad=0,
)
def mixed_precision_cast(dst_dtype: TypeLike, x: object) -> Any:
    """Return a Tensor, or a nest of them, with float Tensors converted to a dtype and all else as it is.

    Args:
        dst_dtype: A float dtype.
        x: A Tensor, or a nested tuple, list or dict.

    Examples:
        >>> ops.mixed_precision_cast(ms.float16, [Tensor([1.0]), Tensor([1])])[0].dtype
        mindspore.float16
    """

    def converted(t: Tensor) -> Tensor:
        return cast(t, dst_dtype) if jnp.issubdtype(t._data.dtype, jnp.floating) else t

    return tree.map_leaves(converted, x, is_tensor)


@writes(
    cases=("T(2, 3), T(2, 3)",),
    errors=(("T(2), T(3)", "shape"),),
    name="_copy_with_slice",
    primitive="CopyWithSlice()",
)
def copy_with_slice(x: Tensor, y: Tensor) -> Tensor:
    """Copy the values of another Tensor of the same shape into a Tensor, and return them.

    Args:
        x: A Tensor or Parameter, which changes.
        y: A Tensor of its shape.

    Raises:
        ValueError: If the shapes differ.

    Examples:
        >>> x = Parameter(Tensor([1.0, 2.0]))
        >>> ops.CopyWithSlice()(x, Tensor([3.0, 4.0])).asnumpy()
        array([3., 4.], dtype=float32)
    """
    return write("CopyWithSlice", x, y)


@composite(
    cases=("[T(1, 3), T(1, 3)]",),
    ref="numpy.concatenate",
    errors=(("[T(2, 3), T(2, 3)]", "size 1"), ("[T(1, 3), T(1, 2)]", "one shape")),
    name="_parallel_concat",
    primitive="ParallelConcat()",
)
def parallel_concat(values: Sequence[Tensor]) -> Tensor:
    """Return Tensors of one shape (1, ...) joined along axis 0.

    Args:
        values: A sequence of Tensors.

    Raises:
        ValueError: If the shapes differ, or the first axis has another size.

    Examples:
        >>> ops.ParallelConcat()([Tensor([[1, 2]]), Tensor([[3, 4]])]).asnumpy()
        array([[1, 2],
               [3, 4]])
    """
    shapes = {tuple(v.shape) for v in values}
    if len(shapes) != 1:
        raise ValueError(f"ops.ParallelConcat: values must have one shape, got {sorted(shapes)}.")
    if next(iter(shapes))[:1] != (1,):
        raise ValueError(f"ops.ParallelConcat: the first axis must have size 1, got shape {next(iter(shapes))}.")
    return cat(tuple(values), 0)

"""Affine maps: dense and bilinear layers, and adding a bias."""

from __future__ import annotations

import jax.numpy as jnp

from sporax._src.base.typing import Array, OptArray
from sporax._src.core.dtype import unify
from sporax._src.engine.table import op
from sporax._src.ops.linalg.products import flat_product


@op(
    ref="references.sequences.dense",
    cases=("T(2, 3), T(4, 3)", "T(2, 2, 3), T(4, 3), T(4)", "T(3), T(3), T()"),
    errors=(("T(2, 3), T(4, 2)", "weight"),),
    amp="half",
)
def dense(input: Array, weight: Array, bias: OptArray = None) -> Array:
    """Return input · weightᵀ + bias.

    Args:
        input: A Tensor (*, C_in).
        weight: A Tensor (C_out, C_in) or (C_in,).
        bias: A Tensor (C_out,) or (), as weight has it.

    Returns:
        A Tensor (*, C_out), or (*,) for a vector of weights.

    Raises:
        ValueError: If the last axes of `input` and `weight` differ.

    Examples:
        >>> ops.dense(Tensor([[1.0, 2.0]]), Tensor([[3.0, 4.0]]), Tensor([0.5])).asnumpy()
        array([[11.5]], dtype=float32)
    """
    if not input.ndim or input.shape[-1] != weight.shape[-1]:
        raise ValueError(f"the last axis of input {list(input.shape)} and weight {list(weight.shape)} must agree.")
    x, w = unify(input, weight)
    out = flat_product(x, w.T)
    return out if bias is None else out + bias.astype(out.dtype)


@op(
    ref="torch.nn.functional.bilinear",
    cases=("T(2, 3), T(2, 4), T(5, 3, 4)", "T(2, 3), T(2, 4), T(5, 3, 4), T(5)"),
    errors=(("T(2, 3), T(2, 4), T(5, 2, 4)", "weight"),),
)
def bidense(input1: Array, input2: Array, weight: Array, bias: OptArray = None) -> Array:
    """Return input1ᵀ · weight · input2 + bias.

    Args:
        input1: A Tensor (*, C1).
        input2: A Tensor (*, C2).
        weight: A Tensor (C_out, C1, C2).
        bias: A Tensor (C_out,).

    Returns:
        A Tensor (*, C_out); of integers without a bias int64.

    Raises:
        ValueError: If `weight` has another shape.

    Examples:
        >>> ops.bidense(Tensor([[1.0, 2.0]]), Tensor([[3.0]]), Tensor([[[1.0], [2.0]]])).asnumpy()
        array([[15.]], dtype=float32)
    """
    if weight.ndim != 3 or (input1.shape[-1], input2.shape[-1]) != weight.shape[1:]:
        raise ValueError(
            f"weight must have shape [C_out, {input1.shape[-1]}, {input2.shape[-1]}], got {list(weight.shape)}."
        )
    a, b, w = unify(input1, input2, weight)
    out = jnp.einsum("...i,oij,...j->...o", a, w, b)
    if bias is not None:
        return out + bias.astype(out.dtype)
    return out.astype(jnp.int64) if jnp.issubdtype(out.dtype, jnp.integer) else out


@op(
    ref="references.sequences.bias_add",
    cases=("T(2, 3), T(3)", "T(2, 4, 4, 3), T(3), 'NHWC'"),
    errors=(("T(2, 3), T(2)", "bias"),),
    name="_bias_add",
    primitive="BiasAdd(data_format='NCHW')",
)
def biased(input_x: Array, bias: Array, data_format: str = "NCHW") -> Array:
    """Return input_x + bias, one number for each channel: axis 1, or the last axis for data_format "NHWC".

    Args:
        input_x: A Tensor of at least 2 axes.
        bias: A Tensor (C,).
        data_format: "NCHW", "NCDHW" or "NHWC".

    Raises:
        ValueError: If `bias` does not have one number for each channel.

    Examples:
        >>> ops.BiasAdd()(Tensor([[1.0, 2.0]]), Tensor([10.0, 20.0])).asnumpy()
        array([[11., 22.]], dtype=float32)
    """
    axis = input_x.ndim - 1 if data_format.upper() == "NHWC" else 1
    if input_x.ndim < 2 or bias.shape != (input_x.shape[axis],):
        raise ValueError(f"bias must have one number per channel of {list(input_x.shape)}, got {list(bias.shape)}.")
    x, b = unify(input_x, bias)
    return x + b.reshape(tuple(-1 if a == axis else 1 for a in range(x.ndim)))


@op(
    ref="references.sequences.bias_add",
    cases=("T(2, 3), T(3)", "T(2, 3, 4), T(3)"),
    errors=(("T(2, 3), T(2)", "bias"),),
)
def bias_add(input_x: Array, bias: Array) -> Array:
    """Return input_x (N, C, ...) + bias (C,), one number for each channel.

    Args:
        input_x: A Tensor of at least 2 axes; the second one holds the channels.
        bias: A Tensor (C,).

    Raises:
        ValueError: If `bias` does not have one number for each channel.

    Examples:
        >>> ops.bias_add(Tensor([[1.0, 2.0]]), Tensor([10.0, 20.0])).asnumpy()
        array([[11., 22.]], dtype=float32)
    """
    return biased.raw(input_x, bias)

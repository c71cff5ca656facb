"""Embedding tables and the affine maps of layers."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.base.errors import describe
from sporax._src.base.typing import Array
from sporax._src.bindings.primitive import primitives
from sporax._src.core.tensor import Tensor
from sporax._src.engine.table import composite, internal, op
from sporax._src.ops.math.norms import smooth_norm

_REF = "references.sequences."


@internal("embedding", bounds=lambda input, weight, **_: [("input", input, weight.shape[0])])
def _rows(input: Array, weight: Array, padding_idx: int | None, scale_grad_by_freq: bool) -> Array:
    if weight.ndim != 2:
        raise ValueError(f"weight must have 2 axes, got shape {list(weight.shape)}.")
    if not jnp.issubdtype(input.dtype, jnp.integer):
        raise TypeError(f"input must hold integers, got {input.dtype}.")
    rows = weight.shape[0]
    if padding_idx is not None and not -rows <= padding_idx < rows:
        raise ValueError(f"padding_idx must be in [{-rows}, {rows}), got {padding_idx}.")
    out = jnp.take(weight, input, axis=0, mode="clip")
    still = lax.stop_gradient(out)
    if scale_grad_by_freq:
        count = jnp.zeros(rows, jnp.int32).at[input.reshape(-1)].add(1)
        share = (1 / jnp.maximum(count, 1)).astype(out.dtype)
        out = still + (out - still) * jnp.take(share, input, mode="clip")[..., None]
    if padding_idx is not None:
        out = jnp.where((input == padding_idx % rows)[..., None], still, out)
    return out


@internal("embedding")
def _bounded(input: Array, weight: Array, max_norm: float, norm_type: float) -> Array:
    """Return weight with the rows that `input` names shortened to max_norm."""
    length = smooth_norm(weight, norm_type, -1, True)
    used = jnp.zeros(weight.shape[0], bool).at[input.reshape(-1)].set(True)
    return jnp.where(used[:, None] & (length > max_norm), weight * (max_norm / (length + 1e-7)), weight).astype(
        weight.dtype
    )


@composite(
    ref=_REF + "embedding",
    cases=(
        "D([1, 3], 'int64'), T(4, 2)",
        "D([[1, 3], [2, 2]], 'int32'), T(4, 2), 0",
        "D([1, 3], 'int64'), T(4, 2), None, 0.5",
    ),
    errors=(("T(2), T(4, 2)", "integers"), ("I(2), T(4, 2), 4", "padding_idx")),
)
def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
) -> Tensor:
    """Return the rows of weight that input names.

    Args:
        input: A Tensor of indices in [0, rows).
        weight: A Tensor (rows, D).
        padding_idx: The row that receives no gradient.
        max_norm: If given, rows in use that are longer are first shortened to this length, in weight itself.
        norm_type: The p of the norm that max_norm bounds.
        scale_grad_by_freq: Whether the gradient of a row is divided by the number of times input names it.

    Returns:
        A Tensor of the shape of input and one more axis of D elements.

    Raises:
        TypeError: If `input` holds no integers.
        ValueError: If `weight` does not have 2 axes, or `padding_idx` is out of range.

    Examples:
        >>> ops.embedding(Tensor([1, 1]), Tensor([[1.0, 2.0], [3.0, 4.0]])).asnumpy()
        array([[3., 4.],
               [3., 4.]], dtype=float32)
    """
    if max_norm is not None:
        weight._rebind(_bounded(input, weight, max_norm, norm_type))
    return _rows(input, weight, padding_idx, scale_grad_by_freq)


primitives(
    """\
Dense()(input, weight, bias=None) -> dense(input, weight, bias)
""",
    globals(),
)


@op(
    ref="references.encoding.map_uniform", name="_map_uniform", primitive="MapUniform()", grad=0,
    cases=("I(3, 4, low=0, high=50), 7, 3",), errors=(("None, 7, 3", "operands must be Tensors or numbers"),),
)  # fmt: skip
def map_uniform(input: Array, per_group_size: int, group_num: int) -> Array:
    """Return key % group_num · per_group_size + key // group_num for each key.

    Args:
        input: An integer Tensor of keys.
        per_group_size: The number of positions of a group.
        group_num: The number of groups.

    Examples:
        >>> ops.MapUniform()(Tensor([0, 1, 2, 3, 4]), 10, 3).asnumpy()
        array([ 0, 10, 20,  1, 11])
    """
    return input % group_num * per_group_size + input // group_num


@composite(
    ref="references.encoding.accidental_hits",
    cases=("D([[1, 2], [0, 4], [3, 3]], np.int64), D([0, 1, 2, 3, 4], np.int64), 2", "I(4, 1), I(6)"),
    errors=(("I(4, 2), I(6)", "num_true"),),
    grad=0,
    jit=False,
    name="_accidental_hits",
    primitive="ComputeAccidentalHits(num_true=1)",
)
def accidental_hits(
    true_classes: Tensor, sampled_candidates: Tensor, num_true: int = 1
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the pairs of samples (int32) and candidates (indices) of one class, and the lowest float for each pair.

    Args:
        true_classes: The classes of each sample (batch, num_true).
        sampled_candidates: Drawn classes (count,).
        num_true: The number of classes of each sample.

    Returns:
        Three vectors, of one element for each meeting.

    Raises:
        ValueError: If `true_classes` has another number of columns.

    Examples:
        >>> samples, indices, weights = ops.ComputeAccidentalHits()(Tensor([[1], [4]]), Tensor([4, 5, 1]))
        >>> samples.asnumpy(), indices.asnumpy()
        (array([0, 1], dtype=int32), array([2, 0]))
    """
    classes, candidates = true_classes.asnumpy(), sampled_candidates.asnumpy()
    if classes.ndim != 2 or classes.shape[1] != num_true:
        shape = list(classes.shape)
        raise ValueError(f"ops.ComputeAccidentalHits: true_classes must be [batch, num_true={num_true}], got {shape}.")
    rows, _, columns = np.nonzero(classes[..., None] == candidates)
    weights = np.full(rows.shape, np.finfo(np.float32).min, np.float32)
    return Tensor(rows.astype(np.int32)), Tensor(columns.astype(candidates.dtype)), Tensor(weights)


@composite(
    ref="references.encoding.sub_and_filter",
    cases=("D([1, 3, 5, 8, 12, 16], np.int32), 10, 5",),
    errors=(("T(3), 10, 5", "input_x must be an integer Tensor, got float32[3]"), ("2, 10, 5", "an integer Tensor, got 2")),
    grad=0, jit=False, name="_sub_and_filter", primitive="SubAndFilter()",
)  # fmt: skip
def sub_and_filter(input_x: Tensor, max_num: Any, offset: Any) -> tuple[Tensor, Tensor]:
    """Return the elements of input_x - offset that lie in [0, max_num), and their indices.

    Args:
        input_x: An integer Tensor; it is flattened.
        max_num: The bound.
        offset: The number to subtract.

    Raises:
        TypeError: If `input_x` holds no integers.

    Examples:
        >>> values, indices = ops.SubAndFilter()(Tensor([1, 6, 20]), 10, 5)
        >>> values.asnumpy(), indices.asnumpy()
        (array([1]), array([1]))
    """
    if not isinstance(input_x, Tensor) or input_x.dtype.kind not in "iu":
        raise TypeError(f"ops.SubAndFilter: input_x must be an integer Tensor, got {describe(input_x)}.")
    x = input_x.asnumpy().ravel() - int(offset)
    indices = np.flatnonzero((x >= 0) & (x < int(max_num)))
    return Tensor(x[indices]), Tensor(indices.astype(x.dtype))

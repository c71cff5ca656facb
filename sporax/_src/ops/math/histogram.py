"""Counts and histograms, differences and covariance."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, OptArray
from sporax._src.bindings.primitive import primitive, primitives
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.engine.arguments import known, wide
from sporax._src.engine.table import composite, internal, op

_REF = "references.math."


@internal("bincount")
def _bincount(input: Array, weights: OptArray, length: int) -> Array:
    added = jnp.ones((), np.float32) if weights is None else weights.astype(np.float32)
    inside = (input >= 0) & (input < length)
    return jnp.zeros((length,), np.float32).at[jnp.where(inside, input, length)].add(added, mode="drop")


@composite(
    ref=_REF + "bincount",
    cases=("D([1, 2, 2], np.int32)", "D([1, 2, 2], np.int32), P(3)", "D([1, 0], np.int32), None, 5", "I(0)"),
    errors=(("I(2, 2)", "1 axis"), ("T(3)", "integer")),
    method="bincount",
    jit=False,
)
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """Count (or, with weights, add up) how often each of 0 … max(input) occurs, as float32.

    Args:
        input: Integers, of shape (N,); negative ones do not count.
        weights: What each adds, of shape (N,).
        minlength: The least length of the result.

    Raises:
        TypeError: If `input` holds floats.
        ValueError: If `input` has more than one axis.

    Examples:
        >>> ops.bincount(Tensor([1, 2, 2])).asnumpy()
        array([0., 1., 2.], dtype=float32)
    """
    if input.ndim != 1:
        raise ValueError(f"ops.bincount: input must have 1 axis, got shape {list(input.shape)}.")
    values = input.asnumpy()
    if values.dtype.kind not in "iub":
        raise TypeError(f"ops.bincount: input must hold integers, got {input.dtype}.")
    return _bincount(input, weights, max(int(values.max(initial=-1)) + 1, int(minlength)))


@op(
    ref=_REF + "histc",
    cases=("T(8), 3", "T(8), 3, 0.0, 1.0", "D([1, 1, 3], np.int32), 2", "D([1.0, 1.0]), 2"),
    errors=(("T(3), 0", "bins"), ("T(3), 2, 2.0, 1.0", "max")),
    method="histc",
    primitive="Histogram(bins=100, min=0.0, max=0.0)",
    grad=0,
)
def histc(input: Array, bins: int = 100, min: float = 0.0, max: float = 0.0) -> Array:
    """Count elements in `bins` equal intervals of [min, max] (both 0: from the smallest to the largest element).

    Args:
        input: A Tensor; the counts have its dtype, or float32 if that has fewer than 32 bits.
        bins: The number of intervals; the last one includes its upper end.
        min, max: The range; elements outside do not count.

    Raises:
        ValueError: If `bins` is not positive, or max < min.

    Examples:
        >>> ops.histc(Tensor([1.0, 2.0, 2.0, 4.0]), 3).asnumpy()
        array([1., 2., 1.], dtype=float32)
    """
    if bins < 1:
        raise ValueError(f"bins must be positive, got {bins}.")
    if max < min:
        raise ValueError(f"max must not be below min={min}, got {max}.")
    x = known(input).reshape(-1)
    low, high = (jnp.min(x), jnp.max(x)) if min == max == 0 else (jnp.asarray(v, np.float32) for v in (min, max))
    value = x.astype(np.float32)
    low, high = low.astype(np.float32), high.astype(np.float32)
    low, high = jnp.where(low == high, low - 1, low), jnp.where(low == high, high + 1, high)
    index = jnp.floor((value - low) / (high - low) * bins).astype(np.int32)
    index = jnp.where(value == high, bins - 1, index)
    inside = (value >= low) & (value <= high)
    counts = jnp.zeros((bins,), np.int32).at[jnp.where(inside, index, bins)].add(1, mode="drop")
    return counts.astype(wide(x).dtype)


@primitive("HistogramFixedWidth(nbins, dtype='int32')")
@internal("HistogramFixedWidth")
def _histogram_fixed_width(x: Array, range: Array, nbins: int, dtype: str = "int32") -> Array:
    """Count elements in nbins equal intervals of a range; elements outside count in the first and last interval."""
    low, high = range[0], range[1]
    index = jnp.clip(jnp.floor((x - low) / (high - low) * nbins), 0, nbins - 1).astype(np.int32)
    return jnp.zeros((nbins,), np.int32).at[index.reshape(-1)].add(1)


primitives(
    """\
Bincount()(array, size: Tensor, weights: Tensor) -> _bincount(array, weights, int(size))
    Return the sums of `weights` for each of the `size` values of `array`.
NuclearNorm(dim=None, keepdim=False)(x) -> norm(x, "nuc", dim, keepdim)
    Return the sum of the singular values of the matrices over two axes.
    dim: Two axes; None means all, which must be two.
    ValueError: If an axis is out of range, or there are more than two.
    >>> float(ops.NuclearNorm()(Tensor([[3.0, 0.0], [0.0, 4.0]])))
    7.0
""",
    globals(),
)


@op(
    ref="references.encoding.confusion_matrix",
    cases=("D([0, 1, 1, 3], np.int32), D([1, 2, 1, 3], np.int32), 4",),
    errors=(("I(4), I(3), 4", "one shape"),), grad=0, name="_confusion_matrix",
)  # fmt: skip
def confusion_matrix(
    labels: Array, predictions: Array, num_classes: int, dtype: str = "int32", weights: OptArray = None
) -> Array:
    """Return how often (or with what weights) each prediction, a column, was made for each label, a row.

    Args:
        labels, predictions: Integer Tensors (n,) of classes.
        num_classes: The number of classes.
        dtype: The name of the dtype of the result.
        weights: What each prediction counts, (n,); 1 if None.

    Returns:
        A Tensor (num_classes, num_classes).

    Raises:
        ValueError: If the shapes differ.

    Examples:
        >>> ops.ConfusionMatrix(2)(Tensor([0, 1, 1]), Tensor([1, 1, 1])).asnumpy()
        array([[0, 1],
               [0, 2]], dtype=int32)
    """
    if labels.shape != predictions.shape:
        raise ValueError(
            f"labels and predictions must have one shape, got {list(labels.shape)} and {list(predictions.shape)}."
        )
    kind = mstype.to_numpy(getattr(mstype, dtype))
    amount = jnp.ones(labels.size, kind) if weights is None else weights.reshape(-1).astype(kind)
    return jnp.zeros((num_classes, num_classes), kind).at[labels.reshape(-1), predictions.reshape(-1)].add(amount)


primitives(
    """\
ConfusionMatrix(num_classes, dtype='int32')(labels, predictions, weights=None) -> \
confusion_matrix(labels, predictions, num_classes, dtype, weights)
""",
    globals(),
)

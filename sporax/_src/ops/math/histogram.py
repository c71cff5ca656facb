"""Counts and histograms, differences and covariance."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, OptArray
from sporax._src.bindings.primitive import primitive, primitives
from sporax._src.core.dtype import from_numpy, unify
from sporax._src.core.tensor import Tensor
from sporax._src.engine import axes
from sporax._src.engine.arguments import floats, known, wide
from sporax._src.engine.table import composite, internal, op
from sporax._src.ops.math.comparison import isfinite

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
    place = jnp.floor((value - low) / (high - low) * bins).astype(np.int32)
    place = jnp.where(value == high, bins - 1, place)
    inside = (value >= low) & (value <= high)
    counts = jnp.zeros((bins,), np.int32).at[jnp.where(inside, place, bins)].add(1, mode="drop")
    return counts.astype(wide(x).dtype)


@primitive("HistogramFixedWidth(nbins, dtype='int32')")
@internal("HistogramFixedWidth")
def _histogram_fixed_width(x: Array, range: Array, nbins: int, dtype: str = "int32") -> Array:
    """Count elements in nbins equal intervals of a range; elements outside count in the first and last interval."""
    low, high = range[0], range[1]
    place = jnp.clip(jnp.floor((x - low) / (high - low) * nbins), 0, nbins - 1).astype(np.int32)
    return jnp.zeros((nbins,), np.int32).at[place.reshape(-1)].add(1)


@op(
    ref="numpy.diff",
    cases=("T(4)", "T(2, 3), 2", "T(2, 3), 1, 0", "T(2, 3), prepend=T(2, 1)", "B(4)"),
    errors=(("T(2, 3), 1, 5", "axis must be in"), ("T(3), -1", "n must")),
    method="diff",
)
def diff(x: Array, n: int = 1, axis: int = -1, prepend: OptArray = None, append: OptArray = None) -> Array:
    """Return the differences of neighbours along an axis, n times over.

    Args:
        x: A Tensor.
        n: How often to take differences.
        axis: The axis.
        prepend, append: Values joined to the ends of x first.

    Raises:
        ValueError: If `n` is negative or the axis out of range.

    Examples:
        >>> ops.diff(Tensor([1, 4, 9])).asnumpy()
        array([3, 5])
    """
    if n < 0:
        raise ValueError(f"n must not be negative, got {n}.")
    x, *ends = unify(*[v for v in (x, prepend, append) if v is not None])
    prepend, append = (None if v is None else ends.pop(0) for v in (prepend, append))
    return jnp.diff(x, n, axes.one(axis, x.ndim), prepend, append)


@op(
    ref="numpy.trapezoid",
    cases=("T(2, 3)", "T(2, 3), dx=2.0", "T(2, 3), T(3)", "I(4)"),
    errors=(("T()", "dim must be in [0, 0)"),),
)
def trapz(y: Array, x: OptArray = None, *, dx: float = 1.0, dim: int = -1) -> Array:
    """Return the integral of y along an axis by the trapezoid rule, at points x or dx apart.

    Args:
        y: A Tensor of numbers; integers become float32.
        x: The points, a Tensor (n,) or of the shape of y; None: `dx` apart.
        dx: The distance of the points.
        dim: The axis.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> ops.trapz(Tensor([1.0, 2.0, 3.0])).asnumpy()
        array(4., dtype=float32)
    """
    (y,) = floats(y)
    return jnp.trapezoid(y, None if x is None else x.astype(y.dtype), dx, axes.one(dim, y.ndim, "dim"))


@op(
    ref=_REF + "cov",
    cases=(
        "T(2, 3)",
        "T(2, 3), correction=0",
        "T(4)",
        "T(2, 3), fweights=D([1, 2, 3], np.int32)",
        "T(2, 3), aweights=P(3)",
    ),
    errors=(("T(2, 2, 2)", "2 axes"),),
    method="cov",
    grad=0,
)
def cov(input: Array, *, correction: int = 1, fweights: OptArray = None, aweights: OptArray = None) -> Array:
    """Return the covariance matrix of variables (rows) over observations (columns).

    Args:
        input: A Tensor of shape (variables, observations) or (observations,); integers and half precision become
            float32.
        correction: What is subtracted from the number of observations.
        fweights, aweights: How often each observation occurs, and its relative importance.

    Raises:
        ValueError: If `input` has more than 2 axes.

    Examples:
        >>> ops.cov(Tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])).asnumpy()
        array([[ 1., -1.],
               [-1.,  1.]], dtype=float32)
    """
    if input.ndim > 2:
        raise ValueError(f"input must have at most 2 axes, got {input.ndim}.")
    x = wide(*floats(input))
    weights = [None if w is None else w.astype(kind) for w, kind in ((fweights, np.int32), (aweights, x.dtype))]
    count = np.ones((), x.dtype) if weights[0] is None else weights[0].astype(x.dtype)
    weight = count if weights[1] is None else count * weights[1]
    weight = jnp.broadcast_to(jnp.asarray(weight, x.dtype), x.shape[-1:])
    total = jnp.sum(weight)
    centred = x - jnp.sum(x * weight, -1, keepdims=True) / total
    lost = correction if weights[1] is None else correction * jnp.sum(weight * weights[1]) / total
    rows = jnp.atleast_2d(centred)
    return jnp.squeeze((rows * weight) @ jnp.conj(rows).T / (total - lost))


@primitive("CheckNumerics()")
def _check_numerics(x: Tensor) -> Tensor:
    """Return x, which must hold neither NaN nor infinity."""
    if not isfinite(x).asnumpy().all():
        raise RuntimeError(
            f"ops.CheckNumerics: the {from_numpy(x._data.dtype)} Tensor of shape {list(x.shape)} holds NaN or infinity."
        )
    return x


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

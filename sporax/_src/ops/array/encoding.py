"""Small operators on indices, sequences, bits and layouts, most of them for embeddings and decoding."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.errors import describe
from sporax._src.base.typing import Array, OptArray
from sporax._src.bindings.primitive import primitives
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.engine.table import composite, op
from sporax._src.ops.array.assign import write, writes
from sporax._src.ops.array.scatter import tensor_scatter_add

_REF = "references.encoding."
_LOWEST = float(np.finfo(np.float32).min)


@op(
    ref=_REF + "confusion_matrix",
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


@op(
    ref=_REF + "no_repeat_ngram",
    cases=(
        "I(2, 2, 7, low=0, high=3), T(2, 2, 4), 2",
        "I(2, 2, 7, low=0, high=2), T(2, 2, 4), 3",
        "I(2, 1, 5, low=0, high=4), T(2, 1, 4)",
    ),
    errors=(
        ("I(2, 7), T(2, 4), 2", "3 axes"),
        ("I(2, 2, 7), T(2, 3, 4), 2", "state_seq and log_probs"),
        ("I(2, 2, 7), T(2, 2, 4), 8", "ngram_size"),
    ),
    grad=0, name="_no_repeat_ngram", primitive="NoRepeatNGram(ngram_size=1)",
)  # fmt: skip
def no_repeat_ngram(state_seq: Array, log_probs: Array, ngram_size: int = 1) -> Array:
    """Return the scores of next words, the lowest float for those that would repeat an n-gram of the sequence.

    Args:
        state_seq: The words so far (batch, beams, length), integers.
        log_probs: Scores (batch, beams, words).
        ngram_size: n.

    Raises:
        ValueError: If shapes do not fit or `ngram_size` is out of range.

    Examples:
        >>> scores = ops.NoRepeatNGram(2)(Tensor([[[0, 1, 0]]]), ops.zeros((1, 1, 3)))
        >>> (scores < 0).asnumpy()
        array([[[False,  True, False]]])
    """
    if state_seq.ndim != 3 or log_probs.ndim != 3:
        raise ValueError(f"state_seq and log_probs must have 3 axes, got {state_seq.ndim} and {log_probs.ndim}.")
    if state_seq.shape[:2] != log_probs.shape[:2]:
        raise ValueError(
            f"state_seq and log_probs must agree in 2 axes, got {state_seq.shape[:2]} and {log_probs.shape[:2]}."
        )
    length, n = state_seq.shape[2], ngram_size
    if not 1 <= n <= length:
        raise ValueError(f"ngram_size must be in [1, {length}], got {n}.")
    tail = state_seq[..., length - n + 1 :]
    starts = np.arange(length - n + 1)
    grams = state_seq[..., starts[:, None] + np.arange(n - 1)]
    repeats = jnp.all(grams == tail[..., None, :], -1)
    words = state_seq[..., n - 1 :][..., None] == jnp.arange(log_probs.shape[2]).astype(state_seq.dtype)
    banned = jnp.any(words & repeats[..., None], 2)
    return jnp.where(
        banned, jnp.asarray(max(_LOWEST, float(jnp.finfo(log_probs.dtype).min)), log_probs.dtype), log_probs
    )


@op(
    ref=_REF + "compare_and_bitpack",
    cases=("T(2, 16), 0.1", "I(8), 1"),
    errors=(("T(2, 7), 0.1", "multiple of 8"),),
    grad=0,
    name="_compare_and_bitpack",
    primitive="CompareAndBitpack()",
)
def compare_and_bitpack(x: Array, threshold: Array) -> Array:
    """Return for eight neighbours a byte whose bits, the highest first, say which of them exceed the threshold.

    Args:
        x: A Tensor whose last axis is a multiple of 8.
        threshold: A number or 0-d Tensor.

    Returns:
        A uint8 Tensor with an eighth of the elements along the last axis.

    Raises:
        ValueError: If the last axis is no multiple of 8.

    Examples:
        >>> ops.CompareAndBitpack()(Tensor([1, 0, 0, 0, 0, 0, 1, 1]), Tensor(0)).asnumpy()
        array([131], dtype=uint8)
    """
    if not x.ndim or x.shape[-1] % 8:
        raise ValueError(f"the last axis of x must be a multiple of 8, got shape {list(x.shape)}.")
    return jnp.packbits(x > threshold, -1)


@op(
    ref=_REF + "data_format_vec_permute",
    cases=("D([1, 2, 3, 4], np.int64)", "I(4, 2), 'NCHW', 'NHWC'", "I(4), 'NHWC', 'NHWC'"),
    errors=(("I(2)", "shape"), ("I(4), 'NHWC', 'HWNC'", "dst_format")),
    grad=0,
    name="_data_format_vec_permute",
    primitive="DataFormatVecPermute(src_format='NHWC', dst_format='NCHW')",
)
def data_format_vec_permute(x: Array, src_format: str = "NHWC", dst_format: str = "NCHW") -> Array:
    """Return what x (4,) or (4, 2) says of the axes of one layout in the order of another.

    Args:
        x: A Tensor (4,) or (4, 2).
        src_format, dst_format: "NHWC" or "NCHW".

    Raises:
        ValueError: If a layout or the shape of x is another.

    Examples:
        >>> ops.DataFormatVecPermute()(Tensor([1, 2, 3, 4])).asnumpy()
        array([1, 4, 2, 3])
    """
    for name, value in (("src_format", src_format), ("dst_format", dst_format)):
        if value not in ("NHWC", "NCHW"):
            raise ValueError(f"{name} must be 'NHWC' or 'NCHW', got {value!r}.")
    if x.shape not in ((4,), (4, 2)):
        raise ValueError(f"x must have shape [4] or [4, 2], got {list(x.shape)}.")
    return x[np.array([src_format.index(axis) for axis in dst_format])]


@op(
    ref=_REF + "map_uniform", name="_map_uniform", primitive="MapUniform()", grad=0,
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


@op(
    ref=_REF + "tridiagonal",
    cases=("T(2, 1, 4), T(2, 1, 4), T(2, 1, 4), T(2, 4, 3)", "T(1, 3), T(1, 3), T(1, 3), T(3, 2)"),
    errors=(("T(1, 3), T(1, 4), T(1, 3), T(3, 2)", "diagonals"), ("T(1, 3), T(1, 3), T(1, 3), T(4, 2)", "rhs")),
    name="_tridiagonal_matmul",
    primitive="TridiagonalMatMul()",
)
def tridiagonal_matmul(superdiag: Array, maindiag: Array, subdiag: Array, rhs: Array) -> Array:
    """Return the product of a matrix of three diagonals with another.

    Args:
        superdiag, maindiag, subdiag: Diagonals (..., 1, M); the last of the first and the first of the last do not
            count.
        rhs: A Tensor (..., M, N).

    Returns:
        A Tensor (..., M, N).

    Raises:
        ValueError: If the shapes do not fit.

    Examples:
        >>> ones = ops.ones((1, 3))
        >>> ops.TridiagonalMatMul()(ones, ones, ones, ops.ones((3, 1))).asnumpy()[:, 0]
        array([2., 3., 2.], dtype=float32)
    """
    if not superdiag.shape == maindiag.shape == subdiag.shape:
        raise ValueError(
            f"the diagonals must have one shape, got {list(superdiag.shape)}, {list(maindiag.shape)}, {list(subdiag.shape)}."
        )
    if rhs.ndim != maindiag.ndim or rhs.shape[-2] != maindiag.shape[-1]:
        raise ValueError(f"rhs must have shape [..., {maindiag.shape[-1]}, N], got {list(rhs.shape)}.")
    up, main, low = (jnp.swapaxes(d, -1, -2) for d in (superdiag, maindiag, subdiag))
    pad = [(0, 0)] * (rhs.ndim - 2)
    after = jnp.pad(rhs[..., 1:, :], [*pad, (0, 1), (0, 0)])
    before = jnp.pad(rhs[..., :-1, :], [*pad, (1, 0), (0, 0)])
    return main * rhs + up * after + low * before


# --- results whose sizes depend on the values ------------------------------------------------------------------------


@composite(
    ref=_REF + "accidental_hits",
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
    """Return which samples (int32) meet which candidate (its index) of their own class, and the lowest float for each.

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
    rows, _, places = np.nonzero(classes[..., None] == candidates)
    weights = np.full(rows.shape, _LOWEST, np.float32)
    return Tensor(rows.astype(np.int32)), Tensor(places.astype(candidates.dtype)), Tensor(weights)


@composite(
    ref=_REF + "sub_and_filter",
    cases=("D([1, 3, 5, 8, 12, 16], np.int32), 10, 5",),
    errors=(("T(3), 10, 5", "input_x must be an integer Tensor, got float32[3]"), ("2, 10, 5", "an integer Tensor, got 2")),
    grad=0, jit=False, name="_sub_and_filter", primitive="SubAndFilter()",
)  # fmt: skip
def sub_and_filter(input_x: Tensor, max_num: Any, offset: Any) -> tuple[Tensor, Tensor]:
    """Return the elements of input_x - offset that lie in [0, max_num), and their indices.

    Args:
        input_x: An integer Tensor; it is flattened.
        max_num: The bound.
        offset: What is subtracted.

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
    places = np.flatnonzero((x >= 0) & (x < int(max_num)))
    return Tensor(x[places]), Tensor(places.astype(x.dtype))


def _by_place(indices: np.ndarray, values: np.ndarray) -> dict[tuple[int, ...], list[Any]]:
    """Return the sequences of a sparse Tensor by their indices."""
    found: dict[tuple[int, ...], list[Any]] = {}
    for index, value in sorted(zip(map(tuple, indices), values, strict=True), key=lambda pair: pair[0]):
        found.setdefault(index[:-1], []).append(value)
    return found


def _distance(a: list[Any], b: list[Any]) -> int:
    """Return how many elements must be put in, taken out or replaced to make b of a."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a):
        new = [i + 1]
        for j, y in enumerate(b):
            new.append(min(new[j] + 1, row[j + 1] + 1, row[j] + (x != y)))
        row = new
    return row[-1]


_HYPOTHESIS = "D([[0, 0, 0], [1, 0, 0], [1, 0, 1]], np.int64), D([1, 2, 3], np.int64), D([2, 1, 2], np.int64)"
_TRUTH = "D([[0, 1, 0], [0, 0, 0], [1, 1, 0], [1, 0, 1]], np.int64), D([1, 2, 3, 4], np.int64), D([2, 2, 2], np.int64)"


@composite(
    ref=_REF + "edit_distance",
    cases=(f"{_HYPOTHESIS}, {_TRUTH}", f"{_HYPOTHESIS}, {_TRUTH}, False"),
    errors=((f"I(3, 3), I(2), I(3), {_TRUTH}", "values"),), grad=0, jit=False, name="_edit_distance",
)  # fmt: skip
def edit_distance(
    hypothesis_indices: Tensor,
    hypothesis_values: Tensor,
    hypothesis_shape: Tensor,
    truth_indices: Tensor,
    truth_values: Tensor,
    truth_shape: Tensor,
    normalize: bool = True,
) -> Tensor:
    """Return the Levenshtein distances of the sequences of sparse Tensors, by default over the true lengths.

    Args:
        hypothesis_indices, hypothesis_values, hypothesis_shape: Indices (count, axes), values and shape of the guesses.
        truth_indices, truth_values, truth_shape: Those of what is true; sequences run along the last axis.
        normalize: Whether to divide by the lengths.

    Returns:
        A float32 Tensor of the leading axes.

    Raises:
        ValueError: If indices or values have other shapes.

    Examples:
        >>> row = (Tensor([[0, 0], [0, 1]]), Tensor([1, 2]), Tensor([1, 2]))
        >>> ops.EditDistance()(*row, Tensor([[0, 0], [0, 1]]), Tensor([1, 3]), Tensor([1, 2])).asnumpy()
        array([0.5], dtype=float32)
    """
    given = [t.asnumpy() for t in (hypothesis_indices, hypothesis_values, truth_indices, truth_values)]
    for indices, values in (given[:2], given[2:]):
        if indices.ndim != 2 or values.shape != indices.shape[:1]:
            raise ValueError(
                f"ops.EditDistance: indices must be [count, axes] and values [count], got {list(indices.shape)} and "
                f"{list(values.shape)}."
            )
    guesses, truths = _by_place(*given[:2]), _by_place(*given[2:])
    sizes = [max(a, b) for a, b in zip(hypothesis_shape.asnumpy()[:-1], truth_shape.asnumpy()[:-1], strict=True)]
    out = np.zeros(sizes, np.float32)
    for place in guesses.keys() | truths.keys():
        guess, truth = guesses.get(place, []), truths.get(place, [])
        steps: float = _distance(guess, truth)
        out[place] = steps if not normalize else steps / len(truth) if truth else np.inf
    return Tensor(out)


@writes(
    cases=("T(3, 2), D([[0], [0], [2]], np.int32), T(3, 2)",), ref=_REF + "scatter_add",
    errors=(
        ("T(3, 2), T(3, 1), T(3, 2)", "indices must be an integer Tensor"),
        ("T(3, 2), D([[0], [0], [2]], np.int32), T(2, 2)", "updates must have shape [3, 2], got [2, 2]"),
    ),
    name="_scatter_non_aliasing_add", primitive="ScatterNonAliasingAdd()",
)  # fmt: skip
def scatter_non_aliasing_add(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Add updates to the slices of a Parameter at indices, vectors along the last axis, and return its new value.

    Args:
        input_x: The Parameter.
        indices: An integer Tensor of shape (*s, k): s vectors that count along the first k axes.
        updates: A Tensor of shape (*s, *input_x.shape[k:]).

    Raises:
        TypeError: If `indices` holds no integers.
        ValueError: If the shapes do not fit.

    Examples:
        >>> p = ms.Parameter(Tensor([1.0, 2.0, 3.0]))
        >>> ops.ScatterNonAliasingAdd()(p, Tensor([[0], [2]]), Tensor([10.0, 20.0])).asnumpy()
        array([11.,  2., 23.], dtype=float32)
    """
    return write("ScatterNonAliasingAdd", input_x, tensor_scatter_add(input_x, indices, updates))


primitives(
    """\
ConfusionMatrix(num_classes, dtype='int32')(labels, predictions, weights=None) -> \
confusion_matrix(labels, predictions, num_classes, dtype, weights)
EditDistance(normalize=True)(hypothesis_indices, hypothesis_values, hypothesis_shape, truth_indices, truth_values, \
truth_shape) -> edit_distance(hypothesis_indices, hypothesis_values, hypothesis_shape, truth_indices, truth_values, \
truth_shape, normalize)
""",
    globals(),
)

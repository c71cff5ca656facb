"""Sequences of tokens: n-grams that would repeat, and the edit distance."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array
from sporax._src.bindings.primitive import primitives
from sporax._src.core.tensor import Tensor
from sporax._src.engine.table import composite, op

_LOWEST = float(np.finfo(np.float32).min)


@op(
    ref="references.encoding.no_repeat_ngram",
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


def _by_index(indices: np.ndarray, values: np.ndarray) -> dict[tuple[int, ...], list[Any]]:
    """Return the sequences of a sparse Tensor by their indices."""
    sequences: dict[tuple[int, ...], list[Any]] = {}
    for index, value in sorted(zip(map(tuple, indices), values, strict=True), key=lambda pair: pair[0]):
        sequences.setdefault(index[:-1], []).append(value)
    return sequences


def _distance(a: list[Any], b: list[Any]) -> int:
    """Return how many elements must be inserted, deleted or replaced to turn a into b."""
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
    ref="references.encoding.edit_distance",
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
    parts = [t.asnumpy() for t in (hypothesis_indices, hypothesis_values, truth_indices, truth_values)]
    for indices, values in (parts[:2], parts[2:]):
        if indices.ndim != 2 or values.shape != indices.shape[:1]:
            raise ValueError(
                f"ops.EditDistance: indices must be [count, axes] and values [count], got {list(indices.shape)} and "
                f"{list(values.shape)}."
            )
    guesses, truths = _by_index(*parts[:2]), _by_index(*parts[2:])
    sizes = [max(a, b) for a, b in zip(hypothesis_shape.asnumpy()[:-1], truth_shape.asnumpy()[:-1], strict=True)]
    out = np.zeros(sizes, np.float32)
    for index in guesses.keys() | truths.keys():
        guess, truth = guesses.get(index, []), truths.get(index, [])
        steps: float = _distance(guess, truth)
        out[index] = steps if not normalize else steps / len(truth) if truth else np.inf
    return Tensor(out)


primitives(
    """\
EditDistance(normalize=True)(hypothesis_indices, hypothesis_values, hypothesis_shape, truth_indices, truth_values, \
truth_shape) -> edit_distance(hypothesis_indices, hypothesis_values, hypothesis_shape, truth_indices, truth_values, \
truth_shape, normalize)
""",
    globals(),
)

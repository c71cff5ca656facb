"""Metrics of language models and translations."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sporax._src.base.errors import describe
from sporax._src.core.tensor import Tensor
from sporax._src.train.metrics.metric import Metric, rearrange_inputs


class Perplexity(Metric):
    """e^(-Σ log p(label) / N) over the labels of all batches.

    Args:
        ignore_label: A label that does not count. Default None.

    Raises:
        TypeError: If `ignore_label` is not an int.
        RuntimeError: If there are not as many labels as rows of predictions.

    Examples:
        >>> import sporax as ms
        >>> round(ms.train.Perplexity()(ms.Tensor([[0.5, 0.5], [0.25, 0.75]]), ms.Tensor([0, 0])), 4)
        2.8284
    """

    def __init__(self, ignore_label: int | None = None) -> None:
        super().__init__()
        if ignore_label is not None and (isinstance(ignore_label, bool) or not isinstance(ignore_label, int)):
            raise TypeError(f"Perplexity: ignore_label must be an int or None, got {describe(ignore_label)}.")
        self.ignore_label = ignore_label
        self.clear()

    def clear(self) -> None:
        self._sum, self._count = 0.0, 0

    @rearrange_inputs
    def update(self, *inputs: Tensor | ArrayLike) -> None:
        p, labels = self._take(inputs, "predictions", "labels")
        if labels.size * p.shape[-1] != p.size:
            shapes = f"{list(p.shape)} and {list(labels.shape)}"
            raise RuntimeError(f"Perplexity.update: expected one label for every row of predictions, got {shapes}.")
        labels = labels.astype(np.int64).ravel()
        kept = np.ones(labels.size, bool) if self.ignore_label is None else labels != self.ignore_label
        chosen = p.reshape(labels.size, -1)[np.flatnonzero(kept), labels[kept]]
        self._sum -= float(np.log(np.maximum(1e-10, chosen)).sum())
        self._count += int(kept.sum())

    def eval(self) -> float:
        self._need(self._count)
        return math.exp(self._sum / self._count)


class BleuScore(Metric):
    """The BLEU score (Papineni et al., 2002): brevity penalty times the geometric mean of n-gram precisions.

    Args:
        n_gram: The longest n-gram, 1 to 4.
        smooth: Whether to add 1 to the counts.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If `n_gram` is out of range, or candidates and references differ in number.

    Examples:
        >>> import sporax as ms
        >>> metric = ms.train.BleuScore(n_gram=1)
        >>> round(float(metric([["the", "cat"]], [[["the", "cat", "sat"]]])), 4)
        0.6065
    """

    def __init__(self, n_gram: int = 4, smooth: bool = False) -> None:
        super().__init__()
        if isinstance(n_gram, bool) or not isinstance(n_gram, int):
            raise TypeError(f"BleuScore: n_gram must be an int, got {describe(n_gram)}.")
        if not 1 <= n_gram <= 4:
            raise ValueError(f"BleuScore: n_gram must be in [1, 4], got {n_gram}.")
        if not isinstance(smooth, bool):
            raise TypeError(f"BleuScore: smooth must be a bool, got {describe(smooth)}.")
        self.n_gram, self.smooth = n_gram, smooth
        self.clear()

    def clear(self) -> None:
        self._matched, self._possible = np.zeros(self.n_gram), np.zeros(self.n_gram)
        self._length, self._reference_length = 0, 0

    @rearrange_inputs
    def update(self, *inputs: Sequence[Any]) -> None:
        self._expect(inputs, "candidates", "references")
        candidates, references = inputs
        if len(candidates) != len(references):
            counts = f"{len(candidates)} and {len(references)}"
            raise ValueError(f"BleuScore.update: candidates and references must be equal in number, got {counts}.")
        for candidate, group in zip(candidates, references, strict=True):
            self._length += len(candidate)
            self._reference_length += min((len(r) for r in group), key=lambda n: abs(len(candidate) - n))
            for n in range(1, self.n_gram + 1):
                grams, known = _grams(candidate, n), Counter[Any]()
                for reference in group:
                    known |= _grams(reference, n)
                self._matched[n - 1] += (grams & known).total()
                self._possible[n - 1] += grams.total()

    def eval(self) -> np.ndarray:
        self._need(self._length)
        if self._matched.min() == 0:
            return np.array(0.0)
        extra = 1 if self.smooth else 0
        mean = np.exp(np.log((self._matched + extra) / (self._possible + extra)).mean())
        shorter = self._length <= self._reference_length
        return mean * (np.exp(1 - self._reference_length / self._length) if shorter else 1.0)


def _grams(words: Sequence[Any], n: int) -> Counter[Any]:
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))

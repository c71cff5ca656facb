"""The similarity of vectors and masks."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sporax._src.base.errors import describe
from sporax._src.core.tensor import Tensor
from sporax._src.train.metrics.metric import Metric, rearrange_inputs


class Dice(Metric):
    """2 · (ŷ · y) / (ŷ · ŷ + y · y + smooth) of each batch, summed, over the number of samples.

    Args:
        smooth: Added to the denominator, > 0.

    Raises:
        TypeError: If `smooth` is not a float.
        ValueError: If `smooth` is not positive, or shapes differ.

    Examples:
        >>> import sporax as ms
        >>> round(ms.train.Dice()(ms.Tensor([[1.0, 0.0]]), ms.Tensor([[1.0, 0.0]])), 4)
        1.0
    """

    def __init__(self, smooth: float = 1e-5) -> None:
        super().__init__()
        if not isinstance(smooth, float):
            raise TypeError(f"Dice: smooth must be a float, got {describe(smooth)}.")
        if smooth <= 0:
            raise ValueError(f"Dice: smooth must be greater than 0, got {smooth}.")
        self.smooth = smooth
        self.clear()

    def clear(self) -> None:
        self._sum, self._samples = 0.0, 0

    @rearrange_inputs
    def update(self, *inputs: Tensor | ArrayLike) -> None:
        y_pred, y = self._take(inputs, "predictions", "labels")
        if y_pred.shape != y.shape:
            shapes = f"{list(y_pred.shape)} and {list(y.shape)}"
            raise ValueError(f"Dice.update: predictions and labels must have one shape, got {shapes}.")
        a, b = y_pred.ravel(), y.ravel()
        self._sum += 2 * float(a @ b) / float(a @ a + b @ b + self.smooth)
        self._samples += y.shape[0]

    def eval(self) -> float:
        self._need(self._samples)
        return self._sum / self._samples


class CosineSimilarity(Metric):
    """The matrix of similarities between the rows of the last batch.

    Args:
        similarity: `"cosine"` (x · y / (|x| |y|)) or `"dot"` (x · y).
        reduction: `"none"`, or `"sum"` or `"mean"` along each row.
        zero_diagonal: Whether the similarity of a row with itself counts as 0.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If an argument is unknown.

    Examples:
        >>> import sporax as ms
        >>> ms.train.CosineSimilarity("dot")(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]))
        array([[ 0., 11.],
               [11.,  0.]], dtype=float32)
    """

    def __init__(self, similarity: str = "cosine", reduction: str = "none", zero_diagonal: bool = True) -> None:
        super().__init__()
        choose("CosineSimilarity", "similarity", similarity, ("cosine", "dot"))
        choose("CosineSimilarity", "reduction", reduction, ("none", "sum", "mean"))
        if not isinstance(zero_diagonal, bool):
            raise TypeError(f"CosineSimilarity: zero_diagonal must be a bool, got {describe(zero_diagonal)}.")
        self.similarity, self.reduction, self.zero_diagonal = similarity, reduction, zero_diagonal
        self.clear()

    def clear(self) -> None:
        self._matrix: np.ndarray | None = None

    @rearrange_inputs
    def update(self, *inputs: Tensor | ArrayLike) -> None:
        (x,) = self._take(inputs, "vectors")
        if self.similarity == "cosine":
            x = x / np.linalg.norm(x, axis=1, keepdims=True)
        self._matrix = x @ x.T

    def eval(self) -> np.ndarray:
        self._need(self._matrix is not None)
        matrix = np.array(self._matrix)
        if self.zero_diagonal:
            np.fill_diagonal(matrix, 0)
        return matrix if self.reduction == "none" else getattr(matrix, self.reduction)(axis=-1)


def choose(label: str, name: str, value: object, known: tuple[str, ...]) -> str:
    """Return `value`, which must be one of the known strings."""
    if not isinstance(value, str):
        raise TypeError(f"{label}: {name} must be a string, got {describe(value)}.")
    if value not in known:
        raise ValueError(f"{label}: {name} must be one of {', '.join(known)}, got {value!r}.")
    return value

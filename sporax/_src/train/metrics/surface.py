"""Distances between the surfaces of two segmentations."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sporax._src.base.errors import describe
from sporax._src.core.tensor import Tensor
from sporax._src.train.metrics.metric import Metric, rearrange_inputs
from sporax._src.train.metrics.overlap import choose

_DISTANCES = ("euclidean", "chessboard", "taxicab")


class _SurfaceMetric(Metric):
    """Keeps the edges of the last pair of segmentations."""

    def __init__(self, distance_metric: str) -> None:
        super().__init__()
        self.distance_metric = choose(type(self).__name__, "distance_metric", distance_metric, _DISTANCES)
        self.clear()

    def clear(self) -> None:
        self._edges: tuple[np.ndarray, np.ndarray] | None = None

    @rearrange_inputs
    def update(self, *inputs: Tensor | ArrayLike) -> None:
        self._expect(inputs, "predictions", "labels", "label index")
        y_pred, y, index = self._convert_data(inputs[0]), self._convert_data(inputs[1]), inputs[2]
        label = type(self).__name__
        if not isinstance(index, (int, float)):
            raise self._index_error(f"{label}.update: the label index must be an int or float, got {describe(index)}.")
        if y_pred.size == 0 or y_pred.shape != y.shape:
            shapes = f"{list(y_pred.shape)} and {list(y.shape)}"
            raise ValueError(
                f"{label}.update: expected two segmentations of one shape that are not empty, got {shapes}."
            )
        if index not in y_pred and index not in y:
            raise ValueError(f"{label}.update: the label index must be in one of the segmentations, {index} is not.")
        self._edges = self._find_edges(*(a if a.dtype == bool else a == index for a in (y_pred, y)))

    _index_error: type[Exception] = ValueError

    def _find_edges(self, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return edges(a), edges(b)

    def _distances(self, directed: bool) -> list[np.ndarray]:
        """Return the distances from predictions to labels, and unless `directed` from labels to predictions."""
        self._need(self._edges is not None)
        assert self._edges is not None
        pairs = [self._edges] if directed else [self._edges, self._edges[::-1]]
        return [distances(a, b, self.distance_metric) for a, b in pairs]


def edges(mask: np.ndarray) -> np.ndarray:
    """Return the elements of a mask that have a neighbour outside of it."""
    from scipy.ndimage import binary_erosion

    return binary_erosion(mask) ^ mask


def distances(start: np.ndarray, goal: np.ndarray, metric: str) -> np.ndarray:
    """Return the distance from each element of one mask to the nearest of another (infinite if that is empty)."""
    from scipy.ndimage import distance_transform_cdt, distance_transform_edt

    if not goal.any():
        return np.full(int(start.sum()), np.inf)
    field = distance_transform_edt(~goal) if metric == "euclidean" else distance_transform_cdt(~goal, metric=metric)
    return np.asarray(field, float)[start]


class HausdorffDistance(_SurfaceMetric):
    """The largest distance from the surface of one segmentation to that of the other.

    Args:
        distance_metric: `"euclidean"`, `"chessboard"` or `"taxicab"`.
        percentile: The percentile of the distances to take instead of the largest, in [0, 100].
        directed: Whether only distances from predictions to labels count.
        crop: Whether to look at the bounding box of both only; axes of length 1 drop out there.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If an argument is out of range or the segmentations are empty or differ in shape.

    Examples:
        >>> import numpy as np, sporax as ms
        >>> a, b = np.zeros((3, 5), int), np.zeros((3, 5), int)
        >>> a[0, 0] = b[2, 0] = 1
        >>> ms.train.HausdorffDistance()(ms.Tensor(a), ms.Tensor(b), 1)
        2.0
    """

    def __init__(
        self,
        distance_metric: str = "euclidean",
        percentile: float | None = None,
        directed: bool = False,
        crop: bool = True,
    ) -> None:
        if percentile is not None and not isinstance(percentile, float):
            raise TypeError(f"HausdorffDistance: percentile must be a float or None, got {describe(percentile)}.")
        for name, value in (("directed", directed), ("crop", crop)):
            if value is not None and not isinstance(value, bool):
                raise TypeError(f"HausdorffDistance: {name} must be a bool, got {describe(value)}.")
        super().__init__(distance_metric)
        self.percentile, self.directed, self.crop = percentile, directed, crop

    def _find_edges(self, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if self.crop:
            indices = np.argwhere(a | b)
            box = tuple(slice(low, high + 1) for low, high in zip(indices.min(0), indices.max(0), strict=True))
            a, b = np.squeeze(a[box]), np.squeeze(b[box])
        return edges(a), edges(b)

    def eval(self) -> float:
        return max(self._one(d) for d in self._distances(bool(self.directed)))

    def _one(self, found: np.ndarray) -> float:
        if self.percentile and not 0 <= self.percentile <= 100:
            raise ValueError(f"HausdorffDistance.eval: percentile must be in [0, 100], got {self.percentile}.")
        if not found.size:
            return float("inf")
        return float(np.percentile(found, self.percentile) if self.percentile else found.max())


class MeanSurfaceDistance(_SurfaceMetric):
    """The mean distance from the surface of the predictions to that of the labels.

    Args:
        symmetric: Whether to average with the distance from labels to predictions.
        distance_metric: `"euclidean"`, `"chessboard"` or `"taxicab"`.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If an argument is unknown or the segmentations are empty or differ in shape.

    Examples:
        >>> import numpy as np, sporax as ms
        >>> a, b = np.zeros((3, 5), int), np.zeros((3, 5), int)
        >>> a[0, 0] = b[2, 0] = 1
        >>> ms.train.MeanSurfaceDistance()(ms.Tensor(a), ms.Tensor(b), 1)
        2.0
    """

    distance_metric_list = list(_DISTANCES)

    def __init__(self, symmetric: bool = False, distance_metric: str = "euclidean") -> None:
        if not isinstance(symmetric, bool):
            raise TypeError(f"{type(self).__name__}: symmetric must be a bool, got {describe(symmetric)}.")
        super().__init__(distance_metric)
        self.symmetric = symmetric

    def eval(self) -> float:
        found = self._distances(not self.symmetric)
        return float(np.mean([d.mean() for d in found])) if all(d.size for d in found) else float("inf")


class RootMeanSquareDistance(MeanSurfaceDistance):
    """The mean squared distance from the surface of the predictions to that of the labels.

    Args:
        symmetric: Whether to average with the squared distances from labels to predictions, and take the root
            (MindSpore takes it in this case only, and so do we).
        distance_metric: `"euclidean"`, `"chessboard"` or `"taxicab"`.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If an argument is unknown or the segmentations are empty or differ in shape.

    Examples:
        >>> import numpy as np, sporax as ms
        >>> a, b = np.zeros((3, 5), int), np.zeros((3, 5), int)
        >>> a[0, 0] = b[2, 0] = 1
        >>> ms.train.RootMeanSquareDistance(symmetric=True)(ms.Tensor(a), ms.Tensor(b), 1)
        2.0
    """

    _index_error = TypeError

    def eval(self) -> float:
        found = self._distances(not self.symmetric)
        if not all(d.size for d in found):
            return float("inf")
        squared = float(np.mean([(d * d).mean() for d in found]))
        return squared**0.5 if self.symmetric else squared

"""The dependence of a prediction on each part of the input."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import ArrayLike

from sporax._src.base.errors import describe
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell
from sporax._src.train.metrics.metric import Metric, rearrange_inputs


class OcclusionSensitivity(Metric):
    """The decrease of a class's score when a patch around each element of the input is covered.

    `update(model, input, label)` takes a Cell, one input of shape (1, ...) and its label.

    Args:
        pad_val: The value that covers.
        margin: Half the side of the patch, an int or one int for each axis.
        n_batch: How many covered inputs the model receives at a time.
        b_box: The part to look at: first and last index for each axis; -1: to the end. Default None: all of it.

    Returns:
        `eval()` returns the score of the whole input minus the score of each covered one.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If `b_box` does not fit the input.
        RuntimeError: If there is more than one input.

    Examples:
        >>> import numpy as np, sporax as ms
        >>> class Sum(ms.nn.Cell):
        ...     def construct(self, x):
        ...         return x.sum(axis=(1, 2)).reshape((-1, 1))
        >>> metric = ms.train.OcclusionSensitivity(margin=1)
        >>> metric(Sum(), np.ones((1, 2, 2), np.float32), np.array([0])).tolist()
        [[1.0, 2.0], [2.0, 4.0]]
    """

    def __init__(
        self, pad_val: float = 0.0, margin: int | list[int] = 2, n_batch: int = 128, b_box: list[int] | None = None
    ) -> None:
        super().__init__()
        checks = (("pad_val", pad_val, float), ("margin", margin, (int, list)), ("n_batch", n_batch, int))
        for name, value, kind in (*checks, ("b_box", b_box, (list, type(None)))):
            if isinstance(value, bool) or not isinstance(value, kind):
                raise TypeError(f"OcclusionSensitivity: {name} has an unexpected type, got {describe(value)}.")
        self.pad_val, self.margin, self.n_batch, self.b_box = pad_val, margin, n_batch, b_box
        self.clear()

    def clear(self) -> None:
        self._result: np.ndarray | None = None

    @rearrange_inputs
    def update(self, *inputs: Tensor | ArrayLike) -> None:
        self._expect(inputs, "model", "input", "label")
        model, x = inputs[0], self._convert_data(inputs[1])
        if not isinstance(model, Cell):
            raise TypeError(f"OcclusionSensitivity.update: the model must be a Cell, got {describe(model)}.")
        label = np.ravel(inputs[2] if isinstance(inputs[2], int) else self._convert_data(inputs[2]))
        if x.shape[0] != 1 or label.size != 1:
            counts = f"{x.shape[0]} inputs and {label.size} labels"
            raise RuntimeError(f"OcclusionSensitivity.update: expected one input and one label, got {counts}.")
        low, high = self._box(x.shape[1:])
        positions = list(itertools.product(*(range(a, b + 1) for a, b in zip(low, high, strict=True))))
        scores: list[float] = []
        for start in range(0, len(positions), self.n_batch):
            covered = [self._cover(x, position) for position in positions[start : start + self.n_batch]]
            scores.extend(model(Tensor(np.concatenate(covered))).asnumpy()[:, label[0]].tolist())
        whole = model(Tensor(x)).asnumpy()[0, label[0]]
        self._result = np.squeeze(whole - np.array(scores).reshape([b - a + 1 for a, b in zip(low, high, strict=True)]))

    def _box(self, shape: tuple[int, ...]) -> tuple[list[int], list[int]]:
        if self.b_box is None:
            return [0] * len(shape), [n - 1 for n in shape]
        if len(self.b_box) != 2 * len(shape):
            raise ValueError(f"OcclusionSensitivity: b_box must hold {2 * len(shape)} ints, got {self.b_box}.")
        low = [max(a, 0) for a in self.b_box[::2]]
        high = [n - 1 if b < 0 else b for b, n in zip(self.b_box[1::2], shape, strict=True)]
        if any(not a <= b < n for a, b, n in zip(low, high, shape, strict=True)):
            raise ValueError(
                f"OcclusionSensitivity: b_box must lie in the input of shape {list(shape)}, got {self.b_box}."
            )
        return low, high

    def _cover(self, x: np.ndarray, position: tuple[int, ...]) -> np.ndarray:
        margins = self.margin if isinstance(self.margin, list) else [self.margin] * len(position)
        covered = x.copy()
        covered[(..., *[slice(max(0, i - m), i + m) for i, m in zip(position, margins, strict=True)])] = self.pad_val
        return covered

    def eval(self) -> np.ndarray:
        self._need(self._result is not None)
        assert self._result is not None
        return self._result

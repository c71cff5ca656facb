"""Maximum pooling over windows at random positions."""

from __future__ import annotations

from typing import Any

from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell
from sporax._src.ops.nn.fractional_pooling import fractional_max_pool2d, fractional_max_pool3d

__all__ = ["FractionalMaxPool2d", "FractionalMaxPool3d"]  # fmt: skip


class _FractionalMaxPool(Cell):
    """The base of pools of images and of volumes: the options of their operators."""

    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        output_size: int | tuple[int, ...] | None = None,
        output_ratio: float | tuple[float, ...] | None = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size, self.output_size, self.output_ratio = kernel_size, output_size, output_ratio
        self.return_indices, self._random_samples = return_indices, _random_samples

    def _options(self) -> tuple[Any, ...]:
        return self.kernel_size, self.output_size, self.output_ratio, self.return_indices, self._random_samples


class FractionalMaxPool2d(_FractionalMaxPool):
    """Computes the maxima of windows at random positions of images, see `ops.fractional_max_pool2d`.

    Args:
        kernel_size: The window, an integer or two.
        output_size: The number of windows, an integer or two; or output_ratio: the number of windows divided by the
            size of the input, in (0, 1).
        return_indices: Whether to return the flat index (int64) of each maximum as well.
        _random_samples: Numbers in [0, 1), (N, C, 2), that place the windows; drawn at each call if None.

    Inputs:
        - **input** (Tensor) - shape (N, C, H, W) or (C, H, W).

    Examples:
        >>> import sporax as ms
        >>> ms.nn.FractionalMaxPool2d(2, output_size=(2, 3))(ms.ops.ones((1, 1, 4, 5))).shape
        (1, 1, 2, 3)
    """

    def construct(self, input: Tensor) -> Any:
        return fractional_max_pool2d(input, *self._options())


class FractionalMaxPool3d(_FractionalMaxPool):
    """Computes the maxima of windows at random positions of volumes, see `ops.fractional_max_pool3d`.

    Args:
        kernel_size: The window, an integer or three.
        output_size: The number of windows, an integer or three; or output_ratio: the number of windows divided by the
            size of the input, in (0, 1).
        return_indices: Whether to return the flat index (int64) of each maximum as well.
        _random_samples: Numbers in [0, 1), (N, C, 3), that place the windows; drawn at each call if None.

    Inputs:
        - **input** (Tensor) - shape (N, C, D, H, W) or (C, D, H, W).

    Examples:
        >>> import sporax as ms
        >>> ms.nn.FractionalMaxPool3d(2, output_size=(1, 2, 2))(ms.ops.ones((1, 1, 4, 4, 4))).shape
        (1, 1, 1, 2, 2)
    """

    def construct(self, input: Tensor) -> Any:
        return fractional_max_pool3d(input, *self._options())

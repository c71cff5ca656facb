"""Pooling whose windows are placed at random."""

from __future__ import annotations

from typing import Any

from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell import Cell
from sporax._src.ops.fractional import fractional_max_pool2d, fractional_max_pool3d


class _Fractional(Cell):
    def __init__(
        self,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size, self.output_size, self.output_ratio = kernel_size, output_size, output_ratio
        self.return_indices, self._random_samples = return_indices, _random_samples


class FractionalMaxPool2d(_Fractional):
    """Takes the maxima of randomly placed windows, see `ops.fractional_max_pool2d`.

    Args:
        kernel_size: The window, an integer or (rows, columns).
        output_size: The size of the result; None if `output_ratio` is given.
        output_ratio: The size of the result relative to the input's.
        return_indices: Whether to return also the place of each maximum in the flattened image.
        _random_samples: The random numbers to place the windows with; None: new ones for each call.
    """

    def construct(self, input: Tensor) -> Any:
        return fractional_max_pool2d(
            input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices, self._random_samples
        )


class FractionalMaxPool3d(_Fractional):
    """Takes the maxima of randomly placed windows, see `ops.fractional_max_pool3d`.

    Args:
        kernel_size: The window, an integer or three.
        output_size: The size of the result; None if `output_ratio` is given.
        output_ratio: The size of the result relative to the input's.
        return_indices: Whether to return also the place of each maximum in the flattened volume.
        _random_samples: The random numbers to place the windows with; None: new ones for each call.
    """

    def construct(self, input: Tensor) -> Any:
        return fractional_max_pool3d(
            input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices, self._random_samples
        )

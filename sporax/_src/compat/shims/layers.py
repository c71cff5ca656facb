"""What programs import from `mindspore.nn.layer`: steps of recurrent layers, small functions, and a layer of MindSpore 1.x.

Each step takes the input (N, I), the state (N, H), and the weights w_ih (G · H, I), w_hh (G · H, H), b_ih and b_hh (G · H,);
the biases may be None.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sporax import Tensor, nn
from sporax._src.compat.operators import ops
from sporax._src.ops.nn import recurrent


def _check_input_3d(input_shape: Sequence[int], op_name: str) -> None:
    """Refuse the shape of an input that has not three axes.

    Raises:
        ValueError: If it has another number of axes.
    """
    if len(input_shape) != 3:
        raise ValueError(f"For '{op_name}', the dimension of input must be 3d, but got {len(input_shape)}.")


def _step(mode: str, inputs: Tensor, state: tuple[Tensor, ...], *weights: Any) -> Any:
    return recurrent.cell(inputs, state, tuple(w for w in weights if w is not None), mode)


def _rnn_tanh_cell(inputs: Tensor, hidden: Tensor, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> Tensor:
    """Return the state tanh(w_ih x + b_ih + w_hh h + b_hh)."""
    return _step("RNN_TANH", inputs, (hidden,), w_ih, w_hh, b_ih, b_hh)


def _rnn_relu_cell(inputs: Tensor, hidden: Tensor, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> Tensor:
    """Return the state relu(w_ih x + b_ih + w_hh h + b_hh)."""
    return _step("RNN_RELU", inputs, (hidden,), w_ih, w_hh, b_ih, b_hh)


def _gru_cell(inputs: Tensor, hidden: Tensor, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> Tensor:
    """Return the state after a step of a GRU."""
    return _step("GRU", inputs, (hidden,), w_ih, w_hh, b_ih, b_hh)


def _lstm_cell(
    inputs: Tensor, hidden: tuple[Tensor, Tensor], w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any
) -> tuple[Tensor, Tensor]:
    """Return the state (h, c) after a step of an LSTM."""
    return _step("LSTM", inputs, tuple(hidden), w_ih, w_hh, b_ih, b_hh)


class ResizeBilinear(nn.Cell):
    """Resizes images (N, C, H, W), bilinear between pixels; its successor is `ops.interpolate`.

    Args:
        half_pixel_centers: Whether pixels are squares with centres at half numbers. Default False.

    Inputs:
        - **x**: The images.
        - **size**: The new (H, W); None with `scale_factor`.
        - **scale_factor**: An int > 0 by which the sizes grow; None with `size`.
        - **align_corners**: Whether the corners stay where they are; not with `half_pixel_centers`.

    Raises:
        ValueError: If not exactly one of `size` and `scale_factor` is given, or a number is not positive.
        TypeError: If `scale_factor` is no int.

    Examples:
        >>> import sporax as ms
        >>> from sporax._src.compat.shims.layers import ResizeBilinear
        >>> ResizeBilinear()(ms.ops.ones((1, 1, 2, 2)), size=(4, 6)).shape
        (1, 1, 4, 6)
    """

    def __init__(self, half_pixel_centers: bool = False) -> None:
        super().__init__()
        self.half_pixel_centers = half_pixel_centers

    def construct(self, x: Tensor, size: Any = None, scale_factor: Any = None, align_corners: bool = False) -> Tensor:
        sizes = self._sizes(x, size, scale_factor)
        return ops.ResizeBilinearV2(align_corners, self.half_pixel_centers)(x, sizes)

    def _sizes(self, x: Tensor, size: Any, scale_factor: Any) -> tuple[int, ...]:
        if (size is None) == (scale_factor is None):
            raise ValueError("ResizeBilinear: give one of size and scale_factor.")
        if size is None:
            if isinstance(scale_factor, bool) or not isinstance(scale_factor, int):
                raise TypeError(f"ResizeBilinear: scale_factor must be an int, got {scale_factor!r}.")
            size = tuple(scale_factor * n for n in x.shape[2:])
        if len(size) != 2 or min(size) <= 0:
            raise ValueError(f"ResizeBilinear: the new sizes must be two ints > 0, got {tuple(size)}.")
        return tuple(size)

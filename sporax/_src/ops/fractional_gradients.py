"""The gradient of fractional pooling by its images, for the maxima of pieces."""

from __future__ import annotations

import jax.numpy as jnp

from sporax._src.base.typing import Array
from sporax._src.core.tensor import Tensor
from sporax._src.ops.fractional import _piece
from sporax._src.ops.primitive import primitive
from sporax._src.ops.table import internal
from sporax._src.ops.windows import lowest


@primitive("FractionalMaxPoolGrad(overlapping=False)")
def _fractional_max_pool_grad(
    orig_input: Tensor,
    orig_output: Tensor,
    out_backprop: Tensor,
    row_pooling_sequence: Tensor,
    col_pooling_sequence: Tensor,
    overlapping: bool,
) -> Tensor:
    """Return the gradient of `FractionalMaxPool` by its images: each piece's goes to the first of its largest elements.

    Args:
        orig_input: The images (N, H, W, C).
        orig_output: The maxima (N, rows, columns, C).
        out_backprop: The gradient by them, of their shape.
        row_pooling_sequence, col_pooling_sequence: The places that part rows and columns.
        overlapping: Whether a piece has the first element of the next as well.

    Raises:
        ValueError: If `orig_input` has not 4 axes, or the others do not fit the pieces.

    Examples:
        >>> x, one, places = Tensor([[[[1.0], [2.0]]]]), ops.ones((1, 1, 1, 1)), Tensor([0, 2])
        >>> ops.FractionalMaxPoolGrad()(x, one, one, Tensor([0, 1]), places).asnumpy().ravel()
        array([0., 1.], dtype=float32)
    """
    where = "ops.FractionalMaxPoolGrad"
    if orig_input.ndim != 4:
        raise ValueError(f"{where}: orig_input must have 4 axes, got shape {list(orig_input.shape)}.")
    n, _, _, channels = orig_input.shape
    want = (n, row_pooling_sequence.shape[0] - 1, col_pooling_sequence.shape[0] - 1, channels)
    for name, given in (("orig_output", orig_output), ("out_backprop", out_backprop)):
        if given.shape != want:
            raise ValueError(f"{where}: {name} must have shape {list(want)}, got {list(given.shape)}.")
    return _to_maxima(orig_input, out_backprop, row_pooling_sequence, col_pooling_sequence, overlapping)


@internal("FractionalMaxPoolGrad")
def _to_maxima(x: Array, dy: Array, rows: Array, cols: Array, overlapping: bool) -> Array:
    n, height, width, channels = x.shape
    (down, own_down), (across, own_across) = (
        _piece(ends, size, 1, overlapping) for ends, size in ((rows, height), (cols, width))
    )
    flat = down[:, None, :, None] * width + across[:, None]
    own = own_down[:, None, :, None] & own_across[:, None]
    pieces = (len(rows) - 1, len(cols) - 1, -1)
    flat, own = flat.reshape(pieces), own.reshape(pieces)
    pixels = x.reshape(n, height * width, channels)
    seen = jnp.where(own[..., None], pixels[:, flat], lowest(x.dtype))
    best = jnp.take_along_axis(flat[None, ..., None], jnp.argmax(seen, 3)[:, :, :, None], 3)[:, :, :, 0]
    image, channel = jnp.arange(n).reshape(-1, 1, 1, 1), jnp.arange(channels)
    return jnp.zeros_like(pixels).at[image, best, channel].add(dy.astype(x.dtype)).reshape(x.shape)

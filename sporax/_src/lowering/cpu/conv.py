"""Convolutions on the CPU: rewritten into forms that XLA computes fast there, and correctly.

A captured graph keeps the original convolution, which is counted, sharded and exported.
"""

from __future__ import annotations

from typing import Any

from jax import lax

from sporax._src.base.typing import Array
from sporax._src.lowering.cpu.compiled import by_kernel, has_kernel
from sporax._src.lowering.cpu.conv3d import along_two_axes, is_solid
from sporax._src.lowering.cpu.conv_params import Convolution
from sporax._src.lowering.cpu.dilated import has_gaps, without_gaps
from sporax._src.lowering.cpu.grouped import has_groups, in_groups
from sporax._src.lowering.cpu.unit_axis import is_thin, with_positions_as_channels
from sporax._src.lowering.cpu.wide import by_products, is_wide
from sporax._src.lowering.lowering import Lowering


def _crops(*_: object, **params: Any) -> bool:
    return any(min(pads) < 0 for pads in params["padding"])


def _cropped(lhs: Array, rhs: Array, **params: object) -> Array:
    """Return a convolution with negative padding, which derivatives have, as one of an image that is cropped first.

    XLA (of JAX 0.10 and 0.12) reads beyond an image that is cropped by two or more on one side and padded on the other.
    """
    conv = Convolution.of(params)
    none = ((0, 0),) * len(conv.padding)
    params |= {"padding": none, "lhs_dilation": (1,) * len(none)}
    return lax.conv_general_dilated_p.bind(conv.padded(lhs), rhs, **params)


LOWERINGS = [
    Lowering(lax.conv_general_dilated_p, fits, fn)
    for fits, fn in (
        (is_solid, along_two_axes),
        (has_groups, in_groups),
        (_crops, _cropped),
        (has_gaps, without_gaps),
        (is_thin, with_positions_as_channels),
        (is_wide, by_products),
    )
] + [Lowering(lax.conv_general_dilated_p, has_kernel, by_kernel, is_opaque=True)]

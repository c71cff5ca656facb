"""How convolutions are lowered for the CPU: as what XLA computes fast there, and rightly.

Captured graphs hold a convolution as it was written: it is what is counted, cut over devices and exported.
"""

from __future__ import annotations

from typing import Any

from jax import lax

from sporax._src.base.jax_compat import lower_on_cpu
from sporax._src.base.typing import Array
from sporax._src.engine.convolution import Convolution
from sporax._src.engine.gapped_convolution import has_gaps, without_gaps
from sporax._src.engine.grouped_convolution import has_groups, in_groups
from sporax._src.engine.solid_convolution import along_two_axes, is_solid
from sporax._src.engine.thin_convolution import is_thin, with_places_as_channels


def lower_convolutions() -> None:
    """Let convolutions be lowered as this module does it, on the CPU: the last form that fits is taken."""
    for is_for, form in (
        (is_solid, along_two_axes),
        (has_groups, in_groups),
        (_crops, _cropped),
        (has_gaps, without_gaps),
        (is_thin, with_places_as_channels),
    ):
        lower_on_cpu(lax.conv_general_dilated_p, is_for, form)


def _crops(*_: Any, **params: Any) -> bool:
    return any(min(pads) < 0 for pads in params["padding"])


def _cropped(lhs: Array, rhs: Array, **params: Any) -> Array:
    """Return a convolution of an image that was cropped before, which padding below zero asks for, as derivatives do.

    XLA (of JAX 0.10 and 0.12) reads beyond an image that is cropped by two or more on one side and padded on the other.
    """
    conv = Convolution.of(params)
    none = ((0, 0),) * len(conv.padding)
    params |= {"padding": none, "lhs_dilation": (1,) * len(none)}
    return lax.conv_general_dilated_p.bind(conv.padded(lhs), rhs, **params)

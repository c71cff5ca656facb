"""What a convolution does besides its arrays."""

import jax.numpy as jnp
from jax import lax

from sporax._src.lowering.cpu.conv_params import Convolution, spread

NUMBERS = lax.ConvDimensionNumbers((0, 1, 2), (0, 1, 2), (0, 1, 2))


def made(**changed) -> Convolution:
    params = {"window_strides": (1,), "padding": ((0, 0),), "lhs_dilation": (1,), "rhs_dilation": (1,),
              "dimension_numbers": NUMBERS, "feature_group_count": 1, "precision": None, "other": 0}  # fmt: skip
    return Convolution.of(params | changed)


def test_lengths() -> None:
    x, w = jnp.ones((1, 1, 7)), jnp.ones((1, 1, 3))
    assert made().lengths(x, w) == [5]
    assert made(window_strides=(2,), padding=((1, 1),)).lengths(x, w) == [4]
    assert made(lhs_dilation=(2,)).lengths(x, w) == [11]
    assert made(rhs_dilation=(3,)).lengths(x, w) == [1]


def test_padding_and_gaps() -> None:
    x = jnp.asarray([[[1.0, 2.0, 3.0]]])
    assert made(padding=((1, 0),), lhs_dilation=(2,)).padded(x).tolist() == [[[0, 1, 0, 2, 0, 3]]]
    assert (spread(3, 2), spread(1, 5)) == (5, 1)

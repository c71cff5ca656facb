"""Operators, under the path `ops.function`."""

from sporax.ops._namespace import *  # noqa: F403
from sporax.ops._namespace import __all__
from sporax.ops.function import (
    array_func,
    clip_func,
    debug_func,
    fft_func,
    image_func,
    linalg_func,
    math_func,
    nn_func,
    other_func,
    parameter_func,
    random_func,
    reshard_func,
    sparse_func,
    sparse_unary_func,
    spectral_func,
    vmap_func,
)

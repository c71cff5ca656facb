"""Convolutions of images of one element along an axis."""

import pytest
from lowered import check_form

from sporax._src.lowering.cpu import unit_axis

NAMES = {
    "an image of one element, cropped",
    "an image of one element, one axis",
    "an image of one element, strides, holes",
    "one element, three axes",
}


@pytest.mark.of_cpus("a form of CPUs")
def test_the_form_computes_what_jax_computes() -> None:
    check_form(unit_axis.is_thin, unit_axis.with_positions_as_channels, NAMES)

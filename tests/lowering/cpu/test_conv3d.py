"""Convolutions along three axes, made of those along two."""

import pytest
from lowered import check_form

from sporax._src.lowering.cpu import conv3d

NAMES = {
    "one element, three axes",
    "three axes",
    "three axes, a long kernel",
    "three axes, channels last",
}


@pytest.mark.of_cpus("a form of CPUs")
def test_the_form_computes_what_jax_computes() -> None:
    check_form(conv3d.is_solid, conv3d.along_two_axes, NAMES)

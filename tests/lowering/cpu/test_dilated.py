"""Convolutions of images with gaps, computed without."""

import pytest
from lowered import check_form

from sporax._src.lowering.cpu import dilated

NAMES = {
    "an image of one element, cropped",
    "an image of one element, one axis",
    "gaps",
    "gaps and a long kernel",
    "gaps that are cropped",
    "gaps that no element of the kernel meets",
    "gaps, a long kernel and strides",
    "gaps, channels last",
    "gaps, one axis",
    "kernels as long as the gaps",
    "kernels as long as the gaps, turned",
    "kernels twice the gaps, channels last",
    "three axes with gaps",
}


@pytest.mark.of_cpus("a form of CPUs")
def test_the_form_computes_what_jax_computes() -> None:
    check_form(dilated.has_gaps, dilated.without_gaps, NAMES)

"""Layers of `mint.nn` that have Parameters or a state: the rows of the tables."""

import numpy as np
import pytest
from layer_tables import layers_of

from sporax import mint

TestLayers = layers_of("sporax._src.nn.mint.parametrized")


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda n: n.Conv2d(3, 4, 0), ValueError, "each element of kernel_size must be a positive integer, got 0"),
        (lambda n: n.Conv2d(3, 4, (3,)), TypeError, r"kernel_size must be an integer or a tuple of 2, got \(3\)"),
        (lambda n: n.Conv2d(3, 4, True), TypeError, "kernel_size must be an integer or a tuple of 2, got True"),
        (lambda n: n.Conv2d(3, 4, 3, stride=0), ValueError, "each element of stride must be a positive integer"),
        (lambda n: n.Conv3d(3, 4, 3, dilation="x"), TypeError, "dilation must be an integer or a tuple of 3, got 'x'"),
        (lambda n: n.Conv3d(3, 4, 3, padding="x"), ValueError, r"padding must be one of \['same', 'valid'\], got 'x'"),
        (lambda n: n.Conv2d(3, 4, 3, padding="same", stride=2), ValueError, "padding='same' needs strides of 1"),
        (lambda n: n.Conv2d(3, 4, 3, padding=1.5), TypeError, "padding must be an integer or a tuple of 2, got 1.5"),
        (
            lambda n: n.ConvTranspose2d(3, 4, 3, padding="same"),
            ValueError,
            "padding must be an integer or a tuple of 2",
        ),
    ],
)
def test_wrong_arguments(make, error, text) -> None:
    """The classes of errors are those of MindSpore 2.10."""
    with pytest.raises(error, match=text):
        make(mint.nn)


def test_what_torch_takes_too() -> None:
    """Converted programs pass what torch takes: integers of NumPy, and any value as a truth value."""
    assert mint.nn.Conv2d(3, 4, np.int64(3), stride=(np.int64(2), 1)).stride == (2, 1)
    assert mint.nn.Conv2d(3, 4, 3, bias=None).bias is None
    assert mint.nn.Linear(2, 1, bias=1).bias is not None

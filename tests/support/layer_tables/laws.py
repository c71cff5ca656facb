"""Every layer obeys the laws of `check_cell`."""

from collections import OrderedDict

import layer_cases
import pytest
from laws.cells import check_cell

import sporax as ms
from sporax import nn

# These take float32 only, as MindSpore's do.
SINGLE = ("IGamma", "MatInverse", "MatDet", "CTCLoss")
SCOPE = {"nn": nn, "ms": ms, "OrderedDict": OrderedDict}


@pytest.mark.filterwarnings(
    "ignore:.* differ, and are broadcast:UserWarning"
)  # losses of such inputs are among the cases
@pytest.mark.parametrize(("constructor", "inputs"), layer_cases.ALL, ids=lambda v: v[:60])
def test_laws(constructor: str, inputs: str) -> None:
    """Both modes, gradients, copies, half precision."""
    check_cell(lambda: eval(f"nn.{constructor}", SCOPE), inputs, constructor, half=not constructor.startswith(SINGLE))

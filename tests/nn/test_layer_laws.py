"""Every layer obeys the laws of `check_cell`."""

from collections import OrderedDict

import layer_cases
import pytest
from laws.cells import check_cell

import sporax as ms
from sporax import nn
from sporax._src.base.public_names import defined_in
from sporax._src.nn.cell.cell import Cell

# These take float32 only, as MindSpore's do.
SINGLE = ("IGamma", "MatInverse", "MatDet", "CTCLoss")
SCOPE = {"nn": nn, "ms": ms, "OrderedDict": OrderedDict}


@pytest.mark.filterwarnings(
    "ignore:.* differ, and are broadcast:UserWarning"
)  # losses of such inputs are among the cases
@pytest.mark.parametrize(("constructor", "inputs"), layer_cases.ALL, ids=lambda v: v[:60])
def test_layer(constructor: str, inputs: str) -> None:
    """Both modes, gradients, copies, half precision."""
    check_cell(lambda: eval(f"nn.{constructor}", SCOPE), inputs, constructor, half=not constructor.startswith(SINGLE))


def test_every_layer_is_in_the_table() -> None:
    """A layer is tested by a row; what has none is a base class or container, needs another process, or takes no plain Tensors."""
    tested = " ".join(constructor for constructor, _ in layer_cases.ALL)
    modules = ("optim", "wrap", "cell", "reducer", "pipeline", "schedule", "train", "export", "nn.grad", "nn.sparse")
    layers = [
        n
        for n in nn.__all__
        if isinstance(getattr(nn, n), type)
        and issubclass(getattr(nn, n), Cell)
        and not any(m in defined_in(getattr(nn, n)) for m in modules)
    ]
    untested = [n for n in layers if f"{n}(" not in tested]
    assert sorted(untested) == ["CellDict", "CellList", "LossBase", "TensorArray"]

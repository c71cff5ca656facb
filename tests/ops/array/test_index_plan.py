"""Plans of index expressions: what is known of them without values, and their operands."""

import numpy as np
import pytest

from sporax import Tensor
from sporax._src.ops.array import index_plan
from sporax._src.ops.array.index_plan import ALL, ARRAY, INT, NEW, Nothing, Plan, plan


@pytest.mark.parametrize(
    ("index", "kinds", "operands"),
    [
        (1, ["int", "all", "all"], 1),
        ((..., -1), ["all", "all", "int"], 1),
        ((None, slice(None), 0), ["new", "all", "int", "all"], 1),
        (slice(1, 3), ["slice", "all", "all"], 1),
        ((Tensor([0, 1]), slice(None)), ["array", "all", "all"], 1),
        (True, ["new", "all", "all", "all"], 0),
    ],
)
def test_plans(index, kinds: list[str], operands: int) -> None:
    found, given = plan((4, 3, 2), index)
    assert [item.kind for item in found.items] == kinds
    assert len(given) == found.operands == operands


def test_plans_key_kernels() -> None:
    """Other positions need no other plan; other lengths and steps of slices do."""
    assert plan((4, 3), 1)[0] == plan((4, 3), 2)[0]
    assert plan((4, 3), slice(0, 2))[0] == plan((4, 3), slice(1, 3))[0] != plan((4, 3), slice(0, 3))[0]
    assert plan((4, 3), slice(0, 4, 2))[0] != plan((4, 3), slice(0, 2))[0]


def test_what_a_plan_says() -> None:
    assert Plan((ARRAY, ALL)).has_arrays and Plan((INT, NEW)).picks and not Plan((NEW, ALL)).picks
    assert Plan((ARRAY, ALL, INT, NEW)).operands == 2
    assert index_plan.position(-1, (4, 3), 0) == 3


@pytest.mark.parametrize(
    ("index", "kind"),
    [
        ((0, 0, 0, 0), IndexError),
        (7, IndexError),
        ("a", IndexError),
        (slice(0, 4, 0), ValueError),
        (False, Nothing),
        ([], Nothing),
    ],
)
def test_what_is_no_index(index, kind: type) -> None:
    with pytest.raises(kind):
        plan((4, 3, 2), index)


def test_masks_fit_their_axes() -> None:
    with pytest.raises(ValueError):
        plan((4, 3), Tensor(np.ones((3, 3), bool)))

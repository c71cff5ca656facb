"""Which processes hold the same part of a Parameter, and which of them saves it. MindSpore's records are in `compat`."""

import pytest

from sporax import nn
from sporax._src.checkpoint.sharded.redundancy import get_parameter_redundancy, remove_param_redundancy


def layout(matrix: list[int], tensor_map: list[int], group: str = "") -> list:
    return [matrix, tensor_map, [], 0, True, group]


def test_processes_that_hold_the_same_part() -> None:
    layouts = {"rows": layout([2, 2], [1, -1]), "all": layout([2, 2], [-1]), "none": layout([2, 2], [1, 0])}
    assert get_parameter_redundancy(layouts, 4) == {
        "all": ((4, 5, 6, 7),),
        "none": ((4,), (6,), (5,), (7,)),
        "rows": ((4, 5), (6, 7)),
    }


def test_the_optimizers_group_cuts_further() -> None:
    assert get_parameter_redundancy({"w": layout([4], [-1], "2-123")}, 0) == {"w": ((0, 2), (1, 3))}
    with pytest.raises(ValueError, match="the group of an optimizer must begin with its size, got 'mine'"):
        get_parameter_redundancy({"w": layout([4], [-1], "mine")}, 0)


def test_a_network_is_held_by_every_process() -> None:
    assert get_parameter_redundancy(nn.Dense(1, 1)) == {"bias": ((0,),), "weight": ((0,),)}


def test_each_part_is_saved_as_often_as_asked_for() -> None:
    groups = {"a": ((0, 1), (2, 3)), "b": ((0, 1), (2, 3)), "c": ((0, 1, 2, 3),)}
    assert remove_param_redundancy(groups) == {0: {"a", "c"}, 1: {"b"}, 2: {"a"}, 3: {"b"}}
    assert remove_param_redundancy(groups, 2) == {0: {"a", "b", "c"}, 1: {"a", "b", "c"}, 2: {"a", "b"}, 3: {"a", "b"}}

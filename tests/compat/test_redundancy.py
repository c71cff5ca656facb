"""Which processes hold the same part of a Parameter: what MindSpore 2.7 says of the same layouts."""

import pytest

import sporax as ms
from sporax import nn
from sporax._src.checkpoint.sharded import redundancy
from sporax._src.sharding.parameter_proto import CLASSES

LAYOUTS = {
    "b": ([2, 4], [0, -1], [], 0, True, ""),
    "a": ([2, 4], [1, 0], [], 0, True, ""),
    "c": ([2, 4], [-1, -1], [], 0, True, "2-abc"),
    "d": ([2, 4], [-1, 1], [], 0, True, ""),
}
GROUPS = {
    "a": ((0,), (4,), (1,), (5,), (2,), (6,), (3,), (7,)),
    "b": ((0, 4), (1, 5), (2, 6), (3, 7)),
    "c": ((0, 2, 4, 6), (1, 3, 5, 7)),
    "d": ((0, 1, 2, 3), (4, 5, 6, 7)),
}


def write_strategy(path, layouts):
    """Write a file of strategies: of each Parameter the device matrix, the tensor map, and step and size of the optimizer's cut."""
    message = CLASSES["ParallelStrategyMap"](current_stage=0)
    for name, (matrix, tensor_map, step, size) in layouts.items():
        item = message.parallel_layout_item.add(param_name=name)
        item.parallel_layouts.field = 0
        item.parallel_layouts.dev_matrix.add(dim=matrix)
        item.parallel_layouts.tensor_map.add(dim=tensor_map)
        item.parallel_layouts.opt_weight_shard_step, item.parallel_layouts.opt_weight_shard_size = step, size
    path.write_bytes(message.SerializeToString())
    return str(path)


def test_groups():
    """Of layouts, of a Cell on one process, and of another stage of a pipeline."""
    assert redundancy.get_parameter_redundancy(LAYOUTS) == GROUPS
    assert redundancy.get_parameter_redundancy(LAYOUTS, 8)["b"] == ((8, 12), (9, 13), (10, 14), (11, 15))
    assert redundancy.get_parameter_redundancy(nn.Dense(1, 1)) == {"bias": ((0,),), "weight": ((0,),)}
    world = {"w": ([1], [0], [], 0, True, "hccl_world_group")}
    assert redundancy.get_parameter_redundancy(world) == {"w": ((0,),)}
    with pytest.raises(ValueError, match="the group of an optimizer must begin with its size, got 'abc'"):
        redundancy.get_parameter_redundancy({"c": ([2], [0], [], 0, True, "abc")})


def test_who_saves():
    """Each group's Parameters go round its processes."""
    once = redundancy.remove_param_redundancy(GROUPS)
    assert once == {
        0: set("abcd"),
        1: set("abc"),
        2: set("ab"),
        3: set("ab"),
        4: set("ad"),
        5: {"a"},
        6: {"a"},
        7: {"a"},
    }
    twice = redundancy.remove_param_redundancy(GROUPS, 2)
    assert twice[1] == set("abcd") and twice[5] == set("abd") and twice[7] == set("ab")


def test_files(tmp_path):
    """A file of strategies says the same; a missing checkpoint is that of a process with the same parts."""
    name = write_strategy(tmp_path / "s.ckpt", {"b": ([2, 4], [0, -1], 1, 0), "c": ([2, 4], [-1, -1], 1, 2)})
    assert redundancy.get_parameter_redundancy(name) == {key: GROUPS[key] for key in "bc"}
    whole = write_strategy(tmp_path / "t.ckpt", {"c": ([2, 4], [-1, -1], 1, -1)})
    assert redundancy.get_parameter_redundancy(whole)["c"] == tuple((i,) for i in range(8))
    own, other = (tmp_path / f"rank_{i}" / "net.ckpt" for i in (0, 4))
    assert ms.get_ckpt_path_with_strategy(str(own), name) is None
    other.parent.mkdir()
    other.touch()
    assert ms.get_ckpt_path_with_strategy(str(own), name) == str(other)
    own.parent.mkdir()
    own.touch()
    assert ms.get_ckpt_path_with_strategy(str(own), name) == str(own)

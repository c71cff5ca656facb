"""Operators with a strategy."""

import copy
import pickle

import pytest
from small_tensors import ones

from sporax import nn, ops
from sporax._src.sharding.primitive import Sharded, check_strategy, sharded
from sporax.parallel import Layout

LAYOUT = Layout((2, 4), ("x", "y"))


def test_a_class_with_a_strategy_has_the_name_of_the_other() -> None:
    kind = sharded(ops.MatMul)
    assert issubclass(kind, ops.MatMul) and issubclass(kind, Sharded)
    assert (kind.__name__, kind.__doc__, kind.__module__) == ("MatMul", ops.MatMul.__doc__, ops.MatMul.__module__)
    assert sharded(ops.MatMul) is kind and sharded(kind) is kind


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))], ids=["copy", "pickle"])
def test_copies_have_the_strategy(copied) -> None:
    product = ops.MatMul(transpose_b=True).shard(((2, 1), (4, 1)))
    other = copied(product)
    assert type(other) is type(product)
    assert other.attrs["in_strategy"] == ((2, 1), (4, 1)) and other.transpose_b


def test_outside_of_a_graph_of_all_devices_nothing_is_checked() -> None:
    assert ops.ReLU().shard(((3, 1),))(ones(2, 2)).asnumpy().tolist() == [[1, 1], [1, 1]]


@pytest.mark.usefixtures("eight_devices")
def test_in_a_graph_of_all_devices_a_strategy_is_checked() -> None:
    class Net(nn.Cell):
        def __init__(self, *strategy: tuple[int, ...]) -> None:
            super().__init__()
            self.relu = ops.ReLU().shard(strategy)

        def construct(self, x):
            return self.relu(x)

    assert Net((2, 4))(ones(4, 4)).shape == (4, 4)
    with pytest.raises(RuntimeError, match=r"ReLU"):
        Net((3, 1))(ones(4, 4))


def test_kinds_of_strategies() -> None:
    assert not check_strategy("MatMul", "in_strategy", ((1, 2), (2, 1)))
    assert check_strategy("MatMul", "in_strategy", (LAYOUT("x", "y"),))
    assert check_strategy("Concat", "in_strategy", ((LAYOUT("x", "y"), LAYOUT("x", "y")),))
    with pytest.raises(
        TypeError, match=r"^MatMul: in_strategy must be a tuple of tuples, or of Layouts, got \[\(1,\)\]\.$"
    ):
        check_strategy("MatMul", "in_strategy", [(1,)])
    with pytest.raises(TypeError, match=r"^MatMul: the numbers of in_strategy must be ints, got \(\(1.0,\),\)\.$"):
        check_strategy("MatMul", "in_strategy", ((1.0,),))

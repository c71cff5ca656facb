"""Which strategies fit the operands of an operator: graphs of eight devices, of which one is there, are checked and cut nothing."""

import re

import numpy as np
import pytest
from small_tensors import ones

import sporax as ms
from sporax import Tensor, nn, ops
from sporax.parallel import Layout

LAYOUT = Layout((2, 2, 2), ("dp", "sp", "mp"))
pytestmark = pytest.mark.usefixtures("eight_devices")


class Calls(nn.Cell):
    def __init__(self, operator) -> None:
        super().__init__()
        self.operator = operator

    def construct(self, *inputs):
        return self.operator(*inputs)


def _shape_of(operator, *inputs: Tensor) -> tuple[int, ...]:
    result = Calls(operator)(*inputs)
    return (result[0] if isinstance(result, tuple) else result).shape


ATTENTION = ops.operations.nn_ops.FlashAttentionScore
TAKEN = {
    "a stack of what is cut alike": (ops.Stack(), ((4, 2), (4, 2)), None, [(8, 4), (8, 4)]),
    "a bias along the last axis": (ops.BiasAdd(), ((4, 2), (2,)), None, [(8, 4), (4,)]),
    "results that share nothing": (ops.SquareSumAll(), ((2, 4), (2, 4)), None, [(8, 4), (8, 4)]),
    "what goes to places": (ops.UnsortedSegmentMax(), ((8,), (8,)), None, [(8,), (8,)]),
    "indices by the strategy of their OneHot": (ops.OneHot(), ((1, 8), (), ()), None, [(8,)]),
    "indices with a new first axis": (ops.OneHot(axis=0), ((8, 1), (), ()), None, [(8,)]),
    "a product whose sums are spread": (ops.MatMul(), ((2, 4), (4, 1)), ((8, 1),), [(8, 8), (8, 8)]),
    "windows": (ops.MaxPool(2, 2), ((1, 1, 2, 1),), None, [(1, 1, 8, 8)]),
}
REFUSED = {
    "a normalized axis": (ops.Softmax(), ((1, 8),), None, [(8, 8)], r"Softmax: axis 1 of input 0 cannot be cut, got 8"),
    "the axis of a LayerNorm": (
        ops.LayerNorm(1, 1), ((2, 4), (4,), (4,)), None, [(8, 8), (8,), (8,)], "LayerNorm: axis 1 of input 0 cannot be cut",
    ),
    "a result that windows leave uneven": (
        ops.MaxPool(2, 2), ((1, 1, 4, 1),), None, [(1, 1, 12, 8)],
        "MaxPool: axis 2 of input 0 is cut into 4 pieces, and the result has size 6 along this axis",
    ),
    "a result that is cut otherwise": (
        ops.BiasAdd(), (LAYOUT(("dp", "sp", "mp"), "None"), LAYOUT("None")), (LAYOUT(("dp", "sp"), "None"),), [(8, 8), (8,)],
        "BiasAdd: axis 0 of result 0 corresponds to operand axes that are sharded into 8 pieces, got 4",
    ),
    "more than there are devices": (
        ops.UnsortedSegmentMax(), ((16,), (8,)), None, [(16,), (16,)], "UnsortedSegmentMax: the strategies .* need 16 devices",
    ),
    "names in another order": (
        ops.Add(), (LAYOUT(("dp", "mp"), "None"), LAYOUT("None", ("dp", "mp"))), None, [(8, 8), (8, 8)], "must be sharded equally",
    ),
}  # fmt: skip


def _inputs(operator, shapes) -> list:
    if operator.name == "OneHot":
        return [ones(*shapes[0], dtype=np.int32), 16, Tensor(1.0), Tensor(0.0)]
    if operator.name == "UnsortedSegmentMax":
        return [ones(*shapes[0]), ones(*shapes[1], dtype=np.int32), 4]
    return [ones(*shape) for shape in shapes]


@pytest.mark.parametrize("case", TAKEN)
def test_strategies_that_fit(case: str):
    operator, strategy, out, shapes = TAKEN[case]
    inputs = _inputs(operator, shapes)
    if operator.name == "Stack":
        inputs = [tuple(inputs)]
    plain = operator(*inputs)
    expected = (plain[0] if isinstance(plain, tuple) else plain).asnumpy()
    result = Calls(type(operator)(**_made_with(operator)).shard(strategy, out))(*inputs)
    np.testing.assert_allclose((result[0] if isinstance(result, tuple) else result).asnumpy(), expected, rtol=1e-6)


def _made_with(operator) -> dict:
    return {k: v for k, v in vars(operator).items() if k in ("axis", "kernel_size", "strides", "begin_norm_axis")}


@pytest.mark.parametrize("case", REFUSED)
def test_strategies_that_do_not_fit(case: str):
    operator, strategy, out, shapes, message = REFUSED[case]
    with pytest.raises(RuntimeError, match=message):
        Calls(operator.shard(strategy, out))(*_inputs(operator, shapes))


def test_attention_cuts_each_operand_by_itself():
    query, few = ones(2, 8, 4, 8, dtype=np.float16), ones(2, 1, 4, 8, dtype=np.float16)
    attention = ATTENTION(head_num=8, input_layout="BNSD").shard(((2, 4, 1, 1), (2, 1, 1, 1), (2, 1, 1, 1)))
    assert Calls(attention)(query, few, few, None, None, None, None)[3].shape == (2, 8, 4, 8)
    wrong = ATTENTION(head_num=8, input_layout="BNSD").shard(((2, 8, 1, 1), (2, 1, 1, 1), (2, 1, 1, 1)))
    with pytest.raises(
        RuntimeError, match=re.escape("FlashAttentionScore: the strategies (2, 8, 1, 1) need 16 devices")
    ):
        Calls(wrong)(query, few, few, None, None, None, None)
    uneven = ATTENTION(head_num=8, input_layout="BNSD").shard(((1, 8, 1, 1), (1, 4, 1, 1), (1, 4, 1, 1)))
    with pytest.raises(
        RuntimeError, match=r"axis 1 of input 0 and axis 1 of input 1 .* must be sharded equally or not at all"
    ):
        Calls(uneven)(query, query, query, None, None, None, None)


def _manual(strategy, split, axis: int = 0):
    gather = ops.Gather().shard(strategy)
    gather.add_prim_attr("manual_split", split)
    return Calls(gather)(ones(8, 8), ones(8, 8, dtype=np.int32), axis)


def test_rows_of_a_table_by_hand():
    with pytest.raises(RuntimeError, match="need 64 devices"):
        Calls(ops.Gather().shard(((8, 1), (1, 8))))(ones(8, 8), ones(8, 8, dtype=np.int32), 0)
    assert _manual(((4, 2), (1, 4)), ((2, 0), (2, 2), (2, 4), (2, 6))).shape == (8, 8, 8)
    with pytest.raises(
        RuntimeError, match=r"2 parts .* cut the first axis of the table and the last of the indices, got"
    ):
        _manual(((4, 2), (1, 4)), (4, 4))
    with pytest.raises(RuntimeError, match="must add up to the 8 rows of the table, each at least 4 for its fields"):
        _manual(((2, 4), (1, 2)), (5, 5))
    with pytest.raises(RuntimeError, match="of a table, which must be indexed along axis 0"):
        _manual(((2, 4), (1, 2)), (4, 4), axis=1)


class TwoUses(nn.Cell):
    def __init__(self, strategy) -> None:
        super().__init__()
        self.weight = ms.Parameter(ones(8, 8), name="weight")
        self.product, self.positive = ops.MatMul().shard(((1, 2), (2, 4))), ops.ReLU().shard((strategy,))

    def construct(self, x):
        return self.product(x, self.weight) + self.positive(self.weight)


def test_a_parameter_has_one_place():
    assert TwoUses((2, 4))(ones(8, 8)).shape == (8, 8)
    with pytest.raises(
        RuntimeError, match=r"ReLU: the Parameter weight is sharded into \(4, 2\) pieces, and MatMul shards it into"
    ):
        TwoUses((4, 2))(ones(8, 8))

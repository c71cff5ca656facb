"""Operators with rules of their own for strategies: eight devices compute what one does, and what does not fit is said."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from launching import PROGRAMS
from small_tensors import ones

import sporax as ms
from sporax import Tensor, nn, ops
from sporax.parallel import Layout

PROGRAM = PROGRAMS / "own_rules.py"


def _values(file, devices: int) -> dict:
    environment = os.environ | {"XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}"}
    command = [sys.executable, "-m", "sporax", "run", PROGRAM, file, *([devices] if devices > 1 else [])]
    subprocess.run(list(map(str, command)), env=environment, check=True, timeout=300)
    return json.loads(file.read_text())


def test_eight_devices_compute_what_one_does(tmp_path):
    one, eight = _values(tmp_path / "one.json", 1), _values(tmp_path / "eight.json", 8)
    assert len(one) == 12
    for name, values in one.items():
        for value, other in zip(values, eight[name], strict=True):
            np.testing.assert_allclose(other, value, rtol=1e-5, atol=1e-5, err_msg=name)


class Calls(nn.Cell):
    def __init__(self, operator, *rest) -> None:
        super().__init__()
        self.operator, self.rest = operator, rest

    def construct(self, *inputs):
        return self.operator(*inputs, *self.rest)


LAYOUT = Layout((2, 2, 2), ("z", "x", "y"))


def _product(*strategy):
    return Calls(ops.MatMul().add_prim_attr("enable_nd_tp", True).shard(strategy))


@pytest.mark.usefixtures("eight_devices")
def test_products_of_several_dimensions_that_do_not_fit():
    with pytest.raises(RuntimeError, match=r"MatMul: products in several dimensions .* are cut like .*, got"):
        _product(LAYOUT("None", ("y", "x")), LAYOUT("x", "y"))(ones(8, 8), ones(8, 8))
    with pytest.raises(RuntimeError, match="MatMul: products in several dimensions"):
        _product(LAYOUT("z", "y"), LAYOUT(("x", "z"), "y"))(ones(8, 8), ones(8, 8))
    with pytest.raises(RuntimeError, match="correspond and must be sharded equally, got 4 and 2"):
        _product((1, 4), (2, 4))(ones(8, 8), ones(8, 8))
    with pytest.raises(RuntimeError, match=r"MatMul: the strategies .* need 32 devices, and there are 8"):
        Calls(ops.MatMul(transpose_b=True).shard(((4, 2), (4, 2))))(ones(8, 8), ones(8, 8))
    with pytest.raises(RuntimeError, match="correspond and must be sharded equally, got 1 and 2"):
        Calls(ops.MatMul().shard(((2, 1), (2, 1))))(ones(8, 8), ones(8, 8))  # two of eight devices


@pytest.mark.usefixtures("eight_devices")
def test_axes_that_are_repeated():
    tile = Calls(ops.Tile().shard(((2, 2, 1),)), (4, 2, 1))
    assert tile(ones(4, 8)).shape == (4, 8, 8)
    with pytest.raises(RuntimeError, match="Tile: axis 1 of the result has size 2, which cannot be cut into 4"):
        Calls(ops.Tile().shard(((2, 4, 1),)), (4, 2, 1))(ones(4, 8))


@pytest.mark.usefixtures("eight_devices")
def test_pools_whose_pieces_would_have_no_whole_windows():
    with pytest.raises(RuntimeError, match=r"MaxPool: axis 2 of input 0 .*into 4 pieces, and the result has size 2"):
        Calls(ops.MaxPool(2, 4).shard(((1, 1, 4, 1),)))(ones(1, 1, 8, 8))
    with pytest.raises(RuntimeError, match="MaxPool: axis 2 of input 0 cannot be cut, got 2"):
        Calls(ops.MaxPool(1, 3).shard(((1, 1, 2, 1),)))(ones(1, 1, 10, 8))


@pytest.mark.usefixtures("eight_devices")
def test_splits_are_cut_along_their_axis_only_where_that_is_said():
    with pytest.raises(RuntimeError, match="Split: axis 1 of input 0 cannot be cut, got the strategies"):
        Calls(ops.Split(1, 2).shard(((1, 2),)))(ones(8, 8))


@pytest.mark.usefixtures("eight_devices")
def test_strategies_of_what_is_made_or_left_as_it_is():
    mask = Calls(ops.DropoutGenMask().shard(((8, 1),)), (16, 8), Tensor(0.5))
    assert mask().shape == (16,)
    with pytest.raises(
        RuntimeError, match="DropoutGenMask: axis 1 of the result has size 8, which cannot be cut into 16"
    ):
        Calls(ops.DropoutGenMask().shard(((1, 16),)), (16, 8), Tensor(0.5))()
    assert Calls(ops.Reshape().shard(((16, 1),)), (8, 8))(ones(8, 8)).shape == (8, 8)
    with pytest.raises(RuntimeError, match=r"Reshape: .*16"):
        Calls(ops.Reshape().shard(((16, 1),)), (4, 16))(ones(8, 8))


@pytest.mark.usefixtures("eight_devices")
def test_a_result_by_a_layout_of_what_takes_no_tensor():
    eye = ops.Eye().add_prim_attr("self_define_shard", True).shard((), (LAYOUT("x", "None"),))
    assert Calls(eye, 4, 4, ms.float32)().shape == (4, 4)
    with pytest.raises(ValueError, match=r"Add\.shard: both strategies must be of numbers, or both of Layouts"):
        ops.Add().shard(((2, 1), (2, 1)), (LAYOUT("x", "None"),))


@pytest.mark.usefixtures("eight_devices")
def test_heads_of_attention_by_layouts_may_be_fewer_for_keys():
    attention = ops.operations.nn_ops.FlashAttentionScore(head_num=8, input_layout="BSH")
    attention.shard((LAYOUT("None", "None", ("z", "x", "y")), LAYOUT("None", "None", "y"), LAYOUT("None", "None", "y")))
    query = Tensor(np.ones((2, 4, 64), np.float16))
    few = Tensor(np.ones((2, 4, 16), np.float16))
    assert Calls(attention, None, None, None, None)(query, few, few)[3].shape == (2, 4, 64)


@pytest.mark.usefixtures("eight_devices")
def test_masks_of_attention_in_inference_follow_the_query():
    query = Tensor(np.ones((2, 8, 8), np.float16))
    mask, lengths = Tensor(np.zeros((2, 8, 8), np.float16)), Tensor([8, 8], ms.int64)
    rows = (2, 4, 1), ((2, 1, 1),), ((2, 1, 1),)

    def attended(*masks):
        attention = ops.operations.nn_ops.FusedInferAttentionScore(2, 1.0, 100, 100, "BSH", 2, 0)
        return Calls(attention.shard((*rows, *masks)))(query, (query,), (query,), None, mask, lengths, lengths)[0]

    assert attended((2, 4, 4), (2,), (2,)).shape == (2, 8, 8)
    with pytest.raises(
        RuntimeError, match="FusedInferAttentionScore: axis 2 of input 3 has size 8, which cannot be cut into 16"
    ):
        attended((2, 4, 16), (2,), (2,))

"""What MindSpore asks of strategies beyond what graphs say: graphs of eight devices, of which one is there, are checked."""

from typing import Any

import numpy as np
import pytest
from small_tensors import ones

import sporax as ms
from sporax import Parameter, Tensor, nn, ops
from sporax._src.compat.shims.common.api import _cell_graph_executor
from sporax._src.core.symbol import UNKNOWN
from sporax.parallel import Layout

AUTO, ATTENTION = ops.auto_generate, ops.operations.nn_ops.FlashAttentionScore
LAYOUT = Layout((2, 2, 2), ("dp", "sp", "mp"))
INTERLEAVED = Layout((2, 4, 2), ("dp", "mp", "interleaved_parallel"))
pytestmark = pytest.mark.usefixtures("eight_devices")


def _places(*shape: int) -> Tensor:
    return Tensor(np.zeros(shape, np.int32))


class Calls(nn.Cell):
    """Calls an operator; Parameters among the arguments are those of the Cell."""

    def __init__(self, operator, *arguments) -> None:
        super().__init__()
        self.operator, self.arguments = operator, arguments
        self.weight = next((a for a in arguments if isinstance(a, Parameter)), None)

    def construct(self):
        result = self.operator(*self.arguments)
        return result if isinstance(result, Tensor) else result[-1]


CROPPED = ones(4, 4, 4, 4), ones(2, 4), _places(2), (2, 2)
ATTENDED = ones(8, 8, 4, dtype=np.float16), ones(8, 8, 4, dtype=np.float16), ones(8, 8, 4, dtype=np.float16)
LENGTHS = Tensor([4, 8], ms.int64)
PAGES = ones(1, 1, 16), ones(2, 2, 4, 4), ones(2, 2, 4, 4), _places(1, 2), Tensor([3], ms.int32)
DECODED = ones(2, 1, 16), [ones(2, 4, 16)], [ones(2, 4, 16)], Tensor(np.zeros((2, 1, 4), bool))
WRITTEN = ones(4, 4, 8), _places(2, 1), ones(2, 4, 8)
IMAGES, KERNEL = ones(2, 1, 8, 8), ones(1, 1, 5, 5)
MANUAL = ones(8, 8), _places(8, 8), 0


def _conv(**how: Any):
    return ops.Conv2D(1, 5, **({"pad_mode": "same"} | how))


CASES = {  # an operator, its arguments, a strategy that fits (or None), one that does not, and what is said of it
    "boxes with their indices": (
        ops.CropAndResize, CROPPED, ((4, 1, 1, 1), (2, 1), (2,)), ((4, 1, 1, 1), (2, 1), (1,)),
        "CropAndResize: axis 0 of input 1 and axis 0 of input 2 must be sharded equally",
    ),
    "the height of images": (
        ops.CropAndResize, CROPPED, ((4, 1, 1, 2), (1, 1), (1,)), ((1, 2, 1, 1), (1, 1), (1,)),
        r"CropAndResize: axis 1 of input 0 cannot be cut, got the strategies \(\(1, 2, 1, 1\)",
    ),
    "what cosines are made along": (
        AUTO.IDCT, (ones(4, 4, 4), 2, 4, 1), ((2, 1, 4),), ((2, 2, 1),),
        "IDCT: axis 1 of input 0 cannot be cut",
    ),
    "all that cosines are made along": (
        AUTO.IDCTN, (ones(4, 4, 4), 2, None, None), ((1, 1, 1),), ((2, 1, 1),), "IDCTN: axis 0 of input 0 cannot be cut",
    ),
    "what is picked from": (
        ops.GatherNd, (ones(4, 4), _places(4, 2)), ((1, 1), (4, 1)), ((2, 1), (4, 1)), "GatherNd: axis 0 of input 0 cannot",
    ),
    "the last axis of places": (
        ops.GatherNd, (ones(4, 4), _places(4, 2)), ((1, 1), (2, 1)), ((1, 1), (1, 2)), "GatherNd: axis 1 of input 1 cannot",
    ),
    "picked along an axis": (
        ops.GatherD, (ones(4, 4), 0, _places(4, 4)), ((2, 4), (1, 4)), ((2, 4), (2, 4)), "GatherD: axis 0 of input 1 cannot",
    ),
    "what is written": (
        lambda: ops.InplaceSub((0, 1)), (ones(4, 8), ones(2, 8)), ((1, 4), (1, 4)), ((1, 4), (1, 2)),
        "InplaceSub: axis 1 of input 0 and axis 1 of input 1 must be sharded equally",
    ),
    "axes that places pick": (
        ops.TensorScatterUpdate, WRITTEN, ((1, 2, 2), (1, 1), (1, 2, 2)), ((2, 2, 2), (1, 1), (1, 2, 2)),
        "TensorScatterUpdate: axis 0 of input 0 cannot be cut",
    ),
    "axes that places pick, added to": (
        ops.TensorScatterAdd, WRITTEN, ((2, 2, 2), (1, 1), (1, 2, 2)), ((1, 2, 2), (1, 1), (2, 2, 2)),
        "TensorScatterAdd: axis 0 of input 2 cannot be cut",
    ),
    "what is padded": (
        ops.PadV3, (ones(4, 8, 8), (0, 0, 1, 1)), ((4, 1, 2),), ((4, 2, 1),), "PadV3: axis 1 of input 0 cannot be cut",
    ),
    "what a constant Tensor pads": (
        ops.PadV3, (ones(4, 8), Tensor([2, 2], ms.int64)), None, ((4, 2), (1,)), "PadV3: axis 1 of input 0 cannot be cut",
    ),
    "what is drawn from": (ops.RandomChoiceWithMask, (ones(8, 2, dtype=bool),), ((1, 1),), ((8, 1),), "axis 0 of input 0 cannot"),
    "rows of images": (
        ops.ResizeBilinearV2, (ones(2, 2, 4, 4), (8, 8)), ((2, 2, 1, 2),), ((2, 2, 2, 1),), "axis 2 of input 0 cannot be cut",
    ),
    "images with corners": (
        lambda: ops.ResizeNearestNeighbor((8, 8), True), (ones(2, 2, 4, 4),), ((2, 2, 1, 1),), ((2, 2, 1, 2),),
        "ResizeNearestNeighbor: axis 3 of input 0 cannot be cut",
    ),
    "regions": (
        lambda: ops.ROIAlign(2, 2, 0.5), (ones(2, 2, 4, 4), ones(2, 5)), ((2, 2, 1, 1), (2, 1)), ((2, 1, 2, 1), (1, 1)),
        "ROIAlign: axis 2 of input 0 cannot be cut",
    ),
    "the largest of a last axis": (ops.TopK, (ones(8, 8), 2), ((8, 1),), ((1, 8),), "TopK: axis 1 of input 0 cannot be cut"),
    "the largest along an axis": (AUTO.TopkExt, (ones(8, 8), 2, 0), ((1, 8),), ((8, 1),), "TopkExt: axis 0 of input 0 cannot"),
    "candidates that must not hit": (
        lambda: ops.UniformCandidateSampler(8, 2, False, 20, 1, True), (_places(4, 8),), ((1, 1),), ((1, 8),),
        "UniformCandidateSampler: axis 1 of input 0 cannot be cut",
    ),
    "heads of pages": (
        lambda: ops.PagedAttention(4, 1.0, 4), PAGES, ((1, 1, 4), (1, 1, 4, 1), (1, 1, 4, 1), (1, 1), (1,)),
        ((1, 1, 4), (1, 1, 2, 1), (1, 1, 4, 1), (1, 1), (1,)), "axis 2 of input 0 and axis 2 of input 1 must be sharded equally",
    ),
    "pages": (
        lambda: ops.PagedAttentionMask(4, 1.0, 4), (*PAGES, None, None, ones(1, 4, 1, 4)), None,
        ((1, 1, 4), (1, 1, 4, 1), (1, 1, 4, 1), (1, 2), (1,), (1, 4, 1, 1)), "axis 1 of input 3 cannot be cut",
    ),
    "a mask by its name": (
        lambda: ops.IncreFlashAttention(num_heads=4, input_layout="BSH"), DECODED, ((2, 1, 4), (2, 1, 4), (2, 1, 4), (2, 1, 1)),
        ((2, 1, 4), (2, 1, 4), (2, 1, 4), (1, 1, 1)), "axis 0 of input 0 and axis 0 of input 3 must be sharded equally",
    ),
    "sequences that follow each other": (
        lambda: ATTENTION(head_num=8, input_layout="TND"), (*ATTENDED, *[None] * 5, LENGTHS, LENGTHS),
        ((2, 4, 1), (2, 4, 1), (2, 4, 1), (2,), (2,)), ((4, 2, 1), (2, 2, 1), (2, 2, 1), (2,), (2,)),
        "axis 0 of input 0 and axis 0 of input 1 must be sharded equally",
    ),
    "what is split": (lambda: ops.Split(1, 2), (ones(8, 8),), ((8, 1),), ((1, 4),), "Split: axis 1 of input 0 cannot be cut"),
    "pieces on one device": (
        lambda: ops.Split(0, 2), (ones(8, 8),), (INTERLEAVED("None", ("mp", "interleaved_parallel")),),
        (INTERLEAVED("interleaved_parallel", "mp"),), "Split: axis 0 of input 0 cannot be cut",
    ),
    "what is repeated": (
        ops.Tile, (ones(4, 2), (1, 4)), (LAYOUT("dp", "None"),), (LAYOUT("dp", "mp"),), "Tile: axis 1 of input 0 cannot be cut",
    ),
    "an ellipsis": (
        lambda: ops.StridedSlice(ellipsis_mask=1), (ones(8, 8), (0, 0), (8, 8), (1, 1)), None, ((1, 8),),
        "StridedSlice: with a strategy, ellipsis_mask must be 0, not 1",
    ),
    "an offset": (
        ops.EmbeddingLookup, (ones(8, 8), _places(8), 1), None, ((1, 8), (1,)),
        "EmbeddingLookup: with a strategy, offset must be 0, not 1",
    ),
    "strides of the batch": (
        lambda: _conv(stride=(2, 1, 1, 1)), (IMAGES, KERNEL), None, ((2, 1, 1, 1), (1, 1, 1, 1)),
        "Conv2D: with a strategy, strides along batch and channels must be 1, not",
    ),
    "a kernel beyond the next piece": (
        _conv, (IMAGES, KERNEL), ((1, 1, 4, 2), (1, 1, 1, 1)), ((1, 1, 1, 8), (1, 1, 1, 1)),
        "axis 3 of input 0 cannot be cut into 8 pieces: the kernel, of size 5 with stride 1, has a halo that exceeds the "
        "neighbouring shard",
    ),
    "a kernel between pieces": (
        lambda: ops.Conv2D(1, 5, stride=6, pad_mode="pad", pad=(3, 0, 3, 0)), (ones(2, 1, 8, 8), KERNEL), None,
        ((1, 1, 2, 1), (1, 1, 1, 1)), "axis 2 of input 0 cannot be cut into 2 pieces: the kernel, of size 5 with stride 6",
    ),
    "one name for rows and columns": (
        ops.MatMul, (ones(8, 8), ones(8, 8)), (LAYOUT("dp", "sp"), LAYOUT("sp", "mp")), (LAYOUT("dp", "sp"), LAYOUT("sp", "dp")),
        "MatMul: the Layouts .* cut two axes of the result along the same names",
    ),
    "Layouts of what takes numbers": (
        ops.TensorScatterUpdate, WRITTEN, None, (LAYOUT("None", "dp", "mp"), LAYOUT("None", "None"), LAYOUT("None", "dp", "mp")),
        "Layouts cut this operator only with add_prim_attr",
    ),
    "a Parameter in pieces on one device": (
        ops.ReLU, (Parameter(ones(8, 8), name="weight"),), (INTERLEAVED("mp", "None"),),
        (INTERLEAVED("interleaved_parallel", "None"),),
        "ReLU: the Parameter weight cannot be cut along interleaved_parallel",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_strategy_that_does_not_fit_is_refused(case: str):
    make, arguments, _, wrong, message = CASES[case]
    with pytest.raises(RuntimeError, match=message):
        Calls(make().shard(wrong), *arguments)()


@pytest.mark.parametrize("case", [case for case in CASES if CASES[case][2]])
def test_one_that_fits_is_taken(case: str):
    make, arguments, right, _, _ = CASES[case]
    plain = make()(*arguments)
    expected = plain if isinstance(plain, Tensor) else plain[-1]
    assert Calls(make().shard(right), *arguments)().shape == expected.shape


RESULTS = {
    "numbers": (ops.Sub, (ones(8, 8), ones(8, 8)), ((8, 1), (8, 1)), ((8, 1),), "Sub: results of this operator are cut like"),
    "names": (ops.ReLU, (ones(8, 8),), (LAYOUT("dp", "sp"),), (LAYOUT("dp", "sp"),), "ReLU: results of this operator are cut"),
    "repetitions": (
        ops.Tile, (ones(4, 4), (2, 2)), (LAYOUT("None", "None"),), (LAYOUT(("dp", "sp"), "mp"),),
        "Tile: axis 0 is repeated 2 times, which cannot be cut into 4 equal parts",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", RESULTS)
def test_the_strategy_of_a_result_is_refused(case: str):
    make, arguments, strategy, out, message = RESULTS[case]
    with pytest.raises(RuntimeError, match=message):
        Calls(make().shard(strategy, out), *arguments)()


def test_attributes_are_checked():
    with pytest.raises(
        RuntimeError, match=r"MatMul: input 0: Layout\.to_dict: call the layout with the names of axes first"
    ):
        Calls(ops.MatMul().shard((LAYOUT, LAYOUT)), ones(8, 8), ones(8, 8))()
    taken = ops.TensorScatterUpdate().shard(
        (LAYOUT("dp", "None", "mp"), LAYOUT("None", "None"), LAYOUT("None", "None", "mp"))
    )
    taken.add_prim_attr("self_define_shard", True)
    assert Calls(taken, *WRITTEN)().shape == (4, 4, 8)
    parts = ops.Split(1, 2).add_prim_attr("skip_redistribution", True).shard(((8, 1),))
    assert Calls(parts, ones(8, 8))().shape == (8, 4)
    with pytest.raises(RuntimeError, match="Gather: with manual_split, the table needs a strategy, and there is"):
        Calls(ops.Gather().add_prim_attr("manual_split", (4, 4)), *MANUAL)()
    with pytest.raises(
        RuntimeError, match=r"Gather: the parts .* must be sharded over all 8 devices, got the strategies"
    ):
        Calls(ops.Gather().shard(((2, 1), (1, 2))).add_prim_attr("manual_split", (4, 4)), *MANUAL)()


@pytest.mark.parametrize(
    ("strategy", "size", "message"),
    [
        (((8, 1), (1,), (1,), (1,), (1,)), 8, ""),
        (((8, 1), (1,), (1,), (1,), (1,)), 3, "group_size must be a power of 2 that divides the 8 devices, not 3"),
        (((2, 4), (4,), (4,), (4,), (4,)), 4, "with a group_size, the batch must be sharded over all 8 devices"),
    ],
)
def test_groups_that_normalize_together(strategy, size: int, message: str):
    layer = nn.BatchNorm1d(4)
    layer.bn_train.shard(strategy).add_prim_attr("group_size", size)
    layer.set_train()
    if not message:
        assert layer(ones(8, 4)).shape == (8, 4)
        return
    with pytest.raises(RuntimeError, match="BatchNorm1d.bn_train: " + message):
        layer(ones(8, 4))


class TwoUses(nn.Cell):
    def __init__(self, first, second) -> None:
        super().__init__()
        self.weight = Parameter(ones(8, 8), name="weight")
        self.product, self.positive = ops.MatMul().shard(first), ops.ReLU().shard(second)

    def construct(self, x):
        return self.product(x, self.weight) + self.positive(self.weight)


def test_a_parameter_is_on_the_same_devices_for_all_its_operators():
    assert TwoUses(((1, 2), (2, 1)), ((2, 1),))(ones(8, 8)).shape == (8, 8)
    with pytest.raises(
        RuntimeError, match=r"ReLU: the Parameter weight is sharded into \(2, 2\) pieces over other devices than MatMul"
    ):
        TwoUses(((2, 2), (2, 2)), ((2, 2),))(ones(8, 8))


# --- sizes that are not known ------------------------------------------------------------------------------------------


class Given(nn.Cell):
    """Calls an operator on an input and on what it is made with."""

    def __init__(self, operator, *others) -> None:
        super().__init__()
        self.operator, self.others = operator, others

    def construct(self, x):
        return self.operator(x, *self.others)


def _scattered(strategy):
    return ops.TensorScatterAdd().shard(strategy), _places(4, 1), ones(4, 8)


OPEN = {  # the shape of an input, an operator with a strategy and what it takes besides, and what is said; None: nothing
    "boxes of images": ((None, 4, 4, 4), (ops.CropAndResize().shard(((4, 1, 1, 1), (2, 1), (2,))), *CROPPED[1:]), "axis 0 of in"),
    "boxes of whole images": ((None, 4, 4, 4), (ops.CropAndResize().shard(((1, 1, 1, 1), (2, 1), (2,))), *CROPPED[1:]), None),
    "rows": ((None, 8), (ops.Gather().shard(((8, 1), (1,))), _places(8), 0), "Gather: axis 0 of input 0 cannot be cut if"),
    "columns": ((None, 8), (ops.Gather().shard(((1, 8), (1,))), _places(8), 0), None),
    "picked along an axis": ((None, 8), (ops.GatherD().shard(((2, 4), (1, 4))), 0, _places(8, 8)), "GatherD: axis 0 of input 0"),
    "axes that places pick": ((None, 8), _scattered(((2, 4), (1, 1), (1, 4))), "TensorScatterAdd: axis 0 of input 0"),
    "regions": ((None, 2, 4, 4), (ops.ROIAlign(2, 2, 0.5).shard(((4, 1, 1, 1), (2, 1))), ones(2, 5)), "ROIAlign: axis 0 of"),
    "sizes of images": ((2, 2, 4, None), (ops.ResizeBilinearV2().shard(((2, 2, 1, 1),)), (8, 8)), "sizes of all axes must be"),
    "number of images": ((None, 2, 4, 4), (ops.ResizeBilinearV2().shard(((2, 2, 1, 1),)), (8, 8)), None),
    "what is dropped": (
        (None, 64), (ops.DropoutDoMask().shard(((2, 4),)), ones(UNKNOWN * 8, dtype=np.uint8), 0.5), "sizes of all axes must",
    ),
    "kernels that overlap": (
        (None, 1, 8, 8), (_conv().shard(((1, 1, 2, 1), (1, 1, 1, 1))), KERNEL), "Conv2D: axis 2 of input 0 cannot be cut",
    ),
    "kernels that do not": (
        (None, 1, 10, 10), (_conv(stride=5, pad_mode="valid").shard(((1, 1, 2, 1), (1, 1, 1, 1))), KERNEL), None,
    ),
    "kernels of a transposed convolution": (
        (None, 1, 8, 8), (ops.Conv2DTranspose(1, 5, "same").shard(((2, 1, 1, 1), (1, 1, 1, 1))), KERNEL, (UNKNOWN, 1, 8, 8)),
        "Conv2DTranspose: with a strategy, the sizes of all axes must be known",
    ),
    "an axis by a name": ((8, None), (ops.ReLU().shard((LAYOUT("dp", "sp"),)),), "input 0 cannot be cut along axes whose size"),
    "an axis by two names": ((8, None), (ops.ReLU().shard((LAYOUT(("dp", "sp"), "None"),)),), "must be cut along one name"),
    "another axis by a name": ((8, None), (ops.ReLU().shard((LAYOUT("dp", "None"),)),), None),
    "pieces on one device": ((8, None), (ops.ReLU().shard((INTERLEAVED("interleaved_parallel", "None"),)),), "not along inter"),
}  # fmt: skip


@pytest.mark.parametrize("case", OPEN)
def test_where_sizes_are_not_known(case: str):
    shape, operator, message = OPEN[case]
    x = Tensor(shape=shape, dtype=ms.float32)
    if message is None:
        assert _cell_graph_executor.compile(Given(*operator), x)[1]
        return
    with pytest.raises(RuntimeError, match=message):
        _cell_graph_executor.compile(Given(*operator), x)


def test_sizes_that_look_unknown_are_known_where_none_is_open():
    assert Given(ops.Gather().shard(((2, 1), (1,))), _places(8), 0)(ones(2018, 8)).shape == (8, 8)

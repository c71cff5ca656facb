"""Cells that cut a batch into micro batches, and the stages of a pipeline."""

import numpy as np
import pytest
from layer_tables import layers_of

import sporax as ms
from sporax import Parameter, Tensor, nn

TestLayers = layers_of("sporax._src.nn.parallel.pipeline")


class Loss(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.w = Parameter(Tensor(2.0), name="w")

    def construct(self, x: Tensor, y: Tensor | None = None) -> Tensor:
        mean = (x * self.w).mean()
        return mean if y is None else mean + y.sum()


@pytest.mark.parametrize("kind", [nn.PipelineCell, nn.GradAccumulationCell, nn.MicroBatchInterleaved])
def test_micro_batches(kind: type, mode: int) -> None:
    """The numbers are those of MindSpore 2.7.0."""
    x = Tensor(np.arange(8, dtype=np.float32))
    assert [kind(Loss(), n)(x).item() for n in (1, 2, 4)] == [7, 14, 28]
    assert kind(Loss(), 2)(x, x).item() == 42 and kind(Loss(), 2)(x, y=x).item() == 42
    net = kind(Loss(), 2)
    (grad,) = ms.grad(net, None, net.trainable_params())(x)
    assert [p.name for p in net.trainable_params()] == ["w"] and grad.item() == 7
    with pytest.raises(ValueError, match=r"must divide into 3 equal parts, got float32\[8\]"):
        kind(Loss(), 3)(x)
    with pytest.raises(ValueError, match="must be > 0, got 0"):
        kind(Loss(), 0)
    with pytest.raises(TypeError, match=r"must be an int, got 1\.5"):
        kind(Loss(), 1.5)
    with pytest.raises(TypeError, match="network must be a Cell, got 3"):
        kind(3, 2)


@pytest.mark.parametrize("kind", [nn.PipelineCell, nn.GradAccumulationCell, nn.MicroBatchInterleaved])
def test_cells_that_cut_micro_batches(kind: type) -> None:
    """The names are those of MindSpore 2.7.0; an attribute of the operator that would cut there changes no value."""
    net = kind(Loss(), 2)
    inputs = "interleave_inputs" if kind is nn.MicroBatchInterleaved else "micro_inputs"
    assert [name for name, _ in net.cells_and_names()] == ["", "network", inputs, f"{inputs}.0", f"{inputs}.1"]
    for part in getattr(net, inputs):
        part.strided_slice.add_prim_attr("out_shard_size", 2)
    assert net(Tensor(np.arange(8, dtype=np.float32))).item() == 14
    first, second = getattr(net, inputs)
    assert first.strided_slice is not second.strided_slice and first.strided_slice.name == "StridedSlice"


def test_stages_of_a_pipeline() -> None:
    net = nn.SequentialCell(nn.Dense(1, 1), nn.Dense(1, 1))
    nn.PipelineCell(net, 2, stage_config={"0": 0, "1": 1})
    assert [cell.pipeline_stage for cell in net] == [0, 1]
    with pytest.raises(KeyError, match="stage_config names 'x', which the network does not have"):
        nn.PipelineCell(net, 2, stage_config={"x": 0})

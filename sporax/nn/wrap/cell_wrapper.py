"""Cells around a network."""

from sporax._src.compat.legacy.cells import _VirtualDatasetCell
from sporax._src.nn.wrap import (
    ForwardValueAndGrad,
    ParameterUpdate,
    TrainOneStepCell,
    WithEvalCell,
    WithGradCell,
    WithLossCell,
)
from sporax._src.nn.wrap_micro_batches import GradAccumulationCell, MicroBatchInterleaved, PipelineCell

__all__ = [
    "GradAccumulationCell",
    "MicroBatchInterleaved",
    "PipelineCell",
    "_VirtualDatasetCell",
    "ForwardValueAndGrad",
    "ParameterUpdate",
    "TrainOneStepCell",
    "WithEvalCell",
    "WithGradCell",
    "WithLossCell",
]

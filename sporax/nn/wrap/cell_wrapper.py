"""Cells around a network."""

from sporax._src.compat.legacy.cells import _VirtualDatasetCell
from sporax._src.nn.wrap import (
    ForwardValueAndGrad,
    GradAccumulationCell,
    MicroBatchInterleaved,
    ParameterUpdate,
    PipelineCell,
    TrainOneStepCell,
    WithEvalCell,
    WithGradCell,
    WithLossCell,
)

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

"""Cells around a network."""

from sporax._src.nn.wrap import (
    ForwardValueAndGrad,
    ParameterUpdate,
    TrainOneStepCell,
    WithEvalCell,
    WithGradCell,
    WithLossCell,
)

__all__ = [
    "ForwardValueAndGrad",
    "ParameterUpdate",
    "TrainOneStepCell",
    "WithEvalCell",
    "WithGradCell",
    "WithLossCell",
]

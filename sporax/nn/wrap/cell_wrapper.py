"""Cells around a network."""

from sporax._src.nn.wrap import ForwardValueAndGrad, TrainOneStepCell, WithEvalCell, WithLossCell

__all__ = [
    "ForwardValueAndGrad",
    "TrainOneStepCell",
    "WithEvalCell",
    "WithLossCell",
]

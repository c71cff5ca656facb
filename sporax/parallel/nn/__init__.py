"""Cells that run a network on parts of a batch."""

from sporax._src.nn.parallel.pipeline import PipelineCell as Pipeline
from sporax._src.nn.wrap import GradAccumulationCell as GradAccumulation
from sporax.nn import GradAccumulationCell, MicroBatchInterleaved, PipelineCell, PipelineGradReducer

__all__ = [
    "GradAccumulation",
    "GradAccumulationCell",
    "MicroBatchInterleaved",
    "Pipeline",
    "PipelineCell",
    "PipelineGradReducer",
]

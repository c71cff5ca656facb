"""Cells that run a network on parts of a batch."""

from sporax._src.nn.parallel.pipeline import PipelineCell, PipelineGradReducer
from sporax._src.nn.parallel.pipeline import PipelineCell as Pipeline
from sporax._src.nn.wrap import GradAccumulationCell, MicroBatchInterleaved
from sporax._src.nn.wrap import GradAccumulationCell as GradAccumulation

__all__ = [
    "GradAccumulation",
    "GradAccumulationCell",
    "MicroBatchInterleaved",
    "Pipeline",
    "PipelineCell",
    "PipelineGradReducer",
]

"""Cells that run a network on parts of a batch."""

from sporax._src.nn.wrap import GradAccumulationCell, MicroBatchInterleaved, PipelineCell
from sporax._src.nn.wrap import GradAccumulationCell as GradAccumulation
from sporax._src.nn.wrap import PipelineCell as Pipeline

__all__ = [
    "GradAccumulation",
    "GradAccumulationCell",
    "MicroBatchInterleaved",
    "Pipeline",
    "PipelineCell",
]

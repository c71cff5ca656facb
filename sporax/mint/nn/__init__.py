"""Layers with torch's arguments and defaults."""

from sporax._src.nn.activation import PReLUExt as PReLU
from sporax._src.nn.dropout import Dropout2dExt as Dropout2d
from sporax._src.nn.dropout import DropoutExt as Dropout
from sporax._src.nn.embedding import EmbeddingExt as Embedding
from sporax._src.nn.layer_norm import LayerNormExt as LayerNorm
from sporax._src.nn.mint import namespace
from sporax._src.nn.mint.namespace import *  # noqa: F403
from sporax._src.nn.mint.parametrized import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose2d,
    GroupNorm,
    Linear,
    SyncBatchNorm,
)
from sporax._src.nn.pooling.pooling import MaxPool2dExt as MaxPool2d
from sporax.mint.nn import functional
from sporax.nn import Cell

__all__ = [
    "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "Cell", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose2d",
    "Dropout", "Dropout2d", "Embedding", "GroupNorm", "LayerNorm", "Linear", "MaxPool2d", "PReLU", "SyncBatchNorm", "functional",
]  # fmt: skip
__all__ += namespace.__all__

"""The transformer of MindSpore 1.x, as one device computes it."""

from sporax._src.compat.transformer.loss import CrossEntropyLoss
from sporax._src.compat.transformer.moe import MoEConfig
from sporax._src.compat.transformer.op_parallel_config import OpParallelConfig
from sporax._src.compat.transformer.transformer import (
    AttentionMask,
    EmbeddingOpParallelConfig,
    FeedForward,
    MultiHeadAttention,
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
    TransformerOpParallelConfig,
    TransformerRecomputeConfig,
    VocabEmbedding,
)

__all__ = [
    "AttentionMask",
    "CrossEntropyLoss",
    "EmbeddingOpParallelConfig",
    "FeedForward",
    "MoEConfig",
    "MultiHeadAttention",
    "OpParallelConfig",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "TransformerOpParallelConfig",
    "TransformerRecomputeConfig",
    "VocabEmbedding",
]

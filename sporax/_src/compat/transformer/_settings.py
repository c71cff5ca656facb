"""How a whole transformer is cut over devices, and which of its layers are computed again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sporax._src.compat.transformer.op_parallel_config import (
    MoEParallelConfig,
    OpParallelConfig,
    _Config,
)


@dataclass
class EmbeddingOpParallelConfig(_Config):
    """Over how many devices an embedding is cut."""

    data_parallel: int = 1
    model_parallel: int = 1
    vocab_emb_dp: bool = True

    @property
    def dp_mp_config(self) -> OpParallelConfig:
        """Return the configuration of other layers."""
        return OpParallelConfig(self.data_parallel, self.model_parallel)


@dataclass
class TransformerRecomputeConfig(_Config):
    """Whether layers are computed again for their gradients."""

    recompute: bool = False
    parallel_optimizer_comm_recompute: bool = False
    mp_comm_recompute: bool = True
    recompute_slice_activation: bool = False


@dataclass
class TransformerOpParallelConfig(_Config):
    """Over how many devices a transformer is cut, and which layers are computed again."""

    data_parallel: int = 1
    model_parallel: int = 1
    expert_parallel: int = 1
    pipeline_stage: int = 1
    pipeline_segment: int = 1
    micro_batch_num: int = 1
    recompute: Any = field(default_factory=TransformerRecomputeConfig)
    optimizer_shard: bool = False
    gradient_aggregation_group: int = 4
    vocab_emb_dp: bool = True

    @property
    def embedding_dp_mp_config(self) -> EmbeddingOpParallelConfig:
        """Return the configuration of embeddings."""
        return EmbeddingOpParallelConfig(self.data_parallel, self.model_parallel, self.vocab_emb_dp)

    @property
    def dp_mp_config(self) -> OpParallelConfig:
        """Return the configuration of layers."""
        return OpParallelConfig(self.data_parallel, self.model_parallel)

    dpmp = dp_mp_config

    @property
    def moe_parallel_config(self) -> MoEParallelConfig:
        """Return the configuration of layers of several experts."""
        return MoEParallelConfig(self.data_parallel, self.model_parallel, self.expert_parallel)


default_transformer_recompute_config = TransformerRecomputeConfig()
default_transformer_config = TransformerOpParallelConfig()
default_embedding_parallel_config = EmbeddingOpParallelConfig()

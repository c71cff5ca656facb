"""Parallel training."""

from sporax._src.base.search_settings import get_algo_parameters, reset_algo_parameters, set_algo_parameters
from sporax._src.checkpoint.distributed import load_distributed_checkpoint, unified_safetensors
from sporax._src.checkpoint.strategies import merge_pipeline_strategys
from sporax._src.core.layout import Layout
from sporax._src.transform.shard import shard
from sporax.parallel import nn

__all__ = [
    "Layout",
    "get_algo_parameters",
    "load_distributed_checkpoint",
    "merge_pipeline_strategys",
    "nn",
    "reset_algo_parameters",
    "set_algo_parameters",
    "shard",
    "unified_safetensors",
]

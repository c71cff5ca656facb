"""Parallel training."""

from sporax._src.base.settings.strategy_search import get_algo_parameters, reset_algo_parameters, set_algo_parameters
from sporax._src.checkpoint.sharded.distributed import unified_safetensors
from sporax._src.checkpoint.sharded.merging import load_segmented_checkpoints
from sporax._src.checkpoint.sharded.redundancy import parameter_broadcast, sync_pipeline_shared_parameters
from sporax._src.checkpoint.sharded.strategy_files import merge_pipeline_strategys
from sporax._src.checkpoint.sharded.transforming import (
    convert_checkpoint_by_rank,
    convert_checkpoints,
    rank_list_for_convert,
    rank_list_for_transform,
    transform_checkpoint_by_rank,
    transform_checkpoints,
)
from sporax._src.processes.parallel_context import set_op_strategy_config
from sporax._src.sharding.layout import Layout
from sporax._src.transform.parallel.shard import shard
from sporax.parallel import nn
from sporax.train import (
    build_searched_strategy,
    load_distributed_checkpoint,
    merge_sliced_parameter,
    restore_group_info_list,
)

__all__ = [
    "Layout",
    "build_searched_strategy",
    "convert_checkpoint_by_rank",
    "convert_checkpoints",
    "get_algo_parameters",
    "load_distributed_checkpoint",
    "load_segmented_checkpoints",
    "merge_pipeline_strategys",
    "merge_sliced_parameter",
    "nn",
    "parameter_broadcast",
    "rank_list_for_convert",
    "rank_list_for_transform",
    "reset_algo_parameters",
    "restore_group_info_list",
    "set_algo_parameters",
    "set_op_strategy_config",
    "shard",
    "sync_pipeline_shared_parameters",
    "transform_checkpoint_by_rank",
    "transform_checkpoints",
    "unified_safetensors",
]

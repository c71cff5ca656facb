"""Import paths: `communication`, `hal`, `runtime`, `parallel` and `profiler`."""

TABLE = """
communication._comm_helper      = sporax.communication: GlobalComm; sporax._src.compat.shims.communication.comm_helper:
    Backend _is_initialized
communication.management        = sporax.communication
communication.management dataset train.serialization    = sporax: context                                    @mindspore
hal.device              = sporax.hal: device_count get_arch_list get_device_capability get_device_name
    get_device_properties is_available is_initialized
hal.event runtime.event = sporax.runtime: Event
hal.memory              = sporax.hal: empty_cache max_memory_allocated max_memory_reserved memory_allocated memory_reserved
    memory_stats memory_summary reset_max_memory_allocated reset_max_memory_reserved reset_peak_memory_stats
hal.stream runtime.stream       = sporax.runtime: Stream StreamCtx communication_stream current_stream default_stream
    set_cur_stream synchronize
runtime.executor        = sporax.runtime: dispatch_threads_num launch_blocking set_cpu_affinity set_kernel_launch_capture
    set_kernel_launch_group
runtime.memory          = sporax.hal.memory; sporax.runtime: set_memory

parallel._auto_parallel_context = sporax._src.compat.shims.parallel.auto_parallel_context: auto_parallel_context
parallel._cell_wrapper  = sporax._src.compat.shims.parallel.cell_wrapper: destroy_allgather_cell
parallel._cost_model_context    = sporax._src.compat.shims.parallel.cost_model_context: _set_multi_subgraphs
    _set_rp_matmul_mem_coef; sporax._src.base.settings.strategy_search: get_cost_model_context reset_cost_model_context
    set_cost_model_context
parallel._ps_context    = sporax: get_ps_context as _get_ps_context reset_ps_context as _reset_ps_context set_ps_context as
    _set_ps_context; sporax._src.compat.shims.parallel.ps_context: _insert_hash_table_size _is_role_pserver _is_role_sched
    _set_cache_enable _set_cache_size _set_sparse_format
parallel._recovery_context      = sporax._src.compat.shims.parallel.recovery_context: _get_recovery_context
parallel._transformer   = sporax._src.compat.transformer
parallel._transformer.layers    = sporax._src.compat.transformer.layers
parallel._transformer.loss      = sporax._src.compat.transformer.loss
parallel._transformer.moe       = sporax._src.compat.transformer.moe
parallel._transformer.op_parallel_config    = sporax._src.compat.transformer.op_parallel_config
parallel._transformer.transformer           = sporax._src.compat.transformer.transformer
parallel._utils         = sporax._src.compat.shims.parallel.utils: _device_number_check _get_device_num
    _get_enable_parallel_optimizer _get_global_rank _get_gradients_mean _get_parallel_mode _get_parameter_broadcast
    _get_pipeline_stages _is_in_auto_parallel_mode _is_sharding_propagation; sporax._src.compat.shims.c_expression:
    reset_op_id as _reset_op_id
parallel.algo_parameter_config  = sporax: get_algo_parameters reset_algo_parameters set_algo_parameters
parallel.checkpoint_convert     = sporax.parallel: convert_checkpoint_by_rank convert_checkpoints rank_list_for_convert
parallel.checkpoint_transform   = sporax.parallel: build_searched_strategy load_distributed_checkpoint
    load_segmented_checkpoints merge_pipeline_strategys merge_sliced_parameter rank_list_for_transform restore_group_info_list
    set_op_strategy_config sync_pipeline_shared_parameters transform_checkpoint_by_rank transform_checkpoints
parallel.parameter_broadcast    = sporax.parallel: parameter_broadcast
parallel.nn.parallel_cell_wrapper   = sporax.parallel.nn; sporax._src.nn.wrap: _MicroBatch
parallel.nn.parallel_grad_reducer   = sporax.parallel.nn: PipelineGradReducer
parallel.shard          = sporax: Layout shard
parallel.transform_safetensors  = sporax: unified_safetensors

profiler.common.constant    = sporax.profiler: AicoreMetrics ExportType HostSystem ProfilerActivity ProfilerLevel
profiler.experimental_config    = sporax.profiler: _ExperimentalConfig
profiler.mstx           = sporax.profiler: mstx
profiler.profiler       = sporax.profiler: Profiler tensorboard_trace_handler
profiler.profiling      = sporax.profiler: Profiler                                                          @mindspore
profiler.schedule       = sporax.profiler: schedule; sporax._src.transform.debug.profiler: ProfilerAction
"""

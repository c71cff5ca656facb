"""Import paths: the top, what lies beside it, and `common`."""

TABLE = """
# --- the top, and what lies beside it ---------------------------------------------------------------------------------

. common common.api     = sporax: jit_class as ms_class; sporax._src.compat.shims.common.api: ms_function    @mindspore
. = sporax._src.cli.notebook: load_ipython_extension unload_ipython_extension
context                 = sporax: COMPATIBLE LAX STRICT get_offload_context get_ps_context reset_ps_context
    set_offload_context set_ps_context reset_auto_parallel_context as _reset_auto_parallel_context;
    sporax._src.base.config: mode as _get_mode
_c_expression           = sporax._src.core.param_info: ParamInfo; sporax: Tensor Tensor as TensorPy;
    sporax._src.compat.shims.c_expression: CreationType MSContext disable_multi_thread reset_op_id swap_cache
    _ms_memory_recycle _framework_profiler_step_end _framework_profiler_step_start _clean_rootinfo clean_tdt_channel
    run_backward; sporax.nn: Cell as Cell_
_c_expression.amp       = sporax._src.compat.shims.c_expression_amp: AmpLevel create_amp_strategy
    pop_amp_strategy push_amp_strategy
_c_expression.security  = sporax._src.compat.shims.c_expression_security: enable_security
_c_expression.typing    = sporax._src.core.dtype: BFloat Bool Complex Float Int List Number TensorType Tuple Type UInt
_checkparam             = sporax._src.compat.shims.checkparam
_extends                = sporax._src.compat.shims.extends: cell_attr_register
_extends.parse.compile_config   = sporax._src.compat.shims.extends_parse_compile_config
_extends.parse.standard_method  = sporax._src.compat.shims.extends_parse_standard_method
default_config          = sporax._src.compat.finder: NAME as __package_name__
log                     = sporax._src.compat.shims.log: _LogActionOnce
boost                   = sporax._src.compat.shims.boost.grad_accumulation: GradientAccumulation
boost.grad_accumulation = sporax._src.compat.shims.boost.grad_accumulation
device_context.ascend.device    = sporax.device_context.ascend: device_count is_available
device_context.cpu.device       = sporax.device_context.cpu: device_count is_available
device_context.gpu.device       = sporax.device_context.gpu: device_count is_available
utils.dlpack            = sporax.utils: from_dlpack to_dlpack
device_manager          = sporax: get_current_device set_deterministic set_device
run_check               = sporax: run_check
version                 = sporax._src.compat.shims.version: __version__

# --- common -----------------------------------------------------------------------------------------------------------

common                  = sporax: Symbol load_mindir save_mindir
common._grad_function   = sporax: _Function
common._stub_tensor     = sporax: Tensor as StubTensor
common.api              = sporax._src.compat.shims.common.api: _function_forbid_reuse _cell_graph_executor
    cells_compile_cache flops_collection _pynative_executor; sporax: _no_grad enable_dynamic jit jit_class ms_memory_recycle
    set_recursion_limit
graph.api               = sporax._src.compat.shims.common.api: _function_forbid_reuse _cell_graph_executor cells_compile_cache
    flops_collection _pynative_executor; sporax: _no_grad enable_dynamic jit jit_class ms_memory_recycle set_recursion_limit
graph.jit_config        = sporax: JitConfig
graph.lazy_inline       = sporax: lazy_inline
graph.mutable           = sporax: mutable
graph.no_inline         = sporax: no_inline
graph.symbol            = sporax: Symbol
graph.dynamic_shape.enable_dynamic      = sporax: enable_dynamic
common                  = sporax: DeviceCtx UntypedStorage register_saved_tensors_hooks saved_tensors_hooks swap_tensors
common.device           = sporax: DeviceCtx get_current_device
common.dtype            = sporax._c_expression: typing                                                       @mindspore
common.dtype            = sporax._src.core.dtype: all_types bfloat16 Bool bool_ byte cdouble cfloat Complex complex128
    complex64 complex_type double dtype_to_nptype dtype_to_pytype Float float16 float32 float64 float8_e4m3fn float8_e5m2
    float_ float_type function get_py_obj_dtype half Int List int16 int32 int4 int64 int8 int_ int_type intc intp issubclass_
    list_ long Number number number_type pytype_to_dtype qint4x2 QuantDtype short signed_type single string tensor_type
    TensorType Tuple tuple_ Type type_none type_size_in_bytes ubyte UInt uint uint16 uint32 uint64 uint8 uint_type uintc
    uintp ushort bool_ as bool int32 as int float32 as float pytype_to_dtype as _pytype_to_dtype dtype_to_nptype as
    _dtype_to_nptype
common.dynamic_shape.enable_dynamic     = sporax: enable_dynamic
common.file_system      = sporax._src.compat.shims.common.file_system: FileSystem
common.generator        = sporax: Generator default_generator get_rng_state initial_seed manual_seed seed set_rng_state
common.hook_handle      = sporax._src.nn.cell.hooks: HookHandle
common.initializer      = sporax: Tensor; sporax._src.compat.shims.common.initializer: _assignment _calculate_correct_fan
    _init_random_uniform _calculate_fan_in_and_fan_out _calculate_gain
common.jit_config       = sporax: JitConfig
common.lazy_inline      = sporax: lazy_inline
common.mindir_util      = sporax: load_mindir save_mindir
common.mutable          = sporax: mutable
common.no_inline        = sporax: no_inline
common.np_dtype         = ml_dtypes: bfloat16
common.parameter        = sporax: Parameter ParameterTuple; sporax._src.compat.shims.common.parameter:
    _get_unique_parameter_key; sporax._src.core.buffer: Buffer as _Buffer; sporax._src.core.parameter: is_generated as
    _is_parameter_generated
common.recompute        = sporax: recompute
common.seed             = sporax: get_seed set_seed; sporax._src.core.generator: _get_graph_seed
common.sparse_tensor    = sporax: COOTensor CSRTensor RowTensor RowTensor as RowTensorInner SparseTensor Tensor
common.storage          = sporax: UntypedStorage
common.symbol           = sporax: Symbol
common.tensor           = sporax: Tensor swap_tensors tensor; sporax._src.compat.shims.common.tensor: _TensorMeta
common.parameter common.sparse_tensor common.tensor nn.cell = sporax: dtype as mstype
common.sparse_tensor    = sporax: COOTensor CSRTensor RowTensor                                              @home
common.parameter        = sporax: Parameter ParameterTuple                                                   @home
common.tensor           = sporax: Tensor                                                                     @home
"""

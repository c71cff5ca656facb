"""MindSpore's import paths, one line each, where `sporax` has no file of that name.

    nn.optim.sgd                = sporax.nn: SGD
    nn.layer.{conv,pooling}     = sporax.nn.layer
    common.tensor               = sporax: Tensor tensor; sporax._src.core.tensor: Tensor as StubTensor
    . common                    = sporax: jit_class as ms_class                                              @mindspore

A line says of one or more paths below `sporax` and `mindspore` which modules their names come from: all public names of a
module, or those that are listed. Braces expand as in a shell; `.` is the top module; a line that begins with a blank goes on.
Where `sporax` has a file of the path, the line adds names to it. A path between, of which no line speaks, is an empty package.
`@mindspore` marks what MindSpore 2.7 itself no longer has, or no program needs under another name: it is there only while
the name `mindspore` is served. `finder` makes the modules.
"""

from __future__ import annotations

import re
from typing import NamedTuple

TABLE = """
# --- the top, and what lies beside it ---------------------------------------------------------------------------------

. common common.api     = sporax: jit_class as ms_class; sporax._src.compat.shims.functions: ms_function      @mindspore
. = sporax._src.cli.notebook: load_ipython_extension unload_ipython_extension
context                 = sporax: COMPATIBLE LAX STRICT get_offload_context get_ps_context reset_ps_context set_offload_context
    set_ps_context reset_auto_parallel_context as _reset_auto_parallel_context
_c_expression           = sporax._src.core.parameter: ParamInfo; sporax: Tensor Tensor as TensorPy;
    sporax._src.compat.shims.expression: CreationType MSContext disable_multi_thread ms_ctx_param reset_op_id swap_cache
    _ms_memory_recycle
    _framework_profiler_step_end _framework_profiler_step_start
_c_expression.amp       = sporax._src.compat.shims.mixed_precision: AmpLevel create_amp_strategy
_c_expression.security  = sporax._src.compat.shims.expression: enable_security
_c_expression.typing    = sporax._src.core.dtype: BFloat Bool Complex Float Int Number TensorType Tuple Type UInt
_checkparam             = sporax._src.compat.shims.checkparam
_extends                = sporax._src.compat.shims.registers: cell_attr_register
_extends.parse.compile_config   = sporax._src.compat.shims.compile_config
_extends.parse.standard_method  = sporax._src.compat.shims.standard_method
log                     = sporax._src.compat.shims.registers: _LogActionOnce
boost                   = sporax._src.compat.shims.grad_accumulation: GradientAccumulation
boost.grad_accumulation = sporax._src.compat.shims.grad_accumulation
device_context.ascend.device    = sporax.device_context.ascend: device_count is_available
device_context.cpu.device       = sporax.device_context.cpu: device_count is_available
device_context.gpu.device       = sporax.device_context.gpu: device_count is_available
device_manager          = sporax: get_current_device set_deterministic set_device
run_check               = sporax: run_check
version                 = sporax._src.compat.finder: VERSION as __version__

# --- common -----------------------------------------------------------------------------------------------------------

common                  = sporax: Symbol load_mindir save_mindir
common._grad_function   = sporax: _Function
common._stub_tensor     = sporax: Tensor as StubTensor
common.api              = sporax._src.compat.shims.functions: _function_forbid_reuse;
    sporax: _no_grad enable_dynamic jit jit_class ms_memory_recycle set_recursion_limit;
    sporax._src.compat.shims.graph_executor: _CellGraphExecutor _cell_graph_executor cells_compile_cache
    flops_collection;
    sporax._src.compat.shims.pynative_executor: _pynative_executor
common.dtype            = sporax._c_expression: typing                                                       @mindspore
common.dtype            = sporax._src.core.dtype: Bool Complex Float Int Number QuantDtype TensorType Tuple Type UInt all_types
    bfloat16 bool_ byte cdouble cfloat complex128 complex64 double dtype_to_nptype dtype_to_pytype float16 float32 float64
    float8_e4m3fn float8_e5m2 float_ function get_py_obj_dtype half int16 int32 int4 int64 int8 int_ intc intp issubclass_
    list_ long number number_type pytype_to_dtype qint4x2 short single string tensor_type tuple_ type_none type_size_in_bytes
    ubyte uint uint16 uint32 uint64 uint8 uintc uintp ushort
common.dynamic_shape.enable_dynamic     = sporax: enable_dynamic
common.file_system      = sporax._src.compat.shims.file_system: FileSystem
common.generator        = sporax: Generator default_generator get_rng_state initial_seed manual_seed seed set_rng_state
common.initializer      = sporax: Tensor; sporax._src.compat.shims.initializers: _assignment _calculate_correct_fan
    _init_random_uniform _calculate_fan_in_and_fan_out _calculate_gain
common.jit_config       = sporax: JitConfig
common.lazy_inline      = sporax: lazy_inline
common.mindir_util      = sporax: load_mindir save_mindir
common.mutable          = sporax: mutable
common.no_inline        = sporax: no_inline
common.np_dtype         = ml_dtypes: bfloat16
common.parameter        = sporax: Parameter ParameterTuple; sporax._src.core.buffer: Buffer as _Buffer;
    sporax._src.core.parameter: is_generated as _is_parameter_generated
common.recompute        = sporax: recompute
common.seed             = sporax: get_seed set_seed; sporax._src.core.generator: _get_graph_seed
common.sparse_tensor    = sporax: COOTensor CSRTensor RowTensor SparseTensor
common.symbol           = sporax: Symbol
common.tensor           = sporax: Tensor tensor

# --- communication, hal, runtime, parallel, profiler ------------------------------------------------------------------

communication._comm_helper      = sporax.communication: GlobalComm; sporax._src.compat.shims.communication:
    _ExistingGroup _is_initialized
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

parallel._auto_parallel_context = sporax._src.compat.shims.parallel: auto_parallel_context
parallel._cost_model_context    = sporax._src.compat.shims.parallel: _get_algo_single_loop _get_multi_subgraphs
    _get_rp_matmul_mem_coef _set_algo_single_loop _set_multi_subgraphs _set_rp_matmul_mem_coef;
    sporax._src.base.search_settings: get_cost_model_context reset_cost_model_context set_cost_model_context
parallel._ps_context    = sporax._src.compat.shims.parallel: _is_ps_mode _is_role_pserver _is_role_sched _is_role_worker
parallel._transformer   = sporax._src.compat.transformer
parallel._transformer.layers    = sporax._src.compat.transformer.layers
parallel._transformer.loss      = sporax._src.compat.transformer.loss
parallel._transformer.moe       = sporax._src.compat.transformer.moe
parallel._transformer.op_parallel_config    = sporax._src.compat.transformer.op_parallel_config
parallel._transformer.transformer           = sporax._src.compat.transformer.transformer
parallel._utils         = sporax._src.compat.shims.parallel: _device_number_check _get_device_num
    _get_enable_parallel_optimizer _get_full_batch _get_global_rank _get_gradients_mean _get_parallel_mode
    _get_parameter_broadcast _get_pipeline_stages _is_in_auto_parallel_mode _is_in_data_parallel_mode _is_sharding_propagation
    _infer_rank_list;
    sporax._src.compat.shims.expression: reset_op_id as _reset_op_id
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
profiler.schedule       = sporax.profiler: schedule

# --- dataset, mindrecord ----------------------------------------------------------------------------------------------

dataset.audio.{transforms,utils}    = sporax.dataset.audio
dataset.audio.transforms            = sporax._src.data.audio.base: AudioTensorOperation
dataset                 = sporax._src.compat.shims.py_transforms_util: Implementation
dataset.{callback,callback.ds_callback}     = sporax.dataset: DSCallback WaitedDSCallback
dataset dataset.engine.datasets     = sporax.dataset: MappableDataset as VisionBaseDataset
dataset.core.config     = sporax.dataset.config
dataset.engine          = sporax.dataset
dataset.engine          = sporax.dataset: config                                                             @mindspore
dataset                 = sporax: dataset as ds; sporax.dataset.config: set_seed                             @mindspore
dataset.py_transforms   = sporax.dataset.transforms                                                          @mindspore
dataset.engine.{datasets_standard_format,datasets_text,datasets_user_defined,datasets_vision}  = sporax.dataset
dataset.engine.datasets = sporax.dataset; sporax._src.compat.shims.training_dataset
dataset.engine.iterators            = sporax.dataset: DictIterator Iterator TupleIterator
dataset.{samplers,engine.samplers}  = sporax.dataset: BuiltinSampler DistributedSampler IterSampler PKSampler RandomSampler
    Sampler SequentialSampler Shuffle SubsetRandomSampler SubsetSampler WeightedRandomSampler
dataset.text.{transforms,utils}     = sporax.dataset.text
dataset.text.transforms = sporax._src.data.text.base: TextTensorOperation;
    sporax._src.compat.shims.py_transforms_util: Implementation
dataset.transforms.{c_transforms,py_transforms,transforms}      = sporax.dataset.transforms
dataset.transforms.py_transforms    = sporax._src.compat.older_transforms: Compose OneHotOp
dataset.transforms.vision           = sporax.dataset.vision                                                  @mindspore
dataset.transforms.vision.{c_transforms,py_transforms}  = sporax.dataset.vision.py_transforms                @mindspore
dataset.vision.{c_transforms,py_transforms,transforms,utils}    = sporax.dataset.vision
dataset.vision.py_transforms        = sporax._src.compat.older_transforms: Cutout PilDecode as Decode HWC2CHW Normalize
    NormalizePad RgbToBgr ToTensor ToType
dataset.vision.c_transforms         = sporax._src.compat.older_transforms: ArrayDecode as Decode ArrayRgbToBgr as RgbToBgr
dataset.vision.transforms           = sporax.dataset.transforms: PyTensorOperation
dataset                 = sporax.dataset.utils: LineReader
dataset.utils.browse_dataset        = sporax.dataset.utils: imshow_det_bbox
dataset.utils.line_reader           = sporax.dataset.utils: LineReader
dataset.vision.py_transforms_util   = sporax._src.compat.shims.py_transforms_util
mindrecord.common.exceptions        = sporax.mindrecord: MRMAddSchemaError MRMDefineCategoryError MRMDefineIndexError
    MRMInvalidSchemaError MindRecordException ParamTypeError ParamValueError PathNotExistsError
mindrecord.config       = sporax.mindrecord: set_dec_mode set_enc_key set_enc_mode
mindrecord.shardutils   = sporax.mindrecord: FAILED SUCCESS
mindrecord.tools.cifar10            = sporax._src.data.converters.cifar: Cifar10
mindrecord.tools.cifar100           = sporax._src.data.converters.cifar: Cifar100
mindrecord.tools.{cifar10_to_mr,cifar100_to_mr,csv_to_mr,imagenet_to_mr,mnist_to_mr,tfrecord_to_mr} = sporax.mindrecord:
    Cifar10ToMR Cifar100ToMR CsvToMR ImageNetToMR MnistToMR TFRecordToMR
mindrecord.{filereader,filewriter,mindpage} = sporax.mindrecord: FileReader FileWriter MindPage

# --- experimental, mint, numpy ----------------------------------------------------------------------------------------

experimental.optim.{adadelta,adagrad,adam,adamax,adamw,asgd,nadam,optimizer,radam,rmsprop,rprop,
    sgd} = sporax.experimental.optim
mint.distributed.distributed    = sporax.mint.distributed
mint                    = sporax: Tensor; sporax.mint.nn: functional; sporax.mint: clamp as clip
mint.nn.layer mint.nn.layer.{activation,basic,conv,normalization,padding,pooling}    = sporax.mint.nn
mint.optim.{adam,adamw,sgd}     = sporax.mint.optim
numpy.{array_creations,array_ops,logic_ops,math_ops} = sporax.numpy
numpy.utils             = sporax._src.compat.shims.numpy_utils: _to_tensor
numpy.fft               = sporax._src.compat.shims.numpy_fft
numpy.utils_const       = sporax._src.compat.shims.numpy_utils: _canonicalize_axis _infer_out_shape _raise_type_error
    _raise_value_error

# --- nn ---------------------------------------------------------------------------------------------------------------

nn nn.layer             = sporax._src.compat.shims.resize: ResizeBilinear                                    @mindspore
nn.cell                 = sporax.nn: Cell GraphCell
nn.dynamic_lr           = sporax.nn: cosine_decay_lr exponential_decay_lr inverse_decay_lr natural_exp_decay_lr
    piecewise_constant_lr polynomial_decay_lr warmup_lr
nn.grad nn.grad.cell_grad       = sporax.nn: Jvp Vjp
nn.layer                = sporax.nn: AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d
    AdaptiveMaxPool3d AvgPool1d AvgPool1dExt AvgPool2d AvgPool2dExt AvgPool3d AvgPool3dExt BatchNorm1d BatchNorm2d BatchNorm3d
    BiDense CELU CellDict CellList CentralCrop ChannelShuffle ClipByNorm ConstantPad1d ConstantPad2d ConstantPad3d Conv1d
    Conv1dTranspose Conv2d Conv2dBnAct Conv2dThor Conv2dTranspose Conv3d Conv3dTranspose Dense DenseBnAct DenseThor DiGamma
    Dropout Dropout1d Dropout2d Dropout3d DropoutExt ELU Embedding EmbeddingExt EmbeddingLookup EmbeddingLookupThor
    EmbeddingThor FastGelu Flatten FractionalMaxPool2d FractionalMaxPool3d GELU GLU GRU GRUCell GroupNorm HShrink HSigmoid
    HSwish Hardtanh IGamma Identity ImageGradients InstanceNorm1d InstanceNorm2d InstanceNorm3d L1Regularizer LBeta LGamma
    LPPool1d LPPool2d LRN LSTM LSTMCell LayerNorm LayerNormExt LeakyReLU Linear LogSigmoid LogSoftmax LogSoftmaxExt MSSSIM
    MatDet MatInverse MatMul MatrixDiag MatrixDiagPart MatrixSetDiag MaxPool1d MaxPool2d MaxPool2dExt MaxPool3d MaxUnpool1d
    MaxUnpool2d MaxUnpool3d Mish Moments MultiFieldEmbeddingLookup MultiheadAttention Norm OneHot PReLU PReLUExt PSNR Pad
    PixelShuffle PixelUnshuffle RNN RNNCell RReLU Range ReLU ReLU6 ReduceLogSumExp ReflectionPad1d ReflectionPad2d
    ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d Roll SSIM SeLU SequentialCell SiLU Sigmoid SoftShrink
    Softmax Softmax2d Softmin Softsign SyncBatchNorm Tanh Tanhshrink Threshold TimeDistributed Transformer TransformerDecoder
    TransformerDecoderLayer TransformerEncoder TransformerEncoderLayer Tril Triu Unflatten Unfold Upsample ZeroPad2d
    get_activation
nn.layer.{channel_shuffle,combined,container,conv,dense,embedding,image,math,padding,pooling,rnns,
    timedistributed,transformer} = sporax.nn.layer
nn.layer.basic          = sporax.nn.layer; sporax.mint.nn: Fold; sporax._src.compat.shims.basic: _is_equal_one
nn.layer.flash_attention        = sporax._src.compat.shims.flash_attention: FlashAttention                   @mindspore
nn.layer.rnn_cells      = sporax.nn.layer; sporax._src.nn.recurrent: RNNCellBase;
    sporax._src.compat.shims.recurrent: _gru_cell _lstm_cell _rnn_relu_cell _rnn_tanh_cell
nn.layer.activation     = sporax.nn.layer; sporax._src.nn.activation: ACTIVATIONS as _activation
nn.layer.normalization  = sporax.nn.layer; sporax._src.nn.normalization: _BatchNorm
nn.layer.thor_layer     = sporax.nn: Conv2dThor DenseThor EmbeddingLookupThor EmbeddingThor
nn.learning_rate_schedule       = sporax.nn: CosineDecayLR ExponentialDecayLR InverseDecayLR LearningRateSchedule
    NaturalExpDecayLR PolynomialDecayLR WarmUpLR
nn.loss                 = sporax.nn: BCELoss BCEWithLogitsLoss CTCLoss CosineEmbeddingLoss CrossEntropyLoss DiceLoss FocalLoss
    GaussianNLLLoss HingeEmbeddingLoss HuberLoss KLDivLoss L1Loss L1LossExt LossBase MAELoss MSELoss MarginRankingLoss
    MultiClassDiceLoss MultiLabelSoftMarginLoss MultiMarginLoss MultilabelMarginLoss NLLLoss PoissonNLLLoss RMSELoss
    SampledSoftmaxLoss SmoothL1Loss SoftMarginLoss SoftmaxCrossEntropyWithLogits TripletMarginLoss
    TripletMarginWithDistanceLoss
nn.loss.loss            = sporax.nn.loss; sporax._src.nn.losses.regression: _Loss
nn.optim                = sporax.nn: ASGD AdaFactor AdaMax Adadelta Adagrad Adam AdamOffload AdamWeightDecay FTRL LARS Lamb
    LazyAdam Momentum Optimizer ProximalAdagrad RMSProp Rprop SGD thor
nn.optim.{ada_grad,adadelta,adafactor,adam,adamax,asgd,ftrl,lamb,lars,lazyadam,momentum,proximal_ada_grad,rmsprop,rprop,
    sgd} = sporax.nn.optim
nn.optim.thor           = sporax._src.optim.thor: ThorGpu thor
nn.optim.optimizer      = sporax.nn: Optimizer; sporax._src.compat.shims.registers: opt_init_args_register
nn.probability.bijector.{bijector,exp,gumbel_cdf,invert,power_transform,scalar_affine,
    softplus} = sporax.nn.probability.bijector
nn.probability.distribution.{bernoulli,beta,categorical,cauchy,distribution,exponential,gamma,geometric,gumbel,half_normal,
    laplace,log_normal,logistic,normal,poisson,student_t,transformed_distribution,uniform} = sporax.nn.probability.distribution
nn.reinforcement nn.reinforcement.tensor_array  = sporax.nn: TensorArray
nn.sparse nn.sparse.sparse      = sporax.nn: SparseTensorDenseMatmul SparseToDense
nn.transformer          = sporax._src.compat.transformer                                                     @mindspore
nn.transformer.layers   = sporax._src.compat.transformer.layers                                              @mindspore
nn.transformer.loss     = sporax._src.compat.transformer.loss                                                @mindspore
nn.transformer.moe      = sporax._src.compat.transformer.moe                                                 @mindspore
nn.transformer.op_parallel_config   = sporax._src.compat.transformer.op_parallel_config                      @mindspore
nn.transformer.transformer          = sporax._src.compat.transformer.transformer                             @mindspore
nn.utils.init           = sporax.nn.utils
nn.wrap                 = sporax.nn: DistributedGradReducer DynamicLossScaleUpdateCell FixedLossScaleUpdateCell
    ForwardValueAndGrad GradAccumulationCell MicroBatchInterleaved ParameterUpdate PipelineCell PipelineGradReducer
    TrainOneStepCell TimeDistributed TrainOneStepWithLossScaleCell WithEvalCell WithGradCell WithLossCell
nn.wrap.cell_wrapper    = sporax.nn.wrap; sporax.nn: Cell; sporax._src.nn.wrap: _MicroBatch; sporax._src.compat.shims.cells:
    VirtualDatasetCellTriple _BroadCastCell _TrainGradAccuStepCell _VirtualDatasetCell
nn.wrap.{grad_reducer,loss_scale}       = sporax.nn.wrap
nn.wrap.loss_scale      = sporax._src.compat.shims.grad_accumulation: _grad_overflow grad_scale
    shard_grad_scale

# --- ops --------------------------------------------------------------------------------------------------------------

ops ops.operations ops.operations.other_ops = sporax._src.compat.shims.parameter_server: Pull Push            @mindspore
ops                     = sporax: Tensor
ops                     = sporax.ops: operations as P                                                        @mindspore
ops.op_info_register    = sporax.ops: AiCPURegOp CustomRegOp DataType TBERegOp custom_info_register op_info_register
ops._grad.grad_base     = sporax._src.compat.shims.gradients: bprop_getters                                  @mindspore
ops._grad_experimental.grad_array_ops   = sporax._src.compat.shims.grad_array_ops
ops._grad_experimental.grad_base        = sporax._src.compat.shims.gradients: bprop_getters
ops._grad_experimental.grad_comm_ops    = sporax._src.compat.shims.parallel: get_squared_device_local_norm_param
ops._grad_experimental.grad_math_ops    = sporax._src.compat.shims.grad_math_ops
ops._primitive_cache    = sporax._src.compat.shims.primitive_cache: _get_cache_prim
ops.auto_generate       = sporax.ops; sporax._src.compat.shims.ops_instances: addcmul_ext_op dropout_ext_op
    tracev2_grad_op
ops.auto_generate.{gen_ops_def,gen_ops_prim}    = sporax.ops
ops.auto_generate.gen_ops_def   = sporax.mint: batch_norm_elemt batch_norm_gather_stats_with_counts batch_norm_stats clone
    count_nonzero mv narrow triangular_solve; sporax._src.compat.shims.ops_instances: add_ext sub_ext
ops.auto_generate ops.auto_generate.gen_ops_prim = sporax._src.compat.shims.experts: FusedAddTopKDiv GroupedMatmulV4
    MoeInitRoutingV2 MoeTokenUnpermute PromptFlashAttention QuantBatchMatmul QuantV2
ops.auto_generate ops.auto_generate.gen_ops_prim = sporax._src.compat.shims.no_kernel: AdamW GroupedMatmul
    MoeComputeExpertTokens MoeDistributeCombine MoeDistributeDispatch MoeFinalizeRouting MoeGatingTopKSoftmax MoeInitRouting
    RotaryPositionEmbedding Scatter
ops.auto_generate ops.auto_generate.{gen_ops_def,gen_ops_prim} = sporax._src.compat.shims.ascend_operators: DynamicQuantExt
    Embedding FFN as FFNExt GenerateEodMaskV2 GroupNorm KVCacheScatterUpdate WeightQuantBatchMatmul generate_eod_mask_v2
ops.operations._inner_ops       = sporax._src.compat.shims.ascend_operators: AntiQuant DSDMatmul Dequant DynamicBroadcastTo FFN
    MatmulDDS Quant
ops.operations ops.operations.nn_ops    = sporax._src.compat.shims.ascend_operators: GetNext
ops.auto_generate ops.auto_generate.gen_ops_prim = sporax._src.compat.shims.experts: format_cast              @mindspore
ops.composite ops.composite.{base,env_ops,math_ops,multitype_ops}       = sporax.ops
ops.composite.multitype_ops.{add,bitwise_and,bitwise_or,bitwise_xor,div,equal,floordiv,getitem,greater_equal,greater,in,
    invert,left_shift,less_equal,less,logic_not,logical_and,logical_or,mod,mul,negative,not_equal,not_in,ones_like,pow,
    right_shift,setitem,sub,uadd,zeros_like}_impl = sporax.ops
ops.deprecated ops.function ops.functional      = sporax.ops
ops.function.{array,clip,debug,fft,image,linalg,math,nn,other,parameter,random,reshard,sparse,sparse_unary,spectral,
    vmap}_func = sporax.ops
ops.function.array_func = sporax: from_numpy; sporax._src.compat.shims.ops_instances: arg_max_with_value_ arg_min_with_value_
ops.function.grad ops.function.grad.grad_func   = sporax.ops
ops.function.math_func  = sporax.ops: functional as F
ops.function.nn_func    = sporax._src.compat.shims.attention: multi_head_attention_forward; sporax.mint.nn.functional: relu_
    pad as pad_ext; sporax._src.compat.shims.nn_func: linear _check_attn_mask_shape _check_kpm_shape _check_qkv_shape
    _in_projection _in_projection_packed _inner_dropout _inner_pad _innner_log_softmax _interploate_ext_make_tuple
    _interpolate_ext_scale_factor_convert_size; sporax._src.compat.shims.primitive_cache: _get_cache_prim
ops.functional_overload = sporax.mint; sporax.mint: clamp as clip; sporax.mint.nn.functional: conv3d gelu pixel_shuffle;
    sporax.ops: all_gather_matmul matmul_reduce_scatter
ops.operations ops.operations.{array,comm,control,custom,debug,image,inner,linalg,math,nn,other,random,reshard,rl,sparse,
    spectral}_ops = sporax.ops
ops.operations._{csr,embedding_cache,grad,infer,inner,map_tensor,ocr,quant,rl_inner,scalar,sequence,sparse_grad,
    thor}_ops = sporax.ops
ops.operations._tensor_array ops.operations.manually_defined ops.operations.manually_defined.ops_def = sporax.ops
ops.operations._rl_inner_ops    = sporax._src.compat.shims.experience: BatchAssign PriorityReplayBufferCreate
    PriorityReplayBufferDestroy PriorityReplayBufferPush PriorityReplayBufferSample PriorityReplayBufferUpdate
    ReservoirReplayBufferCreate ReservoirReplayBufferDestroy ReservoirReplayBufferPush ReservoirReplayBufferSample
    TensorsQueueClear TensorsQueueClose TensorsQueueCreate TensorsQueueGet TensorsQueuePut TensorsQueueSize;
    sporax._src.compat.shims.no_kernel: CudnnGRU DiscountedReturn EnvCreate EnvReset EnvStep MuxReceive MuxSend
ops.operations._tensor_array    = sporax._src.compat.shims.experience: TensorArray TensorArrayClear TensorArrayClose
    TensorArrayRead TensorArraySize TensorArrayStack TensorArrayWrite
ops.operations._sequence_ops    = sporax._src.compat.shims.sequence_ops: TensorToScalar
ops.operations._infer_ops       = sporax._src.compat.shims.experts: QuantV2; sporax._src.compat.shims.ascend_operators:
    QuantLinearSparse
ops.operations.comm_ops = sporax._src.compat.shims.cells: _VirtualDataset
ops.operations.nn_ops   = sporax._src.compat.shims.experts: PromptFlashAttention
ops.primitive           = sporax.ops: Primitive PrimitiveWithCheck PrimitiveWithInfer constexpr constexpr as _primexpr
    prim_attr_register

# --- train ------------------------------------------------------------------------------------------------------------

train._utils            = sporax._src.compat.shims.checkparam: check_value_type; sporax._src.checkpoint.redundancy:
    get_parameter_redundancy parse_strategy_ckpt remove_param_redundancy;
    sporax._src.compat.shims.registers: _make_directory
train.amp               = sporax.amp: auto_mixed_precision build_train_network custom_mixed_precision get_black_list
    get_white_list; sporax._src.train.amp: BLACK as AMP_BLACK_LIST OutputTo16 as _OutputTo16 OutputTo32 as _OutputTo32;
    sporax._src.compat.shims.mixed_precision: AMP_WHITE_LIST _add_loss_network _auto_black_list
    _config_level _do_keep_batchnorm_fp32
train.callback          = sporax.train: BackupAndRestore Callback CallbackList CallbackList as _CallbackManager
    CallbackList as _ListCallback CheckpointConfig EarlyStopping FlopsUtilizationCollector History InternalCallbackParam
    InternalCallbackParam as _InternalCallbackParam LambdaCallback LearningRateScheduler LossMonitor ModelCheckpoint
    OnRequestExit ReduceLROnPlateau RunContext SummaryCollector SummaryLandscape TimeMonitor
train.callback._callback        = sporax.train: Callback CallbackList as _CallbackManager InternalCallbackParam RunContext;
    sporax._src.train.callback: last_loss as _handle_loss; sporax._src.compat.shims.checkpoint_files: set_cur_net
train.callback._checkpoint      = sporax.train: CheckpointConfig ModelCheckpoint;
    sporax._src.compat.shims.checkpoint_files: CheckpointManager
train.callback._loss_monitor    = sporax.train: LossMonitor
train.callback._time_monitor    = sporax.train: TimeMonitor
train.callback          = sporax._src.compat.shims.checkpoint_files: set_cur_net as _set_cur_net
train.data_sink         = sporax.train: data_sink
train.dataset_helper    = sporax.train: DatasetHelper connect_network_with_dataset
train.loss_scale_manager        = sporax: DynamicLossScaleManager FixedLossScaleManager LossScaleManager
{train,nn}.metrics      = sporax.nn: Accuracy BleuScore ConfusionMatrix ConfusionMatrixMetric CosineSimilarity Dice
    EvaluationBase F1 Fbeta HausdorffDistance Loss MAE MSE MeanSurfaceDistance Metric OcclusionSensitivity Perplexity
    Precision ROC Recall RootMeanSquareDistance Top1CategoricalAccuracy Top5CategoricalAccuracy TopKCategoricalAccuracy auc
    get_metric_fn get_metrics names rearrange_inputs
nn.metrics.{accuracy,loss,metric}       = sporax.train.metrics
train.metrics.{accuracy,auc,bleu_score,confusion_matrix,cosine_similarity,dice,error,fbeta,hausdorff_distance,loss,
    mean_surface_distance,metric,occlusion_sensitivity,perplexity,precision,recall,roc,root_mean_square_surface_distance,
    topk} = sporax.train.metrics
train.model             = sporax: Model ParallelMode
train.model             = sporax: context                                                                    @mindspore
train.node_strategy_pb2 = sporax._src.engine.strategy_messages: DevMatrix IndicesOffset ParallelGroupItem ParallelGroupMap
    ParallelGroupRanks ParallelLayoutItem ParallelLayouts ParallelStrategy ParallelStrategyItem ParallelStrategyMap
    ParallelStrategys ParamSplitShape TensorMap
train.serialization     = sporax: Tensor async_ckpt_thread_status check_checkpoint ckpt_to_safetensors export load
    load_checkpoint load_checkpoint_async load_distributed_checkpoint load_mindir load_param_into_net safetensors_to_ckpt
    save_checkpoint save_mindir; sporax.train: build_searched_strategy get_ckpt_path_with_strategy merge_sliced_parameter
    restore_group_info_list; sporax._src.compat.shims.serialization: _get_merged_param_data _load_dismatch_prefix_params
    _update_param
train.train_thor train.train_thor.convert_utils = sporax.train: ConvertModelUtils ConvertNetUtils
train.train_thor.dataset_helper = sporax.train: DatasetHelper
train.train_thor.model_thor     = sporax._src.train.thor: ModelThor
train.summary train.summary.summary_record      = sporax: SummaryRecord
train.summary.summary_record    = sporax._src.compat.shims.summaries: _get_summary_tensor_data
"""


class Source(NamedTuple):
    """Where names come from: a module, and the names by what they are called there; None for all of its public names."""

    module: str
    names: dict[str, str] | None


Paths = dict[str, list[Source]]
_NAME = re.compile(r"(\w+)(?: as (\w+))?")


def read(table: str) -> tuple[Paths, Paths]:
    """Return the sources of each path: those that are always there, and those of the lines marked `@mindspore`."""
    always: Paths = {}
    marked: Paths = {}
    for line in re.sub(r"(,?)\n +", lambda end: end[1] or " ", table).splitlines():
        if not line or line.startswith("#"):
            continue
        line, mark, _ = line.partition("@mindspore")
        paths, _, sources = line.partition(" = ")
        found = [_source(text) for text in sources.split(";")]
        for path in paths.split():
            for expanded in expand(path):
                (marked if mark else always).setdefault(expanded.strip("."), []).extend(found)
    return always, marked


def expand(path: str) -> list[str]:
    """Return the paths that one with braces stands for.

    >>> expand("{nn,train}.metrics.{loss,roc}")
    ['nn.metrics.loss', 'nn.metrics.roc', 'train.metrics.loss', 'train.metrics.roc']
    """
    before, brace, rest = path.partition("{")
    inside, _, after = rest.partition("}")
    return [tail for part in inside.split(",") for tail in expand(before + part + after)] if brace else [path]


def _source(text: str) -> Source:
    module, listed, names = text.strip().partition(":")
    return Source(module, {new or name: name for name, new in _NAME.findall(names)} if listed else None)

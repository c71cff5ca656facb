"""Import paths: `ops`."""

TABLE = """
ops ops.operations ops.operations.other_ops     = sporax._src.compat.shims.ops.operations.other_ops: Pull Push @mindspore
ops                     = sporax: Tensor
ops                     = sporax.ops: operations as P                                                        @mindspore
ops.op_info_register    = sporax.ops: AiCPURegOp CustomRegOp DataType TBERegOp custom_info_register op_info_register
ops._grad.grad_base     = sporax._src.compat.shims.ops.grad_experimental.grad_base: bprop_getters            @mindspore
ops._grad_experimental.grad_array_ops   = sporax._src.compat.shims.ops.grad_experimental.grad_array_ops:
    _generate_inverse_index
ops._grad_experimental.grad_base = sporax._src.compat.shims.ops.grad_experimental.grad_base: bprop_getters
ops._grad_experimental.grad_comm_ops    = sporax._src.compat.shims.ops.grad_experimental.grad_comm_ops:
    get_squared_device_local_norm_param
ops._grad_experimental.grad_math_ops    = sporax._src.compat.shims.ops.grad_experimental.grad_math_ops:
    _fft_rank_offset _rfft_last_term_shape _rfft_reshape _rfft_tile_reshape
ops._primitive_cache    = sporax._src.compat.shims.ops.primitive_cache: _get_cache_prim
ops.auto_generate       = sporax.ops; sporax._src.compat.shims.ops.auto_generate.gen_ops_prim: dropout_ext_op tracev2_grad_op
ops.auto_generate.{gen_ops_def,gen_ops_prim}    = sporax.ops
ops.auto_generate       = sporax.mint.nn.functional: avg_pool1d as avg_pool1d_ext
ops.auto_generate.gen_ops_def   = sporax.mint: batch_norm_elemt batch_norm_gather_stats_with_counts batch_norm_stats clone
    count_nonzero mv narrow triangular_solve
ops.auto_generate ops.auto_generate.gen_ops_prim = sporax._src.compat.shims.ops.auto_generate.gen_ops_prim: AdamW
    FusedAddTopKDiv GroupedMatmul GroupedMatmulV4 MoeComputeExpertTokens MoeDistributeCombine MoeDistributeDispatch
    MoeFinalizeRouting MoeGatingTopKSoftmax MoeInitRouting MoeInitRoutingV2 MoeTokenUnpermute PromptFlashAttention
    QuantBatchMatmul QuantV2 RotaryPositionEmbedding Scatter
ops.auto_generate ops.auto_generate.{gen_ops_def,gen_ops_prim}  = sporax._src.compat.shims.ops.auto_generate.gen_ops_prim:
    DynamicQuantExt Embedding FFN as FFNExt GenerateEodMaskV2 GroupNorm KVCacheScatterUpdate WeightQuantBatchMatmul
ops.operations._inner_ops       = sporax._src.compat.shims.ops.operations.inner_ops: DSDMatmul Dequant
    DynamicBroadcastTo Generator MatmulDDS Quant
ops.auto_generate.gen_ops_def   = sporax._src.compat.shims.ops.auto_generate.gen_ops_def: add_ext index sub_ext
ops.auto_generate.gen_ops_prim  = sporax._src.compat.shims.ops.auto_generate.gen_ops_prim: embedding_op
ops ops.operations ops.operations.nn_ops = sporax._src.compat.shims.ops.operations.nn_ops: GetNext InstanceNorm
ops.operations.nn_ops   = sporax._src.compat.shims.ops.operations.nn_ops: AllFinite
ops.operations          = sporax._src.compat.shims.ops.operations.inner_ops: DSDMatmul MatmulDDS
ops.operations.math_ops = sporax._src.compat.shims.ops.operations.math_ops: NPUClearFloatStatusV2 NPUGetFloatStatusV2
ops.auto_generate ops.auto_generate.gen_ops_prim = sporax._src.compat.shims.ops.auto_generate.gen_ops_def: format_cast @mindspore
ops.composite ops.composite.{base,env_ops,math_ops,multitype_ops}       = sporax.ops
ops.composite.multitype_ops.{add,bitwise_and,bitwise_or,bitwise_xor,div,equal,floordiv,getitem,greater_equal,greater,in,
    invert,left_shift,less_equal,less,logic_not,logical_and,logical_or,mod,mul,negative,not_equal,not_in,ones_like,pow,
    right_shift,setitem,sub,uadd,zeros_like}_impl = sporax.ops
ops.deprecated ops.function ops.functional      = sporax.ops
ops.function.{array,clip,debug,fft,image,linalg,math,nn,other,parameter,random,reshard,sparse,sparse_unary,spectral,
    vmap}_func = sporax.ops
ops.function.array_func = sporax: from_numpy; sporax._src.compat.shims.ops.function.array_func: arg_max_with_value_
    arg_min_with_value_
ops.function.grad ops.function.grad.grad_func   = sporax.ops
ops.function.random_func        = sporax._src.core.generator: _get_graph_seed as _get_seed
ops.function.math_func  = sporax.ops: functional as F
ops.function.nn_func    = sporax._src.compat.shims.ops.function.nn_func: multi_head_attention_forward linear
    _check_attn_mask_shape _check_kpm_shape _check_qkv_shape _in_projection _in_projection_packed _inner_dropout _inner_pad
    _innner_log_softmax _interploate_ext_make_tuple _interpolate_ext_scale_factor_convert_size
    _scaled_dot_product_attention; sporax.mint.nn.functional: relu_ avg_pool1d as avg_pool1d_ext avg_pool2d as
    avg_pool2d_ext avg_pool3d as avg_pool3d_ext max_pool2d as max_pool2d_ext pad as pad_ext;
    sporax._src.compat.shims.ops.primitive_cache: _get_cache_prim
ops.functional_overload = sporax.mint; sporax.mint: clamp as clip; sporax.mint.nn.functional: conv3d gelu pixel_shuffle;
    sporax.ops: all_gather_matmul matmul_reduce_scatter
ops.operations ops.operations.{array,comm,control,custom,debug,image,inner,linalg,math,nn,other,random,reshard,rl,sparse,
    spectral}_ops = sporax.ops
ops.operations._{csr,embedding_cache,grad,infer,inner,map_tensor,ocr,quant,rl_inner,scalar,sequence,sparse_grad,
    thor}_ops = sporax.ops
ops.operations._tensor_array ops.operations.manually_defined ops.operations.manually_defined.ops_def = sporax.ops
ops.operations._rl_inner_ops    = sporax._src.compat.shims.ops.operations.rl_inner_ops: BatchAssign
    PriorityReplayBufferCreate PriorityReplayBufferDestroy PriorityReplayBufferPush PriorityReplayBufferSample
    PriorityReplayBufferUpdate ReservoirReplayBufferCreate ReservoirReplayBufferDestroy ReservoirReplayBufferPush
    ReservoirReplayBufferSample TensorsQueueClear TensorsQueueClose TensorsQueueCreate TensorsQueueGet TensorsQueuePut
    TensorsQueueSize CudnnGRU DiscountedReturn EnvCreate EnvReset EnvStep MuxReceive MuxSend
ops.operations._map_tensor_ops  = sporax._src.compat.shims.ops.operations.map_tensor_ops: MapTensorGet
ops.operations._tensor_array    = sporax._src.compat.shims.ops.operations.tensor_array: TensorArray TensorArrayClear
    TensorArrayClose TensorArrayRead TensorArraySize TensorArrayStack TensorArrayWrite
ops.operations._sequence_ops    = sporax._src.compat.shims.ops.operations.sequence_ops: TensorToScalar
ops.operations._infer_ops       = sporax._src.compat.shims.ops.auto_generate.gen_ops_prim: QuantV2
ops.operations.comm_ops = sporax._src.compat.shims.ops.operations.comm_ops: VirtualDataset as _VirtualDataset
ops.operations.nn_ops   = sporax._src.compat.shims.ops.auto_generate.gen_ops_prim: PromptFlashAttention
ops.primitive           = sporax.ops: Primitive PrimitiveWithCheck PrimitiveWithInfer constexpr constexpr as _primexpr
    prim_attr_register
"""

"""The operators, methods, layers, optimizers and metrics of which nothing is recorded from MindSpore 2.7.0, by reason."""

_NO_KERNEL = "the CPU has no kernel, or none in PyNative mode"
_FUNCTIONS = "they take functions; the tests of transforms compare their results with formulas"
_SEVERAL = "they need several devices"
_REGISTERED = "they describe operators, and compute nothing"
_WATCHED = "they write summaries, dumps and flags, and return nothing"
_BASES = "bases: their subclasses are recorded"
_UNDEFINED = "what they return is the state of memory"
_NEWER = "MindSpore 2.7.0 does not have them"
_STATEMENTS = "they are parts of statements; their tests compare them with Python's operators"

WITHOUT: dict[str, dict[str, str]] = {
    "ops": {
        _NO_KERNEL: """AddcmulExt ApplyKerasMomentum Arange BasicLSTMCell BatchToSpace BatchToSpaceNDV2 ConfusionMatrix
            Convolution CountNonZero CumsumExt DepthwiseConv2dNative DropoutDoMask DropoutExt DropoutGenMask
            DynamicGRUV2 DynamicRNN EluExt EuclideanNorm ExtractImagePatches FlashAttentionScore FmodScalar FmodTensor
            FusedInferAttentionScore FusedWeightScaleApplyMomentum HistogramFixedWidth IncreFlashAttention Index
            IndexSelect InplaceAddExt InplaceSubExt LeakyReLUExt LinSpaceExt Log10 Log2 LogSoftmaxExt OneHotExt Outer
            PagedAttentionMask Quantile Randperm RemainderScalarTensor RemainderTensorScalar RemainderTensorTensor
            RepeatInterleaveInt RepeatInterleaveTensor ReshapeAndCache SequenceAddN SequenceConcat SequenceStack
            SequenceUnstack SoftMarginLossGrad SoftplusExt SortExt SpaceToBatch SparseApplyAdadelta SparseApplyFtrlV2
            SparseApplyProximalAdagrad SplitTensor SplitV SplitWithSize StackExt Swiglu TopkExt TripletMarginLoss
            ZerosLikeExt bool_and bool_eq bool_or is_sequence_shape_unknown is_sequence_value_unknown scalar_ne
            string_concat string_eq""",
        _FUNCTIONS: """Custom GradOperation HookBackward InsertGradientOf Morph MultitypeFuncGraph PyExecute PyFunc cond
            derivative get_grad grad jacfwd jacrev jet jvp linearize value_and_grad vjp vmap""",
        _SEVERAL: """AllGather AllGatherV AllReduce AlltoAll AlltoAllV Barrier BatchISendIRecv Broadcast CollectiveGather
            CollectiveScatter NeighborExchange NeighborExchangeV2 Receive Reduce ReduceOp ReduceScatter ReduceScatterV
            Reshard Send all_gather_matmul matmul_reduce_scatter""",
        _REGISTERED: """AiCPURegOp CustomRegOp DataType Primitive PrimitiveWithCheck PrimitiveWithInfer Reusing TBERegOp
            add_flags constexpr custom_info_register get_vm_impl_fn kernel ms_kernel op_info_register prim_attr_register""",
        _WATCHED: """Assert HistogramSummary ImageSummary NPUAllocFloatStatus NPUClearFloatStatus NPUGetFloatStatus
            ScalarSummary TensorDump TensorSummary tensordump""",
        _STATEMENTS: "augassign_add augassign_div augassign_floordiv augassign_mul augassign_sub",
        "the text of a type names the package": "typeof",
        "its check of shapes reads another argument than x1 and refuses all": "DenseToSparseSetOperation",
        "inner names of mint.bmm, mint.matmul and mint.mean, which are recorded": "BatchMatMulExt MatMulExt MeanExt",
    },
    "Tensor": {
        _NO_KERNEL: """addmm_ bernoulli bernoulli_ erfinv_ exponential_ fill_diagonal_ floor_ index_add_ index_put_ log_
            new_full ormqr put_ random_ roll scatter_add scatter_add_ tanh_ triangular_solve unique""",
        _UNDEFINED: "data_ptr flush_from_cache init_data is_init move_to new_empty offload storage untyped_storage",
        _REGISTERED: "asnumpy convert_bytes_to_tensor register_hook set_const_arg wait_pipeline",
        "they draw; cases of draws call them on Tensors": "cauchy log_normal normal_ uniform uniform_",
    },
    "mint": {
        _NO_KERNEL: """batch_norm_elemt batch_norm_gather_stats_with_counts batch_norm_stats bernoulli multinomial normal
            rand rand_like randint randint_like randn randn_like randperm""",
        _UNDEFINED: "empty empty_like",
    },
    "mint.nn.functional": {},
    "numpy": {},
    "nn": {
        _BASES: "Cell EvaluationBase LearningRateSchedule Metric Optimizer",
        _SEVERAL: "DistributedGradReducer PipelineGradReducer",
        "it runs an exported file": "GraphCell",
        "it calls a network of many outputs": "OcclusionSensitivity",
        "it exists in graph mode only": "TensorArray",
        _NEWER: "Dropout2dExt",
    },
    "mint.nn": {_BASES: "Cell", _NEWER: "CosineEmbeddingLoss"},
    "optim": {_BASES: "Optimizer"},
    "mint.optim": {_NEWER: "FusedAdamW"},
}

"""Import paths: `experimental`, `mint`, `numpy`, `scipy` and `nn`."""

TABLE = """
# --- experimental, mint, numpy, scipy -------------------------------------------------------------------------------------

experimental experimental.map_parameter = sporax._src.compat.shims.experimental.map_parameter: MapParameter
experimental.optim.{adadelta,adagrad,adam,adamax,adamw,asgd,nadam,optimizer,radam,rmsprop,rprop,
    sgd} = sporax.experimental.optim
mint.distributed.distributed    = sporax.mint.distributed
mint                    = sporax: Tensor; sporax.mint.nn: functional; sporax.mint: clamp as clip
mint.nn.layer mint.nn.layer.{activation,basic,conv,normalization,padding,pooling}    = sporax.mint.nn
mint.optim.{adam,adamw,sgd}     = sporax.mint.optim
numpy.{array_creations,array_ops,logic_ops,math_ops} = sporax.numpy
numpy.array_creations   = sporax.numpy: asarray as asarray_const copy as copy_
numpy.math_ops          = sporax.numpy: divmod as divmod_ sum as sum_
numpy.fft               = sporax._src.compat.shims.numpy.fft
numpy.utils             = sporax._src.compat.shims.numpy.utils: _convert_64_to_32 _to_tensor
numpy.utils_const       = sporax._src.compat.shims.numpy.utils_const: _raise_value_error _canonicalize_axis
    _infer_out_shape

scipy.utils             = sporax._src.compat.shims.scipy.utils: _nd_transpose
scipy.optimize.{line_search,linear_sum_assignment,minimize}     = sporax.scipy.optimize

# --- nn ---------------------------------------------------------------------------------------------------------------

nn nn.layer             = sporax._src.compat.shims.nn.layer.basic: ResizeBilinear                            @mindspore
nn.cell                 = sporax._src.nn.cell.hooks: register_cell_buffer_registration_hook
nn.cell                 = sporax.nn: Cell GraphCell                                                          @home
nn.dynamic_lr           = sporax.nn: cosine_decay_lr exponential_decay_lr inverse_decay_lr natural_exp_decay_lr
    piecewise_constant_lr polynomial_decay_lr warmup_lr
nn.grad nn.grad.cell_grad       = sporax.nn: Jvp Vjp
nn.grad.cell_grad       = sporax.nn: Jvp Vjp                                                                 @home
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
nn.layer.conv           = sporax.nn.layer; sporax._src.nn.convolution: ConvBase as _Conv;
    sporax._src.compat.shims.nn.layer.conv: _check_input_3d
nn.layer.conv           = sporax.nn: Conv1d Conv1dTranspose Conv2d Conv2dTranspose Conv3d Conv3dTranspose    @home
nn.layer.{channel_shuffle,combined,container,dense,embedding,image,math,padding,pooling,rnns,
    timedistributed,transformer} = sporax.nn.layer
nn.layer.transformer    = sporax.nn: MultiheadAttention Transformer TransformerDecoder TransformerDecoderLayer
    TransformerEncoder TransformerEncoderLayer                                                               @home
nn.layer.timedistributed = sporax.nn: TimeDistributed                                                        @home
nn.layer.rnns           = sporax.nn: GRU LSTM RNN                                                            @home
nn.layer.pooling        = sporax.nn: AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d
    AdaptiveMaxPool2d AdaptiveMaxPool3d AvgPool1d AvgPool1dExt AvgPool2d AvgPool2dExt AvgPool3d AvgPool3dExt
    FractionalMaxPool2d FractionalMaxPool3d LPPool1d LPPool2d MaxPool1d MaxPool2d MaxPool2dExt MaxPool3d MaxUnpool1d
    MaxUnpool2d MaxUnpool3d                                                                                  @home
nn.layer.padding        = sporax.nn: ConstantPad1d ConstantPad2d ConstantPad3d ReflectionPad1d ReflectionPad2d
    ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d ZeroPad2d                             @home
nn.layer.math           = sporax.nn: DiGamma IGamma LBeta LGamma MatDet MatInverse MatMul Moments Range ReduceLogSumExp @home
nn.layer.image          = sporax.nn: CentralCrop ImageGradients MSSSIM PSNR PixelShuffle PixelUnshuffle SSIM @home
nn.layer.embedding      = sporax.nn: Embedding EmbeddingExt EmbeddingLookup MultiFieldEmbeddingLookup        @home
nn.layer.dense          = sporax.nn: BiDense                                                                 @home
nn.layer.container      = sporax.nn: CellDict CellList SequentialCell                                        @home
nn.layer.combined       = sporax.nn: Conv2dBnAct DenseBnAct                                                  @home
nn.layer.channel_shuffle = sporax.nn: ChannelShuffle                                                         @home
nn.layer.basic          = sporax.nn.layer; sporax.mint.nn: Fold; sporax._src.compat.shims.nn.layer.basic: _is_equal_one
nn.layer.basic          = sporax.nn: ClipByNorm Dense Dropout Dropout1d Dropout2d Dropout3d DropoutExt Flatten Identity
    L1Regularizer Linear MatrixDiag MatrixDiagPart MatrixSetDiag Norm OneHot Pad Roll Tril Triu Unflatten Unfold Upsample @home
nn.layer.flash_attention = sporax._src.compat.shims.nn.layer.flash_attention: FlashAttention                 @mindspore
nn.layer.rnn_cells      = sporax.nn.layer; sporax._src.nn.recurrent: RNNCellBase;
    sporax._src.compat.shims.nn.layer.rnn_cells: _gru_cell _lstm_cell _rnn_relu_cell _rnn_tanh_cell
nn.layer.rnn_cells      = sporax.nn: GRUCell LSTMCell RNNCell                                                @home
nn.layer.activation     = sporax.nn.layer; sporax._src.nn.activation: ACTIVATIONS as _activation
nn.layer.activation     = sporax.nn: CELU ELU FastGelu GELU GLU HShrink HSigmoid HSwish Hardtanh LRN LeakyReLU LogSigmoid
    LogSoftmax LogSoftmaxExt Mish PReLU PReLUExt RReLU ReLU ReLU6 SeLU SiLU Sigmoid SoftShrink Softmax Softmax2d Softmin
    Softsign Tanh Tanhshrink Threshold                                                                       @home
nn.layer.normalization  = sporax.nn.layer; sporax._src.nn.normalization: _BatchNorm
nn.layer.normalization  = sporax.nn: BatchNorm1d BatchNorm2d BatchNorm3d GroupNorm InstanceNorm1d InstanceNorm2d
    InstanceNorm3d LayerNorm LayerNormExt SyncBatchNorm                                                      @home
nn.layer.thor_layer     = sporax.nn: Conv2dThor DenseThor EmbeddingLookupThor EmbeddingThor                  @home
nn.learning_rate_schedule       = sporax.nn: CosineDecayLR ExponentialDecayLR InverseDecayLR LearningRateSchedule
    NaturalExpDecayLR PolynomialDecayLR WarmUpLR
nn.learning_rate_schedule       = sporax.nn: CosineDecayLR ExponentialDecayLR InverseDecayLR NaturalExpDecayLR
    PolynomialDecayLR WarmUpLR                                                                               @home
nn.loss                 = sporax.nn: BCELoss BCEWithLogitsLoss CTCLoss CosineEmbeddingLoss CrossEntropyLoss DiceLoss FocalLoss
    GaussianNLLLoss HingeEmbeddingLoss HuberLoss KLDivLoss L1Loss L1LossExt LossBase MAELoss MSELoss MarginRankingLoss
    MultiClassDiceLoss MultiLabelSoftMarginLoss MultiMarginLoss MultilabelMarginLoss NLLLoss PoissonNLLLoss RMSELoss
    SampledSoftmaxLoss SmoothL1Loss SoftMarginLoss SoftmaxCrossEntropyWithLogits TripletMarginLoss
    TripletMarginWithDistanceLoss
nn.loss.loss            = sporax.nn.loss; sporax._src.nn.losses.regression: _Loss; sporax._src.compat.shims.nn.loss.loss:
    _check_label_dtype
nn.loss.loss            = sporax.nn: BCELoss BCEWithLogitsLoss CTCLoss CosineEmbeddingLoss CrossEntropyLoss DiceLoss
    FocalLoss GaussianNLLLoss HingeEmbeddingLoss HuberLoss KLDivLoss L1Loss L1LossExt LossBase MAELoss MSELoss
    MarginRankingLoss MultiClassDiceLoss MultiLabelSoftMarginLoss MultiMarginLoss MultilabelMarginLoss NLLLoss
    PoissonNLLLoss RMSELoss SampledSoftmaxLoss SmoothL1Loss SoftMarginLoss SoftmaxCrossEntropyWithLogits TripletMarginLoss
    TripletMarginWithDistanceLoss                                                                            @home
nn.optim                = sporax.nn: ASGD AdaFactor AdaMax Adadelta Adagrad Adam AdamOffload AdamWeightDecay FTRL LARS Lamb
    LazyAdam Momentum Optimizer ProximalAdagrad RMSProp Rprop SGD thor
nn.optim.{ada_grad,adadelta,adafactor,adam,adamax,asgd,ftrl,lamb,lars,lazyadam,momentum,proximal_ada_grad,rmsprop,rprop,
    sgd} = sporax.nn.optim
nn.optim.sgd            = sporax.nn: SGD                                                                     @home
nn.optim.rprop          = sporax.nn: Rprop                                                                   @home
nn.optim.rmsprop        = sporax.nn: RMSProp                                                                 @home
nn.optim.proximal_ada_grad      = sporax.nn: ProximalAdagrad                                                 @home
nn.optim.momentum       = sporax.nn: Momentum                                                                @home
nn.optim.lazyadam       = sporax.nn: LazyAdam                                                                @home
nn.optim.lars           = sporax.nn: LARS                                                                    @home
nn.optim.lamb           = sporax.nn: Lamb                                                                    @home
nn.optim.ftrl           = sporax.nn: FTRL                                                                    @home
nn.optim.asgd           = sporax.nn: ASGD                                                                    @home
nn.optim.adamax         = sporax.nn: AdaMax                                                                  @home
nn.optim.adam           = sporax.nn: Adam AdamOffload AdamWeightDecay                                        @home
nn.optim.adafactor      = sporax.nn: AdaFactor                                                               @home
nn.optim.adadelta       = sporax.nn: Adadelta                                                                @home
nn.optim.ada_grad       = sporax.nn: Adagrad                                                                 @home
nn.optim.thor           = sporax._src.optim.thor: ThorGpu thor
nn.optim.optimizer      = sporax.nn: Optimizer; sporax._src.compat.shims.nn.optim.optimizer: opt_init_args_register
nn.optim.optimizer      = sporax.nn: Optimizer                                                               @home
nn.probability.bijector.{bijector,exp,gumbel_cdf,invert,power_transform,scalar_affine,
    softplus} = sporax.nn.probability.bijector
nn.probability.distribution.{bernoulli,beta,categorical,cauchy,distribution,exponential,gamma,geometric,gumbel,half_normal,
    laplace,log_normal,logistic,normal,poisson,student_t,transformed_distribution,uniform} =
    sporax.nn.probability.distribution
nn.reinforcement nn.reinforcement.tensor_array  = sporax.nn: TensorArray
nn.reinforcement.tensor_array   = sporax.nn: TensorArray                                                     @home
nn.sparse nn.sparse.sparse      = sporax.nn: SparseTensorDenseMatmul SparseToDense
nn.sparse.sparse        = sporax.nn: SparseTensorDenseMatmul SparseToDense                                   @home
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
nn.wrap.cell_wrapper    = sporax.nn.wrap; sporax.nn: Cell; sporax._src.nn.wrap: _MicroBatch;
    sporax._src.compat.shims.nn.wrap.cell_wrapper: _TrainGradAccuStepCell _VirtualDatasetCell
nn.wrap.cell_wrapper    = sporax.nn: ForwardValueAndGrad ParameterUpdate TrainOneStepCell WithEvalCell WithGradCell
    WithLossCell                                                                                             @home
nn.wrap.{grad_reducer,loss_scale}       = sporax.nn.wrap
nn.wrap.grad_reducer    = sporax.nn: DistributedGradReducer                                                  @home
nn.wrap.loss_scale      = sporax._src.compat.shims.nn.wrap.loss_scale: _grad_overflow _grad_scale grad_scale
    shard_grad_scale
nn.wrap.loss_scale      = sporax.nn: DynamicLossScaleUpdateCell FixedLossScaleUpdateCell TrainOneStepWithLossScaleCell @home
"""

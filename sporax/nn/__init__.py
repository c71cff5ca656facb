"""Cells: layers, losses, containers and optimizers."""

from sporax._src.checkpoint.export import GraphCell
from sporax._src.core.parameter import no_init_parameters
from sporax._src.nn.activation import (
    CELU,
    ELU,
    GELU,
    FastGelu,
    Hardtanh,
    HShrink,
    HSigmoid,
    HSwish,
    LeakyReLU,
    LogSigmoid,
    Mish,
    PReLU,
    PReLUExt,
    ReLU,
    ReLU6,
    RReLU,
    SeLU,
    Sigmoid,
    SiLU,
    SoftShrink,
    Softsign,
    Tanh,
    Tanhshrink,
    Threshold,
    get_activation,
)
from sporax._src.nn.adaptive_pooling import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveAvgPool3d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AdaptiveMaxPool3d,
    LPPool1d,
    LPPool2d,
    MaxUnpool1d,
    MaxUnpool2d,
    MaxUnpool3d,
)
from sporax._src.nn.attention import MultiheadAttention
from sporax._src.nn.cell import Cell
from sporax._src.nn.combined import Conv2dBnAct, DenseBnAct, TimeDistributed
from sporax._src.nn.containers import CellDict, CellList, SequentialCell
from sporax._src.nn.convolution import Conv1d, Conv2d, Conv3d
from sporax._src.nn.convolution_transpose import Conv1dTranspose, Conv2dTranspose, Conv3dTranspose
from sporax._src.nn.dropout import Dropout, Dropout1d, Dropout2d, Dropout3d, DropoutExt
from sporax._src.nn.embedding import Embedding, EmbeddingExt, EmbeddingLookup, MultiFieldEmbeddingLookup, OneHot
from sporax._src.nn.fractional_pooling import FractionalMaxPool2d, FractionalMaxPool3d
from sporax._src.nn.grad import Jvp, Vjp
from sporax._src.nn.image import (
    MSSSIM,
    PSNR,
    SSIM,
    CentralCrop,
    ChannelShuffle,
    ImageGradients,
    PixelShuffle,
    PixelUnshuffle,
    Unfold,
    Upsample,
)
from sporax._src.nn.layer_norm import GroupNorm, LayerNorm, LayerNormExt
from sporax._src.nn.linear import BiDense, Dense, Flatten, Identity, Linear, Unflatten
from sporax._src.nn.losses import (
    GaussianNLLLoss,
    HuberLoss,
    L1Loss,
    L1LossExt,
    LossBase,
    MAELoss,
    MSELoss,
    PoissonNLLLoss,
    RMSELoss,
    SmoothL1Loss,
)
from sporax._src.nn.losses_classes import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    DiceLoss,
    FocalLoss,
    KLDivLoss,
    MultiClassDiceLoss,
    MultilabelMarginLoss,
    MultiLabelSoftMarginLoss,
    MultiMarginLoss,
    NLLLoss,
    SampledSoftmaxLoss,
    SoftmaxCrossEntropyWithLogits,
)
from sporax._src.nn.losses_pairs import (
    CosineEmbeddingLoss,
    HingeEmbeddingLoss,
    MarginRankingLoss,
    SoftMarginLoss,
    TripletMarginLoss,
    TripletMarginWithDistanceLoss,
)
from sporax._src.nn.losses_sequence import CTCLoss
from sporax._src.nn.math import (
    ClipByNorm,
    DiGamma,
    IGamma,
    L1Regularizer,
    LBeta,
    LGamma,
    MatDet,
    MatInverse,
    MatMul,
    MatrixDiag,
    MatrixDiagPart,
    MatrixSetDiag,
    Moments,
    Norm,
    Range,
    ReduceLogSumExp,
    Roll,
    Tril,
    Triu,
)
from sporax._src.nn.normalization import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
    SyncBatchNorm,
)
from sporax._src.nn.padding import (
    ConstantPad1d,
    ConstantPad2d,
    ConstantPad3d,
    Pad,
    ReflectionPad1d,
    ReflectionPad2d,
    ReflectionPad3d,
    ReplicationPad1d,
    ReplicationPad2d,
    ReplicationPad3d,
    ZeroPad2d,
)
from sporax._src.nn.pooling import AvgPool1d, AvgPool2d, AvgPool3d, MaxPool1d, MaxPool2d, MaxPool2dExt, MaxPool3d
from sporax._src.nn.pooling_ext import AvgPool1dExt, AvgPool2dExt, AvgPool3dExt
from sporax._src.nn.recurrent import GRU, LSTM, RNN, GRUCell, LSTMCell, RNNCell
from sporax._src.nn.softmax import GLU, LRN, LogSoftmax, LogSoftmaxExt, Softmax, Softmax2d, Softmin
from sporax._src.nn.sparse import SparseTensorDenseMatmul, SparseToDense
from sporax._src.nn.tensor_array import TensorArray
from sporax._src.nn.transformer import (
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)
from sporax._src.nn.wrap import (
    DistributedGradReducer,
    ForwardValueAndGrad,
    ParameterUpdate,
    TrainOneStepCell,
    WithEvalCell,
    WithGradCell,
    WithLossCell,
)
from sporax._src.nn.wrap_micro_batches import GradAccumulationCell, MicroBatchInterleaved, PipelineCell
from sporax._src.optim.adadelta import Adadelta
from sporax._src.optim.adafactor import AdaFactor
from sporax._src.optim.adagrad import Adagrad
from sporax._src.optim.adam import Adam, AdamWeightDecay
from sporax._src.optim.adamax import AdaMax
from sporax._src.optim.asgd import ASGD
from sporax._src.optim.ftrl import FTRL, ProximalAdagrad
from sporax._src.optim.lamb import Lamb
from sporax._src.optim.lars import LARS
from sporax._src.optim.lazy_adam import AdamOffload, LazyAdam
from sporax._src.optim.momentum import Momentum
from sporax._src.optim.optimizer import Optimizer
from sporax._src.optim.rmsprop import RMSProp
from sporax._src.optim.rprop import Rprop
from sporax._src.optim.schedule import (
    CosineDecayLR,
    ExponentialDecayLR,
    InverseDecayLR,
    LearningRateSchedule,
    NaturalExpDecayLR,
    PolynomialDecayLR,
    WarmUpLR,
    cosine_decay_lr,
    exponential_decay_lr,
    inverse_decay_lr,
    natural_exp_decay_lr,
    piecewise_constant_lr,
    polynomial_decay_lr,
    warmup_lr,
)
from sporax._src.optim.sgd import SGD
from sporax._src.train.loss_scale import (
    DynamicLossScaleUpdateCell,
    FixedLossScaleUpdateCell,
    TrainOneStepWithLossScaleCell,
)
from sporax._src.train.metrics import get_metric_fn, get_metrics, names
from sporax._src.train.metrics.classes import F1, Accuracy, Fbeta, Precision, Recall
from sporax._src.train.metrics.confusion import ConfusionMatrix
from sporax._src.train.metrics.confusion_rates import ConfusionMatrixMetric
from sporax._src.train.metrics.error import MAE, MSE, Loss
from sporax._src.train.metrics.metric import EvaluationBase, Metric, rearrange_inputs
from sporax._src.train.metrics.occlusion import OcclusionSensitivity
from sporax._src.train.metrics.overlap import CosineSimilarity, Dice
from sporax._src.train.metrics.roc import ROC, auc
from sporax._src.train.metrics.surface import HausdorffDistance, MeanSurfaceDistance, RootMeanSquareDistance
from sporax._src.train.metrics.text import BleuScore, Perplexity
from sporax._src.train.metrics.topk import Top1CategoricalAccuracy, Top5CategoricalAccuracy, TopKCategoricalAccuracy
from sporax.nn import probability, utils

__all__ = [
    "ASGD",
    "Accuracy",
    "AdaFactor",
    "AdaMax",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamOffload",
    "AdamWeightDecay",
    "BleuScore",
    "Cell",
    "ConfusionMatrix",
    "ConfusionMatrixMetric",
    "CosineDecayLR",
    "CosineSimilarity",
    "Dice",
    "DistributedGradReducer",
    "DynamicLossScaleUpdateCell",
    "EvaluationBase",
    "ExponentialDecayLR",
    "F1",
    "FTRL",
    "Fbeta",
    "FixedLossScaleUpdateCell",
    "ForwardValueAndGrad",
    "GradAccumulationCell",
    "GraphCell",
    "HausdorffDistance",
    "InverseDecayLR",
    "LARS",
    "Lamb",
    "LazyAdam",
    "LearningRateSchedule",
    "Loss",
    "MAE",
    "MSE",
    "MeanSurfaceDistance",
    "Metric",
    "MicroBatchInterleaved",
    "Momentum",
    "NaturalExpDecayLR",
    "OcclusionSensitivity",
    "Optimizer",
    "ParameterUpdate",
    "Perplexity",
    "PipelineCell",
    "PolynomialDecayLR",
    "Precision",
    "ProximalAdagrad",
    "RMSProp",
    "ROC",
    "Recall",
    "RootMeanSquareDistance",
    "Rprop",
    "SGD",
    "Top1CategoricalAccuracy",
    "Top5CategoricalAccuracy",
    "TopKCategoricalAccuracy",
    "TrainOneStepCell",
    "TrainOneStepWithLossScaleCell",
    "WarmUpLR",
    "WithEvalCell",
    "WithGradCell",
    "WithLossCell",
    "auc",
    "cosine_decay_lr",
    "exponential_decay_lr",
    "get_metric_fn",
    "get_metrics",
    "inverse_decay_lr",
    "names",
    "natural_exp_decay_lr",
    "no_init_parameters",
    "piecewise_constant_lr",
    "polynomial_decay_lr",
    "rearrange_inputs",
    "warmup_lr",
]
__all__ += [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d", "AvgPool1d", "AvgPool1dExt", "AvgPool2d", "AvgPool2dExt", "AvgPool3d", "AvgPool3dExt",
    "BCELoss", "BCEWithLogitsLoss", "BatchNorm1d",
    "BatchNorm2d", "BatchNorm3d", "BiDense", "CELU", "CTCLoss", "CellDict", "CellList", "CentralCrop", "ChannelShuffle",
    "ClipByNorm", "ConstantPad1d", "ConstantPad2d", "ConstantPad3d", "Conv1d", "Conv1dTranspose", "Conv2d",
    "Conv2dBnAct", "Conv2dTranspose", "Conv3d", "Conv3dTranspose", "CosineEmbeddingLoss", "CrossEntropyLoss",
    "Dense", "DenseBnAct", "DiGamma", "DiceLoss", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "DropoutExt",
    "ELU", "Embedding", "EmbeddingExt", "EmbeddingLookup", "FastGelu", "Flatten", "FocalLoss",
    "FractionalMaxPool2d", "FractionalMaxPool3d", "GELU", "GLU", "GRU",
    "GRUCell", "GaussianNLLLoss", "GroupNorm", "HShrink", "HSigmoid", "HSwish", "Hardtanh", "HingeEmbeddingLoss",
    "HuberLoss", "IGamma", "Identity", "ImageGradients", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d",
    "KLDivLoss", "L1Loss", "L1LossExt", "L1Regularizer", "LBeta", "LGamma", "LPPool1d", "LPPool2d", "LRN", "LSTM",
    "LSTMCell", "LayerNorm", "LayerNormExt", "LeakyReLU", "Linear", "LogSigmoid", "LogSoftmax", "LogSoftmaxExt",
    "LossBase", "MAELoss", "MSELoss", "MSSSIM", "MarginRankingLoss", "MatDet", "MatInverse", "MatMul", "MatrixDiag",
    "MatrixDiagPart", "MatrixSetDiag", "MaxPool1d", "MaxPool2d", "MaxPool2dExt", "MaxPool3d", "MaxUnpool1d",
    "MaxUnpool2d", "MaxUnpool3d", "Mish", "Moments", "MultiClassDiceLoss", "MultiFieldEmbeddingLookup",
    "MultiLabelSoftMarginLoss", "MultiMarginLoss", "MultiheadAttention", "MultilabelMarginLoss", "NLLLoss", "Norm",
    "OneHot", "PReLU", "PReLUExt", "PSNR", "Pad", "PixelShuffle", "PixelUnshuffle", "PoissonNLLLoss", "RMSELoss",
    "RNN", "RNNCell", "RReLU", "Range", "ReLU", "ReLU6", "ReduceLogSumExp", "ReflectionPad1d", "ReflectionPad2d",
    "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d", "ReplicationPad3d", "Roll", "SSIM",
    "SampledSoftmaxLoss", "SeLU", "SequentialCell", "SiLU", "Sigmoid", "SmoothL1Loss", "SoftMarginLoss",
    "SoftShrink", "Softmax", "Softmax2d", "SoftmaxCrossEntropyWithLogits", "Softmin", "Softsign",
    "SparseTensorDenseMatmul", "SparseToDense", "SyncBatchNorm",
    "Tanh", "Tanhshrink", "TensorArray", "Threshold", "TimeDistributed", "Transformer", "TransformerDecoder",
    "TransformerDecoderLayer", "TransformerEncoder", "TransformerEncoderLayer", "Tril", "TripletMarginLoss",
    "TripletMarginWithDistanceLoss", "Triu", "Unflatten", "Unfold", "Upsample", "ZeroPad2d", "get_activation",
    "Jvp", "Vjp", "probability", "utils",
]  # fmt: skip

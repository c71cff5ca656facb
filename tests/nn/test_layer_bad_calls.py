"""A wrong call of every layer that `test_layer_errors.py` does not call: one clear error."""
# ruff: noqa: E501 (a table: one case is one line)

import re
from pathlib import Path

import numpy as np
import pytest

import sporax as ms
from sporax import nn
from sporax._src.base.public_names import defined_in
from sporax._src.nn.cell.cell import Cell


def zeros(*shape: int, dtype: type = np.float32) -> ms.Tensor:
    return ms.Tensor(np.zeros(shape, dtype))


BAD = [
    ("AdaptiveAvgPool2d((1, 2, 3))(zeros(1, 2, 4, 4))", ValueError, "output_size must be an int or 2 of int or None, got (1, 2, 3)."),
    ("AdaptiveAvgPool3d(2)(zeros(4, 4))", ValueError, "input must have 4 or 5 axes, got shape [4, 4]."),
    ("AdaptiveMaxPool1d(2)(zeros(1, 2, 5))", ValueError, "the last axis of x must be a multiple of output_size=2, got 5."),
    ("AdaptiveMaxPool2d(2)(zeros(4, 4))", ValueError, "input must have 3 or 4 axes, got shape [4, 4]."),
    ("AdaptiveMaxPool3d(2)(zeros(4, 4))", ValueError, "input must have 4 or 5 axes, got shape [4, 4]."),
    ("AvgPool1d(0)", ValueError, "nn.AvgPool1d: kernel_size must be a positive integer or a tuple of them, got 0."),
    ("AvgPool1dExt(0)(zeros(1, 2, 4))", ValueError, "kernel_size must be at least 1, got 0."),
    ("AvgPool2dExt(2)(zeros(4))", ValueError, "input_x must have 4 axes, got shape [4]."),
    ("AvgPool3d(0)", ValueError, "nn.AvgPool3d: kernel_size must be a positive integer or a tuple of them, got 0."),
    ("AvgPool3dExt(2)(zeros(4))", ValueError, "input_x must have 5 axes, got shape [4]."),
    ("BCELoss()(zeros(2, 3), zeros(2, 2))", ValueError, "labels must have the shape of logits [2, 3], got [2, 2]."),
    ("BatchNorm3d(3)(zeros(2, 3, 4, 4))", ValueError, "x must have 5 axes, got 4."),
    ("BiDense(0, 2, 3)", ValueError, "nn.BiDense: in1_channels must be a positive integer, got 0."),
    ("CELU('a')", TypeError, "nn.CELU: alpha must be of type float, got 'a'."),
    ("CTCLoss(reduction='max')", ValueError, "nn.CTCLoss: reduction must be one of ['mean', 'sum', 'none'], got 'max'."),
    ("CellDict(5)", TypeError, "nn.CellDict.update: expected a mapping or pairs of name and Cell, got 5."),
    ("CellList([nn.ReLU(), 5])", TypeError, "nn.CellList: each element must be a Cell, got 5."),
    ("ChannelShuffle(3)(zeros(2, 4, 3, 3))", ValueError, "the channels must be divisible by groups=3, got shape [2, 4, 3, 3]."),
    ("ClipByNorm('a')", TypeError, "nn.ClipByNorm: axis must be of type int or tuple or list, got 'a'."),
    ("ConstantPad2d('a', 1)", TypeError, "nn.ConstantPad2d: padding must be an integer or a tuple of integers, got 'a'."),
    ("ConstantPad3d((1, 2, 3), 1)", ValueError, "nn.ConstantPad3d: padding must be an integer or a tuple of up to 3 pairs, got (1, 2, 3)."),
    ("Conv1dTranspose(2, 3, (3, 3))", TypeError, "nn.Conv1dTranspose: kernel_size must be an integer, got (3, 3)."),
    ("Conv2dBnAct(2, 3, 3, has_bn=1)", TypeError, "nn.Conv2dBnAct: has_bn must be of type bool, got 1."),
    ("Conv3dTranspose(2, 3, 3)(zeros(1, 3, 5, 5))", ValueError, "x must have 5 axes, got 4."),
    ("DenseBnAct(2, 3, has_bn=1)", TypeError, "nn.DenseBnAct: has_bn must be of type bool, got 1."),
    ("DiGamma()(zeros(2, dtype=np.int32))", TypeError, "x must be of dtype float16, float32, bfloat16, float64, got int32."),
    ("DistributedGradReducer([], degree=0)", ValueError, "DistributedGradReducer: degree must be an int > 0, got 0."),
    ("Dropout1d(1.5)", ValueError, "nn.Dropout1d: p must be in [0, 1], got 1.5."),
    ("Dropout3d(1.5)", ValueError, "nn.Dropout3d: p must be in [0, 1], got 1.5."),
    ("DropoutExt(1.5)", ValueError, "nn.DropoutExt: p must be in [0, 1], got 1.5."),
    ("ELU('a')", TypeError, "nn.ELU: alpha must be of type float, got 'a'."),
    ("EmbeddingExt(5, 3, padding_idx=7)", ValueError, "nn.EmbeddingExt: padding_idx must be in [-5, 5), got 7."),
    ("FastGelu()(zeros(2, dtype=np.int32))", TypeError, "expected a float Tensor, got int32."),
    ("ForwardValueAndGrad(5)", TypeError, "ForwardValueAndGrad: network must be a Cell or a function, got 5."),
    ("FractionalMaxPool2d(2)(zeros(1, 1, 4, 4))", ValueError, "ops.fractional_max_pool2d: give either output_size or output_ratio, got None and None."),
    ("FractionalMaxPool3d(2)(zeros(1, 1, 4, 4, 4))", ValueError, "ops.fractional_max_pool3d: give either output_size or output_ratio, got None and None."),
    ("GLU()(zeros(2, 3))", ValueError, "the size of x along axis -1 must be even, got shape [2, 3]."),
    ("GRUCell(0, 3)", ValueError, "nn.GRUCell: input_size must be a positive integer, got 0."),
    ("GaussianNLLLoss(eps=0.0)", ValueError, "nn.GaussianNLLLoss: eps must be in (0, inf), got 0.0."),
    ("GradAccumulationCell(nn.Dense(2, 1), 0)", ValueError, "GradAccumulationCell: micro_size must be > 0, got 0."),
    ("HShrink('a')", TypeError, "nn.HShrink: lambd must be of type float or int, got 'a'."),
    ("HSigmoid()('a')", TypeError, "operands must be Tensors or numbers, got str: 'a'."),
    ("HSwish()('a')", TypeError, "operands must be Tensors or numbers, got str: 'a'."),
    ("HingeEmbeddingLoss('a')", TypeError, "nn.HingeEmbeddingLoss: margin must be of type float or int, got 'a'."),
    ("HuberLoss('mean', 'a')", TypeError, "nn.HuberLoss: delta must be of type float or int, got 'a'."),
    ("IGamma()(1.0, zeros(2))", TypeError, "a must be a Tensor, got 1.0."),
    ("Identity()(zeros(1), zeros(2))", TypeError, "Identity.construct() takes 2 positional arguments but 3 were given"),
    ("ImageGradients()(zeros(2, 3))", ValueError, "images must have 4 axes, got 2."),
    ("InstanceNorm1d(0)", ValueError, "nn.InstanceNorm1d: num_features must be a positive integer, got 0."),
    ("InstanceNorm2d(3)(zeros(2, 3))", ValueError, "x must have 4 axes, got 2."),
    ("InstanceNorm3d(3, momentum=2.0)", ValueError, "nn.InstanceNorm3d: momentum must be in [0, 1], got 2.0."),
    ('Jvp(nn.ReLU())(zeros(2), zeros(3))', ValueError, "jvp: a direction must have its input's shape [2], got [3]."),
    ("KLDivLoss('max')", ValueError, "nn.KLDivLoss: reduction must be one of ['none', 'mean', 'sum', 'batchmean'], got 'max'."),
    ("L1Loss('max')", ValueError, "nn.L1Loss: reduction must be one of ['mean', 'sum', 'none'], got 'max'."),
    ("L1LossExt('max')", ValueError, "nn.L1LossExt: reduction must be one of ['mean', 'sum', 'none'], got 'max'."),
    ("LBeta()(1.0, zeros(2))", TypeError, "x must be a Tensor, got 1.0."),
    ("LGamma()(zeros(2, dtype=np.int32))", TypeError, "x must be of dtype float16, float32, bfloat16, float64, got int32."),
    ("LPPool1d(2, 2)(zeros(4))", ValueError, "x must have 2 or 3 axes, got shape [4]."),
    ("LPPool2d(2, 2)(zeros(4))", ValueError, "x must have 3 or 4 axes, got shape [4]."),
    ("LRN(2)(zeros(4))", ValueError, "x must have 4 axes, got shape [4]."),
    ("LSTMCell(0, 3)", ValueError, "nn.LSTMCell: input_size must be a positive integer, got 0."),
    ("LayerNormExt(4)(zeros(2, 3))", ValueError, "input must end in normalized_shape [4], got [2, 3]."),
    ("LeakyReLU()('a')", TypeError, "operands must be Tensors or numbers, got str: 'a'."),
    ("Linear(0, 3)", ValueError, "nn.Linear: in_features must be a positive integer, got 0."),
    ("LogSigmoid()(zeros(2, dtype=np.int32))", TypeError, "expected a float Tensor, got int32."),
    ("LogSoftmax('a')", TypeError, "nn.LogSoftmax: axis must be of type int, got 'a'."),
    ("LogSoftmaxExt(3)(zeros(2, 3))", ValueError, "axis must be in [-2, 2), got 3."),
    ("LossBase('max')", ValueError, "nn.LossBase: reduction must be one of ['mean', 'sum', 'none'], got 'max'."),
    ("MAELoss('max')", ValueError, "nn.MAELoss: reduction must be one of ['mean', 'sum', 'none'], got 'max'."),
    ("MSSSIM(max_val=0)", ValueError, "nn.MSSSIM: max_val must be positive, got 0."),
    ("MarginRankingLoss('a')", TypeError, "nn.MarginRankingLoss: margin must be of type float or int, got 'a'."),
    ("MatDet()(zeros(2, 3))", ValueError, "input must hold square matrices along its last two axes, got shape (2, 3)."),
    ("MatInverse()(zeros(2, 3))", ValueError, "input must hold square matrices along its last two axes, got shape (2, 3)."),
    ("MatMul(1)", TypeError, "nn.MatMul: transpose_x1 must be of type bool, got 1."),
    ("MatrixDiag()(1.0)", ValueError, "dim1 must be in [-1, 1), got -2."),
    ("MatrixDiagPart()(zeros(2))", ValueError, "input must have at least 2 axes, got 1."),
    ("MatrixSetDiag()(zeros(2, 3), zeros(3))", ValueError, "diagonal must have shape [2], got [3]."),
    ("MaxPool1d(0)", ValueError, "nn.MaxPool1d: kernel_size must be a positive integer or a tuple of them, got 0."),
    ("MaxPool2dExt(2)(zeros(4))", ValueError, "x must have 4 axes, got shape [4]."),
    ("MaxPool3d(0)", ValueError, "nn.MaxPool3d: kernel_size must be a positive integer or a tuple of them, got 0."),
    ("MaxUnpool1d(2)(zeros(1, 2, 3), zeros(1, 2, 2, dtype=np.int64))", ValueError, "indices must have the shape of x [1, 2, 3], got [1, 2, 2]."),
    ("MaxUnpool2d(2)(zeros(2, 3), zeros(2, 3, dtype=np.int64))", ValueError, "x must have 3 or 4 axes, got shape [2, 3]."),
    ("MaxUnpool3d(2)(zeros(2, 3), zeros(2, 3, dtype=np.int64))", ValueError, "x must have 4 or 5 axes, got shape [2, 3]."),
    ("MicroBatchInterleaved(nn.Dense(2, 1), 'a')", TypeError, "MicroBatchInterleaved: interleave_num must be an int, got 'a'."),
    ("Mish()(zeros(2, dtype=np.int32))", TypeError, "expected a float Tensor, got int32."),
    ("MultiClassDiceLoss(weights=3)", TypeError, "nn.MultiClassDiceLoss: weights must be of type Tensor, got 3."),
    ("MultiFieldEmbeddingLookup(10, 2, field_size=0)", ValueError, "nn.MultiFieldEmbeddingLookup: field_size must be a positive integer, got 0."),
    ("MultiLabelSoftMarginLoss(reduction='max')", ValueError, "nn.MultiLabelSoftMarginLoss: reduction must be one of ['mean', 'sum', 'none'], got 'max'."),
    ("MultiMarginLoss(p=3)", ValueError, "nn.MultiMarginLoss: p must be 1 or 2, got 3."),
    ("MultilabelMarginLoss('max')", ValueError, "nn.MultilabelMarginLoss: reduction must be one of ['mean', 'sum', 'none'], got 'max'."),
    ("NLLLoss(weight=3)", TypeError, "nn.NLLLoss: weight must be of type Tensor, got 3."),
    ("Norm(0, 1)", TypeError, "nn.Norm: keep_dims must be of type bool, got 1."),
    ("OneHot('a')", TypeError, "nn.OneHot: axis must be an integer, got 'a'."),
    ('PReLUExt(3)(zeros(2, 2))', ValueError, "weight must have shape (1,) or the input's 2 channels, got [3]."),
    ("Pad(((0, 0), (-1, -1)))(zeros(3, 3))", ValueError, "nn.Pad: paddings must not be negative, got ((0, 0), (-1, -1))."),
    ("Pad(((0, 0), (1, 0)))(zeros(1, 3, 3))", ValueError, "nn.Pad: x must have 2 axes for these paddings, got 3."),
    ("ParameterUpdate(zeros(1))", TypeError, "ParameterUpdate: param must be a Parameter, got float32[1]."),
    ("PipelineCell(nn.Dense(2, 1), 0)", ValueError, "PipelineCell: micro_size must be > 0, got 0."),
    ("PipelineGradReducer([])", RuntimeError, "PipelineGradReducer: the mode must be GRAPH_MODE, got 1."),
    ("PixelShuffle(0)(zeros(1, 4, 2, 2))", ValueError, "the factor must be positive, got 0."),
    ("PixelUnshuffle(2)(zeros(1, 3, 3, 2))", ValueError, "height and width must be divisible by 2, got shape [1, 3, 3, 2]."),
    ("PoissonNLLLoss(reduction='max')", ValueError, "nn.PoissonNLLLoss: reduction must be one of ['mean', 'sum', 'none'], got 'max'."),
    ("RMSELoss()(1.0, zeros(2))", TypeError, "logits must be a Tensor, got 1.0."),
    ("ReLU()('a')", TypeError, "operands must be Tensors or numbers, got str: 'a'."),
    ("ReLU6()('a')", TypeError, "operands must be Tensors or numbers, got str: 'a'."),
    ("ReduceLogSumExp(3)(zeros(2, 3))", ValueError, "axis must be in [-2, 2), got 3."),
    ('ReflectionPad2d(5)(zeros(1, 2, 2))', ValueError, "paddings of axis 1 must be less than 2 in mode 'reflect', got (5, 5)."),
    ("ReflectionPad3d('a')", TypeError, "nn.ReflectionPad3d: padding must be an integer or a tuple of integers, got 'a'."),
    ("ReplicationPad1d((1, 2, 3))", ValueError, "nn.ReplicationPad1d: padding must be an integer or a tuple of up to 1 pairs, got (1, 2, 3)."),
    ("ReplicationPad2d('a')", TypeError, "nn.ReplicationPad2d: padding must be an integer or a tuple of integers, got 'a'."),
    ("ReplicationPad3d('a')", TypeError, "nn.ReplicationPad3d: padding must be an integer or a tuple of integers, got 'a'."),
    ("SeLU()(zeros(2, dtype=np.int64))", TypeError, "expected a float Tensor, got int64."),
    ("SequentialCell(5)", TypeError, "nn.SequentialCell: expected Cells, a list of Cells or an OrderedDict, got 5."),
    ("SiLU()(zeros(2, dtype=np.bool_))", TypeError, "expected a float Tensor, got bool."),
    ("Sigmoid()('a')", TypeError, "operands must be Tensors or numbers, got str: 'a'."),
    ("SmoothL1Loss(-1.0)(zeros(2), zeros(2))", ValueError, "beta must not be negative, got -1.0."),
    ("SoftMarginLoss('max')", ValueError, "nn.SoftMarginLoss: reduction must be one of ['mean', 'sum', 'none'], got 'max'."),
    ("SoftShrink('a')", TypeError, "nn.SoftShrink: lambd must be of type float or int, got 'a'."),
    ("Softmax('a')", TypeError, "nn.Softmax: axis must be of type int or tuple, got 'a'."),
    ("Softmin(3)(zeros(2, 3))", ValueError, "axis must be in [-2, 2), got 3."),
    ("Softsign()('a')", TypeError, "operands must be Tensors or numbers, got str: 'a'."),
    ("SparseTensorDenseMatmul(1)", TypeError, "nn.SparseTensorDenseMatmul: adjoint_st must be a bool, got 1."),
    ("SparseToDense()(zeros(2))", TypeError, "nn.SparseToDense: sparse_tensor must be a COOTensor, got Tensor: float32[2]."),
    ("SyncBatchNorm(0)", ValueError, "nn.SyncBatchNorm: num_features must be a positive integer, got 0."),
    ("Tanh()('a')", TypeError, "operands must be Tensors or numbers, got str: 'a'."),
    ("Tanhshrink()('a')", TypeError, "operands must be Tensors or numbers, got str: 'a'."),
    ("TensorArray(3, ())", TypeError, "nn.TensorArray: dtype must be a dtype of numbers or bool, got 3."),
    ("Threshold(1.0, 2.0)('a')", TypeError, "operands must be Tensors or numbers, got str: 'a'."),
    ("TrainOneStepCell(nn.Dense(2, 1), 5)", TypeError, "nn.TrainOneStepCell: optimizer must be an optimizer, got 5."),
    ("Transformer(5, 2)", ValueError, "nn.MultiheadAttention: num_heads=2 must divide embed_dim=5."),
    ("TransformerDecoder(5, 2)", TypeError, "nn.TransformerDecoder: decoder_layer must be of type TransformerDecoderLayer, got 5."),
    ("TransformerDecoderLayer(5, 2)", ValueError, "nn.MultiheadAttention: num_heads=2 must divide embed_dim=5."),
    ("TransformerEncoder(5, 2)", TypeError, "nn.TransformerEncoder: encoder_layer must be of type TransformerEncoderLayer, got 5."),
    ("Tril()(zeros(2))", ValueError, "input must have at least 2 axes, got 1."),
    ("TripletMarginLoss(reduction='max')", ValueError, "nn.TripletMarginLoss: reduction must be one of ['mean', 'sum', 'none'], got 'max'."),
    ("TripletMarginWithDistanceLoss(reduction='max')", ValueError, "nn.TripletMarginWithDistanceLoss: reduction must be one of ['mean', 'sum', 'none'], got 'max'."),
    ("Triu()(zeros(2))", ValueError, "input must have at least 2 axes, got 1."),
    ("Unflatten('a', (2, 2))", TypeError, "nn.Unflatten: axis must be an integer, got 'a'."),
    ("Upsample(size=2, scale_factor=2.0)(zeros(1, 2, 4))", ValueError, "ops.interpolate: size and scale_factor cannot both be given."),
    ('Vjp(nn.ReLU())(zeros(2), zeros(3))', ValueError, "grad: the sensitivity must have the output's shape [2], got [3]."),
    ("WithEvalCell(nn.Dense(2, 1), nn.MSELoss(), 1)", TypeError, "WithEvalCell: add_cast_fp32 must be a bool, got 1."),
    ("WithGradCell(5)", TypeError, "nn.WithGradCell: network must be of type Cell, got 5."),
    ("WithLossCell(nn.Dense(2, 1), nn.MSELoss())(zeros(1, 3), zeros(1, 1))", ValueError, "last axis of x must be in_channels=2, got 3."),
    ("ZeroPad2d('a')", TypeError, "nn.ZeroPad2d: padding must be an integer or a tuple of integers, got 'a'."),
    ("DropoutExt('a')", TypeError, "nn.DropoutExt: p must be of type float or int, got 'a'."),
]  # fmt: skip

# Tested with what they belong to: tests/optim, tests/train, tests/checkpoint/test_export.py.
ELSEWHERE = ("optim", "cell", "schedule", "train", "export")


@pytest.mark.parametrize(("text", "kind", "message"), BAD, ids=lambda v: v[:50] if isinstance(v, str) else "")
def test_error(text: str, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as caught:
        eval(f"nn.{text}", {"nn": nn, "ms": ms, "np": np, "zeros": zeros})
    assert message in str(caught.value)


def test_every_layer_has_an_error() -> None:
    called = " ".join(text for text, _, _ in BAD) + (Path(__file__).parent / "test_layer_errors.py").read_text()
    classes = [(name, getattr(nn, name)) for name in nn.__all__ if isinstance(getattr(nn, name), type)]
    layers = [n for n, c in classes if issubclass(c, Cell) and not any(m in defined_in(c) for m in ELSEWHERE)]
    assert [name for name in layers if not re.search(rf"\b{name}\(", called)] == []

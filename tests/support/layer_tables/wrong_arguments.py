"""Each wrong argument of a layer has one clear error of MindSpore's exception class."""

import numpy as np
import pytest

import sporax as ms
from sporax import nn


def zeros(*shape: int, dtype: type = np.float32) -> ms.Tensor:
    return ms.Tensor(np.zeros(shape, dtype))


BUILDING = [
    ("Dense(0, 3)", ValueError, "nn.Dense: in_channels must be a positive integer, got 0."),
    ("Dense('a', 3)", TypeError, "nn.Dense: in_channels must be an integer, got 'a'."),
    ("Dense(True, 3)", TypeError, "nn.Dense: in_channels must be an integer, got True."),
    ("Dense(3, 4, has_bias=1)", TypeError, "nn.Dense: has_bias must be of type bool, got 1."),
    ("Dense(3, 4, zeros(3, 4))", ValueError, "nn.Dense: weight_init must have shape [4, 3], got [3, 4]."),
    ("Dense(3, 4, activation=5)", TypeError, "nn.Dense: activation must be a name, a Cell or a Primitive, got 5."),
    ("Dense(3, 4, activation='swash')", KeyError, "nn.Dense: the activation must be one of"),
    ("DenseThor(3.0, 3)", TypeError, "nn.DenseThor: in_channels must be an integer, got 3.0."),
    ("Conv2dThor(3, 3, 3, group=2)", ValueError, "nn.Conv2dThor: group=2 must divide in_channels=3."),
    ("EmbeddingThor(3, 2, padding_idx=3)", ValueError, "nn.EmbeddingThor: padding_idx must be in [0, 3), got 3."),
    ("EmbeddingLookupThor(3, 2, sparse=False)", ValueError, "sparse must be True when target is 'CPU'."),
    ("Conv2d(3, 4, 3, padding=1)", ValueError, "nn.Conv2d: padding must be 0 unless pad_mode is 'pad', got padding=1"),
    ("Conv2d(3, 4, 3, pad_mode='full')", ValueError, "nn.Conv2d: pad_mode must be one of"),
    ("Conv2d(3, 4, 3, pad_mode='pad', padding=(1, 2))", ValueError, "a tuple of 4 integers, got (1, 2)."),
    (
        "Conv2d(3, 4, 3, pad_mode='pad', padding=-1)",
        ValueError,
        "nn.Conv2d: padding must be a non-negative integer, got -1.",
    ),
    ("Conv2d(3, 4, 3, pad_mode='pad', padding='a')", TypeError, "nn.Conv2d: padding must be an integer or a tuple"),
    ("Conv2d(3, 4, 3, group=2)", ValueError, "nn.Conv2d: group=2 must divide in_channels=3."),
    (
        "Conv2d(3, 4, (1, 2, 3))",
        ValueError,
        "nn.Conv2d: kernel_size must be an integer or a tuple of 2, got (1, 2, 3).",
    ),
    ("Conv2d(3, 4, 0)", ValueError, "each element of kernel_size must be a positive integer, got 0."),
    ("Conv1d(3, 4, (3, 3))", TypeError, "nn.Conv1d: kernel_size must be an integer, got (3, 3)."),
    ("Conv1d(3, 4, 3, weight_init=zeros(4, 3, 1, 3))", ValueError, "nn.Conv1d: weight_init must have 3 axes"),
    ("Conv3d(3, 4, 3, pad_mode='pad', padding=(1, 1, 1))", ValueError, "a tuple of 6 integers, got (1, 1, 1)."),
    ("Conv2dTranspose(3, 4, 3, 2, output_padding=1)", ValueError, "output_padding must be 0 unless pad_mode is 'pad'"),
    (
        "Conv2dTranspose(3, 4, 3, 2, pad_mode='pad', output_padding=2)",
        ValueError,
        "must be less than stride or dilation",
    ),
    ("MaxPool2d(0)", ValueError, "nn.MaxPool2d: kernel_size must be a positive integer or a tuple of them, got 0."),
    ("MaxPool2d(2.0)", TypeError, "nn.MaxPool2d: kernel_size must be of type int or tuple, got 2.0."),
    ("MaxPool2d(2, padding=1)", ValueError, "need pad_mode='pad', got pad_mode='valid'."),
    (
        "MaxPool2d((1, 2, 3))",
        ValueError,
        "nn.MaxPool2d: kernel_size must be an integer or a tuple of 2, got (1, 2, 3).",
    ),
    ("AvgPool2d(2, divisor_override=0)", ValueError, "nn.AvgPool2d: divisor_override must be positive, got 0."),
    ("AdaptiveAvgPool1d('2')", TypeError, "nn.AdaptiveAvgPool1d: output_size must be an integer, got '2'."),
    ("BatchNorm2d(0)", ValueError, "nn.BatchNorm2d: num_features must be a positive integer, got 0."),
    ("BatchNorm2d(3, momentum=1.5)", ValueError, "nn.BatchNorm2d: momentum must be in [0, 1], got 1.5."),
    ("BatchNorm2d(3, use_batch_statistics=1)", ValueError, "use_batch_statistics must be a bool or None, got 1."),
    ("LayerNorm(3)", TypeError, "nn.LayerNorm: normalized_shape must be a tuple or list of integers, got 3."),
    ("LayerNorm(())", ValueError, "nn.LayerNorm: normalized_shape must not be empty."),
    ("GroupNorm(3, 4)", ValueError, "nn.GroupNorm: num_groups=3 must divide num_channels=4."),
    ("Dropout(p=1.0)", ValueError, "nn.Dropout: p must be in [0, 1), got 1.0."),
    ("Dropout(0)", TypeError, "nn.Dropout: keep_prob must be of type float, got 0."),
    ("Dropout(keep_prob=0.0)", ValueError, "nn.Dropout: keep_prob must be in (0, 1], got 0.0."),
    ("Dropout2d(1)", TypeError, "nn.Dropout2d: p must be of type float, got 1."),
    ("GELU('tanh')", TypeError, "nn.GELU: approximate must be of type bool, got 'tanh'."),
    ("Hardtanh(1.0, -1.0)", ValueError, "nn.Hardtanh: min_val must be less than max_val, got 1.0 and -1.0."),
    ("RReLU(0.5, 0.1)", ValueError, "nn.RReLU: upper must be at least lower"),
    ("PReLU(2, [0.1])", ValueError, "nn.PReLU: a list w must hold channel=2 floats, got [0.1]."),
    ("PReLU(2, 'a')", TypeError, "nn.PReLU: w must be a float, a list of floats or a Tensor, got 'a'."),
    ("get_activation('swash')", KeyError, "the activation must be one of"),
    ("Embedding(5, 3, padding_idx=5)", ValueError, "nn.Embedding: padding_idx must be in [0, 5), got 5."),
    ("Embedding(5.0, 3)", TypeError, "nn.Embedding: vocab_size must be an integer, got 5.0."),
    ("EmbeddingLookup(5, 3, sparse=False)", ValueError, "sparse must be True when target is 'CPU'."),
    ("LSTM(3, 4, dropout=1.0)", ValueError, "nn.LSTM: dropout must be in [0, 1), got 1.0."),
    ("RNN(3, 4, nonlinearity='sin')", ValueError, "nn.RNN: nonlinearity must be one of ['tanh', 'relu'], got 'sin'."),
    ("MultiheadAttention(5, 2)", ValueError, "nn.MultiheadAttention: num_heads=2 must divide embed_dim=5."),
    (
        "TransformerEncoderLayer(4, 2, activation='swash')",
        ValueError,
        "activation must be 'relu' or 'gelu', got 'swash'.",
    ),
    ("Pad([(1, 1)])", TypeError, "nn.Pad: paddings must be a tuple of pairs"),
    (
        "Pad(((1, 1),), mode='edge')",
        ValueError,
        "nn.Pad: mode must be one of ['CONSTANT', 'REFLECT', 'SYMMETRIC'], got 'edge'.",
    ),
    (
        "ConstantPad1d((1, 2, 3), 0)",
        ValueError,
        "nn.ConstantPad1d: padding must be an integer or a tuple of up to 1 pairs",
    ),
    ("ConstantPad1d(1, 'a')", TypeError, "nn.ConstantPad1d: value must be of type int or float, got 'a'."),
    ("ReflectionPad1d(-1)", ValueError, "nn.ReflectionPad1d: padding must not be negative"),
    ("CentralCrop(2.0)", ValueError, "nn.CentralCrop: central_fraction must be in (0, 1], got 2.0."),
    ("SSIM(max_val=0)", ValueError, "nn.SSIM: max_val must be positive, got 0."),
    ("Unfold([2, 2], [1, 1, 1, 1], [1, 1, 1, 1])", ValueError, "nn.Unfold: ksizes must be [1, rows, columns, 1]"),
    ("MSELoss('max')", ValueError, "nn.MSELoss: reduction must be one of ['mean', 'sum', 'none'], got 'max'."),
    ("CrossEntropyLoss(label_smoothing=2.0)", ValueError, "label_smoothing must be in [0, 1], got 2.0."),
    ("CrossEntropyLoss(weight=1)", TypeError, "nn.CrossEntropyLoss: weight must be of type Tensor, got 1."),
    ("CosineEmbeddingLoss(2.0)", ValueError, "nn.CosineEmbeddingLoss: margin must be in [-1, 1], got 2.0."),
    ("SampledSoftmaxLoss(8, 7)", ValueError, "nn.SampledSoftmaxLoss: num_sampled must be in [1, 7], got 8."),
    ("BCEWithLogitsLoss(weight=ms.Parameter(zeros(1)))", TypeError, "weight must not be a Parameter."),
    ("Roll([1, 2], [0])", ValueError, "nn.Roll: there must be a shift for each axis, got [1, 2] and [0]."),
    ("Range(1, 2, 0)", ValueError, "nn.Range: delta must not be 0."),
    ("L1Regularizer(0)", ValueError, "nn.L1Regularizer: scale must be positive and finite, got 0."),
]
CALLING = [
    (
        "Dense(4, 3)(zeros(2, 3))",
        ValueError,
        "nn.Dense.construct(x: float32[2, 3]): last axis of x must be in_channels=4, got 3.",
    ),
    ("Conv2d(4, 3, 3)(zeros(1, 2, 5, 5))", ValueError, "axis 1 of x must be in_channels=4, got 2."),
    (
        "Conv2d(4, 3, 3)(zeros(4, 5, 5))",
        ValueError,
        "nn.Conv2d.construct(x: float32[4, 5, 5]): x must have 4 axes, got 3.",
    ),
    ("Conv1d(4, 3, 3)(zeros(4, 5))", ValueError, "x must have 3 axes, got 2."),
    ("MaxPool2d(2)(zeros(5, 5))", ValueError, "x must have 3 or 4 axes, got 2."),
    (
        "AdaptiveAvgPool1d(2)(zeros(1, 2, 5))",
        ValueError,
        "the last axis of x must be a multiple of output_size=2, got 5.",
    ),
    (
        "BatchNorm2d(3)(zeros(2, 3))",
        ValueError,
        "nn.BatchNorm2d.construct(x: float32[2, 3]): x must have 4 axes, got 2.",
    ),
    ("BatchNorm1d(3)(zeros(2, 4))", ValueError, "axis 1 of x must be num_features=3, got 4."),
    ("LayerNorm((3,))(zeros(2, 4))", ValueError, "gamma and beta must have shape [4]"),
    ("GroupNorm(2, 4)(zeros(2, 6, 3))", ValueError, "axis 1 of x must be num_channels=4, got [6]."),
    ("Softmax2d()(zeros(2, 3))", ValueError, "x must have 3 or 4 axes, got 2."),
    ("Flatten(3)(zeros(2, 3))", ValueError, "start_dim must be in [-2, 2), got 3."),
    ("LSTM(3, 4)(zeros(5, 2, 3), zeros(1, 2, 4))", TypeError, "hx must be a tuple of two Tensors (h, c)"),
    ("GRU(3, 4)(zeros(5, 2, 3), zeros(1, 3, 4))", ValueError, "hx must have shape [1, 2, 4], got [1, 3, 4]."),
    ("GRU(3, 4)(zeros(5, 2, 3), None, zeros(3, dtype=np.int32))", ValueError, "seq_length must have shape [2]"),
    ("RNNCell(3, 4)(zeros(2, 2), zeros(2, 4))", ValueError, "last axis of x must be input_size=3, got [2]."),
    (
        "MultiheadAttention(4, 2)(zeros(3, 1, 4), zeros(3, 1, 4), zeros(2, 1, 4))",
        ValueError,
        "key and value must agree",
    ),
    (
        "MultiheadAttention(4, 2)(*[zeros(3, 1, 4)] * 3, attn_mask=zeros(2, 3))",
        ValueError,
        "attn_mask must have shape [3, 3]",
    ),
    ("MSELoss()(1.0, zeros(2))", TypeError, "logits must be a Tensor, got 1.0."),
    ("DiceLoss()(zeros(2), zeros(3))", ValueError, "logits and label must have the same shape."),
    (
        "SoftmaxCrossEntropyWithLogits(sparse=True)(zeros(2, 3), zeros(2, 3))",
        TypeError,
        "labels must be integers if sparse=True",
    ),
    ("FocalLoss()(zeros(2, 1), zeros(2, 1))", ValueError, "axis 1 of logits must be the classes (2 or more)"),
    ("PSNR()(zeros(1, 1, 4, 4), zeros(1, 1, 4, 5))", ValueError, "both images must have the same shape and dtype."),
    ("SSIM()(zeros(1, 1, 4, 4), zeros(1, 1, 4, 4))", ValueError, "height and width must be at least filter_size=11."),
    (
        "Moments()(zeros(2, dtype=np.int32))",
        TypeError,
        "x must be of dtype float16, float32, bfloat16, float64, got int32.",
    ),
    ("TimeDistributed(nn.Dense(3, 2), 1)(zeros(2, 3))", ValueError, "inputs must have at least 3 axes, got 2."),
]
BAD = [*BUILDING, *CALLING]


@pytest.mark.parametrize(("text", "kind", "message"), BAD, ids=lambda v: v[:50] if isinstance(v, str) else "")
def test_wrong_argument(text: str, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as caught:
        eval(f"nn.{text}", {"nn": nn, "ms": ms, "np": np, "zeros": zeros})
    assert message in str(caught.value)

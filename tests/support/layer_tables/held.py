"""Subclasses that compute with the Primitives their base holds get what the base gets, in both modes."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn, ops

RNG = np.random.default_rng(0)


def array(*shape: int) -> np.ndarray:
    return RNG.normal(size=shape).astype(np.float32)


def dense(self: Any, x: Any) -> Any:
    shape = self.shape_op(x)
    x = self.matmul(self.reshape(x, (-1, shape[-1])), self.weight)
    x = self.bias_add(x, self.bias) if self.has_bias else x
    return self.reshape(x, (*shape[:-1], self.out_channels))


def conv1d(self: Any, x: Any) -> Any:
    assert len(self.shape(x)) == 3
    out = self.conv2d(self.expand_dims(x, 2), self.weight)
    return self.squeeze(self.bias_add(out, self.bias) if self.has_bias else out)


def conv3d(self: Any, x: Any) -> Any:
    if self.group == 1:
        out = self.conv3d(x, self.weight)
    else:
        parts = [self.conv3d(a, w) for a, w in zip(self.split_1(x), self.split_0(self.weight), strict=True)]
        out = self.concat(tuple(parts))
    return self.bias_add(out, self.bias) if self.has_bias else out


def deconv_length(size: int, kernel: int, step: int, pads: int, same: bool) -> int:
    return size * step if same else (size - 1) * step + kernel - pads


def conv2d_transpose(self: Any, x: Any) -> Any:
    n, _, h, w = self.shape(x)
    assert (self.is_valid, self.is_same, self.is_pad).count(True) == 1
    pads = self.padding_top + self.padding_bottom, self.padding_left + self.padding_right
    sizes = [deconv_length(*row, self.is_same) for row in zip((h, w), self.kernel_size, self.stride, pads, strict=True)]
    out = self.conv2d_transpose(x, self.weight, (n, self.out_channels, *sizes))
    return self.bias_add(out, self.bias) if self.has_bias else out


def conv1d_transpose(self: Any, x: Any) -> Any:
    x = self.expand_dims(x, 2)
    n, _, _, w = self.shape(x)
    width = deconv_length(w, self.kernel_size[1], self.stride[1], self.padding[2] + self.padding[3], self.is_same)
    out = self.conv2d_transpose(x, self.weight, (n, self.out_channels, 1, width))
    return self.bias_add(self.squeeze(out), self.bias) if self.has_bias else self.squeeze(out)


def batch_norm(self: Any, x: Any) -> Any:
    shape = self.shape(x)
    x = self.reshape(x, (*shape, 1, 1)) if len(shape) == 2 else x
    run = self.bn_train if self.training else self.bn_infer
    return self.reshape(run(x, self.gamma, self.beta, self.moving_mean, self.moving_variance)[0], shape)


def batch_norm_by_steps(self: Any, x: Any) -> Any:
    """The normalisation over processes, of the means of x and x²."""
    mean = self.reduce_mean(x, (0, 2, 3))
    var = self.reduce_mean(self.square(x), (0, 2, 3)) - self.square(mean)
    scale, shift = (self.reshape(p, (1, -1, 1, 1)) for p in (self.gamma, self.beta))
    return self.cast((x - mean) / self.sqrt(var + self.eps) * scale + shift, self.dtype(x))


def pooled(name: str) -> Callable[[Any, Any], Any]:
    def construct(self: Any, x: Any) -> Any:
        volumes = getattr(self, "use_pad", False) or getattr(self, "is_expand", False)
        out = getattr(self, name)(x.unsqueeze(2) if volumes else x)
        out = out[0] if isinstance(out, tuple) else out
        return out.squeeze(2) if volumes else out

    return construct


def max_pool1d(self: Any, x: Any) -> Any:
    assert len(self.shape(x)) == 3
    return self.squeeze(self.max_pool(self.expand(x, 2)))


def avg_pool1d(self: Any, x: Any) -> Any:
    batch, channel, width = self.shape(x)
    if width - self.kernel_size[1] < self.stride[1]:
        return self.reduce_mean(self.slice(x, (0, 0, 0), (batch, channel, self.kernel_size[1])), 2)
    return self.squeeze(self.avg_pool(self.expand(x, 2)))


def glu(self: Any, x: Any) -> Any:
    first, second = self.spilt(x)
    return first * self.sigmoid(second)


def embedding(self: Any, ids: Any) -> Any:
    shape = (*self.get_shp(ids), self.embedding_size)
    flat = self.reshape_flat(ids, self.shp_flat)
    if self.use_one_hot:
        rows = self.array_mul(self.one_hot(flat, self.vocab_size, self.on_value, self.off_value), self.embedding_table)
    else:
        rows = self.gather(self.embedding_table, flat, 0)
    return self.reshape(rows, shape)


def cross_entropy(self: Any, logits: Any, labels: Any) -> Any:
    if self.sparse:
        if self.is_cpugpu and self.reduction == "mean":
            return self.sparse_softmax_cross_entropy(logits, labels)
        labels = self.one_hot(labels, ops.shape(logits)[-1], self.on_value, self.off_value)
    return self.get_loss(self.softmax_cross_entropy(logits, labels)[0])


def focal(self: Any, logits: Any, labels: Any) -> Any:
    logits, labels = (v.reshape((*v.shape[:2], -1)) for v in (logits, labels))
    each = self.squeeze(self.gather_d(self.logsoftmax(logits), 1, labels))
    return self.get_loss(-1 * (1 - ops.exp(each)) ** self.gamma * each)


def smooth(self: Any, x: Any, y: Any) -> Any:
    """The structural similarity of one window over the whole image, by the layer's convolution."""
    weights = self.conv.weight
    c1, c2 = (self.k1 * self.max_val) ** 2, (self.k2 * self.max_val) ** 2

    def mean(v: Any) -> Any:
        return ops.conv2d(v, weights)

    mx, my = mean(x), mean(y)
    vx, vy, both = mean(x * x) - mx * mx, mean(y * y) - my * my, mean(x * y) - mx * my
    each = (2 * mx * my + c1) * (2 * both + c2) / ((mx * mx + my * my + c1) * (vx + vy + c2))
    return self.reduce_mean(self.concat((self.reduce_mean(each, (-1, -2)),)), (-1,))


def pad(self: Any, x: Any) -> Any:
    return self.pad(x) if self.mode == "CONSTANT" else self.pad(x, self.paddings)


def one_hot(self: Any, ids: Any) -> Any:
    return self.onehot(ids, self.depth, ops.cast(self.on_value, self.dtype), ops.cast(self.off_value, self.dtype))


IMAGE, LINE, MATRIX = array(2, 4, 6, 5), array(2, 4, 7), array(2, 3, 4)
CASES = {
    "Dense(4, 3)": (dense, MATRIX),
    "Dense(4, 3, has_bias=False)": (dense, MATRIX),
    "Conv1d(4, 6, 3, 2, 'pad', 1, has_bias=True)": (conv1d, LINE),
    "Conv3d(4, 6, 2, has_bias=True)": (conv3d, array(1, 4, 3, 4, 5)),
    "Conv3d(4, 6, 2, pad_mode='valid', group=2)": (conv3d, array(1, 4, 3, 4, 5)),
    "Conv2dTranspose(4, 6, 3, 2, has_bias=True)": (conv2d_transpose, IMAGE),
    "Conv2dTranspose(4, 6, 3, 2, pad_mode='pad', padding=(1, 0, 1, 1))": (conv2d_transpose, IMAGE),
    "Conv1dTranspose(4, 6, 3, 2, pad_mode='pad', padding=1, has_bias=True)": (conv1d_transpose, LINE),
    "BatchNorm1d(4)": (batch_norm, array(5, 4)),
    "BatchNorm2d(4, use_batch_statistics=None).set_train()": (batch_norm, IMAGE),
    "BatchNorm2d(4).set_train(True)": (batch_norm_by_steps, IMAGE),
    "MaxPool1d(3, 2)": (max_pool1d, LINE),
    "MaxPool2d((3, 2), (2, 1), pad_mode='same')": (pooled("max_pool"), IMAGE),
    "MaxPool2d(3, 2, pad_mode='pad', padding=1)": (pooled("max_pool"), IMAGE),
    "AvgPool1d(3, 2)": (avg_pool1d, LINE),
    "AvgPool1d(6, 2)": (avg_pool1d, LINE),
    "AvgPool2d(2, 2)": (pooled("avg_pool"), IMAGE),
    "AvgPool2d(3, 2, pad_mode='pad', padding=1, count_include_pad=False)": (pooled("avg_pool"), IMAGE),
    "PReLU(4, 0.1)": (lambda self, x: self.prelu(x, ops.cast(self.w, x.dtype)), IMAGE),
    "ReLU6()": (lambda self, x: self.relu6(x), 9 * IMAGE),
    "GLU()": (glu, MATRIX),
    "SoftmaxCrossEntropyWithLogits(True, 'mean')": (cross_entropy, array(3, 4), np.int32([0, 2, 1])),
    "SoftmaxCrossEntropyWithLogits(True, 'sum')": (cross_entropy, array(3, 4), np.int32([0, 2, 1])),
    "FocalLoss()": (focal, array(2, 3, 4), np.int32([[[0, 2, 1, 0]], [[1, 1, 2, 0]]])),
    "SSIM(1.0, 3)": (smooth, array(2, 1, 5, 5), array(2, 1, 5, 5)),
    "Pad(((1, 1), (0, 2)))": (pad, array(2, 3)),
    "Pad(((1, 1), (0, 2)), mode='REFLECT')": (pad, array(2, 3)),
    "Embedding(7, 3)": (embedding, np.int32([[1, 2], [6, 0]])),
    "Embedding(7, 3, use_one_hot=True)": (embedding, np.int32([[1, 2], [6, 0]])),
    "OneHot(axis=0, depth=4, on_value=2.0)": (one_hot, np.int32([1, 3])),
}


def derived(text: str, construct: Callable[..., Any]) -> Any:
    """Return an object of a subclass with this `construct`, with the weights of the layer that the text makes."""
    made = eval(f"nn.{text}", {"nn": nn})
    other = copy.deepcopy(made)
    object.__setattr__(other, "__class__", type("Derived", (type(made),), {"construct": construct}))
    return made, other


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("text", CASES)
def test_what_a_layer_holds_computes_what_it_computes(text: str, mode: int) -> None:
    construct, *inputs = CASES[text]
    ms.set_context(mode=mode)
    layer, other = derived(text, construct)
    wanted, got = (net(*map(Tensor, inputs)).asnumpy() for net in (layer, other))
    np.testing.assert_allclose(got, wanted, rtol=2e-5, atol=2e-6)

"""Layers that record second moments of inputs and of output gradients for the optimizer THOR while they run.

Each extends the layer it is named after by two Parameters: A, of its inputs, written by the forward, and G, of the gradient of
its product, written by the backward. The attribute `thor` (`add_flags_recursive(thor=False)`) switches the writes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sporax._src.core import dtype as mstype
from sporax._src.core.initializer import InitializerLike
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.nn.convolution import Conv2d
from sporax._src.nn.embedding import Embedding, EmbeddingLookup
from sporax._src.nn.linear import Dense
from sporax._src.ops.nn import second_moments
from sporax._src.transform.tensor_hooks import hooked

__all__ = ["Conv2dThor", "DenseThor", "EmbeddingLookupThor", "EmbeddingThor"]


def _statistic(values: np.ndarray, name: str) -> Parameter:
    return Parameter(Tensor(values, mstype.float32), name=name, requires_grad=False)


def _keep(param: Parameter, value: Tensor) -> None:
    """Set the value of a Parameter, without its history on the tape."""
    param.adopt(value._data)


class DenseThor(Dense):
    """`Dense` that gathers A = XᵀX / in_channels of its inputs X and G = DᵀD / N of the gradient D of x · weightᵀ.

    Args:
        in_channels, out_channels, has_bias, activation: As for `Dense`.
        weight_init, bias_init: Initial values, as for `Dense`.

    Inputs:
        - **x** (Tensor) - Shape (*, in_channels).

    Outputs:
        A Tensor of shape (*, out_channels).

    Raises:
        TypeError: If an argument has another type.
        ValueError: If a number of channels is not positive, or an initial Tensor has another shape.

    Examples:
        >>> import numpy as np
        >>> import sporax as ms
        >>> layer = ms.nn.DenseThor(2, 3)
        >>> layer(ms.Tensor(np.ones((4, 2), np.float32))).shape
        (4, 3)
        >>> layer.matrix_a.asnumpy()
        array([[2., 2.],
               [2., 2.]], dtype=float32)
    """

    thor = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: InitializerLike = "normal",
        bias_init: InitializerLike = "zeros",
        has_bias: bool = True,
        activation: Any = None,
    ) -> None:
        super().__init__(in_channels, out_channels, weight_init, bias_init, has_bias, activation)
        self.matrix_a = _statistic(np.eye(in_channels), "matrix_a")
        self.matrix_g = _statistic(np.eye(out_channels), "matrix_g")

    def save_gradient(self, dout: Tensor) -> Tensor:
        """Store G of the gradient of the product, and return that gradient."""
        _keep(self.matrix_g, second_moments.second_moment(dout, dout.size // self.out_channels))
        return dout

    def _affine(self, x: Tensor) -> Tensor:
        out = super()._affine(x)
        if not self.thor:
            return out
        # MindSpore divides by the size of XᵀX, not by the number of rows (observed on the CPU).
        _keep(self.matrix_a, second_moments.second_moment(x, self.in_channels))
        return hooked(out, self.save_gradient)

    def extend_repr(self) -> str:
        shown = f"input_channels={self.in_channels}, output_channels={self.out_channels}"
        return shown + (f", has_bias={self.has_bias}" if self.has_bias else "")


class Conv2dThor(Conv2d):
    """`Conv2d` that gathers A of the patches of its inputs and G of the gradient of its outputs, both of the mean over the batch.

    A = P·Pᵀ / n, the n columns of P the patches that `pad_mode="same"` gives; G = D·Dᵀ / m, the m columns of D the positions of
    the output. `a_normalizer` and `g_normalizer` are n and m.

    Args:
        in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias: As for `Conv2d`.
        weight_init, bias_init: Initial values, as for `Conv2d`.

    Inputs:
        - **x** (Tensor) - Shape (N, in_channels, H, W).

    Outputs:
        A Tensor of shape (N, out_channels, H', W').

    Raises:
        TypeError: If an argument has another type.
        ValueError: If a value is out of range, `group` does not divide the channels, or `padding` does not fit.

    Examples:
        >>> import numpy as np
        >>> import sporax as ms
        >>> layer = ms.nn.Conv2dThor(3, 8, 3)
        >>> layer(ms.Tensor(np.ones((2, 3, 6, 6), np.float32))).shape
        (2, 8, 6, 6)
        >>> layer.matrix_a_cov.shape, layer.a_normalizer.item()
        ((27, 27), 36.0)
    """

    thor = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, int],
        stride: int | tuple[int, int] = 1,
        pad_mode: str = "same",
        padding: int | tuple[int, ...] = 0,
        dilation: int | tuple[int, int] = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: InitializerLike = "normal",
        bias_init: InitializerLike = "zeros",
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias, weight_init, bias_init
        )  # fmt: skip
        size = in_channels * math.prod(self.kernel_size)
        self.a_normalizer, self.g_normalizer = (_statistic(np.ones(1), f"{x}_normalizer") for x in "ag")
        self.matrix_a_cov = _statistic(np.zeros((size, size)), "matrix_a")
        self.matrix_g_cov = _statistic(np.zeros((out_channels, out_channels)), "matrix_g")

    def construct(self, x: Tensor) -> Tensor:
        out = super().construct(x)
        if not self.thor:
            return out
        _keep(self.matrix_a_cov, second_moments.patch_moment(x, self.kernel_size, self.stride, self.dilation))
        sizes = [-(-size // step) for size, step in zip(x.shape[2:], self.stride, strict=True)]
        _keep(self.a_normalizer, Tensor([math.prod(sizes)], mstype.float32))
        return hooked(out, self.save_gradient)

    def save_gradient(self, dout: Tensor) -> Tensor:
        """Store G of the gradient of the outputs, and return that gradient."""
        _keep(self.matrix_g_cov, second_moments.channel_moment(dout))
        _keep(self.g_normalizer, Tensor([math.prod(dout.shape[2:])], mstype.float32))
        return dout

    def extend_repr(self) -> str:
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}, pad_mode={self.pad_mode}, padding={self.padding}, dilation={self.dilation}, "
            f"group={self.group}, has_bias={self.has_bias}, bias_init={self.bias_init}"
        )


class EmbeddingThor(Embedding):
    """`Embedding` that gathers A, how often each row is looked up, and G = DᵀD / N of the gradient D of the N rows it gives.

    Args:
        vocab_size, embedding_size, use_one_hot, embedding_table, dtype, padding_idx: As for `Embedding`.

    Inputs:
        - **ids** (Tensor) - Integers in [0, vocab_size), shape (*).

    Outputs:
        A Tensor of shape (*, embedding_size).

    Raises:
        TypeError: If an argument has another type.
        ValueError: If `padding_idx` is not in [0, vocab_size).

    Examples:
        >>> import sporax as ms
        >>> layer = ms.nn.EmbeddingThor(4, 2)
        >>> _ = layer(ms.Tensor([1, 3, 3]))
        >>> layer.matrix_a.asnumpy()
        array([0., 1., 0., 2.], dtype=float32)
    """

    thor = True

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        use_one_hot: bool = False,
        embedding_table: InitializerLike = "normal",
        dtype: mstype.TypeLike = mstype.float32,
        padding_idx: int | None = None,
    ) -> None:
        super().__init__(vocab_size, embedding_size, use_one_hot, embedding_table, dtype, padding_idx)
        _of_rows(self)

    matrix_a: Parameter
    matrix_g: Parameter

    def construct(self, ids: Tensor) -> Tensor:
        rows = super().construct(ids)
        if not self.thor:
            return rows
        _keep(self.matrix_a, second_moments.counts_of(ids, self.vocab_size))
        return hooked(rows, self.save_gradient)

    def save_gradient(self, dout: Tensor) -> Tensor:
        """Store G of the gradient of the rows, and return that gradient."""
        _keep(self.matrix_g, second_moments.second_moment(dout, dout.size // self.embedding_size))
        return dout


class EmbeddingLookupThor(EmbeddingLookup):
    """`EmbeddingLookup` in float16 that gathers A, how often each row is looked up, and G = DᵀD / N of the gradient D of the rows.

    N is the first size of the indices. With the target `"CPU"` nothing is gathered.

    Args:
        vocab_size, embedding_size, param_init, target, slice_mode, manual_shapes, max_norm, sparse: As for `EmbeddingLookup`.
        vocab_cache_size: As for `EmbeddingLookup`.

    Inputs:
        - **indices** (Tensor) - Integers, shape (*).

    Outputs:
        A Tensor of shape (*, embedding_size).

    Raises:
        TypeError: If an argument has another type.
        ValueError: If a size is not positive, `target` is unknown, or `sparse` is False with target `"CPU"`.
    """

    thor = True

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        param_init: InitializerLike = "normal",
        target: str = "CPU",
        slice_mode: str = "batch_slice",
        manual_shapes: tuple[int, ...] | None = None,
        max_norm: float | None = None,
        sparse: bool = True,
        vocab_cache_size: int = 0,
    ) -> None:
        arguments = vocab_size, embedding_size, param_init, target, slice_mode, manual_shapes, max_norm, sparse
        super().__init__(*arguments, dtype=mstype.float16)
        self._check_cache(vocab_cache_size)
        _of_rows(self)

    matrix_a: Parameter
    matrix_g: Parameter

    def _rows(self, indices: Tensor) -> Tensor:
        rows = super()._rows(indices)
        if not self.thor or self.target == "CPU":
            return rows
        _keep(self.matrix_a, second_moments.counts_of(indices, self.vocab_size))
        return hooked(rows, self.save_gradient)

    def save_gradient(self, dout: Tensor) -> Tensor:
        """Store G of the gradient of the rows, and return that gradient."""
        _keep(self.matrix_g, second_moments.second_moment(dout, dout.shape[0]))
        return dout


def _of_rows(cell: Any) -> None:
    """Add the Parameters of second moments to a layer that looks up rows."""
    cell.matrix_a = _statistic(np.zeros(cell.vocab_size), "matrix_a")
    cell.matrix_g = _statistic(np.zeros((cell.embedding_size, cell.embedding_size)), "matrix_g")

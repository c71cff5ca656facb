"""Operators that MindSpore has for Ascend alone: those with a formula compute it, the others can be put into graphs.

Those of the second kind say what their results are (see `ops.PrimitiveWithInfer`) and raise RuntimeError when they run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax import Tensor, float16, float32, int8, int64
from sporax._src.compat.operators import ops
from sporax.ops import Primitive, PrimitiveWithInfer

# --- to int8 and back ---------------------------------------------------------------------------------------------------

_ROUNDED = {"Round": ops.round, "Floor": ops.floor, "Ceil": ops.ceil, "Trunc": ops.trunc}


def _as_int8(x: Tensor) -> Tensor:
    return ops.clamp(x, -128, 127).astype(int8)


class Quant(Primitive):
    """round(x · scale + offset) as int8; with `sqrt_mode` round(x · scale² + offset).

    Args:
        scale, offset: Numbers.
        sqrt_mode: Default False.
        round_mode: `"Round"`, `"Floor"`, `"Ceil"` or `"Trunc"`.

    Raises:
        ValueError: If `round_mode` is unknown.
    """

    def __init__(self, scale: float, offset: float, sqrt_mode: bool = False, round_mode: str = "Round") -> None:
        super().__init__("Quant")
        if round_mode not in _ROUNDED:
            raise ValueError(f"Quant: round_mode must be one of {', '.join(_ROUNDED)}, got {round_mode!r}.")
        self.scale, self.offset, self.sqrt_mode, self.round_mode = scale, offset, sqrt_mode, round_mode

    def __call__(self, x: Tensor) -> Tensor:
        factor = self.scale**2 if self.sqrt_mode else self.scale
        return _as_int8(_ROUNDED[self.round_mode](x.astype(float32) * factor + self.offset))


class Dequant(Primitive):
    """x · deq_scale in `dtype`; with `sqrt_mode` x · deq_scale², with `relu_flag` no less than 0.

    Args:
        sqrt_mode, relu_flag: Default False.
        dtype: The type of the result. Default float16.

    Inputs:
        x: int32. deq_scale: float16, or uint64 whose lower half is a float32.
    """

    def __init__(self, sqrt_mode: bool = False, relu_flag: bool = False, dtype: Any = float16) -> None:
        super().__init__("Dequant")
        self.sqrt_mode, self.relu_flag, self.dtype = sqrt_mode, relu_flag, dtype

    def __call__(self, x: Tensor, deq_scale: Tensor) -> Tensor:
        if not deq_scale.dtype.is_floating_point:
            deq_scale = Tensor((deq_scale.asnumpy() & 0xFFFFFFFF).astype(np.uint32).view(np.float32))
        factor = deq_scale.astype(float32)
        out = x.astype(float32) * (factor * factor if self.sqrt_mode else factor)
        return (ops.relu(out) if self.relu_flag else out).astype(self.dtype)


class AntiQuant(Primitive):
    """(x + offset) · scale in `dtype`; with `sqrt_mode` (x + offset) · scale².

    Args:
        sqrt_mode: Default False.
        dtype: The type of the result. Default float16.
    """

    def __init__(self, sqrt_mode: bool = False, dtype: Any = float16) -> None:
        super().__init__("AntiQuant")
        self.sqrt_mode, self.dtype = sqrt_mode, dtype

    def __call__(self, x: Tensor, scale: Tensor, offset: Tensor) -> Tensor:
        factor = scale.astype(float32)
        wide = x.astype(float32) + offset.astype(float32)
        return (wide * (factor * factor if self.sqrt_mode else factor)).astype(self.dtype)


class DynamicQuantExt(Primitive):
    """Each row of x in 127ths of its largest magnitude: (round(x / scale) as int8, scale), scale = max |x| / 127.

    Inputs:
        x: (..., K). smooth_scales: (K,), which x is multiplied with first, or None.
    """

    def __init__(self) -> None:
        super().__init__("DynamicQuantExt")

    def __call__(self, x: Tensor, smooth_scales: Any = None) -> tuple[Tensor, Tensor]:
        wide = x.astype(float32) if smooth_scales is None else x.astype(float32) * smooth_scales.astype(float32)
        scale = ops.amax(ops.abs(wide), -1, True) / 127
        return _as_int8(ops.round(wide / scale)), ops.squeeze(scale, -1)


class WeightQuantBatchMatmul(Primitive):
    """x · ((weight + antiquant_offset) · antiquant_scale) + bias in the type of x; with `quant_scale` rounded to int8.

    Args:
        transpose_x, transpose_weight: Whether the last two axes are swapped first.
        antiquant_group_size: 0; groups of rows with scales of their own are not offered.

    Raises:
        ValueError: If `antiquant_group_size` is not 0.
    """

    def __init__(
        self, transpose_x: bool = False, transpose_weight: bool = False, antiquant_group_size: int = 0
    ) -> None:
        super().__init__("WeightQuantBatchMatmul")
        if antiquant_group_size:
            raise ValueError(f"WeightQuantBatchMatmul: antiquant_group_size must be 0, got {antiquant_group_size}.")
        self.transpose_x, self.transpose_weight = transpose_x, transpose_weight

    def __call__(self, x: Any, weight: Any, antiquant_scale: Any, antiquant_offset: Any = None, quant_scale: Any = None,
                 quant_offset: Any = None, bias: Any = None) -> Tensor:  # fmt: skip
        x = x.swapaxes(-1, -2) if self.transpose_x else x
        dense = weight.astype(float32)
        dense = dense.swapaxes(-1, -2) if self.transpose_weight else dense
        dense = dense if antiquant_offset is None else dense + antiquant_offset.astype(float32)
        dense = dense * antiquant_scale.astype(float32)
        out = ops.matmul(x.astype(float32), dense)
        out = out if bias is None else out + bias.astype(float32)
        if quant_scale is None:
            return out.astype(x.dtype)
        out = out * quant_scale.astype(float32)
        return _as_int8(ops.round(out if quant_offset is None else out + quant_offset.astype(float32)))


# --- layers -------------------------------------------------------------------------------------------------------------


class FFN(Primitive):
    """act(x · weight1 + bias1) · weight2 + bias2; with `expert_tokens` each group of rows with weights of its own.

    Args:
        activation: `"fastgelu"`, `"gelu"`, `"relu"` or `"silu"`.
        inner_precise: Accepted.

    Inputs:
        x: (..., H). weight1: ([E,] H, F). weight2: ([E,] F, H). expert_tokens: (E,), how many rows each expert has, or None.
        bias1, bias2: ([E,] F), ([E,] H), or None.

    Raises:
        ValueError: If `activation` is unknown, or a scale or an offset of quantization is given.
    """

    _ACTIVATIONS = {"fastgelu": ops.fast_gelu, "gelu": ops.gelu, "relu": ops.relu, "silu": ops.silu}

    def __init__(self, activation: str = "fastgelu", inner_precise: int = 0) -> None:
        super().__init__("FFN")
        if activation not in self._ACTIVATIONS:
            raise ValueError(f"FFN: activation must be one of {', '.join(self._ACTIVATIONS)}, got {activation!r}.")
        self.activation, self.inner_precise = activation, inner_precise

    def __call__(self, x: Any, weight1: Any, weight2: Any, expert_tokens: Any = None, bias1: Any = None, bias2: Any = None,
                 *scales: Any) -> Tensor:  # fmt: skip
        if any(scale is not None for scale in scales):
            raise ValueError("FFN: scales and offsets of quantization are not offered.")
        weights = weight1, weight2, bias1, bias2
        if expert_tokens is None:
            return self._layer(x, *weights)
        rows = x.reshape(-1, x.shape[-1])
        ends = ops.cumsum(expert_tokens.astype(int64), 0)
        expert = ops.searchsorted(ends, ops.arange(rows.shape[0]), right=True)
        out = ops.zeros((rows.shape[0], weight2.shape[-1]), x.dtype)
        for i in range(weight1.shape[0]):
            own = self._layer(rows, *[None if w is None else w[i] for w in weights])
            out = ops.where((expert == i).expand_dims(-1), own, out)
        return out.reshape(*x.shape[:-1], -1)

    def _layer(self, x: Any, weight1: Any, weight2: Any, bias1: Any, bias2: Any) -> Any:
        inner = ops.matmul(x, weight1)
        inner = self._ACTIVATIONS[self.activation](inner if bias1 is None else inner + bias1)
        out = ops.matmul(inner, weight2)
        return out if bias2 is None else out + bias2


class Embedding(Primitive):
    """Rows of a table, see `ops.embedding`."""

    def __init__(self) -> None:
        super().__init__("Embedding")

    def __call__(self, input: Any, weight: Any, padding_idx: Any = None, max_norm: Any = None, norm_type: float = 2.0,
                 scale_grad_by_freq: bool = False) -> Tensor:  # fmt: skip
        return ops.embedding(input, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq)


class GroupNorm(Primitive):
    """(ops.group_norm(...), mean, 1 / √(variance + eps)), the last two of shape (N, num_groups)."""

    def __init__(self) -> None:
        super().__init__("GroupNorm")

    def __call__(self, input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
        groups = input.reshape(input.shape[0], num_groups, -1)
        mean = groups.mean(-1)
        inverse = ops.rsqrt(ops.var(groups, -1, 0) + eps)
        return ops.group_norm(input, num_groups, weight, bias, eps), mean, inverse


class DynamicBroadcastTo(Primitive):
    """x broadcast to a shape, which may be a Tensor whose values are known."""

    def __init__(self) -> None:
        super().__init__("DynamicBroadcastTo")

    def __call__(self, x: Tensor, shape: Any) -> Tensor:
        return ops.broadcast_to(x, tuple(shape.tolist()) if isinstance(shape, Tensor) else tuple(shape))


class Centralization(Primitive):
    """x - mean(x) over axes, all of them by default."""

    def __init__(self) -> None:
        super().__init__("Centralization")

    def __call__(self, input_x: Tensor, axis: Any = ()) -> Tensor:
        return input_x - ops.mean(input_x, axis, True)


# --- what is only described ---------------------------------------------------------------------------------------------


class _Described(PrimitiveWithInfer):
    """An operator whose result is like its first input, unless a subclass says otherwise."""

    def __init__(self) -> None:
        super().__init__(type(self).__name__)

    def infer_shape(self, *shapes: Any) -> Any:
        return shapes[0]

    def infer_dtype(self, *dtypes: Any) -> Any:
        return dtypes[0]

    def get_bprop(self) -> Any:
        return lambda *args: tuple(ops.zeros_like(x) if isinstance(x, Tensor) else x for x in args[:-2])


class KVCacheScatterUpdate(_Described):
    """A cache of keys or values with updates at indices."""


class GenerateEodMaskV2(_Described):
    """A Tensor in which a bit is flipped to see whether errors of memory are found."""


class QuantLinearSparse(_Described):
    """A product with a compressed quantized weight."""

    def infer_shape(self, *shapes: Any) -> Any:
        return [*shapes[0][:-1], shapes[2][-1]]

    def infer_dtype(self, *dtypes: Any) -> Any:
        return float16


class GetNext(_Described):
    """The next row of a queue of data.

    Args:
        types, shapes: The dtypes and shapes of the columns.
        output_num: How many there are.
        shared_name: The name of the queue.
    """

    def __init__(self, types: Any, shapes: Any, output_num: int, shared_name: str) -> None:
        super().__init__()
        self._types, self._shapes = tuple(types), [tuple(shape) for shape in shapes]

    def infer_shape(self) -> Any:
        return self._shapes

    def infer_dtype(self) -> Any:
        return self._types


class DSDMatmul(_Described):
    """The product of blocks of attention with values."""

    def infer_shape(self, w1: Any, w2: Any, v: Any) -> Any:
        batch, heads = w1[0], w1[1]
        return (batch, heads, v[1] * 16 // heads // 16, v[0] * 16 // batch // 16, 16, 16)


class MatmulDDS(_Described):
    """The blocks of attention of queries and keys, near and global."""

    def __init__(self, bs: int, heads: int) -> None:
        super().__init__()
        self.heads = heads

    def infer_shape(self, q: Any, k: Any, local_mask: Any, global_mask: Any) -> Any:
        length = local_mask[0] * local_mask[-1]
        batch = q[1] * q[2] // length
        heads = q[0] * q[-1] // (q[0] * q[-1] // self.heads)
        block = local_mask[1] * local_mask[2] // batch
        outer = (batch, heads, length // block)
        return (*outer, block // 16, block // 16, 16, 16), (*outer, length // 4 // 16, block // 16, 16, 16)

    def infer_dtype(self, *dtypes: Any) -> Any:
        return dtypes[0], dtypes[0]


generate_eod_mask_v2 = GenerateEodMaskV2()
embedding_op = Embedding()


def index(input: Tensor, indices: Any) -> Tensor:
    """Return the elements of a Tensor at a list of Tensors of indices, one for each of the first axes."""
    return input[tuple(indices)]


class AscendEnvChecker:
    """Looks at the version of Ascend's libraries, which raises where there are none.

    Raises:
        RuntimeError: Always.
    """

    def __init__(self, library_path: str | None) -> None:
        raise RuntimeError("AscendEnvChecker: there is no Ascend device.")

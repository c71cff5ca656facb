"""Operators that MindSpore has for Ascend alone: those with a formula compute it, the others can be put into graphs.

Those of the second kind say what their results are (see `ops.PrimitiveWithInfer`) and raise RuntimeError when they run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax import Tensor, float16, float32, int8
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


embedding_op = Embedding()


def index(input: Tensor, indices: Any) -> Tensor:
    """Return the elements of a Tensor at a list of Tensors of indices, one for each of the first axes."""
    return input[tuple(indices)]

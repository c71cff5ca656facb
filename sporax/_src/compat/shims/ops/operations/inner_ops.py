"""Operators of `mindspore.ops.operations._inner_ops`, most of which MindSpore has for Ascend alone.

mindformers imports DSDMatmul and MatmulDDS (`modules/layers.py`), a repository of the census Quant and Dequant.
MindSpore's own tests use DynamicBroadcastTo. mindnlp (`mindtorch/_C`) makes its generators of Generator.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

import numpy as np

from sporax import Tensor, float16, float32, int64
from sporax._src.compat.no_kernel import DescribedOperator
from sporax._src.compat.operators import ops
from sporax._src.compat.shims.ops.auto_generate.gen_ops_prim import as_int8
from sporax.ops import Primitive

_ROUNDED = {"Round": ops.round, "Floor": ops.floor, "Ceil": ops.ceil, "Trunc": ops.trunc}


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
        return as_int8(_ROUNDED[self.round_mode](x.astype(float32) * factor + self.offset))


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


class DynamicBroadcastTo(Primitive):
    """x broadcast to a shape, which may be a Tensor whose values are known."""

    def __init__(self) -> None:
        super().__init__("DynamicBroadcastTo")

    def __call__(self, x: Tensor, shape: Any) -> Tensor:
        return ops.broadcast_to(x, tuple(shape.tolist()) if isinstance(shape, Tensor) else tuple(shape))


class Generator(Primitive):
    """A sequence of random numbers as two Tensors, which its commands read and write.

    Args:
        seed, offset: Tensors of one int64: the seed, and how many numbers were drawn.

    Inputs:
        cmd: 0: advance by a step; 1: draw a seed; 2: return the state; 3: set it; 4: set the seed; 5: return the seed.
        inputs: `(seed, offset)`; for commands 0, 3 and 4 also the step, state or seed.

    Outputs:
        For 0 `(seed, offset before, None)`, for 1 and 5 `(seed,)`, for 2 `(None, None, state)`: 16 uint8; for the others None.

    Raises:
        RuntimeError: If there is no such command, or it takes another number of inputs.
    """

    _commands = ("STEP", "SEED", "GET_STATE", "SET_STATE", "MANUAL_SEED", "INITIAL_SEED")

    def __init__(self, seed: Tensor, offset: Tensor) -> None:
        super().__init__("Generator")
        self.seed, self.offset = seed, offset

    def __call__(self, cmd: int, inputs: Sequence[Tensor]) -> Any:
        if cmd not in range(len(self._commands)):
            raise RuntimeError(f"Generator: there is no command {cmd}.")
        name = self._commands[cmd]
        wanted = 3 if name in ("STEP", "SET_STATE", "MANUAL_SEED") else 2
        if len(inputs) != wanted:
            raise RuntimeError(f"Generator: {name} expects {wanted} inputs, got {len(inputs)}.")
        seed, offset, *given = inputs
        if name == "STEP":
            before = offset.copy()
            offset.assign_value(offset + given[0].astype(offset.dtype))
            return seed.copy(), before, None
        if name == "GET_STATE":
            return None, None, Tensor(np.array([int(seed), int(offset)], np.int64).view(np.uint8))
        if name == "SET_STATE":
            state = given[0].asnumpy().view(np.int64)
            return self._set(seed, offset, *state.tolist())
        if name == "MANUAL_SEED":
            return self._set(seed, offset, int(given[0]), 0)
        if name == "SEED":
            self._set(seed, offset, secrets.randbits(31), 0)
        return (seed.copy(),)

    @staticmethod
    def _set(seed: Tensor, offset: Tensor, new_seed: int, new_offset: int) -> None:
        seed.assign_value(Tensor(new_seed, int64))
        offset.assign_value(Tensor(new_offset, int64))


class DSDMatmul(DescribedOperator):
    """The product of blocks of attention with values."""

    def infer_shape(self, w1: Any, w2: object, v: Any) -> Any:
        batch, heads = w1[0], w1[1]
        return (batch, heads, v[1] * 16 // heads // 16, v[0] * 16 // batch // 16, 16, 16)


class MatmulDDS(DescribedOperator):
    """The blocks of attention of queries and keys, near and global."""

    def __init__(self, bs: int, heads: int) -> None:
        super().__init__()
        self.heads = heads

    def infer_shape(self, q: Any, k: object, local_mask: Any, global_mask: object) -> Any:
        length = local_mask[0] * local_mask[-1]
        batch = q[1] * q[2] // length
        heads = q[0] * q[-1] // (q[0] * q[-1] // self.heads)
        block = local_mask[1] * local_mask[2] // batch
        outer = (batch, heads, length // block)
        return (*outer, block // 16, block // 16, 16, 16), (*outer, length // 4 // 16, block // 16, 16, 16)

    def infer_dtype(self, *dtypes: object) -> Any:
        return dtypes[0], dtypes[0]

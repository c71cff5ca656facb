"""Primitives for MindSpore's internal use, its tests and its generated code: sequences, casts of containers, layout codes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.api.primitives.higher_order import PUBLIC, typeof
from sporax._src.base.typing import Array, Static
from sporax._src.bindings.primitive import Primitive, primitive, primitives
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.engine.table import internal
from sporax._src.ops.array.assign import write
from sporax._src.ops.array.cast import cast
from sporax._src.ops.array.gather import narrow
from sporax._src.ops.array.joining import split
from sporax._src.ops.array.sorting import topk
from sporax._src.ops.math.norms import clip_by_norm
from sporax._src.ops.nn.attention import flash_attention_score
from sporax._src.ops.random.draws import uniform

# --- sequences -----------------------------------------------------------------------------------------------------


@primitive("SequenceMul()")
def _sequence_mul(sequence: list[Any] | tuple[Any, ...], scalar: int) -> list[Any] | tuple[Any, ...]:
    """Return a sequence repeated."""
    return sequence * scalar


@primitive("SequenceAdd()")
def _sequence_add(first: Any, second: Any) -> Any:
    """Return two sequences, one after the other."""
    return first + second


@primitive("SequenceLen()")
def _sequence_len(sequence: Sequence[Any]) -> int:
    """Return the length of a sequence."""
    return len(sequence)


@primitive("SequenceSlice()")
def _sequence_slice(sequence: Sequence[Any], start: int, stop: int, step: int) -> Sequence[Any]:
    """Return part of a sequence."""
    return sequence[start:stop:step]


@primitive("SequenceCount()")
def _sequence_count(sequence: Sequence[Any], target: object) -> int:
    """Return how often a value occurs in a sequence."""
    return sequence.count(target)


@primitive("SequenceIndex()")
def _sequence_index(sequence: Sequence[Any], target: object, start: int = 0, stop: int | None = None) -> int:
    """Return where a value first occurs in a sequence."""
    return sequence.index(target, start, len(sequence) if stop is None else stop)


@primitive("SequenceMax()")
def _sequence_max(sequence: Sequence[Any]) -> Any:
    """Return the largest element of a sequence."""
    return max(sequence)


@primitive("SequenceMin()")
def _sequence_min(sequence: Sequence[Any]) -> Any:
    """Return the smallest element of a sequence."""
    return min(sequence)


# --- Python values and Tensors -------------------------------------------------------------------------------------


@primitive("TupleToTensor()", "ListToTensor()")
def _to_tensor(sequence: Sequence[Any], dtype: mstype.TypeLike | None = None) -> Tensor:
    """Return numbers as a Tensor."""
    return Tensor(np.asarray(sequence), dtype)


@primitive("ConvertToDynamic(is_dynamic_rank=False)", "ConvertToDynamicRank(is_dynamic_rank=True)")
def _convert_to_dynamic(x: Tensor) -> Tensor:
    """Return the Tensor itself: graphs are cached per shape, so no shape is unknown."""
    return x


def contiguous(input: Tensor) -> Tensor:
    """Return the Tensor itself: arrays have no strides here.

    Args:
        input: A Tensor.

    Examples:
        >>> contiguous(Tensor([1, 2])).asnumpy()
        array([1, 2])
    """
    return input


def is_sequence_value_unknown(sequence: object) -> bool:
    """Return False: graphs are cached per shape, so every shape is known.

    Args:
        sequence: Any sequence.

    Examples:
        >>> is_sequence_value_unknown((1, 2))
        False
    """
    return False


# --- others --------------------------------------------------------------------------------------------------------


def _offsets(axis: Any, shapes: Sequence[Any]) -> Tensor:
    at = axis % len(shapes[0])
    table = np.zeros((len(shapes), len(shapes[0])), np.int64)
    table[1:, at] = np.cumsum([int(shape[at]) for shape in shapes[:-1]])
    return Tensor(table)


@primitive("ConcatOffsetV1()")
def _concat_offset_v1(axis: Tensor, xs: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Return where each of the Tensors of these shapes starts in their concatenation."""
    rows = _offsets(int(axis.asnumpy()), [x.asnumpy() for x in xs]).asnumpy().astype(np.int32)
    return tuple([Tensor(row) for row in rows])


@primitive("DataFormatDimMap(src_format='NHWC', dst_format='NCHW')")
@internal("DataFormatDimMap")
def _dim_map(input_x: Array, src_format: Static = "NHWC", dst_format: Static = "NCHW") -> Array:
    """Return which axis of the first layout each axis of the second is."""
    positions = jnp.asarray([src_format.index(c) for c in dst_format], input_x.dtype)
    return positions[input_x % len(src_format)]


@primitive("UpdateCache()")
def _update_cache(input_x: Tensor, indices: Tensor, updates: Tensor, max_num: int) -> Tensor:
    """Write rows of `updates` to the rows of the Parameter that `indices` name; those outside [0, max_num) are skipped."""
    write("UpdateCache", input_x, _cache(input_x, indices, updates, max_num))
    return Tensor([0], input_x.dtype)


@internal("UpdateCache")
def _cache(x: Array, indices: Array, updates: Array, max_num: Static) -> Array:
    """Return x with the rows replaced."""
    rows = indices.reshape(-1)
    inside = (rows >= 0) & (rows < min(max_num, len(x)))
    return x.at[jnp.where(inside, rows, len(x))].set(updates.reshape(-1, *x.shape[1:]), mode="drop")


@primitive("Uniform(minval=0.0, maxval=1.0, seed=0, offset=0)")
def _uniform(x: Tensor, minval: float, maxval: float, seed: int) -> Tensor:
    """Draw a Tensor like x from the uniform distribution over [minval, maxval)."""
    if x.dtype not in (mstype.float16, mstype.float32, mstype.float64):
        raise TypeError(f"ops.Uniform: x must be float16, float32 or float64, got {x.dtype}.")
    drawn = uniform(x.shape, Tensor(minval, mstype.float32), Tensor(maxval, mstype.float32), seed or None)
    return drawn.astype(x.dtype)


@primitive("Assert(summarize=3)")
def _assert(condition: object, input_data: Sequence[Any], summarize: int) -> None:
    """Raise RuntimeError with the first elements of the data if the condition does not hold."""
    holds = condition.asnumpy().all() if isinstance(condition, Tensor) else condition
    if not holds:
        shown = [np.asarray(x).ravel()[:summarize].tolist() for x in input_data]
        raise RuntimeError(f"assert failed. The data: {shown}")


def prim_attr_register(fn: Callable[..., None]) -> Callable[..., None]:
    """Decorate the `__init__` of a Primitive: its arguments become attributes of the operator.

    Args:
        fn: The `__init__`.

    Examples:
        >>> Scale = type("Scale", (ops.Primitive,), {"__init__": prim_attr_register(lambda self, factor=2: None)})
        >>> Scale(3).factor
        3
    """

    def __init__(self: Primitive, *args: object, **kwargs: object) -> None:
        Primitive.__init__(self, type(self).__name__)
        names = fn.__code__.co_varnames[1 : fn.__code__.co_argcount]
        for name, value in {**dict(zip(names[::-1], (fn.__defaults__ or ())[::-1], strict=False)),
                            **dict(zip(names, args, strict=False)), **kwargs}.items():  # fmt: skip
            setattr(self, name, value)
            self.add_prim_attr(name, value)
        fn(self, *args, **kwargs)

    return __init__


PUBLIC.update(
    contiguous=contiguous,
    is_sequence_shape_unknown=is_sequence_value_unknown,
    is_sequence_value_unknown=is_sequence_value_unknown,
    prim_attr_register=prim_attr_register,
    split_ext=split,
)


# --- classes of `ops.auto_generate` -------------------------------------------------------------------------------------


@primitive(
    "FlashAttentionScore(head_num, keep_prob=1.0, scale_value=1.0, pre_tokens=2147483647, next_tokens=2147483647, "
    "inner_precise=0, input_layout='BSH', sparse_mode=0)"
)
def _flash(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    real_shift: Tensor | None = None,
    drop_mask: Tensor | None = None,
    padding_mask: Tensor | None = None,
    attn_mask: Tensor | None = None,
    prefix: object = None,
    actual_seq_qlen: object = None,
    actual_seq_kvlen: object = None,
    *,
    scale_value: float,
    **fixed: Any,
) -> tuple[Tensor, ...]:
    """Return (softmax_max, softmax_sum, softmax_out, attention_out), see `flash_attention_score`.

    The first three, which MindSpore saves for its backward pass, have no elements.
    """
    masks = (real_shift, drop_mask, padding_mask, attn_mask, prefix)
    lengths = {"actual_seq_qlen": actual_seq_qlen, "actual_seq_kvlen": actual_seq_kvlen}
    head_num = fixed.pop("head_num")
    out = flash_attention_score(query, key, value, head_num, *masks, **lengths, scalar_value=scale_value, **fixed)
    empty = wrap(jnp.zeros((0,), jnp.float32))
    return empty, empty, empty, out


@primitive("TopkExt()")
def _topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Tensor, Tensor]:
    """Return the k largest elements along an axis, and their indices."""
    values, indices = topk(input, k, dim, largest, sorted)
    return values, cast(indices, mstype.int64)


@primitive("SliceExt()")
def _slice(input: Tensor, dim: int, start: int, end: int, step: int) -> Tensor:
    """Return the elements from `start` to `end` along an axis, every `step`-th."""
    length = input.shape[dim]
    start, end = (min(max(i + length if i < 0 else i, 0), length) for i in (start, end))
    part = narrow(input, dim, start, max(end - start, 0))
    if step == 1:
        return part
    picked = [slice(None)] * input.ndim
    picked[dim] = slice(None, None, step)
    return part[tuple(picked)]


primitives(
    """\
SequenceAddN()(sequence) -> addn(sequence)
SequenceStack(axis=0)(sequence) -> stack(sequence, axis)
SequenceConcat(axis=0)(sequence) -> cat(sequence, axis)
SequenceUnstack(axis=0)(x) -> unstack(x, axis)
TopTypeof()(x) -> typeof(x)
ConcatOffset(N=2, axis: int = 0)(xs: Sequence[Tensor]) -> _offsets(axis, [x.shape for x in xs])
    Return where each of the Tensors starts in their concatenation, a row each.
AddV2()(x, y) -> add(x, y)
    Return x + y.
ClipByNorm(axis=None)(x: Tensor, clip_norm) -> clip_by_norm(x.astype(float32), clip_norm, axis)
    Return x·clip_norm / max(‖x‖, clip_norm) as float32, the norm ‖x‖ taken over `axis` (None: all axes).
AddExt()(input, other, alpha=1) -> add(input, other if alpha == 1 else mul(other, alpha))
    Return input + alpha · other.
    input, other: Tensors or numbers; shapes broadcast, dtypes are promoted.
    alpha: A number.
    >>> ops.auto_generate.AddExt()(Tensor([1.0]), Tensor([2.0]), 3).asnumpy()
    array([7.], dtype=float32)
SubExt()(input, other, alpha=1) -> sub(input, other if alpha == 1 else mul(other, alpha))
    Return input - alpha · other.
    input, other: Tensors or numbers; shapes broadcast, dtypes are promoted.
    alpha: A number.
    >>> ops.auto_generate.SubExt()(Tensor([7.0]), Tensor([2.0]), 3).asnumpy()
    array([1.], dtype=float32)
SumExt()(input, dim=None, keepdim=False, dtype=None) -> sum(input, dim, keepdim, dtype=dtype)
MatMulExt, BatchMatMulExt()(input, mat2) -> matmul(input, mat2)
MeanExt()(input, dim=None, keepdim=False, dtype=None) -> mean(input if dtype is None else input.astype(dtype), dim, keepdim)
IndexSelect()(input, dim, index) -> index_select(input, dim, index)
Outer()(input, vec2) -> outer(input, vec2)
StackExt(dim=0)(tensors) -> stack(tensors, dim)
SplitWithSize()(input, split_size, dim=0) -> split(input, list(split_size), dim)
    Return the parts of given lengths along an axis.
    split_size: The lengths.
    >>> [part.asnumpy() for part in ops.auto_generate.SplitWithSize()(Tensor([1, 2, 3]), (1, 2))]
    [array([1]), array([2, 3])]
SiLU()(input) -> silu(input)
Swiglu()(input, dim=-1) -> swiglu(input, dim)
ZerosLikeExt()(input, dtype=None) -> zeros_like(input, dtype=dtype)
OneHotExt(axis=-1)(tensor, num_classes: int, on_value, off_value) -> one_hot(tensor, num_classes, on_value, off_value, axis)
""",
    globals() | {"clip_by_norm": clip_by_norm, "float32": mstype.float32, "typeof": typeof},
)

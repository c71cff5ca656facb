"""Layers that look rows up in a table, and one-hot vectors."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from sporax._src.bindings.primitive import holds, own
from sporax._src.core import dtype as mstype
from sporax._src.core.initializer import InitializerLike, Normal
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.checks import (
    choice,
    dtype_input,
    flag,
    integer,
    label,
    of_type,
    parameter,
    positive,
    rank_input,
    within,
)
from sporax._src.nn.parallel.marked_operators import cut_as, is_marked
from sporax._src.ops.array.creation import one_hot
from sporax._src.ops.array.gather import gather
from sporax._src.ops.math.norms import clip_by_norm
from sporax._src.ops.nn.embedding import embedding
from sporax._src.ops.nn.layer_kernels import merge_fields

__all__ = [
    "Embedding", "EmbeddingExt", "EmbeddingLookup", "MultiFieldEmbeddingLookup", "OneHot",
]  # fmt: skip


class Embedding(Cell):
    """Looks up rows of a table.

    Args:
        vocab_size: The number of rows.
        embedding_size: The size of a row.
        use_one_hot: Accepted for MindSpore programs: the result is the same either way.
        embedding_table: Initial values of the Parameter `embedding_table`: an Initializer, its name, a number or
            a Tensor.
        dtype: Accepted for MindSpore programs: the table is float32, or has the dtype of the Tensor given.
        padding_idx: The row that starts as zeros; None for none.

    Inputs:
        - **ids** (Tensor) - Integers in [0, vocab_size), shape (*).

    Outputs:
        A Tensor of shape (*, embedding_size).

    Raises:
        TypeError: If an argument has another type.
        ValueError: If `padding_idx` is not in [0, vocab_size).

    Examples:
        >>> import sporax as ms
        >>> ms.nn.Embedding(10, 3)(ms.Tensor([[1, 2]])).shape
        (1, 2, 3)
    """

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        use_one_hot: bool = False,
        embedding_table: InitializerLike = "normal",
        dtype: mstype.TypeLike = mstype.float32,
        padding_idx: int | None = None,
    ) -> None:
        super().__init__()
        self.vocab_size = integer(self, "vocab_size", vocab_size)
        self.embedding_size = integer(self, "embedding_size", embedding_size)
        self.use_one_hot = flag(self, "use_one_hot", use_one_hot)
        self.dtype = of_type(self, "dtype", dtype, mstype.Number)
        self.padding_idx = padding_idx
        self.embedding_table = parameter(
            embedding_table, (vocab_size, embedding_size), mstype.float32, "embedding_table"
        )
        if padding_idx is not None:
            within(self, "padding_idx", integer(self, "padding_idx", padding_idx), 0, vocab_size, "[)")
            _zero_row(self.embedding_table, padding_idx)

    # Operators that programs mark for devices.
    expand, get_shp, reshape, reshape_flat = holds("ExpandDims"), holds("Shape"), holds("Reshape"), holds("Reshape")
    gather, one_hot, array_mul, concat = holds("Gather"), holds("OneHot"), holds("MatMul"), holds("Concat")
    on_value = cached_property(lambda self: Tensor(1.0, self.dtype))
    off_value = cached_property(lambda self: Tensor(0.0, self.dtype))
    shp_flat = (-1,)

    def construct(self, ids: Tensor) -> Tensor:
        if not is_marked(self, "gather"):
            return gather(self.embedding_table, ids, 0)
        rows = self.gather(self.embedding_table, ids.reshape(-1), 0)  # as MindSpore has them
        return rows.reshape(*ids.shape, self.embedding_size)

    def extend_repr(self) -> str:
        return (
            f"vocab_size={self.vocab_size}, embedding_size={self.embedding_size}, use_one_hot={self.use_one_hot}, "
            f"embedding_table={self.embedding_table}, dtype={self.dtype}, padding_idx={self.padding_idx}"
        )


def _zero_row(table: Parameter, row: int) -> None:
    values = table.asnumpy()
    values[row] = 0
    table.set_data(Tensor(values, table.dtype))


class EmbeddingExt(Cell):
    """Looks up rows of a table, drawn from N(0, 1) at first.

    Args:
        num_embeddings: The number of rows.
        embedding_dim: The size of a row.
        padding_idx: The row that starts as zeros and gets no gradient; None for none.
        max_norm: The norm to which longer rows are scaled down; None for none.
        norm_type: The p of that norm.
        scale_grad_by_freq: Whether gradients are divided by the number of look-ups of the row.
        sparse: Must be False.
        _weight: Initial values of `weight`.
        _freeze: Whether `weight` needs no gradient.
        dtype: The dtype of `weight`; float32 if None.
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        dtype: mstype.TypeLike | None = None,
    ) -> None:
        super().__init__()
        self.sparse = flag(self, "sparse", sparse)
        if sparse:
            raise ValueError(f"{label(self)}: sparse must be False.")
        self.num_embeddings = integer(self, "num_embeddings", num_embeddings)
        self.embedding_dim = integer(self, "embedding_dim", embedding_dim)
        self.dtype = of_type(self, "dtype", mstype.float32 if dtype is None else dtype, mstype.Number)
        self.padding_idx = padding_idx
        self.max_norm = None if max_norm is None else of_type(self, "max_norm", max_norm, float)
        self.norm_type = of_type(self, "norm_type", norm_type, float)
        self.scale_grad_by_freq = flag(self, "scale_grad_by_freq", scale_grad_by_freq)
        shape = (num_embeddings, embedding_dim)
        if _weight is not None and tuple(_weight.shape) != shape:
            raise ValueError(f"{label(self)}: _weight must have shape {list(shape)}, got {list(_weight.shape)}.")
        self.weight = parameter(Normal(1.0) if _weight is None else _weight, shape, self.dtype, "weight", not _freeze)
        if padding_idx is not None:
            within(
                self, "padding_idx", integer(self, "padding_idx", padding_idx), -num_embeddings, num_embeddings, "[)"
            )
            if _weight is None:
                _zero_row(self.weight, padding_idx)

    def construct(self, input: Tensor) -> Tensor:
        return embedding(input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq)

    def extend_repr(self) -> str:
        return (
            f"num_embeddings={self.num_embeddings}, embedding_dim={self.embedding_dim}, "
            f"padding_idx={self.padding_idx}, max_norm={self.max_norm}, norm_type={self.norm_type}, "
            f"scale_grad_by_freq={self.scale_grad_by_freq}, dtype={self.dtype}"
        )


class EmbeddingLookup(Cell):
    """Looks up rows of a table, whose norm may be limited.

    Args:
        vocab_size: The number of rows.
        embedding_size: The size of a row.
        param_init: Initial values of the Parameter `embedding_table`.
        target: `"CPU"` or `"DEVICE"`; the table is on the device of all Parameters.
        slice_mode, manual_shapes, vocab_cache_size: Accepted for MindSpore programs: the layout of a table determines
            its sharding over devices.
        max_norm: The norm to which longer rows are scaled down; None for none.
        sparse: Must be True if `target` is `"CPU"`; gradients are dense.
        dtype: The dtype of the table.

    Inputs:
        - **indices** (Tensor) - Integers, shape (*).

    Outputs:
        A Tensor of shape (*, embedding_size).

    Raises:
        TypeError: If an argument has another type.
        ValueError: If a size is not positive, `target` is unknown, or `sparse` is False with target `"CPU"`.
    """

    BATCH_SLICE = "batch_slice"
    FIELD_SLICE = "field_slice"
    TABLE_ROW_SLICE = "table_row_slice"
    TABLE_COLUMN_SLICE = "table_column_slice"

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
        dtype: mstype.TypeLike = mstype.float32,
    ) -> None:
        super().__init__()
        self.sparse = flag(self, "sparse", sparse)
        self.vocab_size = positive(self, "vocab_size", vocab_size)
        self._check_cache(vocab_cache_size)
        self.target = choice(self, "target", target, ("CPU", "DEVICE"))
        if not sparse and target == "CPU":
            raise ValueError(f"{label(self)}: sparse must be True when target is 'CPU'.")
        self.embedding_size = positive(self, "embedding_size", embedding_size)
        self.embedding_table = parameter(param_init, (vocab_size, embedding_size), dtype, "embedding_table")
        self._max_norm = None if max_norm is None else _positive_float(self, max_norm)
        self.max_norm = None if max_norm is None else Tensor(self._max_norm, mstype.float32)

    # Operators that programs mark for devices.
    gatherv2 = holds(lambda self: "SparseGatherV2" if self.sparse else "Gather")
    embeddinglookup, gather_revert, unique = holds("EmbeddingLookup"), holds("Gather"), holds("Unique")
    shape, reshape, reshape_first = holds("Shape"), holds("Reshape"), holds("Reshape")
    cache_enable = forward_unique = is_ps_server = False  # there is no parameter server

    def _check_cache(self, vocab_cache_size: Any) -> None:
        self.vocab_cache_size = integer(self, "vocab_cache_size", vocab_cache_size, 0)
        if vocab_cache_size:
            raise ValueError(f"{label(self)}: vocab_cache_size must be 0: there is no parameter server here.")

    def construct(self, indices: Tensor) -> Tensor:
        rows = self._rows(indices)
        return rows if self._max_norm is None else clip_by_norm(rows, self._max_norm, (-1,))

    def _rows(self, indices: Tensor) -> Tensor:
        return cut_as(self, "gatherv2", lambda table, at: gather(table, at, 0), self.embedding_table, indices)


def _positive_float(cell: Cell, value: Any) -> float:
    if of_type(cell, "max_norm", value, (float, int)) <= 0:
        raise ValueError(f"{label(cell)}: max_norm must be positive, got {value}.")
    return float(value)


class MultiFieldEmbeddingLookup(EmbeddingLookup):
    """Looks up rows of a table, multiplies them by values, and merges those of one field.

    Args:
        vocab_size, embedding_size: The numbers of rows and columns of the table.
        field_size: The number of fields.
        param_init, target, slice_mode, max_norm, sparse, dtype: As for `EmbeddingLookup`.
        feature_num_list: Accepted for MindSpore programs.
        operator: `"SUM"`, `"MEAN"` (divided by the sum of the values' sizes) or `"MAX"` (of rows whose value is not 0).

    Inputs:
        - **input_indices** (Tensor) - Integers, shape (N, S).
        - **input_values** (Tensor) - float32, shape (N, S).
        - **field_ids** (Tensor) - int32 in [0, field_size), shape (N, S).

    Outputs:
        A Tensor of shape (N, field_size, embedding_size); 0 for a field without rows.
    """

    OPERATOR_SUM = "SUM"
    OPERATOR_MEAN = "MEAN"
    OPERATOR_MAX = "MAX"

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        field_size: int,
        param_init: InitializerLike = "normal",
        target: str = "CPU",
        slice_mode: str = "batch_slice",
        feature_num_list: tuple[int, ...] | None = None,
        max_norm: float | None = None,
        sparse: bool = True,
        operator: str = "SUM",
        dtype: mstype.TypeLike = mstype.float32,
    ) -> None:
        super().__init__(
            vocab_size, embedding_size, param_init, target, slice_mode, feature_num_list, max_norm, sparse, dtype=dtype
        )
        self.field_size = positive(self, "field_size", field_size)
        self.operator = choice(self, "operator", operator, ("SUM", "MAX", "MEAN"))

    mul, inf_mask_mul, max_mask_mul = holds("Mul"), holds("Mul"), holds("Mul")
    add, bias_add, inf_add = holds("Add"), holds("Add"), holds("Add")
    merge_op = holds(lambda self: "UnsortedSegmentMax" if self.operator == "MAX" else "UnsortedSegmentSum")
    count_op, div_no_nan, abs = holds("UnsortedSegmentSum"), holds("DivNoNan"), holds("Abs")
    equal, max_no_equal, cast, expand = holds("Equal"), holds("NotEqual"), holds("Cast"), holds("ExpandDims")
    negative_inf_value = -3.402823466e38

    def construct(self, input_indices: Tensor, input_values: Tensor, field_ids: Tensor) -> Tensor:
        rank_input(self, (2,), input_indices=input_indices, input_values=input_values, field_ids=field_ids)
        dtype_input(self, (mstype.int32, mstype.int64), input_indices=input_indices)
        dtype_input(self, (mstype.float32,), input_values=input_values)
        dtype_input(self, (mstype.int32,), field_ids=field_ids)
        rows = super().construct(input_indices)
        return merge_fields(rows, input_values, field_ids, self.field_size, self.operator)


class OneHot(Cell):
    """Turns integers into one-hot vectors, see `ops.one_hot`.

    Args:
        axis: The position of the new axis; -1: at the end.
        depth: The size of the new axis.
        on_value, off_value: The two values.
        dtype: The dtype of the result.

    Examples:
        >>> import sporax as ms
        >>> ms.nn.OneHot(depth=3)(ms.Tensor([2])).asnumpy()
        array([[0., 0., 1.]], dtype=float32)
    """

    def __init__(
        self,
        axis: int = -1,
        depth: int = 1,
        on_value: float = 1.0,
        off_value: float = 0.0,
        dtype: mstype.TypeLike = mstype.float32,
    ) -> None:
        super().__init__()
        self.axis = integer(self, "axis", axis)
        self.depth, self.dtype = depth, of_type(self, "dtype", dtype, mstype.Number)
        self.on_value, self.off_value = on_value, off_value
        self._on, self._off = Tensor(on_value, dtype), Tensor(off_value, dtype)

    onehot = holds("OneHot", own.axis)

    def construct(self, indices: Tensor) -> Tensor:
        return one_hot(indices, self.depth, self._on, self._off, self.axis)

"""Sparse Tensors: containers of an index Tensor (or two) and the values."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from typing import Any, ClassVar, Self

from sporax._src.base.errors import describe
from sporax._src.core import dtype as mstype
from sporax._src.core import printing
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.core.tree import Container

_log = logging.getLogger("sporax")
_INDICES = ("int16", "int32", "int64")


class SparseBase(Container):
    """The base of sparse Tensors: indices, values, and the shape of the dense Tensor.

    Indices are structure: they have no gradient, and the gradient of a sparse Tensor has its indices.
    """

    _kind: ClassVar[str] = ""  # the name in `repr`
    _names: ClassVar[tuple[str, ...]] = ("indices",)
    _indices: tuple[Tensor, ...]
    _values: Tensor
    _shape: tuple[int, ...]

    def _fill(self, indices: Sequence[Any], values: Tensor, shape: tuple[int, ...]) -> None:
        self._indices = tuple([_as_index(p) for p in indices])
        self._values, self._shape = values, shape

    def _copy(self, name: str, other: object, others: Sequence[Any]) -> None:
        """Copy another sparse Tensor, the argument `name`; no other argument may be given."""
        kind = type(self).__name__
        if not isinstance(other, type(self)):
            raise TypeError(f"{kind}: {name} must be a {kind}, got {type(other).__name__}: {describe(other)}.")
        if any(g is not None for g in others):
            raise TypeError(f"{kind}: give either {name} or {', '.join(self._names)}, values and shape, not both.")
        self._fill(*other._parted())

    def _parted(self) -> tuple[tuple[Tensor, ...], Tensor, tuple[int, ...]]:
        return self._indices, self._values, self._shape

    def parts(self) -> tuple[Any, ...]:
        """Return places, values and shape."""
        return (*self._indices, self._values, self._shape)

    @classmethod
    def of_parts(cls, parts: Sequence[Any]) -> Self:
        """Return the sparse Tensor with these parts, unchecked."""
        new = object.__new__(cls)
        new._fill(parts[:-2], parts[-2], parts[-1])
        return new

    def with_values(self, values: Tensor) -> Self:
        """Return a sparse Tensor with the same indices and other values."""
        return self.of_parts((*self._indices, values, self._shape))

    @property
    def indices(self) -> Tensor:
        """The indices along an axis, or along all axes."""
        return wrap(self._indices[-1]._data)

    @property
    def values(self) -> Tensor:
        """The values at the indices."""
        return self._values

    def __repr__(self) -> str:
        head = f"{self._kind or type(self).__name__}(shape={list(self._shape)}, dtype={self._values.dtype}"
        shown = zip((*self._names, "values"), (*self._indices, self._values), strict=True)
        return f"{head}, {', '.join(f'{name}={printing.part_repr(t)}' for name, t in shown)})"


class _Matrix(SparseBase):
    """The common part of COOTensor and CSRTensor."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes along each axis."""
        return self._shape

    @property
    def dtype(self) -> mstype.Type:
        """The dtype of the values."""
        return self._values.dtype

    @property
    def size(self) -> int:
        """The number of stored values."""
        return self._values.size

    @property
    def itemsize(self) -> int:
        """Bytes a value takes."""
        return self._values.itemsize

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._shape)

    def to_tuple(self) -> tuple[Any, ...]:
        """Return places, values and shape."""
        return (*[wrap(p._data) for p in self._indices], self._values, self._shape)


class COOTensor(_Matrix):
    """A matrix of which only the values at `indices` are stored: dense[indices[i]] = values[i], the rest is 0.

    Values with equal indices are added up when the matrix is used; indices outside of the shape are undefined.

    Args:
        indices: Row and column of each value, of shape (N, 2) and dtype int16, int32 or int64.
        values: The values, of shape (N,).
        shape: The shape of the dense matrix: a tuple of two positive integers.
        coo_tensor: A COOTensor to take over, instead.

    Raises:
        TypeError: If an argument is not of its kind.
        ValueError: If the shapes do not fit together.

    Examples:
        >>> import sporax as ms
        >>> x = ms.COOTensor(ms.Tensor([[0, 1], [1, 2]]), ms.Tensor([1.0, 2.0]), (2, 3))
        >>> x.to_dense().asnumpy()
        array([[0., 1., 0.],
               [0., 0., 2.]], dtype=float32)
    """

    def __init__(self, indices: Any = None, values: Any = None, shape: Any = None, coo_tensor: Any = None) -> None:
        if coo_tensor is not None:
            self._copy("coo_tensor", coo_tensor, (indices, values, shape))
            return
        _check_kinds("COOTensor", ("indices",), (indices,), values, shape)
        if len(shape) != 2:
            raise ValueError(f"COOTensor: shape must have 2 sizes, got {shape}.")
        if (indices.shape, values.shape) != ((0,), (0,)):
            _check_sizes("COOTensor", shape, values)
            if values.ndim != 1:
                raise ValueError(f"COOTensor: values must have 1 axis, got shape {list(values.shape)}.")
            if indices.shape != (values.shape[0], 2):
                want = [values.shape[0], 2]
                raise ValueError(f"COOTensor: indices must have shape {want}, as values do, got {list(indices.shape)}.")
        self._fill((indices,), values, shape)


class SparseTensor(SparseBase):
    """The former name of COOTensor.

    Args:
        indices: The index of each value, of shape (N, number of axes).
        values: The values, of shape (N,).
        shape: The shape of the dense Tensor, a tuple.

    Raises:
        TypeError: If an argument is not of its kind.

    Examples:
        >>> import sporax as ms
        >>> ms.SparseTensor(ms.Tensor([[0, 1]]), ms.Tensor([2.0]), (1, 2)).shape
        (1, 2)
    """

    _kind = "COOTensor"

    def __init__(self, indices: Any, values: Any, shape: Any) -> None:
        _log.warning("SparseTensor is deprecated: use COOTensor instead.")
        _check_kinds("SparseTensor", ("indices",), (indices,), values, shape)
        self._fill((indices,), values, shape)

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes along each axis."""
        return self._shape


class RowTensor(SparseBase):
    """A Tensor of which only some rows are stored: dense[indices[i]] = values[i], the rest is 0.

    Args:
        indices: The stored rows, of shape (N,).
        values: The rows, of shape (N, ...).
        shape: The shape of the dense Tensor, a tuple.
        row_tensor: A RowTensor to take over, instead.

    Raises:
        TypeError: If an argument is not of its kind.

    Examples:
        >>> import sporax as ms
        >>> ms.RowTensor(ms.Tensor([0]), ms.Tensor([[1.0, 2.0]]), (3, 2)).dense_shape
        (3, 2)
    """

    def __init__(self, indices: Any = None, values: Any = None, shape: Any = None, row_tensor: Any = None) -> None:
        _log.warning("RowTensor is deprecated.")
        if row_tensor is not None:
            self._copy("row_tensor", row_tensor, (indices, values, shape))
            return
        _check_kinds("RowTensor", ("indices",), (indices,), values, shape)
        self._fill((indices,), values, shape)

    @property
    def dense_shape(self) -> tuple[int, ...]:
        """The shape of the dense Tensor."""
        return self._shape


class CSRTensor(_Matrix):
    """A Tensor of which, in row i, only the values in the columns indices[indptr[i] : indptr[i + 1]] are stored.

    Args:
        indptr: The start of each row in the values, and the end of the last row, of shape (rows + 1,).
        indices: The column of each value, of shape (N,). Both have dtype int16, int32 or int64.
        values: The values, of shape (N, ...), where ... are the sizes of `shape` after rows and columns.
        shape: The shape of the dense Tensor: a tuple of positive integers.
        csr_tensor: A CSRTensor to take over, instead.

    Raises:
        TypeError: If an argument is not of its kind.
        ValueError: If the shapes do not fit together.

    Examples:
        >>> import sporax as ms
        >>> x = ms.CSRTensor(ms.Tensor([0, 1, 2]), ms.Tensor([1, 2]), ms.Tensor([1.0, 2.0]), (2, 3))
        >>> x.to_dense().asnumpy()
        array([[0., 1., 0.],
               [0., 0., 2.]], dtype=float32)
    """

    _names = ("indptr", "indices")

    def __init__(
        self, indptr: Any = None, indices: Any = None, values: Any = None, shape: Any = None, csr_tensor: Any = None
    ) -> None:
        if csr_tensor is not None:
            self._copy("csr_tensor", csr_tensor, (indptr, indices, values, shape))
            return
        _check_kinds("CSRTensor", self._names, (indptr, indices), values, shape)
        if (indptr.shape, indices.shape, values.shape) != ((0,), (0,), (0,)):
            _check_sizes("CSRTensor", shape, values)
            for name, index in (("indptr", indptr), ("indices", indices)):
                if index.ndim != 1:
                    raise ValueError(f"CSRTensor: {name} must have 1 axis, got shape {list(index.shape)}.")
            if indptr.shape != (shape[0] + 1,):
                raise ValueError(
                    f"CSRTensor: indptr must have length 1 + shape[0] = {shape[0] + 1}, got {indptr.shape[0]}."
                )
            want = (indices.shape[0], *shape[2:])
            if len(shape) < 2 or values.shape != want:
                raise ValueError(
                    f"CSRTensor: values must have shape {list(want)}, as indices and shape {shape} do, got {list(values.shape)}."
                )
        self._fill((indptr, indices), values, shape)

    @property
    def indptr(self) -> Tensor:
        """The start of each row in the values."""
        return wrap(self._indices[0]._data)


def _as_index(tensor: object) -> Any:
    if not isinstance(tensor, Tensor):  # a placeholder while structures are mapped
        return tensor
    index = wrap(tensor._data)
    index._is_sparse_index = True
    return index


def _check_kinds(kind: str, names: Sequence[str], indices: Sequence[Any], values: object, shape: object) -> None:
    for name, value in zip((*names, "values"), (*indices, values), strict=True):
        if not isinstance(value, Tensor):
            raise TypeError(f"{kind}: {name} must be a Tensor, got {type(value).__name__}: {describe(value)}.")
    if not isinstance(shape, tuple):
        raise TypeError(f"{kind}: shape must be a tuple, got {type(shape).__name__}: {describe(shape)}.")
    for name, index in zip(names, indices, strict=True):
        if index._data.dtype.name not in _INDICES:
            raise TypeError(f"{kind}: {name} must have dtype int16, int32 or int64, got {index.dtype}.")


def _check_sizes(kind: str, shape: tuple[Any, ...], values: Tensor) -> None:
    for size in shape:
        if isinstance(size, bool) or not isinstance(size, int):
            raise TypeError(f"{kind}: shape must hold integers, got {shape}.")
        if size <= 0:
            raise ValueError(f"{kind}: shape must hold positive sizes, got {shape}.")
    if math.prod(shape) < values.size:
        raise ValueError(f"{kind}: shape {shape} is too small to hold {values.size} values.")

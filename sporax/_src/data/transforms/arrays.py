"""Operations on one array: types, filling, padding, masks, slices."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.tensor_bridge import as_array, as_dtype
from sporax._src.data.transforms.base import TensorOperation


class TypeCast(TensorOperation):
    """Converts to `data_type`.

    Args:
        data_type (Union[mindspore.dtype, numpy.dtype]): The type.

    Raises:
        TypeError: If `data_type` is not a data type.
        RuntimeError: If text and numbers are mixed.

    Examples:
        >>> from sporax.dataset import transforms
        >>> transforms.TypeCast("int32")([1.5, 2.5])
        array([1, 2], dtype=int32)
    """

    by_element = True

    def __init__(self, data_type: object) -> None:
        self.data_type = as_dtype(data_type)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        if (self.data_type.kind in "US") != (array.dtype.kind in "US"):
            raise RuntimeError(f"transforms.TypeCast: {describe(array)} cannot be converted to {self.data_type}.")
        return array.astype(self.data_type)

    def on_batch(self, rows: np.ndarray) -> np.ndarray:
        """Apply to stacked rows."""
        return self._apply(rows)


class OneHot(TensorOperation):
    """Turns labels into rows with a one at the label.

    One label, of any shape, gives one row; a column of labels, of shape ``(N, 1)``, gives N.

    With `smoothing_rate` r and C classes, the one becomes ``1 - r + r / C`` and every zero ``r / C``.

    Args:
        num_classes (int): How many classes.
        smoothing_rate (float): In [0, 1]. Default: ``0.0``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument is out of range.
        RuntimeError: If labels are not integers of [0, `num_classes`).

    Examples:
        >>> from sporax.dataset import transforms
        >>> transforms.OneHot(3)(1)
        array([0, 1, 0])
    """

    def __init__(self, num_classes: int, smoothing_rate: float = 0.0) -> None:
        self.num_classes = checks.integer("transforms.OneHot", "num_classes", num_classes, 1)
        if isinstance(smoothing_rate, bool) or not isinstance(smoothing_rate, (int, float)):
            raise TypeError(f"transforms.OneHot: smoothing_rate must be a number, got {describe(smoothing_rate)}.")
        if not 0 <= smoothing_rate <= 1:
            raise ValueError(f"transforms.OneHot: smoothing_rate must be in [0, 1], got {smoothing_rate}.")
        self.smoothing_rate = float(smoothing_rate)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        return self._hot(_without_last(array, 0))

    def on_batch(self, rows: np.ndarray) -> np.ndarray:
        """Apply to stacked rows."""
        return self._hot(_without_last(rows, 1))

    def _hot(self, array: np.ndarray) -> np.ndarray:
        if array.dtype.kind not in "iu" or (array.size and not 0 <= array.min() <= array.max() < self.num_classes):
            raise RuntimeError(
                f"transforms.OneHot: labels must be integers of [0, {self.num_classes}), got {describe(array)}"
                + (f" with values {array.min()} to {array.max()}." if array.size else ".")
            )
        hot = array[..., None] == np.arange(self.num_classes)
        if not self.smoothing_rate:
            return hot.astype(array.dtype)
        low = self.smoothing_rate / self.num_classes
        return np.where(hot, 1.0 - self.smoothing_rate + low, low)


def _without_last(labels: np.ndarray, leading: int) -> np.ndarray:
    """Return labels without axes of length one: all axes of a single label, the last axis of a column of labels."""
    shape = labels.shape[leading:]
    if all(length == 1 for length in shape):
        return labels.reshape(labels.shape[:leading])
    return labels[..., 0] if len(shape) == 2 and shape[1] == 1 else labels


class Fill(TensorOperation):
    """Sets every element to `fill_value`.

    Args:
        fill_value (Union[str, bytes, int, float, bool]): The value.

    Raises:
        TypeError: If `fill_value` is something else, or text and numbers are mixed.

    Examples:
        >>> from sporax.dataset import transforms
        >>> transforms.Fill(3)([1, 2])
        array([3, 3])
    """

    def __init__(self, fill_value: object) -> None:
        if not isinstance(fill_value, (str, bytes, int, float, bool, np.generic)):
            raise TypeError(f"transforms.Fill: fill_value must be a number or text, got {describe(fill_value)}.")
        self.fill_value = fill_value

    def _apply(self, array: np.ndarray) -> np.ndarray:
        is_text = isinstance(self.fill_value, (str, bytes))
        if is_text != (array.dtype.kind in "US"):
            raise TypeError(f"transforms.Fill: {self.fill_value!r} cannot fill {describe(array)}.")
        # Converted as C does, so that a number out of range wraps.
        value = np.asarray(self.fill_value)
        return np.full(array.shape, value if is_text else value.astype(array.dtype))

    def on_batch(self, rows: np.ndarray) -> np.ndarray:
        """Apply to stacked rows."""
        return self._apply(rows)


class PadEnd(TensorOperation):
    """Pads with `pad_value` behind the last element of each axis; an axis that is longer is cut.

    Args:
        pad_shape (list[Union[int, None]]): The shape to reach; ``None`` keeps an axis.
        pad_value (Union[str, bytes, int, float, bool], optional): The value. Default: ``None``, zero or empty.

    Raises:
        TypeError: If `pad_shape` is not a list of int.
        ValueError: If an axis is not positive.
        RuntimeError: If the rank differs or text and numbers are mixed.

    Examples:
        >>> from sporax.dataset import transforms
        >>> transforms.PadEnd([4], -1)([1, 2])
        array([ 1,  2, -1, -1])
    """

    def __init__(self, pad_shape: list[int | None], pad_value: object = None) -> None:
        if not isinstance(pad_shape, (list, tuple)):
            raise TypeError(f"transforms.PadEnd: pad_shape must be a list, got {describe(pad_shape)}.")
        for axis in pad_shape:
            if axis is not None:
                checks.integer("transforms.PadEnd", "pad_shape", axis, 1)
        self.pad_shape, self.pad_value = list(pad_shape), pad_value

    def _apply(self, array: np.ndarray) -> np.ndarray:
        if array.ndim != len(self.pad_shape):
            raise RuntimeError(f"transforms.PadEnd: {describe(array)} cannot be padded to {self.pad_shape}.")
        value = self.pad_value
        if value is None:
            value = array.dtype.type() if array.dtype.kind in "US" else 0
        if isinstance(value, (str, bytes)) != (array.dtype.kind in "US"):
            raise RuntimeError(f"transforms.PadEnd: {describe(array)} cannot be padded with {value!r}.")
        target = [have if want is None else want for have, want in zip(array.shape, self.pad_shape, strict=True)]
        dtype = np.result_type(array, np.asarray(value)) if array.dtype.kind in "US" else array.dtype
        padded = np.full(target, value, dtype)
        block = tuple(slice(min(have, want)) for have, want in zip(array.shape, target, strict=True))
        padded[block] = array[block]
        return padded


class Concatenate(TensorOperation):
    """Puts vectors before and after the input.

    Args:
        axis (int): The axis, which is the only one: 0 or -1. Default: ``0``.
        prepend (numpy.ndarray, optional): What comes before. Default: ``None``.
        append (numpy.ndarray, optional): What comes after. Default: ``None``.

    Raises:
        TypeError: If `axis` is not an int.
        ValueError: If `axis` is neither 0 nor -1, or `prepend` or `append` is not a vector.
        RuntimeError: If the input is not a vector or has another type.

    Examples:
        >>> from sporax.dataset import transforms
        >>> transforms.Concatenate(0, [7], [8, 9])([1])
        array([7, 1, 8, 9])
    """

    def __init__(self, axis: int = 0, prepend: object = None, append: object = None) -> None:
        if not isinstance(axis, int):
            raise TypeError(f"transforms.Concatenate: axis must be an int, got {describe(axis)}.")
        if axis not in (0, -1):
            raise ValueError(f"transforms.Concatenate: axis must be 0 or -1, got {axis}.")
        self.prepend, self.append = self._vector("prepend", prepend), self._vector("append", append)

    @staticmethod
    def _vector(name: str, value: object) -> np.ndarray | None:
        array = None if value is None else as_array(value)
        if array is not None and array.ndim != 1:
            raise ValueError(f"transforms.Concatenate: {name} must be a vector, got {describe(array)}.")
        return array

    def __call__(self, *inputs: object) -> np.ndarray:
        arrays = [self.prepend, *(as_array(value) for value in inputs), self.append]
        parts = [part for part in arrays if part is not None]
        for part in parts:
            if part.ndim != 1 or (part.dtype != parts[0].dtype and part.dtype.kind not in "US"):
                raise RuntimeError(
                    f"transforms.Concatenate: expected vectors of one type, got {describe(parts[0])} and "
                    f"{describe(part)}."
                )
        if len({part.dtype.kind for part in parts}) > 1:
            raise RuntimeError(f"transforms.Concatenate: expected vectors of one type, got {describe(parts)}.")
        return np.concatenate(parts)


class Duplicate(TensorOperation):
    """Returns its input twice, as two columns.

    Examples:
        >>> from sporax.dataset import transforms
        >>> transforms.Duplicate()([1])
        (array([1]), array([1]))
    """

    def __call__(self, *inputs: object) -> tuple[np.ndarray, np.ndarray]:
        if len(inputs) != 1:
            raise RuntimeError(f"transforms.Duplicate: expected one column, got {len(inputs)}.")
        array = as_array(inputs[0])
        return array, array.copy()


class Unique(TensorOperation):
    """Returns the distinct elements in order of appearance, the index of each element among them, and their counts.

    Examples:
        >>> from sporax.dataset import transforms
        >>> transforms.Unique()([3, 1, 3])
        (array([3, 1]), array([0, 1, 0], dtype=int32), array([2, 1], dtype=int32))
    """

    def _apply(self, array: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        values, first, inverse, counts = np.unique(
            array.reshape(-1), return_index=True, return_inverse=True, return_counts=True
        )
        order = np.argsort(first)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        return values[order], rank[inverse].astype(np.int32), counts[order].astype(np.int32)


class Relational(IntEnum):
    """Comparisons for `Mask`."""

    EQ = 0
    NE = 1
    GT = 2
    GE = 3
    LT = 4
    LE = 5


_COMPARE = {
    Relational.EQ: np.equal,
    Relational.NE: np.not_equal,
    Relational.GT: np.greater,
    Relational.GE: np.greater_equal,
    Relational.LT: np.less,
    Relational.LE: np.less_equal,
}


class Mask(TensorOperation):
    """Compares every element with `constant`.

    Args:
        operator (Relational): The comparison.
        constant (Union[str, int, float, bool]): The value to compare with.
        dtype (mindspore.dtype): The type of the result. Default: ``bool``.

    Raises:
        TypeError: If an argument has the wrong type.
        RuntimeError: If text and numbers are mixed.

    Examples:
        >>> from sporax.dataset import transforms
        >>> transforms.Mask(transforms.Relational.GE, 2)([1, 2, 3])
        array([False,  True,  True])
    """

    def __init__(self, operator: Relational, constant: object, dtype: object = np.bool_) -> None:
        if not isinstance(operator, Relational):
            raise TypeError(f"transforms.Mask: operator must be a Relational, got {describe(operator)}.")
        self.operator, self.constant, self.dtype = operator, constant, as_dtype(dtype)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        constant = np.asarray(self.constant)
        if (constant.dtype.kind in "US") != (array.dtype.kind in "US"):
            raise RuntimeError(f"transforms.Mask: {describe(array)} cannot be compared with {self.constant!r}.")
        if array.dtype.kind not in "US":
            constant = constant.astype(array.dtype)  # as MindSpore does: among integers, 3.5 becomes 3
        return _COMPARE[self.operator](array, constant).astype(self.dtype)


class Slice(TensorOperation):
    """Takes part of each axis, one argument per axis; no axis is dropped.

    Args:
        slices (Union[int, list[int], slice, None, Ellipsis]): What to take: an index, a list of them, a slice, or
            all; ``...`` takes all of the remaining axes.

    Raises:
        TypeError: If an argument is something else.
        RuntimeError: If an index does not exist or there are more arguments than axes.

    Examples:
        >>> from sporax.dataset import transforms
        >>> transforms.Slice([0, 2])([5, 6, 7])
        array([5, 7])
    """

    def __init__(self, *slices: Any) -> None:
        entries = slices[0] if len(slices) == 1 and isinstance(slices[0], tuple) else slices
        for part in entries:
            if not (part is None or part is Ellipsis or isinstance(part, (int, slice, list))):
                raise TypeError(f"transforms.Slice: expected an int, list, slice, None or ..., got {describe(part)}.")
        self.slices = tuple(entries)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        if len([part for part in self.slices if part is not Ellipsis]) > array.ndim:
            raise RuntimeError(f"transforms.Slice: {len(self.slices)} slices do not fit {describe(array)}.")
        for axis, part in enumerate(self.slices):
            if part is Ellipsis:
                break
            if part is None or part is True:
                continue
            index = part if isinstance(part, (slice, list)) else [part]
            try:
                array = array[(slice(None),) * axis + (index,)]
            except IndexError as error:
                raise RuntimeError(f"transforms.Slice: {part!r} is out of {describe(array)} on axis {axis}.") from error
        return array

"""MapParameter: a Parameter that maps keys to rows; a repository of the census makes one.

MindSpore's CPU has no kernel for it, and sporax none at all.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from sporax._src.core import dtype as mstype
from sporax._src.core.initializer import Zero, initializer
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor


class MapParameter(Parameter):
    """A table of rows by key, which can be made and not read or written, as on MindSpore's CPU.

    Args:
        key_dtype: The dtype of the keys; int32 if None.
        value_dtype: The dtype of the rows; float32 if None.
        value_shape: The shape of a row; (1,) if None.
        key_tensor, value_tensor: Keys and rows that the table begins with.
        default_value: The initializer or number of a row that is read before it was written.
        permit_filter_value: How often a key must be read to get a row.
        evict_filter_value: After how many steps a row that was not read goes.
        name: The Parameter's name.
        requires_grad: Whether optimizers see it.

    Raises:
        ValueError: If a dtype or shape is not that of its Tensor.
    """

    def __init__(
        self,
        key_dtype: object = None,
        value_dtype: object = None,
        value_shape: int | Sequence[int] | None = None,
        key_tensor: Tensor | None = None,
        value_tensor: Tensor | None = None,
        default_value: object = "normal",
        permit_filter_value: int = 1,
        evict_filter_value: int = sys.maxsize,
        name: str | None = None,
        requires_grad: bool = True,
    ) -> None:
        row = (value_shape,) if isinstance(value_shape, int) else value_shape
        self.key_dtype = _same("key_dtype", key_dtype, getattr(key_tensor, "dtype", None), mstype.int32)
        self.value_dtype = _same("value_dtype", value_dtype, getattr(value_tensor, "dtype", None), mstype.float32)
        self.value_shape = _same("value_shape", row, getattr(value_tensor, "shape", None), (1,))
        super().__init__(initializer(Zero(), self.value_shape, self.value_dtype), name, requires_grad)
        self.key_tensor, self.value_tensor, self.default_value = key_tensor, value_tensor, default_value
        self.permit_filter_value, self.evict_filter_value = permit_filter_value, evict_filter_value

    def __repr__(self) -> str:
        return (
            f"MapParameter(MapTensor(key_dtype={self.key_dtype}, value_dtype={self.value_dtype}, "
            f"value_shape={list(self.value_shape)}, default_value={self.default_value}, "
            f"permit_filter={self.permit_filter_value}, evict_filter={self.evict_filter_value}))"
        )

    __str__ = __repr__

    def get(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raise RuntimeError, as every use of the table does."""
        raise RuntimeError(
            f"MapParameter '{self.name}': a table of rows by key has no kernel here, as on MindSpore's CPU."
        )

    put = erase = get_keys = get_values = get_data = __getitem__ = __setitem__ = get
    export_data = export_bytes = export_slice_data = import_data = get


def _same(what: str, declared: object, actual: object, default: object) -> Any:
    if declared is not None and actual is not None and declared != actual:
        raise ValueError(f"MapParameter: {what} must be that of the Tensor, {actual}, got {declared}.")
    return next((x for x in (actual, declared) if x is not None), default)

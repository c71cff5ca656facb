"""The check of `mindspore.nn.loss.loss` that a repository of the census imports for a loss of its own."""

from __future__ import annotations

from sporax import int32, int64
from sporax._src.compat.shims.checkparam import check_type_name

# --- losses -------------------------------------------------------------------------------------------------------------


def _check_label_dtype(labels_dtype: object, cls_name: str) -> None:
    """Raise TypeError unless labels are of int32 or int64."""
    check_type_name("labels", labels_dtype, [int32, int64], cls_name)

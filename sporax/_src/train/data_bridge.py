"""Joins the dataset pipeline, which knows only NumPy, to Tensors and to `set_seed`."""

from __future__ import annotations

from sporax._src.core import dtype as mstype
from sporax._src.core.generator import on_set_seed
from sporax._src.core.tensor import Tensor, is_tensor
from sporax._src.data.config import set_global_seed
from sporax._src.data.convert import set_tensor_type


def connect() -> None:
    """Have iterators yield Tensors, and `set_seed` seed the pipeline."""
    set_tensor_type(Tensor, is_tensor, numpy_dtype=mstype.to_numpy)
    on_set_seed(set_global_seed)


connect()

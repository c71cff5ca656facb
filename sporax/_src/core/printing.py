"""How Tensors print: MindSpore's `str` and `repr`."""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax._src.base.jax_compat import is_tracer

_THRESHOLD = 1000


def brief(tensor: Any) -> str:
    """Return `float32[2, 3]`."""
    return f"{str(tensor.dtype).lower()}{list(tensor.shape)}"


def _host(tensor: Any) -> np.ndarray:
    array = tensor.asnumpy()
    return array.astype(np.float32) if array.dtype.name in ("bfloat16", "float8_e4m3fn", "float8_e5m2") else array


def tensor_str(tensor: Any) -> str:
    """Return what `print(tensor)` shows."""
    if is_tracer(tensor._data):
        return f"Tensor(shape={list(tensor.shape)}, dtype={tensor.dtype}, traced)"
    return np.array2string(_host(tensor), separator=" ", threshold=_THRESHOLD) if tensor.shape else str(_host(tensor))


def _element(dtype: np.dtype) -> dict[str, Any]:
    return {
        "float_kind": lambda v: f"{v: .8e}" if np.isfinite(v) else f"{v!s:>15}",
        "complex_kind": lambda v: f"{v.real:.8g}{v.imag:+.8g}j",
        "bool": lambda v: f"{v!s:>5}",
    }


def tensor_repr(tensor: Any) -> str:
    """Return `Tensor(shape=[2], dtype=Int64, value= [1, 2])`."""
    if is_tracer(tensor._data):
        return tensor_str(tensor)
    array = _host(tensor)
    if array.ndim == 0:
        text = " " + str(array)
    else:
        formatter = _element(array.dtype) if array.dtype.kind in "fcb" and tensor.dtype.name != "BFloat16" else None
        body = np.array2string(array, separator=", ", threshold=_THRESHOLD, formatter=formatter)
        text = (" " if array.ndim == 1 or array.size == 0 else "\n") + body
    return f"Tensor(shape={list(tensor.shape)}, dtype={tensor.dtype}, value={text})"

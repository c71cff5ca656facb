"""Comparisons and Tensors for tests."""

import mindspore
import numpy as np
from mindspore import mint


def _assert_close(actual, expected, rtol=None, atol=None, equal_nan=False, check_dtype=True, msg=None):
    """Raise AssertionError unless values, shapes and dtypes are those expected."""
    if isinstance(expected, dict):
        assert actual.keys() == expected.keys(), msg or "the keys differ"
        actual, expected = list(actual.values()), [expected[key] for key in actual]
    if isinstance(expected, (list, tuple)):
        assert len(actual) == len(expected), msg or "the lengths differ"
        for one, other in zip(actual, expected, strict=True):
            _assert_close(one, other, rtol, atol, equal_nan, check_dtype, msg)
        return
    tensors = isinstance(actual, mindspore.Tensor) and isinstance(expected, mindspore.Tensor)
    if tensors and check_dtype:
        assert actual.dtype == expected.dtype, msg or f"the dtypes differ: {actual.dtype}, {expected.dtype}"
    a, b = (np.asarray(v.asnumpy() if isinstance(v, mindspore.Tensor) else v) for v in (actual, expected))
    known = {
        "float16": (1e-3, 1e-5),
        "bfloat16": (1.6e-2, 1e-5),
        "float32": (1.3e-6, 1e-5),
        "complex64": (1.3e-6, 1e-5),
    }
    exact = a.dtype.kind in "biu" and b.dtype.kind in "biu"
    least = (0, 0) if exact else max(known.get(v.dtype.name, (1e-7, 1e-7)) for v in (a, b))
    rtol, atol = (given if given is not None else usual for given, usual in zip((rtol, atol), least, strict=True))
    wide = np.complex128 if "c" in a.dtype.kind + b.dtype.kind else np.float64
    a, b = (v if exact else v.astype(wide) for v in (a, b))
    np.testing.assert_allclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan, err_msg=msg or "")


def _make_tensor(shape, dtype, low=None, high=None, exclude_zero=False):
    """Return a Tensor of random numbers."""
    shape = (shape,) if isinstance(shape, int) else shape[0] if shape and not isinstance(shape[0], int) else shape
    kind = np.dtype(mindspore.dtype_to_nptype(dtype)).kind
    if kind in "biu":
        usual = {"b": (0, 2), "u": (0, 10)}.get(kind, (-9, 10))
        low, high = usual[0] if low is None else low, usual[1] if high is None else high
        values = mint.randint(int(low), int(high), tuple(shape)).to(dtype)
    else:
        low, high = -9 if low is None else low, 9 if high is None else high
        values = (mint.rand(tuple(shape)) * (high - low) + low).to(dtype)
    return mint.where(values == 0, mint.ones_like(values), values) if exclude_zero else values

"""Comparisons and random Tensors for tests."""

import numpy as np

import sporax as mindspore


def _assert_close(actual, expected, rtol=None, atol=None, equal_nan=False, check_dtype=True, msg=None):
    """Raise an AssertionError if two values, or those of two sequences or dicts, are not close."""
    if isinstance(expected, dict):
        assert set(actual) == set(expected), msg or "The keys of the mappings do not match"
        pairs = [(actual[key], expected[key]) for key in expected]
    elif isinstance(expected, (list, tuple)):
        assert len(actual) == len(expected), msg or "The length of the sequences mismatch"
        pairs = list(zip(actual, expected, strict=True))
    else:
        _assert_values_close(actual, expected, (rtol, atol, equal_nan, check_dtype), msg)
        return
    for ours, theirs in pairs:
        _assert_close(ours, theirs, rtol, atol, equal_nan, check_dtype, msg)


def _assert_values_close(actual, expected, how, msg):
    """Raise an AssertionError if two Tensors or numbers are not close."""
    rtol, atol, equal_nan, check_dtype = how
    if (rtol is None) != (atol is None):
        raise ValueError("Both 'rtol' and 'atol' must be either specified or unspecified")
    tensors = isinstance(actual, mindspore.Tensor) and isinstance(expected, mindspore.Tensor)
    if tensors and check_dtype:
        assert actual.dtype == expected.dtype, (
            msg or f"The values for attribute 'dtype' do not match: {actual.dtype} != {expected.dtype}"
        )
    if tensors:
        assert actual.shape == expected.shape, (
            msg or f"The values for attribute 'shape' do not match: {actual.shape} != {expected.shape}"
        )
    tolerances = {
        "float16": (1e-3, 1e-5),
        "bfloat16": (1.6e-2, 1e-5),
        "float32": (1.3e-6, 1e-5),
        "float64": (1e-7, 1e-7),
    }
    tolerances |= {"complex64": (1.3e-6, 1e-5), "complex128": (1e-7, 1e-7)}
    name = str(actual.dtype).lower() if tensors else "float64"
    usual = tolerances.get(name, (0.0, 0.0))
    arrays = [
        x.float().asnumpy() if str(getattr(x, "dtype", "")) == "BFloat16" else _array(x) for x in (actual, expected)
    ]
    close = np.isclose(*arrays, *(usual if rtol is None else (rtol, atol)), equal_nan)
    assert close.all(), (
        msg or f"Tensor-likes are not close! Mismatched elements: {close.size - close.sum()} / {close.size}"
    )


def _array(value):
    """Return a Tensor or a number as an array."""
    return value.asnumpy() if isinstance(value, mindspore.Tensor) else np.asarray(value)


def _make_tensor(shape, dtype, low=None, high=None, exclude_zero=False):
    """Return a Tensor of random numbers between two bounds."""
    name = str(dtype).lower()
    usual = (0, 2) if name == "bool" else (0, 10) if name == "uint8" else (-9, 10) if "int" in name else (-9, 9)
    low, high = (usual[0] if low is None else low), (usual[1] if high is None else high)
    if "int" in name or name == "bool":
        drawn = np.random.randint(int(np.floor(low)), int(np.ceil(high)), shape)
    elif "complex" in name:
        drawn = np.random.uniform(low, high, shape) + 1j * np.random.uniform(low, high, shape)
    else:
        drawn = np.random.uniform(low, high, shape)
    return mindspore.Tensor(np.where(drawn == 0, 1, drawn) if exclude_zero else drawn, dtype)

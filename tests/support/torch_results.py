"""Results of torch and of what it was converted to, in one form, and how they are compared."""

import numpy as np
import torch

import sporax as ms


def value(x):
    """Return a result as NumPy arrays and plain values, with the dtypes of Tensors."""
    if isinstance(x, torch.Tensor):
        x = x.detach().to_dense() if x.is_sparse else x.detach()
        return (
            "Tensor",
            str(x.dtype).removeprefix("torch."),
            (x.float() if x.dtype == torch.bfloat16 else x.resolve_conj()).numpy(),
        )
    if isinstance(x, ms.Tensor):
        return "Tensor", str(x.dtype).lower().removesuffix("_"), x.asnumpy()
    if isinstance(x, (tuple, list, torch.Size)):
        return [value(v) for v in x]
    if isinstance(x, dict):
        return {k: value(v) for k, v in x.items()}
    return str(x).removeprefix("torch.").lower().removesuffix("_") if isinstance(x, (torch.dtype, ms.Type)) else x


def assert_same(ours, theirs):
    assert type(ours) is type(theirs) or not isinstance(theirs, (list, tuple, dict)), (ours, theirs)
    if isinstance(theirs, list):
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs, strict=True):
            assert_same(a, b)
    elif isinstance(theirs, tuple):
        assert ours[1] == theirs[1], f"dtype {ours[1]} instead of {theirs[1]}"
        assert ours[2].shape == theirs[2].shape, f"shape {ours[2].shape} instead of {theirs[2].shape}"
        np.testing.assert_allclose(ours[2], theirs[2], rtol=1e-5, atol=1e-6)
    elif isinstance(theirs, dict):
        assert list(ours) == list(theirs)
        for key, inner in theirs.items():
            assert_same(ours[key], inner)
    elif isinstance(theirs, float):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)
    elif isinstance(theirs, (int, str, bool, type(None))):
        assert ours == theirs
    else:
        assert ours is not None

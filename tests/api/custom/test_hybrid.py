"""Kernels in the hybrid language, in both modes."""

import numpy as np

from sporax import Tensor, ops

X = np.array([0.0, 1.0, 2.0, 3.0], np.float32)


@ops.kernel
def outer(a, b):
    c = output_tensor((a.shape[0], b.shape[0]), a.dtype)  # noqa: F821 (a word of the hybrid language)
    with block_realize(c):  # noqa: F821
        for i, j in grid((a.shape[0], b.shape[0])):  # noqa: F821
            c[i, j] = sqrt(a[i]) * b[j]  # noqa: F821
    return c


def test_hybrid_kernel(run):
    want = np.outer(np.sqrt(X), X)
    np.testing.assert_allclose(outer(X, X), want, rtol=1e-6)
    np.testing.assert_allclose(
        run(ops.Custom(outer, func_type="hybrid"), Tensor(X), Tensor(X)).asnumpy(), want, rtol=1e-6
    )
    decorated = ops.ms_kernel(compile_attrs={"unroll": 2})(lambda a: a + 1)
    np.testing.assert_array_equal(ops.Custom(decorated)(Tensor(X)).asnumpy(), X + 1)

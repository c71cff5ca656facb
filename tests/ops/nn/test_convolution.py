"""Convolutions in one, two and three dimensions: the padding rules, and which formulation XLA runs fastest."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from laws.rows import laws_of

from sporax._src.base import config
from sporax._src.ops.nn.convolution import conv

test_row = laws_of("sporax._src.ops.nn.convolution")


@pytest.mark.parametrize("kernel", [(3,), (2, 4), (2, 1, 3)])
def test_patches_are_a_product_where_there_is_a_gpu(kernel: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Images that end within a patch, too."""
    rng = np.random.default_rng(0)
    x = jnp.asarray(rng.normal(size=(2, 3, *(2 * k + (k > 2) for k in kernel))), "float16")
    w, n = jnp.asarray(rng.normal(size=(5, 3, *kernel)), "float16"), len(kernel)

    def fn(x: jax.Array, w: jax.Array, stride: tuple[int, ...] = kernel) -> jax.Array:
        return conv(x, w, stride, [(0, 0)] * n, [1] * n, 1)

    total = lambda x, w: jnp.sin(fn(x, w).astype("float32")).sum()
    want = fn(x, w), *jax.grad(total, (0, 1))(x, w)
    monkeypatch.setattr(config, "on_cpu", lambda: False)
    assert "conv_general_dilated" not in str(jax.make_jaxpr(fn)(x, w))
    for others in ((lambda x, w: fn(x, w, (1,) * n)), (lambda x, w: fn(x.astype("float32"), w.astype("float32")))):
        assert "conv_general_dilated" in str(jax.make_jaxpr(others)(x, w))
    for one, other in zip((fn(x, w), *jax.grad(total, (0, 1))(x, w)), want, strict=True):
        np.testing.assert_allclose(one, other, rtol=0.02, atol=0.02)

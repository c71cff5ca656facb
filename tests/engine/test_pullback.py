"""What the backward of one operation keeps."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from sporax._src.engine.dispatch import Kernel, Traits


def test_a_backward_keeps_operands_and_results_without_copies() -> None:
    x, w = jnp.ones((2, 3)), jnp.full((3, 4), 2.0)
    product = Kernel(jnp.matmul, "product")
    out, pullback = product.record((0, 1), (x, w))
    assert {id(r) for r in pullback.residuals} == {id(x), id(w)}
    of_x, of_w = product.pull(pullback, [out])
    np.testing.assert_array_equal(of_x, out @ w.T)
    np.testing.assert_array_equal(of_w, x.T @ out)
    largest = Kernel(jnp.max, "largest")
    out, pullback = largest.record((0,), (jnp.arange(3.0),))
    assert any(r is out for r in pullback.residuals)
    assert largest.pull(pullback, [jnp.ones(())])[0].tolist() == [0, 0, 1]


def test_a_backward_keeps_what_a_numpy_operand_was() -> None:
    kernel, x = Kernel(jnp.multiply, "product"), np.array([1.0, 2.0], np.float32)
    out, pullback = kernel.record((0,), (jnp.ones(2, np.float32), x))
    x[:] = 5
    assert kernel.pull(pullback, [jnp.ones_like(out)])[0].tolist() == [1, 2]


@pytest.mark.parametrize("iterates", [False, True])
def test_the_backward_of_a_loop_computes_no_activation_again(iterates: bool) -> None:
    def loop(x: Any, w: Any) -> Any:
        def body(h: Any, gate: Any) -> Any:
            new = jnp.tanh(gate + h @ w)
            return new, new

        return lax.scan(body, jnp.zeros((2, 3)), x)[1]

    kernel = Kernel(loop, "loop", traits=Traits(iterates=iterates))
    x, w = jnp.linspace(-1, 1, 24).reshape(4, 2, 3), jnp.full((3, 3), 0.5)
    out, pullback = kernel.record((0, 1), (x, w))
    graph = jax.make_jaxpr(pullback.backward.fn)(pullback.residuals, [out])
    assert ("tanh" in str(graph)) is not iterates
    for got, want in zip(kernel.pull(pullback, [out]), jax.vjp(loop, x, w)[1](out), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5)

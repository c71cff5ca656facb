"""The code of a graph's file: it is read back if it only computes, and refused if it calls another function."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export as jax_export

from sporax._src.checkpoint.formats import graph_code


def code(fn, *, gradients: int = 0) -> bytes:
    exported = jax_export.export(jax.jit(fn))(jax.ShapeDtypeStruct((2, 2), jnp.float32))
    return bytes(exported.serialize(vjp_order=gradients))


def test_code_that_computes_is_read() -> None:
    x = jnp.asarray([[4.0, 1.0], [1.0, 3.0]], jnp.float32)
    for fn in (lambda x: x @ x, jnp.linalg.cholesky):
        np.testing.assert_allclose(graph_code.read(code(fn, gradients=1)).call(x), fn(x), rtol=1e-6)


def test_code_that_calls_another_function_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_code, "KNOWN_CALLS", frozenset())
    graph_code.read(code(lambda x: x @ x))
    with pytest.raises(ValueError, match=r"its code calls 'lapack_.*_ffi'.*, which is not among the functions"):
        graph_code.read(code(jnp.linalg.cholesky))


def test_damage_is_told() -> None:
    with pytest.raises(ValueError, match=r"^its code cannot be read: "):
        graph_code.read(b"no code")

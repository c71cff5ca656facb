"""The loop of a recurrent layer, its derivative and its gradient as operations agree with derivatives that JAX makes of a loop."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from sporax._src.base import config
from sporax._src.base.typing import Array
from sporax._src.lowering import recurrence
from sporax._src.lowering.cpu import kernels
from sporax._src.lowering.lowering import off

TIMES, BATCH, HIDDEN = 5, 4, 3


def operands(kind: str) -> list[Array]:
    """Return gates, w, bias, h and c, in float64, for which no kernel is."""
    rng, rows = np.random.default_rng(1), recurrence.KINDS[kind].gates * HIDDEN
    shapes = [(TIMES, BATCH, rows), (rows, HIDDEN), (HIDDEN,), (BATCH, HIDDEN), (BATCH, HIDDEN)]
    return [jnp.asarray(rng.normal(size=shape), "float64") for shape in shapes]


def written_out(
    kind: str, lengths: Array, reverse: bool, gates: Array, w: Array, bias: Array, h: Array, c: Array
) -> Any:
    def step(h: Array, c: Array, gate: Array) -> tuple[Array, Array]:
        a, b = jnp.split(gate, len(w) // HIDDEN, -1), jnp.split(h @ w.T, len(w) // HIDDEN, -1)
        if kind == "lstm":
            i, f, g, o = (x + y for x, y in zip(a, b, strict=True))
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            return jax.nn.sigmoid(o) * jnp.tanh(c), c
        if kind == "gru":
            r, z = jax.nn.sigmoid(a[0] + b[0]), jax.nn.sigmoid(a[1] + b[1])
            n = jnp.tanh(a[2] + r * (b[2] + bias))
            return (1 - z) * n + z * h, c
        return (jnp.tanh if kind == "tanh" else jax.nn.relu)(a[0] + b[0]), c

    def body(state: tuple[Array, Array], inputs: tuple[Array, Array]) -> Any:
        gate, t = inputs
        alive = (t < lengths)[:, None]
        new = step(*state, gate)
        state = (jnp.where(alive, new[0], state[0]), jnp.where(alive, new[1], state[1]))
        return state, jnp.where(alive, new[0], 0)

    (h, c), outputs = lax.scan(body, (h, c), (gates, jnp.arange(TIMES, dtype=jnp.int32)), reverse=reverse)
    return outputs, h, c


@pytest.mark.parametrize("lengths", [[5, 5, 5, 5], [3, 0, 5, 1]])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", recurrence.KINDS)
def test_values_and_derivatives(kind: str, reverse: bool, lengths: list[int]) -> None:
    ends, arrays = jnp.asarray(lengths, jnp.int32), operands(kind)
    along = [jnp.cos(x + 1) for x in arrays]

    def all_of(fn: Any) -> Any:
        def loss(*arrays: Array) -> Any:
            return sum((out * out * jnp.cos(jnp.arange(out.size).reshape(out.shape))).sum() for out in fn(*arrays))

        gradient = jax.grad(loss, tuple(range(5)))
        second = jax.grad(lambda *xs: sum((g * g).sum() for g in gradient(*xs)), (0, 1, 3))
        return jax.jit(lambda xs: (fn(*xs), jax.jvp(fn, xs, along), gradient(*xs), second(*xs)))(arrays)

    def by_operations(gates: Array, w: Array, bias: Array, h: Array, c: Array) -> Any:
        return recurrence.recurrence(gates, w, bias, h, c, ends, kind, reverse)

    got, expected = all_of(by_operations), all_of(lambda *xs: written_out(kind, ends, reverse, *xs))
    for one, other in zip(jax.tree.leaves(got), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-10)


def test_the_gradient_of_the_weights_is_one_product() -> None:
    """It is not summed inside the loop."""
    arrays, ends = operands("lstm"), jnp.full(BATCH, TIMES, jnp.int32)

    def loss(w: Array) -> Array:
        return recurrence.recurrence(arrays[0], w, *arrays[2:], ends, "lstm", False)[0].sum()

    graph = jax.make_jaxpr(jax.grad(loss))(arrays[1])
    names = [eqn.primitive.name for eqn in graph.eqns]
    assert "recurrent_gradient" in names and "dot_general" in names and "scan" not in names


@pytest.mark.parametrize("kind", recurrence.KINDS)
def test_the_loop_of_the_gradient_is_linear(kind: str) -> None:
    """What does not depend on gradients is computed for all steps at once, so that JAX makes no loop for it."""
    gates, w, bias, h, c = operands(kind)
    ends = jnp.full(BATCH, TIMES, jnp.int32)
    outputs, *last, saved, kept = recurrence.loop(gates, w, bias, h, c, ends, kind=kind, reverse=False, saves=True)
    fn = lambda *out: recurrence._gradient(saved, kept, h, w, ends, *out, kind=kind, reverse=False)
    names = [eqn.primitive.name for eqn in jax.make_jaxpr(fn)(outputs, *last).eqns]
    assert names.count("scan") == 1


def test_a_gpu_takes_it_for_all_floats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "platform", lambda: "gpu")
    assert recurrence.is_faster(*operands("gru"))
    assert recurrence.is_faster(*[x.astype("bfloat16") for x in operands("lstm")])
    assert not recurrence.is_faster(operands("gru")[0][:0])


def test_where_a_kernel_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "ARE_BUILT", True)
    single = [x.astype("float32") for x in operands("gru")]
    assert recurrence.is_faster(*single) == (jax.default_backend() == "cpu")
    assert not recurrence.is_faster(*operands("gru"))
    assert not recurrence.is_faster(single[0][:0], *single[1:])
    with off():
        assert not recurrence.is_faster(*single)
    monkeypatch.setattr(kernels, "ARE_BUILT", False)
    assert not recurrence.is_faster(*single)

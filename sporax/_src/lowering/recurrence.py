"""The loops over time of recurrent layers, as operations of JAX: a loop, its derivative, and the transpose of that.

The derivative is an operation of its own, because its transpose is the gradient: for both the CPU has kernels. The gradient of
the weights is a product outside the loop.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from sporax._src.base import config
from sporax._src.base.jax_compat import is_decided
from sporax._src.base.typing import Array
from sporax._src.lowering.cpu import kernels
from sporax._src.lowering.operation import Operation, are_transposes

_Parts = tuple[Array, ...]


class Kind(NamedTuple):
    """One step of a recurrent layer.

    Attributes:
        gates: How many gates there are: the sums of an input and the product of the state with weights.
        saved: How many arrays a step saves; its derivative has as many inputs.
        next: `(inputs, products, h, c) -> (h, c, saved, kept)`, where `kept` is the state of which a derivative also needs the
            value before the step.
        factors: `(saved, kept, before) -> factors` of the derivative, for all steps at once.
        derivative: `(factors, sums, apart, h, c) -> (h, c)` of the derivatives of the gates' sums, of an input that stays apart
            from its sum, and of the states.
    """

    gates: int
    saved: int
    next: Callable[..., tuple[Array, Array, _Parts, Array]]
    factors: Callable[[_Parts, Array, Array], _Parts]
    derivative: Callable[..., tuple[Array, Array]]


def _lstm(inputs: _Parts, products: _Parts, h: Array, c: Array) -> tuple[Array, Array, _Parts, Array]:
    i, f, g, o = (a + b for a, b in zip(inputs, products, strict=True))
    i, f, g, o = jax.nn.sigmoid(i), jax.nn.sigmoid(f), jnp.tanh(g), jax.nn.sigmoid(o)
    c = f * c + i * g
    return o * jnp.tanh(c), c, (i, f, g, o), c


def _lstm_factors(saved: _Parts, kept: Array, before: Array) -> _Parts:
    (i, f, g, o), tanh = saved, jnp.tanh(kept)
    return (
        f, i * (1 - i) * g, f * (1 - f) * before, i * (1 - g * g), o * (1 - o) * tanh, o * (1 - tanh * tanh)
    )  # fmt: skip


def _lstm_derivative(factors: _Parts, sums: _Parts, apart: _Parts, h: Array, c: Array) -> tuple[Array, Array]:
    forget, of_i, of_f, of_g, of_o, of_c = factors
    c = forget * c + of_i * sums[0] + of_f * sums[1] + of_g * sums[2]
    return of_o * sums[3] + of_c * c, c


def _gru(inputs: _Parts, products: _Parts, h: Array, c: Array) -> tuple[Array, Array, _Parts, Array]:
    r, z = (jax.nn.sigmoid(a + b) for a, b in zip(inputs[:2], products[:2], strict=True))
    n = jnp.tanh(inputs[2] + r * products[2])
    h = n + z * (h - n)
    return h, c, (r, z, n, products[2]), h


def _gru_factors(saved: _Parts, kept: Array, before: Array) -> _Parts:
    r, z, n, product = saved
    return 1 - n * n, product * r * (1 - r), r, 1 - z, (before - n) * z * (1 - z), z


def _gru_derivative(factors: _Parts, sums: _Parts, apart: _Parts, h: Array, c: Array) -> tuple[Array, Array]:
    slope, of_r, r, of_n, of_z, of_h = factors
    n = slope * (apart[0] + of_r * sums[0] + r * sums[2])
    return of_n * n + of_z * sums[1] + of_h * h, c


def _simple(f: Callable[[Array], Array], inputs: _Parts, products: _Parts, h: Array, c: Array) -> Any:
    h = f(inputs[0] + products[0])
    return h, c, (h,), h


def _simple_derivative(factors: _Parts, sums: _Parts, apart: _Parts, h: Array, c: Array) -> tuple[Array, Array]:
    return factors[0] * sums[0], c


def _tanh_factors(saved: _Parts, kept: Array, before: Array) -> _Parts:
    return (1 - kept * kept,)


def _relu_factors(saved: _Parts, kept: Array, before: Array) -> _Parts:
    return ((kept > 0).astype(kept.dtype),)


KINDS = {
    "lstm": Kind(4, 4, _lstm, _lstm_factors, _lstm_derivative),
    "gru": Kind(3, 4, _gru, _gru_factors, _gru_derivative),
    "tanh": Kind(1, 1, partial(_simple, jnp.tanh), _tanh_factors, _simple_derivative),
    "relu": Kind(1, 1, partial(_simple, jax.nn.relu), _relu_factors, _simple_derivative),
}


def split_gates(x: Array, count: int) -> _Parts:
    """Return the parts of an array (..., count · H)."""
    return tuple(jnp.split(x, count, -1))


def _before(values: Array, first: Array, lengths: Array, reverse: bool) -> Array:
    """Return the state before each step, from those after each step (T, N, H) and the first."""
    if not reverse:
        return jnp.concatenate([first[None], values[:-1]])
    begins = jnp.arange(values.shape[0], dtype=jnp.int32)[:, None] == lengths - 1
    return jnp.where(begins[..., None], first, jnp.concatenate([values[1:], first[None]]))


def _loop(
    gates: Array,
    w: Array,
    bias: Array,
    h: Array,
    c: Array,
    lengths: Array,
    *,
    kind: str,
    reverse: bool,
    saves: bool,
) -> _Parts:
    """Return outputs (T, N, H), the last h and c, and with `saves` what the derivative needs: (T, N, S · H) and (T, N, H)."""
    of = KINDS[kind]

    def body(state: tuple[Array, Array], inputs: tuple[Array, Array]) -> Any:
        (h, c), (gate, t) = state, inputs
        *products, last = split_gates(h @ w.T, of.gates)
        products = (*products, last + bias if kind == "gru" else last)
        new_h, new_c, saved, kept = of.next(split_gates(gate, of.gates), products, h, c)
        alive = (t < lengths)[:, None]
        ended = (jnp.where(alive, x, jnp.zeros_like(x)) for x in (new_h, jnp.concatenate(saved, -1), kept))
        return (jnp.where(alive, new_h, h), jnp.where(alive, new_c, c)), tuple(ended)

    (h, c), (outputs, saved, kept) = lax.scan(
        body, (h, c), (gates, jnp.arange(gates.shape[0], dtype=jnp.int32)), reverse=reverse
    )
    return (outputs, h, c, saved, kept) if saves else (outputs, h, c)


def _derivative(
    saved: Array,
    kept: Array,
    first: Array,
    w: Array,
    lengths: Array,
    inputs: Array,
    h: Array,
    c: Array,
    *,
    kind: str,
    reverse: bool,
) -> _Parts:
    """Return the derivatives of outputs and last states by what comes into the steps (T, N, S · H) and by the first states."""
    of = KINDS[kind]

    def body(state: tuple[Array, Array], values: Any) -> Any:
        (h, c), (factors, inputs, alive) = state, values
        parts = split_gates(inputs, of.saved)
        sums = tuple(a + b for a, b in zip(parts[: of.gates], split_gates(h @ w.T, of.gates), strict=True))
        new_h, new_c = of.derivative(factors, sums, parts[of.gates :], h, c)
        return (jnp.where(alive, new_h, h), jnp.where(alive, new_c, c)), jnp.where(alive, new_h, 0)

    factors = of.factors(split_gates(saved, of.saved), kept, _before(kept, first, lengths, reverse))
    alive = jnp.arange(saved.shape[0], dtype=jnp.int32)[:, None] < lengths
    times = (
        factors,
        inputs,
        jnp.broadcast_to(alive[..., None], kept.shape),
    )  # the loop is linear: nothing else is in it
    (h, c), outputs = lax.scan(body, (h, c), times, reverse=reverse)
    return outputs, h, c


def _gradient(
    saved: Array,
    kept: Array,
    first: Array,
    w: Array,
    lengths: Array,
    outputs: Array,
    h: Array,
    c: Array,
    *,
    kind: str,
    reverse: bool,
) -> _Parts:
    """Return the transpose of `_derivative`: the gradients of what comes into the steps, and of the first states."""
    fn = partial(_derivative, saved, kept, first, w, lengths, kind=kind, reverse=reverse)
    return jax.linear_transpose(fn, saved, h, c)((outputs, h, c))


loop = Operation("recurrent_loop", _loop)
derivative = Operation("recurrent_derivative", _derivative)
gradient = Operation("recurrent_gradient", _gradient)
are_transposes(derivative, gradient, 5)


def is_faster(*arrays: Array) -> bool:
    """Return whether `recurrence` is faster for such arrays than a loop of JAX and its derivative.

    On a GPU it is: the derivative of JAX's loop saves each value of a step in a kernel of its own, and adds up the gradients of the
    weights step by step. On a CPU it is where kernels compute it; elsewhere XLA sees into a loop of JAX.
    """
    are_known = all((type(size) is int or is_decided(size)) and size > 0 for x in arrays for size in x.shape)
    if config.platform() == "gpu":
        return are_known
    return kernels.are_used() and are_known and all(x.dtype == "float32" for x in arrays)


@partial(jax.custom_jvp, nondiff_argnums=(6, 7))
def recurrence(
    gates: Array, w: Array, bias: Array, h: Array, c: Array, lengths: Array, kind: str, reverse: bool
) -> _Parts:
    """Return the outputs (T, N, H) of a recurrent layer, and its last states h and c.

    Args:
        gates: The inputs of the gates (T, N, G · H), with all biases but `bias`.
        w: The weights of the state (G · H, H).
        bias: For "gru", the bias (H,) of the product whose input stays apart.
        h, c: The first states (N, H); kinds other than "lstm" leave c as it is.
        lengths: The length of each sequence (N,): states stay and outputs are 0 after it.
        kind: One of `KINDS`.
        reverse: Whether time runs from the end of each sequence to its start.
    """
    outputs, h, c = loop(gates, w, bias, h, c, lengths, kind=kind, reverse=reverse, saves=False)
    return outputs, h, c


@recurrence.defjvp
def _recurrence_jvp(kind: str, reverse: bool, primals: _Parts, tangents: _Parts) -> tuple[_Parts, _Parts]:
    gates, w, bias, h, c, lengths = primals
    of_gates, of_w, of_bias, of_h, of_c, _ = tangents
    outputs, *last, saved, kept = loop(gates, w, bias, h, c, lengths, kind=kind, reverse=reverse, saves=True)
    inputs = _before(outputs, h, lengths, reverse) @ of_w.T
    if kind == "gru":
        (r, z, n), (of_r, of_z, of_product) = split_gates(of_gates, 3), split_gates(inputs, 3)
        inputs = jnp.concatenate([r + of_r, z + of_z, of_product + of_bias, n], -1)
    else:
        inputs = inputs + of_gates
    first = c if kind == "lstm" else h
    outs = derivative(saved, kept, first, w, lengths, inputs, of_h, of_c, kind=kind, reverse=reverse)
    return (outputs, *last), tuple(outs)

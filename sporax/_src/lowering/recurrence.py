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

from sporax._src.base.jax_compat import is_decided
from sporax._src.base.typing import Array
from sporax._src.lowering.cpu import kernels
from sporax._src.lowering.lowering import are_on
from sporax._src.lowering.operation import Operation, are_transposes

_Parts = tuple[Array, ...]


class Kind(NamedTuple):
    """One step of a recurrent layer.

    Attributes:
        gates: How many gates there are: the sums of an input and the product of the state with weights.
        saved: How many arrays a step saves; its derivative has as many inputs.
        next: `(inputs, products, h, c) -> (h, c, saved, kept)`, where `kept` is the state of which a derivative also needs the
            value before the step.
        derivative: `(saved, kept, before, sums, apart, h, c) -> (h, c)` of the derivatives of the gates' sums, of an input that
            stays apart from its sum, and of the states.
    """

    gates: int
    saved: int
    next: Callable[..., tuple[Array, Array, _Parts, Array]]
    derivative: Callable[..., tuple[Array, Array]]


def _lstm(inputs: _Parts, products: _Parts, h: Array, c: Array) -> tuple[Array, Array, _Parts, Array]:
    i, f, g, o = (a + b for a, b in zip(inputs, products, strict=True))
    i, f, g, o = jax.nn.sigmoid(i), jax.nn.sigmoid(f), jnp.tanh(g), jax.nn.sigmoid(o)
    c = f * c + i * g
    return o * jnp.tanh(c), c, (i, f, g, o), c


def _lstm_derivative(
    saved: _Parts, kept: Array, before: Array, sums: _Parts, apart: _Parts, h: Array, c: Array
) -> tuple[Array, Array]:
    (i, f, g, o), tanh = saved, jnp.tanh(kept)
    of_i, of_f, of_g, of_o = sums
    c = f * c + i * (1 - i) * g * of_i + f * (1 - f) * before * of_f + i * (1 - g * g) * of_g
    return o * (1 - o) * tanh * of_o + o * (1 - tanh * tanh) * c, c


def _gru(inputs: _Parts, products: _Parts, h: Array, c: Array) -> tuple[Array, Array, _Parts, Array]:
    r, z = (jax.nn.sigmoid(a + b) for a, b in zip(inputs[:2], products[:2], strict=True))
    n = jnp.tanh(inputs[2] + r * products[2])
    h = n + z * (h - n)
    return h, c, (r, z, n, products[2]), h


def _gru_derivative(
    saved: _Parts, kept: Array, before: Array, sums: _Parts, apart: _Parts, h: Array, c: Array
) -> tuple[Array, Array]:
    r, z, n, product = saved
    of_r, of_z, of_product = sums
    of_n = (1 - n * n) * (apart[0] + product * r * (1 - r) * of_r + r * of_product)
    return (1 - z) * of_n + (before - n) * z * (1 - z) * of_z + z * h, c


def _simple(f: Callable[[Array], Array], inputs: _Parts, products: _Parts, h: Array, c: Array) -> Any:
    h = f(inputs[0] + products[0])
    return h, c, (h,), h


def _tanh_derivative(saved: _Parts, kept: Array, before: Array, sums: _Parts, apart: _Parts, h: Array, c: Array) -> Any:
    return (1 - kept * kept) * sums[0], c


def _relu_derivative(saved: _Parts, kept: Array, before: Array, sums: _Parts, apart: _Parts, h: Array, c: Array) -> Any:
    return jnp.where(kept > 0, sums[0], 0), c


KINDS = {
    "lstm": Kind(4, 4, _lstm, _lstm_derivative),
    "gru": Kind(3, 4, _gru, _gru_derivative),
    "tanh": Kind(1, 1, partial(_simple, jnp.tanh), _tanh_derivative),
    "relu": Kind(1, 1, partial(_simple, jax.nn.relu), _relu_derivative),
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

    def body(state: tuple[Array, Array], values: _Parts) -> Any:
        (h, c), (saved, kept, before, inputs, t) = state, values
        parts = split_gates(inputs, of.saved)
        sums = tuple(a + b for a, b in zip(parts[: of.gates], split_gates(h @ w.T, of.gates), strict=True))
        new_h, new_c = of.derivative(split_gates(saved, of.saved), kept, before, sums, parts[of.gates :], h, c)
        alive = (t < lengths)[:, None]
        return (jnp.where(alive, new_h, h), jnp.where(alive, new_c, c)), jnp.where(alive, new_h, 0)

    times = (saved, kept, _before(kept, first, lengths, reverse), inputs, jnp.arange(saved.shape[0], dtype=jnp.int32))
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


def has_kernel(*arrays: Array) -> bool:
    """Return whether kernels compute `recurrence` for such arrays; elsewhere a loop of JAX is better, into which XLA sees."""
    are_known = all((type(size) is int or is_decided(size)) and size > 0 for x in arrays for size in x.shape)
    is_ready = kernels.ARE_BUILT and are_on() and jax.default_backend() == "cpu"
    return is_ready and are_known and all(x.dtype == "float32" for x in arrays)


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

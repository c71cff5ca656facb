"""Recurrent layers in one operator: time runs in `lax.scan`, and the input's part of all gates is one product."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from sporax._src.base.typing import Array, Arrays, OptArray
from sporax._src.ops.table import internal

State = tuple[Array, ...]

# --- one step: (the input's gates, hidden gates, state) -> state --------------------------------------------------------


def _tanh_step(gates: Array, hidden: Array, state: State) -> State:
    return (jnp.tanh(gates + hidden),)


def _relu_step(gates: Array, hidden: Array, state: State) -> State:
    return (jax.nn.relu(gates + hidden),)


def _lstm_step(gates: Array, hidden: Array, state: State) -> State:
    i, f, g, o = jnp.split(gates + hidden, 4, -1)
    c = jax.nn.sigmoid(f) * state[1] + jax.nn.sigmoid(i) * jnp.tanh(g)
    return jax.nn.sigmoid(o) * jnp.tanh(c), c


def _gru_step(gates: Array, hidden: Array, state: State) -> State:
    r, z, n = jnp.split(gates, 3, -1)
    hidden_r, hidden_z, hidden_n = jnp.split(hidden, 3, -1)
    new = jnp.tanh(n + jax.nn.sigmoid(r + hidden_r) * hidden_n)
    return (new + jax.nn.sigmoid(z + hidden_z) * (state[0] - new),)


_STEPS: dict[str, Callable[[Array, Array, State], State]] = {
    "RNN_TANH": _tanh_step, "RNN_RELU": _relu_step, "LSTM": _lstm_step, "GRU": _gru_step,
}  # fmt: skip


def _affine(x: Array, weight: Array, bias: Array | None) -> Array:
    out = jnp.matmul(x, weight.T)
    return out if bias is None else out + bias


def _fit(x: Array, state: Sequence[Array], weights: Sequence[Array]) -> tuple[list[Array], list[Array]]:
    """Cast state and weights to the dtype of x, the one that a step must keep."""
    return [s.astype(x.dtype) for s in state], [w.astype(x.dtype) for w in weights]


@internal("recurrent_cell")
def cell(x: Array, state: Arrays, weights: Arrays, mode: str) -> Any:
    """Return the state after one step.

    Args:
        x: The input (N, I).
        state: h, and for an LSTM also c, (N, H).
        weights: w_ih (G · H, I), w_hh (G · H, H), and if there are any b_ih and b_hh (G · H,).
        mode: "RNN_TANH", "RNN_RELU", "LSTM" or "GRU".
    """
    if x.ndim != 2 or x.shape[-1] != weights[0].shape[-1]:
        raise ValueError(f"x must have shape [N, input_size={weights[0].shape[-1]}], got {list(x.shape)}.")
    if any(s.shape != (x.shape[0], weights[1].shape[-1]) for s in state):
        raise ValueError(f"hx must have shape [{x.shape[0]}, hidden_size={weights[1].shape[-1]}], got {[list(s.shape) for s in state]}.")
    state, weights = _fit(x, state, weights)
    w_ih, w_hh, b_ih, b_hh = (*weights, None, None)[:4]
    new = _STEPS[mode](_affine(x, w_ih, b_ih), _affine(state[0], w_hh, b_hh), tuple(state))
    return new if len(new) > 1 else new[0]


# --- all steps --------------------------------------------------------------------------------------------------------


def _turned(x: Array, lengths: Array | None) -> Array:
    """Return x (T, N, ...) with time reversed, of each sequence up to its length."""
    if lengths is None:
        return jnp.flip(x, 0)
    time = jnp.arange(x.shape[0], dtype=lengths.dtype)[:, None]
    source = jnp.where(time < lengths, lengths - 1 - time, time)
    return jnp.take_along_axis(x, source[..., None], 0)


def _run(x: Array, state: State, lengths: Array | None, weights: Sequence[Array], mode: str) -> tuple[Array, State]:
    """Return the outputs (T, N, H) and the last state; a sequence stands still after its length, its outputs are 0."""
    w_ih, w_hh, b_ih, b_hh = (*weights, None, None)[:4]
    gates = _affine(x, w_ih, b_ih)

    def step(old: State, now: tuple[Array, Any]) -> tuple[State, Array]:
        new = _STEPS[mode](now[0], _affine(old[0], w_hh, b_hh), old)
        if lengths is None:
            return new, new[0]
        alive = (lengths > now[1])[:, None]
        return tuple(jnp.where(alive, n, o) for n, o in zip(new, old, strict=True)), jnp.where(alive, new[0], 0)

    last, out = lax.scan(step, state, (gates, jnp.arange(x.shape[0], dtype=jnp.int32)))
    return out, last


@internal("recurrent")
def layers(
    x: Array, state: Arrays, lengths: OptArray, weights: Arrays, mode: str, count: int, directions: int, batch_first: bool
) -> tuple[Array, ...]:
    """Return the outputs of a stack of recurrent layers (T, N, directions · H), and the last state of each layer.

    Args:
        x: The input (T, N, I), or (N, T, I) with `batch_first`.
        state: h, and for an LSTM also c, (count · directions, N, H); none: zeros.
        lengths: The length of each sequence (N,).
        weights: The weights of `cell` for each layer and direction in turn.
        mode: "RNN_TANH", "RNN_RELU", "LSTM" or "GRU".
        count: The number of layers.
        directions: 2 if time also runs backwards.
        batch_first: Whether the batch is the first axis of input and output.
    """
    each = len(weights) // (count * directions)
    _check(x, state, lengths, weights, count * directions, batch_first)
    x = jnp.swapaxes(x, 0, 1) if batch_first else x
    if not state:
        state = [jnp.zeros((count * directions, x.shape[1], weights[1].shape[-1]), x.dtype)] * (2 if mode == "LSTM" else 1)
    state, weights = _fit(x, state, weights)
    last: list[State] = []
    for layer in range(count):
        outs = []
        for direction in range(directions):
            at = layer * directions + direction
            own = weights[at * each : (at + 1) * each]
            given = _turned(x, lengths) if direction else x
            out, end = _run(given, tuple(s[at] for s in state), lengths, own, mode)
            outs.append(_turned(out, lengths) if direction else out)
            last.append(end)
        x = jnp.concatenate(outs, -1) if directions == 2 else outs[0]
    x = jnp.swapaxes(x, 0, 1) if batch_first else x
    return x, *(jnp.stack(parts) for parts in zip(*last, strict=True))


def _check(x: Array, state: Sequence[Array], lengths: Array | None, weights: Sequence[Array], rows: int, batch_first: bool) -> None:
    size, hidden = weights[0].shape[-1], weights[1].shape[-1]
    if x.ndim != 3 or x.shape[-1] != size:
        raise ValueError(f"x must have 3 axes and end in input_size={size}, got shape {list(x.shape)}.")
    batch = x.shape[0 if batch_first else 1]
    for s in state:
        if s.shape != (rows, batch, hidden):
            raise ValueError(f"hx must have shape {[rows, batch, hidden]}, got {list(s.shape)}.")
    if lengths is not None and lengths.shape != (batch,):
        raise ValueError(f"seq_length must have shape [{batch}], one for each sequence, got {list(lengths.shape)}.")

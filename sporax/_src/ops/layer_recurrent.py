"""Stacks of recurrent layers, and single steps, in one operator each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp

from sporax._src.base.typing import Array, Arrays, OptArray
from sporax._src.ops import recurrent
from sporax._src.ops.table import internal


def _fit(x: Array, *groups: Sequence[Array]) -> list[list[Array]]:
    """Cast states and weights to the dtype of x, the one that a step must keep."""
    return [[value.astype(x.dtype) for value in group] for group in groups]


def _run(
    x: Array, state: Sequence[Array], weights: Sequence[Array], lengths: Array | None, mode: str, reverse: bool = False
) -> tuple[Array, tuple[Array, ...]]:
    """Return the outputs (T, N, H) of one layer in one direction, and its last state."""
    weights = (*weights, None, None)[:4]  # type: ignore[assignment]
    if mode == "LSTM":
        out, *last = recurrent.lstm_layer.raw(x, *state, *weights, lengths, reverse)
    elif mode == "GRU":
        out, *last = recurrent.gru_layer.raw(x, *state, *weights, lengths, reverse)
    else:
        out, *last = recurrent.rnn_layer.raw(x, *state, *weights, lengths, reverse, mode.removeprefix("RNN_").lower())
    return out, tuple(last)


@internal("recurrent_cell")
def cell(x: Array, state: Arrays, weights: Arrays, mode: str) -> Any:
    """Return the state after one step.

    Args:
        x: The input (N, I).
        state: h, and for an LSTM also c, (N, H).
        weights: w_ih (G · H, I), w_hh (G · H, H), and if there are any b_ih and b_hh (G · H,).
        mode: "RNN_TANH", "RNN_RELU", "LSTM" or "GRU".
    """
    size, hidden = weights[0].shape[-1], weights[1].shape[-1]
    if x.ndim != 2 or x.shape[-1] != size:
        raise ValueError(f"x must have shape [N, input_size={size}], got {list(x.shape)}.")
    if any(s.shape != (x.shape[0], hidden) for s in state):
        raise ValueError(
            f"hx must have shape [{x.shape[0]}, hidden_size={hidden}], got {[list(s.shape) for s in state]}."
        )
    state, weights = _fit(x, state, weights)
    _, last = _run(x[None], state, weights, None, mode)
    return last[0] if len(last) == 1 else last


@internal("recurrent")
def layers(
    x: Array,
    state: Arrays,
    lengths: OptArray,
    weights: Arrays,
    mode: str,
    count: int,
    directions: int,
    batch_first: bool,
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
        state = [jnp.zeros((count * directions, x.shape[1], weights[1].shape[-1]), x.dtype)] * (
            2 if mode == "LSTM" else 1
        )
    state, weights = _fit(x, state, weights)
    lengths = None if lengths is None else lengths.astype(jnp.int32)
    ends = []
    for layer in range(count):
        outs = []
        for direction in range(directions):
            at = layer * directions + direction
            own = weights[at * each : (at + 1) * each]
            out, end = _run(x, [s[at] for s in state], own, lengths, mode, direction == 1)
            outs.append(out)
            ends.append(end)
        x = jnp.concatenate(outs, -1) if directions == 2 else outs[0]
    x = jnp.swapaxes(x, 0, 1) if batch_first else x
    return x, *(jnp.stack(parts) for parts in zip(*ends, strict=True))


def _check(
    x: Array, state: Sequence[Array], lengths: Array | None, weights: Sequence[Array], rows: int, batch_first: bool
) -> None:
    size, hidden = weights[0].shape[-1], weights[1].shape[-1]
    if x.ndim != 3 or x.shape[-1] != size:
        raise ValueError(f"x must have 3 axes and end in input_size={size}, got shape {list(x.shape)}.")
    batch = x.shape[0 if batch_first else 1]
    for s in state:
        if s.shape != (rows, batch, hidden):
            raise ValueError(f"hx must have shape {[rows, batch, hidden]}, got {list(s.shape)}.")
    if lengths is not None and lengths.shape != (batch,):
        raise ValueError(f"seq_length must have shape [{batch}], one for each sequence, got {list(lengths.shape)}.")

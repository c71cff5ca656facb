"""Recurrent layers: a whole layer and direction is one operator, a loop over time after one product for all inputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.base.typing import Array, Arrays, OptArray
from sporax._src.bindings.primitive import primitive
from sporax._src.engine.table import internal, op
from sporax._src.lowering.recurrence import KINDS, is_faster, recurrence, split_gates

_REF = "references.sequences."
State = tuple[Array, ...]
Step = Callable[[State, Array], State]


def _scan(step: Step, start: State, gates: Array, seq_length: Array | None, reverse: bool) -> tuple[Array, State]:
    """Run `step` over gates (T, N, ...); after the end of a sequence its state stays and its output is 0."""

    def body(state: State, inputs: tuple[Array, Array]) -> tuple[State, Array]:
        gate, t = inputs
        new = step(state, gate)
        if seq_length is None:
            return new, new[0]
        alive = (t < seq_length)[:, None]
        states = tuple(jnp.where(alive, n, s) for n, s in zip(new, state, strict=True))
        return states, jnp.where(alive, new[0], 0)

    times = jnp.arange(gates.shape[0], dtype=jnp.int32)
    if gates.shape[0] == 1:  # a cell that a program calls step by step
        last, output = body(start, (gates[0], times[0]))
        return output[None], last
    last, outputs = lax.scan(body, start, (gates, times), reverse=reverse)
    return outputs, last


def _layer(
    kind: str,
    start: State,
    gates: Array,
    w_hh: Array,
    b_hh: Array | None,
    seq_length: Array | None,
    reverse: bool,
    w_hr: Array | None = None,
) -> tuple[Array, State]:
    """Run a layer of a kind of `recurrence` by its kernel, or else its steps in a loop."""
    if w_hr is None and gates.shape[0] > 1 and is_faster(gates, w_hh, *start):
        return _by_kernel(kind, start, gates, w_hh, b_hh, seq_length, reverse)
    of = KINDS[kind]

    def step(state: State, gate: Array) -> State:
        h, c = state[0], state[-1]
        product = jnp.matmul(h, w_hh.T)
        product = product if b_hh is None else product + b_hh
        h, c, *_ = of.next(split_gates(gate, of.gates), split_gates(product, of.gates), h, c)
        h = h if w_hr is None else jnp.matmul(h, w_hr.T)
        return (h, c)[: len(state)]

    return _scan(step, start, gates, seq_length, reverse)


def _by_kernel(
    kind: str,
    start: State,
    gates: Array,
    w_hh: Array,
    b_hh: Array | None,
    seq_length: Array | None,
    reverse: bool,
) -> tuple[Array, State]:
    rows, hidden = w_hh.shape
    bias = jnp.zeros(rows, gates.dtype) if b_hh is None else b_hh
    apart = hidden if kind == "gru" else 0
    gates = gates + jnp.concatenate([bias[: rows - apart], jnp.zeros(apart, gates.dtype)])
    lengths = jnp.full(start[0].shape[:1], gates.shape[0], jnp.int32) if seq_length is None else seq_length
    states = (start[0], start[-1])
    outputs, *last = recurrence(gates, w_hh, bias[-hidden:], *states, lengths.astype(jnp.int32), kind, reverse)
    return outputs, tuple(last[: len(start)])


def _gates(x: Array, w_ih: Array, w_hh: Array, b_ih: Array | None, rows: int, hidden: int | None = None) -> Array:
    hidden = hidden or int(w_hh.shape[1])
    if w_ih.shape != (rows * hidden, x.shape[2]) or w_hh.shape[0] != rows * hidden:
        raise ValueError(
            f"weights must have shapes [{rows * hidden}, {x.shape[2]}] and [{rows * hidden}, {w_hh.shape[1]}], got "
            f"{list(w_ih.shape)} and {list(w_hh.shape)}."
        )
    out = jnp.matmul(x, w_ih.T)
    return out if b_ih is None else out + b_ih


_LSTM = "T(4, 2, 3), T(2, 2), T(2, 2), T(8, 3), T(8, 2)"
_GRU = "T(4, 2, 3), T(2, 2), T(6, 3), T(6, 2)"
_RNN = "T(4, 2, 3), T(2, 2), T(2, 3), T(2, 2)"


@op(
    ref=_REF + "lstm_layer",
    cases=(_LSTM, _LSTM + ", T(8), T(8)", _LSTM + ", T(8), T(8), D([2, 4], 'int32'), True"),
    name="_lstm_layer",
    iterates=True,
    errors=(("T(4, 2, 3), T(2, 2), T(2, 2), T(6, 3), T(8, 2)", "weights must"),),
)
def lstm_layer(
    x: Array,
    h0: Array,
    c0: Array,
    w_ih: Array,
    w_hh: Array,
    b_ih: OptArray = None,
    b_hh: OptArray = None,
    seq_length: OptArray = None,
    reverse: bool = False,
    w_hr: OptArray = None,
) -> tuple[Array, Array, Array]:
    """Return the outputs (T, N, H) of an LSTM over x, and its last hidden and cell states (N, H).

    i, f, g, o = x · w_ihᵀ + b_ih + h · w_hhᵀ + b_hh; c' = σ(f) c + σ(i) tanh(g); h' = σ(o) tanh(c'), or w_hr times that.

    From Hochreiter and Schmidhuber, 1997; with w_hr from Sak et al., 2014 (arXiv:1402.1128).

    Args:
        x: A Tensor (T, N, I).
        h0, c0: The first states (N, H).
        w_ih, w_hh, b_ih, b_hh: Weights (4 H, I) and (4 H, H), biases (4 H,), the gates in the order i, f, g, o.
        seq_length: The length of each sequence (N,): states stay and outputs are 0 after it.
        reverse: Whether time runs from the end of each sequence to its start.
        w_hr: Weights (P, H) that make an output of P elements; h0, outputs and w_hh have P in place of H then.

    Raises:
        ValueError: If the shapes of the weights do not fit.
    """

    gates = _gates(x, w_ih, w_hh, b_ih, 4, c0.shape[-1])
    outputs, (h, c) = _layer("lstm", (h0, c0), gates, w_hh, b_hh, seq_length, reverse, w_hr)
    return outputs, h, c


@op(
    ref=_REF + "gru_layer",
    cases=(_GRU, _GRU + ", T(6), T(6)", _GRU + ", T(6), T(6), D([2, 4], 'int32'), True"),
    name="_gru_layer",
    iterates=True,
    errors=(("T(4, 2, 3), T(2, 2), T(8, 3), T(6, 2)", "weights must"),),
)
def gru_layer(
    x: Array,
    h0: Array,
    w_ih: Array,
    w_hh: Array,
    b_ih: OptArray = None,
    b_hh: OptArray = None,
    seq_length: OptArray = None,
    reverse: bool = False,
) -> tuple[Array, Array]:
    """Return the outputs (T, N, H) of a GRU over x, and its last state (N, H).

    With a = x · w_ihᵀ + b_ih and b = h · w_hhᵀ + b_hh in the order r, z, n: r = σ(a_r + b_r); z = σ(a_z + b_z); n =
    tanh(a_n + r b_n); h' = (1 - z) n + z h (Cho et al., 2014, arXiv:1406.1078).

    Args:
        x: A Tensor (T, N, I).
        h0: The first state (N, H).
        w_ih, w_hh, b_ih, b_hh: Weights (3 H, I) and (3 H, H), biases (3 H,), the gates in the order r, z, n.
        seq_length: The length of each sequence (N,): the state stays and outputs are 0 after it.
        reverse: Whether time runs from the end of each sequence to its start.

    Raises:
        ValueError: If the shapes of the weights do not fit.
    """

    gates = _gates(x, w_ih, w_hh, b_ih, 3)
    outputs, (h,) = _layer("gru", (h0,), gates, w_hh, b_hh, seq_length, reverse)
    return outputs, h


@op(
    ref=_REF + "rnn_layer",
    cases=(_RNN, _RNN + ", T(2), T(2), None, False, 'relu'", _RNN + ", T(2), T(2), D([2, 4], 'int32'), True"),
    name="_rnn_layer",
    iterates=True,
    errors=((_RNN + ", nonlinearity='sin'", "nonlinearity"),),
)
def rnn_layer(
    x: Array,
    h0: Array,
    w_ih: Array,
    w_hh: Array,
    b_ih: OptArray = None,
    b_hh: OptArray = None,
    seq_length: OptArray = None,
    reverse: bool = False,
    nonlinearity: str = "tanh",
) -> tuple[Array, Array]:
    """Return the outputs (T, N, H) of h' = f(x · w_ihᵀ + b_ih + h · w_hhᵀ + b_hh), and the last state.

    Args:
        x: A Tensor (T, N, I).
        h0: The first state (N, H).
        w_ih, w_hh, b_ih, b_hh: Weights (H, I) and (H, H), biases (H,).
        seq_length: The length of each sequence (N,): the state stays and outputs are 0 after it.
        reverse: Whether time runs from the end of each sequence to its start.
        nonlinearity: "tanh" or "relu": the function f.

    Raises:
        ValueError: If `nonlinearity` is unknown, or the shapes of the weights do not fit.
    """
    if nonlinearity not in ("tanh", "relu"):
        raise ValueError(f"nonlinearity must be 'tanh' or 'relu', got {nonlinearity!r}.")
    gates = _gates(x, w_ih, w_hh, b_ih, 1)
    outputs, (h,) = _layer(nonlinearity, (h0,), gates, w_hh, b_hh, seq_length, reverse)
    return outputs, h


# --- Primitives -----------------------------------------------------------------------------------------------------


@internal("LSTM", iterates=True)
def _lstm(
    x: Array,
    h: Array,
    c: Array,
    w: Array,
    hidden_size: int,
    num_layers: int,
    has_bias: bool,
    bidirectional: bool,
    proj_size: int,
) -> tuple[Array, ...]:
    flat, directions = w.reshape(-1), 2 if bidirectional else 1
    offset = 0

    def take(*shape: int) -> Array:
        nonlocal offset
        size = shape[0] * (shape[1] if len(shape) > 1 else 1)
        piece = lax.slice_in_dim(flat, offset, offset + size).reshape(shape)
        offset += size
        return piece

    rows = 4 * hidden_size
    out_size = proj_size or hidden_size
    inputs = [x.shape[2]] + [out_size * directions] * (num_layers - 1)
    from_inputs = [take(rows, n) for n in inputs for _ in range(directions)]
    weights = [(w_ih, take(rows, out_size)) for w_ih in from_inputs]
    projections = [take(proj_size, hidden_size) if proj_size else None for _ in weights]
    count = (flat.shape[0] - offset) // (rows * len(weights)) if has_bias else 0
    biases = [(*(take(rows) for _ in range(count)), None, None)[:2] for _ in weights]
    ends: list[tuple[Array, Array]] = []
    for layer in range(num_layers):
        outputs = []
        for d in range(directions):
            k = layer * directions + d
            y, *end = lstm_layer.raw(x, h[k], c[k], *weights[k], *biases[k], None, d == 1, projections[k])
            outputs.append(y)
            ends.append((end[0], end[1]))
        x = jnp.concatenate(outputs, -1)
    h, c = (jnp.stack(states) for states in zip(*ends, strict=True))
    return x, h, c, lax.stop_gradient(h), lax.stop_gradient(c)


@primitive("LSTM(input_size, hidden_size, num_layers, has_bias, bidirectional, dropout, proj_size=0)")
def _lstm_view(
    x: object,
    h: object,
    c: object,
    w: object,
    hidden_size: int,
    num_layers: int,
    has_bias: bool,
    bidirectional: bool,
    dropout: float,
    proj_size: int,
) -> Any:
    """Return outputs, last states, and these states as constants, of an LSTM with all weights in one Tensor.

    The Tensor holds the input weights of each layer and direction, then the hidden weights, then the bias of each
    (or, if it is long enough, both biases).

    Args:
        x: A Tensor (T, N, input_size).
        h, c: The first states (layers · directions, N, hidden_size).
        w: The weights, as said.
        hidden_size: H, the size of a state.
        num_layers: The number of layers.
        has_bias: Whether `w` holds biases.
        bidirectional: Whether each layer runs both ways.
        dropout: 0: it is not supported.
        proj_size: P, the size of an output made of the hidden state by weights that `w` holds before the biases; 0: none.

    Raises:
        ValueError: If `dropout` is not 0.

    Examples:
        >>> lstm = ops.LSTM(2, 3, 1, False, False, 0.0)
        >>> lstm(ops.ones((4, 1, 2)), ops.zeros((1, 1, 3)), ops.zeros((1, 1, 3)), ops.ones((60,)))[0].shape
        (4, 1, 3)
    """
    if dropout:
        raise ValueError(f"ops.LSTM: dropout must be 0, got {dropout}.")
    return _lstm(x, h, c, w, hidden_size, num_layers, has_bias, bidirectional, proj_size)


@internal("GRUV2", iterates=True)
def _gru(
    x: Array, h: Array, w: Array, hidden_size: int, num_layers: int, has_bias: bool, bidirectional: bool
) -> tuple[Array, ...]:
    directions, rows = 2 if bidirectional else 1, 3 * hidden_size
    inputs = [x.shape[2]] + [hidden_size * directions] * (num_layers - 1)
    shapes = [(rows, n) for n in inputs for _ in range(directions)]
    count = len(shapes)
    shapes += [(rows, hidden_size)] * count + [(rows,)] * (count if has_bias else 0)
    pieces = jnp.split(w.reshape(-1), np.cumsum([math.prod(s) for s in shapes]))[: len(shapes)]
    weights = [piece.reshape(s) for piece, s in zip(pieces, shapes, strict=True)]
    ends = []
    for layer in range(num_layers):
        outputs = []
        for k in range(layer * directions, (layer + 1) * directions):
            w_hh, bias = weights[count + k], weights[2 * count + k] if has_bias else None

            def step(state: State, gate: Array, w_hh: Array = w_hh) -> State:
                (h,) = state
                inner, last = w_hh[: 2 * hidden_size], w_hh[2 * hidden_size :]
                z, r = jnp.split(jax.nn.sigmoid(gate[:, : 2 * hidden_size] + h @ inner.T), 2, -1)
                n = jnp.tanh(gate[:, 2 * hidden_size :] + (r * h) @ last.T)
                return (n + z * (h - n),)

            y, end = _scan(step, (h[k],), _gates(x, weights[k], w_hh, bias, 3), None, k % directions == 1)
            outputs.append(y)
            ends.append(end[0])
        x = jnp.concatenate(outputs, -1)
    return x, jnp.stack(ends), jnp.zeros((1, 1), x.dtype), jnp.zeros((1, 1), x.dtype)


@primitive("GRUV2(input_size, hidden_size, num_layers, has_bias, bidirectional, dropout, is_train=True)")
def _gru_view(
    x: object,
    h: object,
    w: object,
    seq_lengths: object,
    hidden_size: int,
    num_layers: int,
    has_bias: bool,
    bidirectional: bool,
    dropout: float,
) -> Any:
    """Return outputs, last states, and twice a reserved zero of a GRU with all weights in one Tensor.

    The gate r acts on the state before the weights do: n = tanh(a_n + w_n · (r h)), where `nn.GRU` has r (w_n · h).

    Args:
        x: A Tensor (T, N, input_size).
        h: The first states (layers · directions, N, hidden_size).
        w: The input weights of each layer and direction, then the hidden weights, then one bias of each, the gates in the
            order z, r, n; more is left unread.
        seq_lengths: Left unread: every sequence runs to its end.
        hidden_size: H, the size of a state.
        num_layers: The number of layers.
        has_bias: Whether `w` holds biases.
        bidirectional: Whether each layer runs both ways.
        dropout: 0: it is not supported.

    Raises:
        ValueError: If `dropout` is not 0.

    Examples:
        >>> gru = ops.GRUV2(2, 3, 1, False, False, 0.0)
        >>> gru(ops.ones((4, 1, 2)), ops.zeros((1, 1, 3)), ops.ones((45,)), Tensor([4]))[0].shape
        (4, 1, 3)
    """
    if dropout:
        raise ValueError(f"ops.GRUV2: dropout must be 0, got {dropout}.")
    return _gru(x, h, w, hidden_size, num_layers, has_bias, bidirectional)


@primitive("GRUV2Grad(input_size, hidden_size, num_layers, has_bias, bidirectional, dropout)")
def _gru_gradient(
    x: object,
    hx: object,
    w: object,
    seq_length: object,
    y: object,
    hy: object,
    dy: object,
    dhy: object,
    reserve: object,
    hidden_size: int,
    num_layers: int,
    has_bias: bool,
    bidirectional: bool,
    dropout: float,
) -> Any:
    """Return the gradients of `ops.GRUV2` by x, the first states and the weights.

    Args:
        x, hx, w, seq_length: The operands of `ops.GRUV2`.
        y, hy, reserve: What it returned; left unread.
        dy, dhy: The gradients by outputs and last states.
        hidden_size, num_layers, has_bias, bidirectional, dropout: As there.

    Raises:
        ValueError: If `dropout` is not 0.
    """
    if dropout:
        raise ValueError(f"ops.GRUV2Grad: dropout must be 0, got {dropout}.")
    return _gru_back(x, hx, w, dy, dhy, hidden_size, num_layers, has_bias, bidirectional)


@internal("GRUV2Grad")
def _gru_back(
    x: Array,
    h: Array,
    w: Array,
    dy: Array,
    dh: Array,
    hidden_size: int,
    num_layers: int,
    has_bias: bool,
    bidirectional: bool,
) -> tuple[Array, ...]:
    sizes = (hidden_size, num_layers, has_bias, bidirectional)
    _, pull = jax.vjp(lambda *operands: _gru.raw(*operands, *sizes)[:2], x, h, w)
    return pull((dy, dh))


# --- stacks of layers, and single steps ---------------------------------------------------------------------------------


def _fit(x: Array, *groups: Sequence[Array]) -> list[list[Array]]:
    """Cast states and weights to the dtype of x, the one that a step must keep."""
    return [[value.astype(x.dtype) for value in group] for group in groups]


def _run(
    x: Array, state: Sequence[Array], weights: Sequence[Array], lengths: Array | None, mode: str, reverse: bool = False
) -> tuple[Array, tuple[Array, ...]]:
    """Return the outputs (T, N, H) of one layer in one direction, and its last state."""
    weights = (*weights, None, None)[:4]
    if mode == "LSTM":
        out, *last = lstm_layer.raw(x, *state, *weights, lengths, reverse)
    elif mode == "GRU":
        out, *last = gru_layer.raw(x, *state, *weights, lengths, reverse)
    else:
        out, *last = rnn_layer.raw(x, *state, *weights, lengths, reverse, mode.removeprefix("RNN_").lower())
    return out, tuple(last)


@internal("recurrent_cell")
def cell(x: Array, state: Arrays, weights: Arrays, mode: str) -> Array | tuple[Array, ...]:
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


@internal("recurrent", iterates=True)
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

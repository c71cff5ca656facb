"""Recurrent layers: a whole layer and direction is one operator, a scan over time after one product for all inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from sporax._src.base.typing import Array, OptArray
from sporax._src.ops.primitive import primitive
from sporax._src.ops.table import internal, op

_REF = "sporax._src.testing.sequence_references."
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
        kept = tuple(jnp.where(alive, n, s) for n, s in zip(new, state, strict=True))
        return kept, jnp.where(alive, new[0], 0)

    times = jnp.arange(gates.shape[0], dtype=jnp.int32)
    last, outputs = lax.scan(body, start, (gates, times), reverse=reverse)
    return outputs, last


def _gates(x: Array, w_ih: Array, w_hh: Array, b_ih: Array | None, rows: int) -> Array:
    hidden = w_hh.shape[1]
    if w_ih.shape != (rows * hidden, x.shape[2]) or w_hh.shape[0] != rows * hidden:
        raise ValueError(
            f"weights must have shapes [{rows * hidden}, {x.shape[2]}] and [{rows * hidden}, {hidden}], got "
            f"{list(w_ih.shape)} and {list(w_hh.shape)}."
        )
    out = jnp.matmul(x, w_ih.T)
    return out if b_ih is None else out + b_ih


def _affine(h: Array, w_hh: Array, b_hh: Array | None) -> Array:
    out = jnp.matmul(h, w_hh.T)
    return out if b_hh is None else out + b_hh


_LSTM = "T(4, 2, 3), T(2, 2), T(2, 2), T(8, 3), T(8, 2)"
_GRU = "T(4, 2, 3), T(2, 2), T(6, 3), T(6, 2)"
_RNN = "T(4, 2, 3), T(2, 2), T(2, 3), T(2, 2)"


@op(
    ref=_REF + "lstm_layer",
    cases=(_LSTM, _LSTM + ", T(8), T(8)", _LSTM + ", T(8), T(8), D([2, 4], 'int32'), True"),
    name="_lstm_layer",
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
) -> tuple[Array, Array, Array]:
    """Return the outputs (T, N, H) of an LSTM over x, and its last hidden and cell states (N, H).

    i, f, g, o = x · w_ihᵀ + b_ih + h · w_hhᵀ + b_hh; c' = σ(f) c + σ(i) tanh(g); h' = σ(o) tanh(c').

    Args:
        x: A Tensor (T, N, I).
        h0, c0: The first states (N, H).
        w_ih, w_hh, b_ih, b_hh: Weights (4 H, I) and (4 H, H), biases (4 H,), the gates in the order i, f, g, o.
        seq_length: The length of each sequence (N,): states stay and outputs are 0 after it.
        reverse: Whether time runs from the end of each sequence to its start.
    """

    def step(state: State, gate: Array) -> State:
        h, c = state
        i, f, g, o = jnp.split(gate + _affine(h, w_hh, b_hh), 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        return jax.nn.sigmoid(o) * jnp.tanh(c), c

    outputs, (h, c) = _scan(step, (h0, c0), _gates(x, w_ih, w_hh, b_ih, 4), seq_length, reverse)
    return outputs, h, c


@op(
    ref=_REF + "gru_layer",
    cases=(_GRU, _GRU + ", T(6), T(6)", _GRU + ", T(6), T(6), D([2, 4], 'int32'), True"),
    name="_gru_layer",
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

    With a = x · w_ihᵀ + b_ih and b = h · w_hhᵀ + b_hh in the order r, z, n:
    r = σ(a_r + b_r); z = σ(a_z + b_z); n = tanh(a_n + r b_n); h' = (1 - z) n + z h. Arguments as in the LSTM.
    """

    def step(state: State, gate: Array) -> State:
        (h,) = state
        a, b = jnp.split(gate, 3, -1), jnp.split(_affine(h, w_hh, b_hh), 3, -1)
        r, z = jax.nn.sigmoid(a[0] + b[0]), jax.nn.sigmoid(a[1] + b[1])
        n = jnp.tanh(a[2] + r * b[2])
        return (n + z * (h - n),)

    outputs, (h,) = _scan(step, (h0,), _gates(x, w_ih, w_hh, b_ih, 3), seq_length, reverse)
    return outputs, h


@op(
    ref=_REF + "rnn_layer",
    cases=(_RNN, _RNN + ", T(2), T(2), None, False, 'relu'", _RNN + ", T(2), T(2), D([2, 4], 'int32'), True"),
    name="_rnn_layer",
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
    """Return the outputs (T, N, H) of h' = f(x · w_ihᵀ + b_ih + h · w_hhᵀ + b_hh), and the last state."""
    if nonlinearity not in ("tanh", "relu"):
        raise ValueError(f"nonlinearity must be 'tanh' or 'relu', got {nonlinearity!r}.")
    f = jnp.tanh if nonlinearity == "tanh" else jax.nn.relu
    outputs, (h,) = _scan(
        lambda s, gate: (f(gate + _affine(s[0], w_hh, b_hh)),),
        (h0,),
        _gates(x, w_ih, w_hh, b_ih, 1),
        seq_length,
        reverse,
    )
    return outputs, h


# --- Primitives -----------------------------------------------------------------------------------------------------


@internal("LSTM")
def _lstm(
    x: Array, h: Array, c: Array, w: Array, hidden_size: int, num_layers: int, has_bias: bool, bidirectional: bool
) -> tuple[Array, Array, Array]:
    flat, directions = w.reshape(-1), 2 if bidirectional else 1
    offset = 0

    def take(*shape: int) -> Array:
        nonlocal offset
        size = shape[0] * (shape[1] if len(shape) > 1 else 1)
        piece = lax.slice_in_dim(flat, offset, offset + size).reshape(shape)
        offset += size
        return piece

    rows = 4 * hidden_size
    inputs = [x.shape[2]] + [hidden_size * directions] * (num_layers - 1)
    from_inputs = [take(rows, n) for n in inputs for _ in range(directions)]
    weights = [(w_ih, take(rows, hidden_size)) for w_ih in from_inputs]
    count = (flat.shape[0] - offset) // (rows * len(weights)) if has_bias else 0
    biases = [(*(take(rows) for _ in range(count)), None, None)[:2] for _ in weights]
    ends: list[tuple[Array, Array]] = []
    for layer in range(num_layers):
        outputs = []
        for d in range(directions):
            k = layer * directions + d
            y, *end = lstm_layer.raw(x, h[k], c[k], *weights[k], *biases[k], None, d == 1)
            outputs.append(y)
            ends.append((end[0], end[1]))
        x = jnp.concatenate(outputs, -1)
    return x, jnp.stack([e[0] for e in ends]), jnp.stack([e[1] for e in ends])


@primitive("LSTM(input_size, hidden_size, num_layers, has_bias, bidirectional, dropout, proj_size=0)")
def _lstm_view(
    x: Any,
    h: Any,
    c: Any,
    w: Any,
    hidden_size: int,
    num_layers: int,
    has_bias: bool,
    bidirectional: bool,
    dropout: float,
    proj_size: int,
) -> Any:
    """Return outputs, last states, and twice a reserved result of an LSTM with all weights in one Tensor.

    The Tensor holds the input weights of each layer and direction, then the hidden weights, then the bias of each
    (or, if it is long enough, both biases).
    """
    if dropout or proj_size:
        raise ValueError(f"ops.LSTM: dropout and proj_size must be 0, got {dropout} and {proj_size}.")
    y, h, c = _lstm(x, h, c, w, hidden_size, num_layers, has_bias, bidirectional)
    return y, h, c, h, c


@op(ref=_REF + "dynamic_rnn", cases=("T(4, 2, 3), T(5, 8), T(8), T(1, 2, 2), T(1, 2, 2)",), name="_dynamic_rnn")
def dynamic_rnn(
    x: Array, w: Array, b: Array, init_h: Array, init_c: Array, forget_bias: float = 0.0, cell_clip: float = -1.0
) -> tuple[Array, ...]:
    """Return y, all hidden states, all cell states, and the gates i, j, f, o and tanh(c) of an LSTM, each (T, N, H).

    Args:
        x: A Tensor (T, N, I).
        w, b: Weights (I + H, 4 H) and bias (4 H,), the gates in the order i, j, f, o.
        init_h, init_c: The first states (1, N, H).
        forget_bias: Added to the gate f.
        cell_clip: The bound of the cell state, if positive.
    """
    split = x.shape[2]

    def step(state: State, gate: Array) -> tuple[State, State]:
        h, c = state
        i, j, f, o = jnp.split(gate + jnp.matmul(h, w[split:]), 4, -1)
        i, j, f, o = jax.nn.sigmoid(i), jnp.tanh(j), jax.nn.sigmoid(f + forget_bias), jax.nn.sigmoid(o)
        c = f * c + i * j
        c = jnp.clip(c, -cell_clip, cell_clip) if cell_clip > 0 else c
        t = jnp.tanh(c)
        return (o * t, c), (o * t, o * t, c, i, j, f, o, t)

    return lax.scan(step, (init_h[0], init_c[0]), jnp.matmul(x, w[:split]) + b)[1]


@primitive(
    "DynamicRNN(cell_type='LSTM', direction='UNIDIRECTIONAL', cell_depth=1, use_peephole=False, keep_prob=1.0, "
    "cell_clip=-1.0, num_proj=0, "
    "time_major=True, activation='tanh', forget_bias=0.0, is_training=True)"
)
def _dynamic_rnn(
    x: Any,
    w: Any,
    b: Any,
    seq_length: Any = None,
    init_h: Any = None,
    init_c: Any = None,
    *,
    cell_type: str,
    direction: str,
    cell_depth: int,
    use_peephole: bool,
    keep_prob: float,
    num_proj: int,
    time_major: bool,
    activation: str,
    forget_bias: float,
    cell_clip: float,
) -> Any:
    """Return y, hidden states, cell states and gates of an LSTM; only what the accelerator's operator supports."""
    fixed = (cell_type, direction, cell_depth, use_peephole, num_proj, time_major, activation)
    if fixed != ("LSTM", "UNIDIRECTIONAL", 1, False, 0, True, "tanh") or seq_length is not None or keep_prob != 1:
        raise ValueError(
            "ops.DynamicRNN: only a time-major, one-directional LSTM with tanh, without seq_length and "
            "dropout, is supported."
        )
    zero = _zeros(x, b.shape[0] // 4)
    return dynamic_rnn(
        x, w, b, zero if init_h is None else init_h, zero if init_c is None else init_c, forget_bias, cell_clip
    )


@internal("zeros")
def _zeros(x: Array, hidden: int) -> Array:
    return jnp.zeros((1, x.shape[1], hidden), x.dtype)


@op(
    ref=_REF + "dynamic_gru",
    cases=(
        "T(4, 2, 3), T(3, 6), T(2, 6), T(2, 2), T(6), T(6)",
        "T(4, 2, 3), T(3, 6), T(2, 6), T(2, 2), None, None, 'zrh', False",
    ),
    name="_dynamic_gru",
)
def dynamic_gru(
    x: Array,
    w_ih: Array,
    w_hh: Array,
    h0: Array,
    b_ih: OptArray = None,
    b_hh: OptArray = None,
    gate_order: str = "rzh",
    reset_after: bool = True,
) -> tuple[Array, ...]:
    """Return y, hidden states, and the gates update, reset, new and the hidden part of new of a GRU, each (T, N, H).

    Args:
        x: A Tensor (T, N, I).
        w_ih, w_hh, b_ih, b_hh: Weights (I, 3 H) and (H, 3 H), biases (3 H,), the gates in `gate_order`.
        h0: The first state (N, H).
        gate_order: "rzh" or "zrh".
        reset_after: Whether the reset gate acts on the product with the hidden weights, rather than on the state.
    """
    bias = jnp.zeros(w_hh.shape[1], x.dtype) if b_hh is None else b_hh
    hidden = w_hh.shape[0]

    def step(state: State, gate: Array) -> tuple[State, State]:
        (h,) = state
        a = jnp.split(gate, 3, -1)
        b = jnp.split(jnp.matmul(h, w_hh[:, : 2 * hidden]) + bias[: 2 * hidden], 2, -1)
        first, second = jax.nn.sigmoid(a[0] + b[0]), jax.nn.sigmoid(a[1] + b[1])
        r, z = (first, second) if gate_order == "rzh" else (second, first)
        own = jnp.matmul(h if reset_after else r * h, w_hh[:, 2 * hidden :]) + bias[2 * hidden :]
        n = jnp.tanh(a[2] + (r * own if reset_after else own))
        h = n + z * (h - n)
        return (h,), (h, h, z, r, n, own)

    gates = jnp.matmul(x, w_ih)
    return lax.scan(step, (h0,), gates if b_ih is None else gates + b_ih)[1]


@primitive(
    "DynamicGRUV2(direction='UNIDIRECTIONAL', cell_depth=1, keep_prob=1.0, cell_clip=-1.0, num_proj=0, "
    "time_major=True, activation='tanh', "
    "gate_order='rzh', reset_after=True, is_training=True)"
)
def _dynamic_gru(
    x: Any,
    weight_input: Any,
    weight_hidden: Any,
    bias_input: Any = None,
    bias_hidden: Any = None,
    seq_length: Any = None,
    init_h: Any = None,
    *,
    direction: str,
    cell_depth: int,
    keep_prob: float,
    cell_clip: float,
    num_proj: int,
    time_major: bool,
    activation: str,
    gate_order: str,
    reset_after: bool,
) -> Any:
    """Return y, hidden states and gates of a GRU; only what the accelerator's operator supports."""
    fixed = (direction, cell_depth, keep_prob, num_proj, time_major, activation)
    if fixed != ("UNIDIRECTIONAL", 1, 1.0, 0, True, "tanh") or seq_length is not None or cell_clip > 0:
        raise ValueError(
            "ops.DynamicGRUV2: only a time-major, one-directional GRU with tanh, without seq_length, dropout "
            "and clipping, is supported."
        )
    h0 = _zeros(x, weight_hidden.shape[0])[0] if init_h is None else init_h
    return dynamic_gru(x, weight_input, weight_hidden, h0, bias_input, bias_hidden, gate_order, reset_after)

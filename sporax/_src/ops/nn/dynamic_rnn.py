"""Recurrent layers in the form of the accelerator's operators."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from sporax._src.base.typing import Array, OptArray
from sporax._src.bindings.primitive import primitive
from sporax._src.engine.arguments import check_choice, check_rank, shaped
from sporax._src.engine.table import internal, op
from sporax._src.ops.nn.recurrent import State

_REF = "references.sequences."


@op(
    ref=_REF + "dynamic_rnn",
    cases=("T(4, 2, 3), T(5, 8), T(8), T(1, 2, 2), T(1, 2, 2)",),
    errors=(("T(4, 2, 3), T(7, 11), T(8), T(1, 2, 2), T(1, 2, 2)", "Incompatible shapes for broadcasting"),),
    name="_dynamic_rnn",
    iterates=True,
)
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

    Examples:
        >>> gates = ops.DynamicRNN()(ops.ones((4, 1, 2)), ops.ones((5, 12)), ops.ones((12,)))
        >>> len(gates), gates[0].shape
        (8, (4, 1, 3))
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
    w: object,
    b: Any,
    seq_length: object = None,
    init_h: object = None,
    init_c: object = None,
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
    """Return y, hidden states, cell states and gates of an LSTM; only what the accelerator's operator supports.

    Args:
        x: A Tensor (T, N, I).
        w, b: Weights (I + H, 4 H) and bias (4 H,), the gates in the order i, j, f, o.
        seq_length: None.
        init_h, init_c: The first states (1, N, H); zeros if None.
        cell_type, direction, cell_depth, use_peephole, keep_prob, num_proj, time_major, activation: As by default.
        forget_bias: Added to the gate f.
        cell_clip: The bound of the cell state, if positive.

    Raises:
        ValueError: If an argument asks for what is not supported.

    Examples:
        >>> gates = ops.DynamicRNN()(ops.ones((4, 1, 2)), ops.ones((5, 12)), ops.ones((12,)))
        >>> len(gates), gates[0].shape
        (8, (4, 1, 3))
    """
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
    errors=(
        ("T(4, 2), T(3, 6), T(2, 6), T(2, 2)", "x must have 3 axes, got shape [4, 2]"),
        ("T(4, 2, 3), T(5, 6), T(2, 6), T(2, 2)", "w_ih must have shape [3, 6], got [5, 6]"),
        ("T(4, 2, 3), T(3, 6), T(2, 7), T(2, 2)", "w_hh must have shape [2, 6], got [2, 7]"),
        ("T(4, 2, 3), T(3, 6), T(2, 6), T(3, 2)", "h0 must have shape [2, 2], got [3, 2]"),
        ("T(4, 2, 3), T(3, 6), T(2, 6), T(2, 2), T(5)", "b_ih must have shape [6], got [5]"),
        (
            "T(4, 2, 3), T(3, 6), T(2, 6), T(2, 2), gate_order='hrz'",
            "gate_order must be one of 'rzh', 'zrh', got 'hrz'",
        ),
    ),
    name="_dynamic_gru",
    iterates=True,
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

    Raises:
        ValueError: If a shape does not fit, or `gate_order` is another.

    Examples:
        >>> gates = ops.DynamicGRUV2()(ops.ones((4, 1, 2)), ops.ones((2, 9)), ops.ones((3, 9)))
        >>> len(gates), gates[0].shape
        (6, (4, 1, 3))
    """
    check_rank(x, (3,), "x")
    check_rank(w_hh, (2,), "w_hh")
    check_choice(gate_order, ("rzh", "zrh"), "gate_order")
    hidden = w_hh.shape[0]
    shapes = {"w_ih": (x.shape[2], 3 * hidden), "w_hh": (hidden, 3 * hidden), "h0": (x.shape[1], hidden)}
    shapes |= {"b_ih": (3 * hidden,), "b_hh": (3 * hidden,)}
    for (name, shape), operand in zip(shapes.items(), (w_ih, w_hh, h0, b_ih, b_hh), strict=True):
        if operand is not None:
            shaped(operand, shape, name)
    bias = jnp.zeros(w_hh.shape[1], x.dtype) if b_hh is None else b_hh

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
    weight_input: object,
    weight_hidden: Any,
    bias_input: object = None,
    bias_hidden: object = None,
    seq_length: object = None,
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
    """Return y, hidden states and gates of a GRU; only what the accelerator's operator supports.

    Args:
        x: A Tensor (T, N, I).
        weight_input, weight_hidden, bias_input, bias_hidden: Weights (I, 3 H) and (H, 3 H), biases (3 H,).
        seq_length: None.
        init_h: The first state (N, H); zeros if None.
        direction, cell_depth, keep_prob, cell_clip, num_proj, time_major, activation: As by default.
        gate_order: "rzh" or "zrh": the order of the gates in the weights.
        reset_after: Whether the reset gate acts on the product with the hidden weights, rather than on the state.

    Raises:
        ValueError: If an argument asks for what is not supported.

    Examples:
        >>> gates = ops.DynamicGRUV2()(ops.ones((4, 1, 2)), ops.ones((2, 9)), ops.ones((3, 9)))
        >>> len(gates), gates[0].shape
        (6, (4, 1, 3))
    """
    fixed = (direction, cell_depth, keep_prob, num_proj, time_major, activation)
    if fixed != ("UNIDIRECTIONAL", 1, 1.0, 0, True, "tanh") or seq_length is not None or cell_clip > 0:
        raise ValueError(
            "ops.DynamicGRUV2: only a time-major, one-directional GRU with tanh, without seq_length, dropout "
            "and clipping, is supported."
        )
    h0 = _zeros(x, weight_hidden.shape[0])[0] if init_h is None else init_h
    return dynamic_gru(x, weight_input, weight_hidden, h0, bias_input, bias_hidden, gate_order, reset_after)

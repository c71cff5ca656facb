"""The transducer loss, and one step of an LSTM as an operator."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from sporax._src.base.typing import Array
from sporax._src.bindings.primitive import primitive
from sporax._src.core.tensor import Tensor
from sporax._src.engine.arguments import check_float, wide
from sporax._src.engine.table import op

_REF = "references.steps."


def _costs(acts: Array, labels: Array, t_lens: Array, u_lens: Array, blank: int) -> Array:
    """Return -ln of the sum over all paths of blanks (steps in time) and labels of their probabilities."""
    logp = jax.nn.log_softmax(acts, -1)
    blanks = logp[..., blank]
    steps = jnp.take_along_axis(logp[:, :, :-1], labels[:, None, :, None], -1)[..., 0]
    batch, _, width = blanks.shape

    def along_labels(start: Array, step: Array) -> Array:
        """Return -ln of the sum over all paths to each label at one time; `start` are those from the time before."""

        def body(left: Array, inputs: tuple[Array, Array]) -> tuple[Array, Array]:
            below, move = inputs
            here = jnp.logaddexp(below, left + move)
            return here, here

        rest = lax.scan(body, start[:, 0], (start[:, 1:].T, step.T))[1]
        return jnp.concatenate([start[:, :1], rest.T], 1)

    def next_time(before: Array, inputs: tuple[Array, Array]) -> tuple[Array, Array]:
        gone, step = inputs
        now = along_labels(before + gone, step)
        return now, now

    lowest = jnp.full((batch, width), -1e30, acts.dtype).at[:, 0].set(0)
    first = along_labels(lowest, steps[:, 0])
    rest = lax.scan(next_time, first, (jnp.moveaxis(blanks[:, :-1], 1, 0), jnp.moveaxis(steps[:, 1:], 1, 0)))[1]
    reached = jnp.moveaxis(jnp.concatenate([first[None], rest]), 0, 1)
    row = jnp.arange(batch)
    return -(reached[row, t_lens - 1, u_lens] + blanks[row, t_lens - 1, u_lens])


@op(
    ref=_REF + "rnnt",
    cases=(
        "T(1, 2, 3, 5), D([[1, 2]], np.int32), D([2], np.int32), D([2], np.int32)",
        "T(2, 3, 3, 4), D([[0, 1], [2, 0]], np.int32), D([3, 2], np.int32), D([1, 2], np.int32), 3",
    ),
    errors=(
        ("T(2, 3, 4), I(2, 2), I(2), I(2)", "4 axes"),
        ("T(2, 3, 3, 4), I(2, 3), I(2), I(2)", "labels"),
    ),
    grad=0,
    tol=1e-4,
    name="_rnnt_loss",
    primitive="RNNTLoss(blank_label=0)",
)
def rnnt_loss(
    acts: Array, labels: Array, input_lengths: Array, label_lengths: Array, blank_label: int = 0
) -> tuple[Array, Array]:
    """Return the transducer loss of each sequence, -ln P(labels), and its gradient with respect to `acts`.

    From Graves, 2012 (arXiv:1211.3711).

    Args:
        acts: Scores before the softmax (batch, times, labels + 1, classes).
        labels: The labels (batch, labels).
        input_lengths, label_lengths: The lengths of each sequence in time and labels.
        blank_label: The class that says nothing and steps in time.

    Raises:
        TypeError: If `acts` is not of a float dtype.
        ValueError: If the shapes do not fit.

    Examples:
        >>> one, labels = Tensor([1], ms.int32), Tensor([[1]], ms.int32)
        >>> ops.RNNTLoss()(ops.zeros((1, 1, 2, 2)), labels, one, one)[0].asnumpy().round(3)
        array([1.386], dtype=float32)
    """
    check_float(acts)
    if acts.ndim != 4:
        raise ValueError(f"acts must have 4 axes, got shape {list(acts.shape)}.")
    if labels.shape != (acts.shape[0], acts.shape[2] - 1):
        raise ValueError(f"labels must have shape {[acts.shape[0], acts.shape[2] - 1]}, got {list(labels.shape)}.")
    costs, pull = jax.vjp(lambda a: _costs(a, labels, input_lengths, label_lengths, blank_label), wide(acts))
    return costs.astype(acts.dtype), pull(jnp.ones_like(costs))[0].astype(acts.dtype)


@op(
    ref=_REF + "basic_lstm",
    cases=("T(2, 3), T(2, 2), T(2, 2), T(5, 8), T(8)", "T(2, 3), T(2, 2), T(2, 2), T(5, 8), T(8), 0.0"),
    errors=(("T(2, 3), T(2, 2), T(2, 2), T(8, 8), T(8)", "w must"),),
    grad=0,
    tol=1e-3,  # the new h is of float16
    name="_basic_lstm_cell",
)
def basic_lstm_cell(x: Array, h: Array, c: Array, w: Array, b: Array, forget_bias: float = 1.0) -> tuple[Array, ...]:
    """Return the new c, the new h (float16), the gates i, j, f and o, and tanh of the new c, of one step of an LSTM.

    Args:
        x, h, c: Tensors (N, I), (N, H) and (N, H).
        w, b: Weights (I + H, 4 H) and biases (4 H,), the gates in the order i, j, f, o.
        forget_bias: Added to the gate f.

    Raises:
        ValueError: If the shapes of weights and biases do not fit.

    Examples:
        >>> x, h = ops.zeros((1, 2)), ops.zeros((1, 3))
        >>> [t.shape for t in ops.BasicLSTMCell()(x, h, h, ops.zeros((5, 12)), ops.zeros((12,)))[:2]]
        [(1, 3), (1, 3)]
    """
    hidden = h.shape[1]
    if w.shape != (x.shape[1] + hidden, 4 * hidden) or b.shape != (4 * hidden,):
        raise ValueError(
            f"w must have shape {[x.shape[1] + hidden, 4 * hidden]} and b {[4 * hidden]}, got {list(w.shape)} and {list(b.shape)}."
        )
    i, j, f, o = jnp.split(jnp.matmul(jnp.concatenate([x, h.astype(x.dtype)], 1), w) + b, 4, 1)
    i, j, f, o = jax.nn.sigmoid(i), jnp.tanh(j), jax.nn.sigmoid(f + forget_bias), jax.nn.sigmoid(o)
    new = f * c + i * j
    shown = jnp.tanh(new)
    return new, (o * shown).astype(jnp.float16), i, j, f, o, shown


@primitive("BasicLSTMCell(keep_prob=1.0, forget_bias=1.0, state_is_tuple=True, activation='tanh')")
def _basic_lstm_cell(
    x: object,
    h: object,
    c: object,
    w: object,
    b: object,
    keep_prob: float,
    forget_bias: float,
    state_is_tuple: bool,
    activation: str,
) -> tuple[Tensor, ...]:
    """Return the new c, the new h, the gates and tanh of the new c, of one step of an LSTM, without dropout.

    Args:
        x, h, c: Tensors (N, I), (N, H) and (N, H).
        w, b: Weights (I + H, 4 H) and biases (4 H,), the gates in the order i, j, f, o.
        keep_prob: 1.0: dropout is not supported.
        forget_bias: Added to the gate f.
        state_is_tuple: True.
        activation: "tanh".

    Raises:
        ValueError: If an attribute has another value, or a shape does not fit.

    Examples:
        >>> x, h = ops.zeros((1, 2)), ops.zeros((1, 3))
        >>> [t.shape for t in ops.BasicLSTMCell()(x, h, h, ops.zeros((5, 12)), ops.zeros((12,)))[:2]]
        [(1, 3), (1, 3)]
    """
    if keep_prob != 1.0 or not state_is_tuple or activation != "tanh":
        raise ValueError(
            "ops.BasicLSTMCell: keep_prob, state_is_tuple and activation must be 1.0, True and 'tanh', got "
            f"{keep_prob}, {state_is_tuple} and {activation!r}."
        )
    return basic_lstm_cell(x, h, c, w, b, forget_bias)

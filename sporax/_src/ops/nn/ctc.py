"""Connectionist temporal classification: the loss over all alignments, and greedy decoding."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.base.errors import describe
from sporax._src.base.typing import Array
from sporax._src.bindings.primitive import primitives
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.engine.arguments import check_float, reduce_loss
from sporax._src.engine.table import composite, op

_REF = "references.sequences."
_LOW = -1e30  # stands for the logarithm of 0, so that gradients stay finite


def _alphas(log_probs: Array, targets: Array, target_lengths: Array, blank: int) -> Array:
    """Return ln α (T, N, 2 S + 1): the total probability of all alignments that end in a state at a time.

    A label from C on reads what follows its row in memory, as in MindSpore; 0 behind the last row.
    """
    time, batch, classes = log_probs.shape
    states = 2 * targets.shape[1] + 1
    labels = jnp.full((batch, states), blank, targets.dtype).at[:, 1::2].set(targets)
    repeat = jnp.concatenate([jnp.ones((batch, 2), bool), labels[:, 2:] == labels[:, :-2]], 1)
    skip = (labels != blank) & ~repeat
    row = classes * jnp.arange(time * batch, dtype=labels.dtype).reshape(time, batch, 1)
    emitted = log_probs.ravel().at[row + labels].get(mode="fill", fill_value=0)
    state = jnp.arange(states, dtype=jnp.int32)
    first = (state < 2) & (state < 2 * target_lengths[:, None] + 1)
    start = jnp.where(first, emitted[0], _LOW)

    def step(alpha: Array, emit: Array) -> tuple[Array, Array]:
        one = jnp.pad(alpha, ((0, 0), (1, 0)), constant_values=_LOW)[:, :-1]
        two = jnp.where(skip, jnp.pad(alpha, ((0, 0), (2, 0)), constant_values=_LOW)[:, :-2], _LOW)
        new = jnp.logaddexp(jnp.logaddexp(alpha, one), two) + emit
        new = jnp.maximum(new, _LOW)
        return new, new

    return jnp.concatenate([start[None], lax.scan(step, start, emitted[1:])[1]])


def _losses(
    log_probs: Array, targets: Array, input_lengths: Array, target_lengths: Array, blank: int
) -> tuple[Array, Array]:
    """Return -ln p(targets) of each sequence, inf where no alignment exists, and ln α (N, T, 2 S + 1)."""
    alphas = _alphas(log_probs, targets, target_lengths, blank)
    last = jnp.take_along_axis(alphas, (input_lengths - 1).clip(0)[None, :, None], 0)[0]
    end = 2 * target_lengths[:, None]
    final = jnp.take_along_axis(last, end, 1)[:, 0]
    before = jnp.where(target_lengths > 0, jnp.take_along_axis(last, (end - 1).clip(0), 1)[:, 0], _LOW)
    total = jnp.logaddexp(final, before)
    time, state = (jnp.arange(n, dtype=jnp.int32) for n in alphas.shape[::2])
    reached = (time[:, None, None] < input_lengths[:, None]) & (state <= end)
    shown = jnp.where(reached & (alphas > _LOW / 2), alphas, -jnp.inf)
    return jnp.where(total <= _LOW / 2, jnp.inf, -total), jnp.swapaxes(lax.stop_gradient(shown), 0, 1)


def _padded(targets: Array, target_lengths: Array) -> Array:
    """Return targets as (N, S), also where they come one after the other in a vector."""
    if targets.ndim == 2:
        return targets
    starts = jnp.cumsum(target_lengths, dtype=target_lengths.dtype) - target_lengths
    return targets[(starts[:, None] + jnp.arange(targets.shape[0], dtype=starts.dtype)).clip(0, targets.shape[0] - 1)]


_CASE = (
    "np.log(np.random.default_rng(0).dirichlet(np.ones(4), (5, 2))).astype('float32'), "
    "D([[1, 2], [3, 3]], 'int32'), D([5, 4], 'int32'), D([2, 1], 'int32')"
)


@op(
    ref=_REF + "ctc_loss",
    cases=(_CASE, _CASE + ", 0, 'none'", _CASE + ", 0, 'sum', True"),
    errors=(("T(5, 4), I(2, 2), I(2), I(2)", "3 axes"),),
    grad=0,
)
def ctc_loss(
    log_probs: Array,
    targets: Array,
    input_lengths: Array,
    target_lengths: Array,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> tuple[Array, Array]:
    """Return the negative log probability of targets under all alignments with log_probs, and the forward variables.

    The gradient is that of the logits below a log softmax, exp(log_probs) - posterior, as in MindSpore and torch.
    From Graves et al. (2006), Connectionist Temporal Classification.

    Args:
        log_probs: Log probabilities (T, N, C).
        targets: Labels (N, S).
        input_lengths, target_lengths: The lengths of each sequence, integers (N,).
        blank: The label of no label.
        reduction: "mean" (of loss over target length), "sum" or "none".
        zero_infinity: Whether losses of sequences without an alignment are 0 instead of inf.

    Returns:
        The loss, (N,) if it is not reduced, and the logarithms of the forward variables (N, T, 2 S + 1).

    Raises:
        TypeError: If `log_probs` holds no floats, or the labels or lengths are no integers.
        ValueError: If `log_probs` does not have 3 axes, or `reduction` is another.

    Examples:
        >>> log_probs = Tensor(np.full((2, 1, 2), -1.0, np.float32))
        >>> loss, _ = ops.ctc_loss(log_probs, Tensor([[1]]), Tensor([2]), Tensor([1]))
        >>> print(loss.asnumpy().round(3))
        0.901
    """
    check_float(log_probs)
    for name, operand in (("targets", targets), ("input_lengths", input_lengths), ("target_lengths", target_lengths)):
        if operand.dtype.kind not in "iu":
            raise TypeError(f"{name} must be of dtype int32 or int64, but got {mstype.from_numpy(operand.dtype)}.")
    if log_probs.ndim != 3:
        raise ValueError(f"log_probs must have 3 axes (T, N, C), got shape {list(log_probs.shape)}.")
    lengths, steps = target_lengths.astype(jnp.int32), input_lengths.astype(jnp.int32)
    loss, alphas = _losses(log_probs, _padded(targets, lengths).astype(jnp.int32), steps, lengths, blank)
    within = jnp.arange(len(log_probs), dtype=jnp.int32)[:, None] < steps
    mass = jnp.where(within, jnp.exp(log_probs).sum(2), 0).sum(0)  # the gradient for the logits contains that of `mass`
    loss = loss + (mass - lax.stop_gradient(mass))
    loss = jnp.where(jnp.isinf(loss), 0, loss) if zero_infinity else loss
    if reduction == "mean":
        return jnp.mean(loss / jnp.maximum(lengths, 1).astype(loss.dtype)), alphas
    return reduce_loss(loss, reduction), alphas


@op(
    ref=_REF + "ctc_sparse",
    cases=("T(5, 2, 4), D([[0, 0], [0, 1], [1, 0]], 'int64'), D([0, 1, 2], 'int32'), D([5, 4], 'int32')",),
    grad=0,
    name="_ctc_sparse",
    errors=(("T(5, 2, 4), I(3, 2), I(3), I(2), True", "preprocess"),),
    primitive="CTCLoss(preprocess_collapse_repeated=False, ctc_merge_repeated=True, "
    "ignore_longer_outputs_than_inputs=False)",
)
def ctc_sparse(
    x: Array,
    labels_indices: Array,
    labels_values: Array,
    sequence_length: Array,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
) -> tuple[Array, Array]:
    """Return the CTC loss of each sequence and its gradient for x.

    From Graves et al. (2006), Connectionist Temporal Classification.

    Args:
        x: Logits (T, N, C); the last class is the blank.
        labels_indices: Where each label stands: (sequence, position), shape (L, 2).
        labels_values: The labels (L,).
        sequence_length: The length of each sequence (N,).
        preprocess_collapse_repeated, ctc_merge_repeated: Only False and True, the usual alignment rules, are supported.
        ignore_longer_outputs_than_inputs: Whether sequences shorter than their labels count 0.

    Returns:
        Tensors (N,) and (T, N, C).

    Raises:
        ValueError: If another alignment rule is asked for.

    Examples:
        >>> loss, gradient = ops.CTCLoss()(ops.zeros((2, 1, 2)), Tensor([[0, 0]]), Tensor([0]), Tensor([2]))
        >>> loss.asnumpy().round(3), gradient.shape
        (array([0.288], dtype=float32), (2, 1, 2))
    """
    if preprocess_collapse_repeated or not ctc_merge_repeated:
        raise ValueError("preprocess_collapse_repeated must be False and ctc_merge_repeated True.")
    batch, classes = x.shape[1:]
    row, column = labels_indices[:, 0], labels_indices[:, 1]
    targets = jnp.zeros((batch, labels_values.shape[0]), jnp.int32).at[row, column].set(labels_values.astype(jnp.int32))
    lengths = jnp.zeros(batch, jnp.int32).at[row].add(1)

    def total(logits: Array) -> tuple[Array, Array]:
        loss, _ = _losses(
            jax.nn.log_softmax(logits, -1), targets, sequence_length.astype(jnp.int32), lengths, classes - 1
        )
        loss = jnp.where(jnp.isinf(loss), 0, loss) if ignore_longer_outputs_than_inputs else loss
        return jnp.sum(loss), loss

    (_, loss), gradient = jax.value_and_grad(total, has_aux=True)(x)
    return loss, lax.stop_gradient(gradient)  # as in MindSpore: only the loss has a gradient


@composite(
    ref=_REF + "ctc_greedy_decoder",
    cases=("T(5, 2, 4), D([5, 4], 'int32')", "T(5, 2, 4), D([5, 4], 'int32'), False"),
    errors=(
        ("T(5, 4), I(4)", "inputs must have 3 axes, got shape [5, 4]"),
        ("T(5, 2, 4), I(3)", "sequence_length must have shape [2], got [3]"),
        ("T(5, 2, 4), T(2)", "sequence_length must be an integer Tensor, got float32[2]"),
        ("T(5, 2, 4), D([7, 4], 'int32')", "sequence_length[0] should be less than or equal to 5, got 7"),
    ),
    jit=False,
    grad=0,
    primitive="CTCGreedyDecoder(merge_repeated=True)",
)
def ctc_greedy_decoder(inputs: Tensor, sequence_length: Tensor, merge_repeated: bool = True) -> tuple[Tensor, ...]:
    """Return the most probable labels, without blanks and repeats, as a sparse matrix, and -Σ of their logits.

    Args:
        inputs: Logits (T, N, C); the last class is the blank.
        sequence_length: The length of each sequence (N,).
        merge_repeated: Whether equal labels one after the other count once.

    Returns:
        Indices (L, 2), values (L,) and shape (2,) of the sparse matrix, int64; and the sums (N, 1).

    Raises:
        TypeError: If `sequence_length` holds no integers.
        ValueError: If the shapes do not fit.
        RuntimeError: If a length is more than T.

    Examples:
        >>> logits = Tensor([[[0.0, 1.0, 0.0]], [[0.0, 0.0, 1.0]], [[2.0, 0.0, 0.0]]])
        >>> indices, values, shape, score = ops.ctc_greedy_decoder(logits, Tensor([3]))
        >>> values.asnumpy(), score.asnumpy()
        (array([1, 0]), array([[-4.]], dtype=float32))
    """
    logits, lengths = inputs.asnumpy(), sequence_length.asnumpy()
    where = "ops.ctc_greedy_decoder: "
    if logits.ndim != 3:
        raise ValueError(f"{where}inputs must have 3 axes, got shape {list(logits.shape)}.")
    if lengths.dtype.kind not in "iu":
        raise TypeError(f"{where}sequence_length must be an integer Tensor, got {describe(lengths)}.")
    if lengths.shape != logits.shape[1:2]:
        raise ValueError(f"{where}sequence_length must have shape {[logits.shape[1]]}, got {list(lengths.shape)}.")
    for n, length in enumerate(lengths):
        if length > len(logits):
            raise RuntimeError(
                f"{where}sequence_length[{n}] should be less than or equal to {len(logits)}, got {length}."
            )
    best, blank = logits.argmax(-1), logits.shape[2] - 1
    indices: list[tuple[int, int]] = []
    values: list[int] = []
    most = 0
    for n, length in enumerate(lengths):
        path = best[:length, n]
        decoded = [v for t, v in enumerate(path) if v != blank and not (merge_repeated and t and path[t - 1] == v)]
        indices += [(n, i) for i in range(len(decoded))]
        values += decoded
        most = max(most, len(decoded))
    score = [-logits[:length, n].max(-1).sum() for n, length in enumerate(lengths)]
    return (
        Tensor(np.array(indices, np.int64).reshape(-1, 2)),
        Tensor(np.array(values, np.int64)),
        Tensor(np.array([len(lengths), most], np.int64)),
        Tensor(np.array(score, logits.dtype)[:, None]),
    )


primitives(
    """\
CTCLossV2(blank=0, reduction='none', zero_infinity=False)(log_probs, targets, input_lengths, target_lengths) -> \
ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity)
""",
    globals(),
)

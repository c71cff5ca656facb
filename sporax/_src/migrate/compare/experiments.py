"""Experiments with the values of a layer: is the output right after a transpose, or with the input added?

Each row of the tables is a small function that recognises one kind of mistake and returns the text that names it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import combinations, permutations

import numpy as np

from sporax._src.migrate.compare.measure import close, distance


@dataclass(frozen=True)
class Values:
    """The values for the experiments: inputs and outputs of the layer on both sides, and its own Parameters."""

    reference: np.ndarray
    got: np.ndarray
    inputs: tuple[np.ndarray, ...] = ()
    parameters: Mapping[str, np.ndarray] = field(default_factory=dict)


def _erf(x: np.ndarray) -> np.ndarray:
    return np.vectorize(math.erf)(x) if x.size else x


def _gelu(x: np.ndarray) -> np.ndarray:
    return x * 0.5 * (1 + _erf(x / math.sqrt(2)))


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


_FORMS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "ReLU": lambda x: np.maximum(x, 0),
    "tanh": np.tanh,
    "sigmoid": _sigmoid,
    "SiLU": lambda x: x * _sigmoid(x),
    "GELU": _gelu,
    "softmax over the last axis": lambda x: np.exp(x - x.max(-1, keepdims=True)) / _total(x),
    "exp": lambda x: np.exp(np.minimum(x, 80)),
}


def _total(x: np.ndarray) -> np.ndarray:
    return np.exp(x - x.max(-1, keepdims=True)).sum(-1, keepdims=True)


def transposed_weight(v: Values) -> str:
    """x · W instead of x · Wᵀ."""
    if not v.inputs:
        return ""
    x = v.inputs[0]
    bias = v.parameters.get("bias", np.zeros(1))
    for name, w in v.parameters.items():
        if w.ndim == 2 and w.shape[0] == w.shape[1] == x.shape[-1]:
            forms = {False: x @ w.T + bias, True: x @ w + bias}
            for turned, form in forms.items():
                if close(v.reference, form) and close(v.got, forms[not turned]):
                    side = "here" if not turned else "in the reference"
                    return f"{name} is used transposed {side}: x · W in one, x · Wᵀ in the other"
    return ""


def residual(v: Values) -> str:
    """The input added to the output on one side only."""
    for x in v.inputs:
        if x.dtype.kind == "f" and x.shape == v.got.shape:
            if close(v.reference, v.got + x):
                return "the residual is missing here: the reference is this output plus the layer's input"
            if close(v.got, v.reference + x):
                return "the input is added here and not in the reference: a residual too many"
            if close(v.reference, v.got + 2 * x):
                return "the residual is subtracted here and added in the reference"
    return ""


def activation(v: Values) -> str:
    """An activation on one side only."""
    for name, form in _FORMS.items():
        with np.errstate(over="ignore"):
            if close(v.reference, form(v.got)):
                return f"an activation is missing here: {name} of this output is the reference"
            if close(v.got, form(v.reference)):
                return f"an activation is too many here: this output is {name} of the reference"
    return ""


def bias(v: Values) -> str:
    """A Parameter added on one side only."""
    for name, p in v.parameters.items():
        shaped = [p] if p.ndim == 1 else []
        shaped += [p.reshape(-1, *(1,) * n) for n in (1, 2, 3) if p.ndim == 1 and v.got.ndim > n + 1]
        for term in shaped:
            if p.any() and np.broadcast_shapes(term.shape, v.got.shape) == v.got.shape if _fits(term, v.got) else False:
                if close(v.reference, v.got + term):
                    return f"{name} is not added here"
                if close(v.got, v.reference + term):
                    return f"{name} is added here and not in the reference"
    return ""


def _fits(term: np.ndarray, array: np.ndarray) -> bool:
    return all(t in (1, n) for t, n in zip(term.shape[::-1], array.shape[::-1], strict=False))


def scale(v: Values) -> str:
    """One output is a multiple of the other."""
    largest = np.abs(v.reference).argmax() if v.reference.size else 0
    if v.reference.shape != v.got.shape or not v.got.size or not v.reference.ravel()[largest]:
        return ""
    factor = float(v.got.ravel()[largest] / v.reference.ravel()[largest])
    if not math.isfinite(factor) or not factor or not close(v.got, factor * v.reference):
        return ""
    if abs(factor + 1) < 1e-3:
        return "the sign is the opposite of the reference's"
    return f"the values are {factor:.6g} times the reference's: a factor is missing or too many"


def sums_to_one(v: Values) -> str:
    """A softmax along different axes."""
    axes = [
        [a for a in range(x.ndim) if x.shape[a] > 1 and close(x.sum(a), np.ones_like(x.sum(a)))]
        for x in (v.reference, v.got)
    ]
    if v.got.dtype.kind == "f" and axes[0] and axes[1] and axes[0] != axes[1]:
        return f"softmax runs along axis {axes[1][0]} here and along axis {axes[0][0]} in the reference"
    return ""


def batch_statistics(v: Values) -> str:
    """A normalisation by the statistics of the batch on one side, by the moving ones on the other."""
    if not v.inputs or v.inputs[0].ndim < 2 or "running_mean" not in v.parameters or v.got.shape != v.inputs[0].shape:
        return ""
    x = v.inputs[0].astype(np.float64)
    axes, shape = (0, *range(2, x.ndim)), (1, -1, *(1,) * (x.ndim - 2))
    own = {name: p.reshape(shape) for name, p in v.parameters.items() if p.ndim == 1}

    def normalized(mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
        return (x - mean) / np.sqrt(variance + 1e-5) * own.get("weight", 1.0) + own.get("bias", 0.0)

    batch = normalized(x.mean(axes, keepdims=True), x.var(axes, keepdims=True))
    moved = normalized(own["running_mean"], own["running_var"])
    if close(v.got, batch, 1e-3) and close(v.reference, moved, 1e-3):
        return "the statistics of the batch are used here, the moving ones in the reference"
    if close(v.got, moved, 1e-3) and close(v.reference, batch, 1e-3):
        return "the moving statistics are used here, those of the batch in the reference"
    return ""


def other_axes(v: Values) -> str:
    """Axes in another order."""
    for a, b in combinations(range(v.got.ndim), 2):
        if close(v.reference, v.got.swapaxes(a, b)):
            return f"axes {a} and {b} are swapped: the output is the reference's transpose"
    return ""


def same_numbers(v: Values) -> str:
    """The same numbers at other places."""
    a, b = np.sort(v.reference.ravel()), np.sort(v.got.ravel())
    if close(a, b, 1e-6) and a[0] != a[-1]:
        return (
            "the numbers are the reference's in another order: a wrong axis, or a reshape in the place of a transpose"
        )
    return ""


def constant(v: Values) -> str:
    """All zeros on one side."""
    if v.got.size and not v.got.any():
        return "the output is all zeros here"
    return "the output is all zeros in the reference" if v.got.size and not v.reference.any() else ""


LAYERS: tuple[Callable[[Values], str], ...] = (
    constant, transposed_weight, residual, scale, bias, activation, sums_to_one, batch_statistics, other_axes, same_numbers,
)  # fmt: skip


def transposed(v: Values) -> str:
    """A matrix stored as its transpose."""
    if v.got.ndim == 2 and close(v.reference, v.got.T, 1e-6):
        return "it is the transpose of the reference's: Dense stores (out, in), as torch does"
    return ""


GATES = {4: "ifgo", 3: "rzn"}


def gate_order(v: Values) -> str:
    """The gates of an LSTM or a GRU in another order."""
    for count, names in GATES.items():
        if v.got.shape != v.reference.shape or not v.got.ndim or v.got.shape[0] % count:
            continue
        blocks = np.split(v.got, count)
        for order in permutations(range(count)):
            if list(order) != sorted(order) and close(v.reference, np.concatenate([blocks[i] for i in order]), 1e-6):
                gates = [names[order.index(i)] for i in range(count)]
                return f"the gates stand in the order {', '.join(gates)} here and {', '.join(names)} in the reference"
    return ""


PARAMETERS: tuple[Callable[[Values], str], ...] = (constant, transposed, gate_order, scale, other_axes, same_numbers)


def reduced(v: Values) -> str:
    """A sum in the place of a mean: the ratio of two losses is a number of elements."""
    if v.got.size != 1 or v.reference.size != 1 or not v.reference.item():
        return ""
    ratio = v.got.item() / v.reference.item()
    counts = {int(np.prod(x.shape)): "elements" for x in v.inputs}
    counts |= {x.shape[0]: "rows" for x in v.inputs if x.ndim}
    for count, what in counts.items():
        for side, quotient in (("here", ratio), ("in the reference", 1 / ratio if ratio else 0.0)):
            if count > 1 and abs(quotient - count) < 1e-3 * count:
                return f"the loss is {count} times as large {side}, the number of {what}: reduction sum in the place of mean"
    return ""


def decayed(v: Values) -> str:
    """A step that differs by a multiple of the weights."""
    start = v.inputs[0].astype(np.float64) if v.inputs else np.zeros(1)
    if v.got.shape != v.reference.shape or start.shape != v.got.shape or not start.any():
        return ""
    difference = v.got - v.reference
    factor = float((difference * start).sum() / (start * start).sum())
    if factor and close(difference, factor * start, 2e-2):
        side = "in the reference" if factor > 0 else "here"
        return f"the weights decay {side} only: MindSpore's optimizers pass over Parameters called beta and gamma"
    return ""


UPDATES: tuple[Callable[[Values], str], ...] = (constant, decayed, scale)
LOSSES: tuple[Callable[[Values], str], ...] = (reduced, scale)


def tried(experiments: tuple[Callable[[Values], str], ...], values: Values) -> str:
    """Return the text of the first experiment that explains the difference, empty if none does."""
    if distance(values.reference, values.got).finite if values.reference.shape == values.got.shape else True:
        return next((text for text in (experiment(values) for experiment in experiments) if text), "")
    return ""

"""Layers and losses compute what MindSpore 2.7.0 computed: outputs, gradients, Parameters, moving statistics."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from laws.operators import leaves
from recorded import TOLERANCE, Recorded, close, drawn_alike, entry, inputs_of, numbered

import sporax as ms
from sporax import Tensor, mint, nn

# Where MindSpore rounds differently: cases that begin so, the tolerance, the reason.
_TANH = "MindSpore's tanh on the CPU is off by up to 1.0e-4 near ±5 (against float64)"
LOOSER: dict[str, tuple[float, str]] = {
    "nn.RNN(3, 4, num_layers=2": (1e-4, _TANH),
    "nn.LSTM(3, 4, 2, bidirectional=True, batch_first=True)": (2e-5, _TANH),
}
# What is not compared: "output" (nothing is), "gradient", the gradients from the n-th on ("gradient 1"), "moving"; why.
_LABELS = "MindSpore gives the labels no gradient; sporax gives them the true one"
_ROWS = "MindSpore's gradient of the table is the rows of a sparse Tensor"
_MASKS = (
    "MindSpore adds a boolean padding mask to a float mask as 1, where its documents exclude the key, as torch does"
)
_CLIP = "MindSpore's CPU kernel of ClipByNorm confuses the norms if there is an axis"
DIFFERENT: dict[str, tuple[str, str]] = {
    "nn.BatchNorm2d(3) @ r(1, 3, 1, 1)": ("moving", "the unbiased variance of one value: NaN in MindSpore"),
    "nn.ClipByNorm(0": ("output", _CLIP),
    "nn.CTCLoss(": ("gradient", "MindSpore's is that of the logits before log_softmax; see nn/losses/test_sequence.py"),
    "nn.EmbeddingExt(7, 3, max_norm": ("output", "MindSpore's rows lose their signs; see oracles.py"),
    "nn.EmbeddingLookup(7, 3) @": ("gradient", _ROWS),
    "nn.EmbeddingLookup(7, 3, max_norm": ("output", _CLIP),
    "nn.EmbeddingLookup(7, 3, target='DEVICE', sparse=False, max_norm": ("output", _CLIP),
    "nn.EmbeddingLookupThor(": ("gradient", _ROWS),
    "nn.IGamma() @ 5 * u(3, 4)": ("gradient", "MindSpore's derivative by a is NaN at some places"),
    "nn.KLDivLoss(": ("gradient 1", _LABELS),
    "nn.MultiFieldEmbeddingLookup(10, 2, field_size=2) @": ("gradient 1", _ROWS),
    "nn.SampledSoftmaxLoss(2, 5, 1)": ("output", "the classes are drawn in both modes"),
    "nn.SeLU(": ("gradient", "MindSpore's CPU kernel computes another gradient than that of the formula"),
    "nn.TransformerDecoderLayer(4, 2, 6, dropout=0.0) @ r(3, 2, 4), r(5, 2, 4), np": ("output", _MASKS),
}
# Drawn though two runs of MindSpore agree (it repeats the draw under one seed), or drawn in both modes.
DRAWN = ("nn.Dropout2d(p=0.3)", "nn.Dropout3d(p=0.3)", "nn.RReLU() ", "nn.RReLU(0.1, 0.5)")
SCOPE = {"nn": nn, "mint": mint, "ms": ms, "Tensor": Tensor, "np": np, "OrderedDict": OrderedDict}
SECTIONS = ("layers", "losses", "mint_layers")
GOLDENS = {section: Recorded(section) for section in SECTIONS}
CASES = {
    f"{section}: {key}": (section, case)
    for section, golden in GOLDENS.items()
    for key, case in golden.told["cases"].items()
    if "error" not in case
}


def weighted(cell: Callable[..., Any], arrays: dict[str, np.ndarray]) -> Callable[..., Any]:
    """Return the sum of the outputs times the recorded cotangents, as a function."""

    def scalar(*xs: Any) -> Any:
        out = leaves(cell(*xs))
        return sum(((out[k] * Tensor(w).astype(out[k].dtype)).sum() for k, w in numbered("ct", arrays)), 0.0)

    return scalar


def described(param: ms.Parameter) -> str:
    """Return a Parameter's name, dtype and shape, whether it is trained, and its default if that is one number."""
    value = param.asnumpy()
    constant = f" = {float(value.flat[0]):g}" if value.size and (value == value.flat[0]).all() else ""
    mark = "" if param.requires_grad else "!"
    return f"{param.name}: {str(param.dtype).lower()}{list(param.shape)}{mark}{constant}"


@pytest.mark.filterwarnings(
    "ignore:.* differ, and are broadcast:UserWarning"
)  # losses of such inputs are among the cases
@pytest.mark.parametrize("name", CASES)
def test_golden(name: str) -> None:
    """One recorded layer."""
    section, case = CASES[name]
    arrays, key = GOLDENS[section].arrays_of(case), name.removeprefix(f"{section}: ")
    left_out = entry(DIFFERENT, key, "")
    if left_out == "output":
        return
    cell = eval(case["constructor"], SCOPE)
    params = list(cell.get_parameters())
    assert [described(p) for p in params] == case["parameters"]

    def load() -> None:
        for p, (_, value) in zip(params, numbered("p", arrays), strict=True):
            p.set_data(Tensor(value, p.dtype))

    args, tolerance = inputs_of(case["inputs"], arrays), entry(LOOSER, key, TOLERANCE)
    evaluated = list(numbered("eval", arrays))
    for mode in ("eval", "train"):
        load()
        out = leaves(cell.set_train(mode == "train")(*args))
        recorded = list(numbered(mode, arrays)) or evaluated
        assert len(out) == len(recorded)
        for k, want in recorded:
            if key.startswith(DRAWN) or ("drawn" in case and mode == "train"):
                drawn_alike(out[k].asnumpy(), want)
            else:
                close(out[k], want, f"{mode} output {k}", tolerance)
    moving = () if left_out == "moving" else numbered("after", arrays)
    for k, want in enumerate(w for _, w in moving):
        close([p for p in params if not p.requires_grad][k], want, f"moving value {k}", tolerance)
    if left_out == "gradient" or key.startswith(DRAWN):
        return
    limit = int(left_out.split()[1]) if left_out.startswith("gradient") else None
    for training, prefix in ((True, "g"), (False, "eg")):
        load()
        cell.set_train(training)
        recorded = [w for _, w in (*numbered(prefix + "in", arrays), *numbered(prefix + "p", arrays))][:limit]
        if not recorded:
            continue
        found = gradients(cell, args, arrays, "gradient_of_first" in case)[:limit]
        assert len(found) == len(recorded)
        for k, (got, want) in enumerate(zip(found, recorded, strict=True)):
            close(got, want, f"gradient {k}, training={training}", tolerance)


def gradients(cell: Any, args: list[Any], arrays: dict[str, np.ndarray], first: bool) -> list[Tensor]:
    """Return the gradients of inputs (of the first alone if so) and Parameters."""
    scalar = weighted(cell, arrays)
    if first:
        return [ms.grad(scalar)(*args)]
    positions = tuple(k for k, a in enumerate(args) if isinstance(a, Tensor) and a._data.dtype.kind == "f")
    weights = [p for p in cell.get_parameters() if p.requires_grad]
    return leaves(ms.grad(scalar, positions or None, weights or None)(*args))


@pytest.mark.parametrize("constructor", GOLDENS["layers"].told["initial"])
def test_initial_values(constructor: str) -> None:
    """Defaults of large layers have MindSpore's bounds, mean, deviation and zeros."""
    found = {p.name: p.asnumpy().astype(np.float64) for p in eval(constructor, SCOPE).get_parameters()}
    recorded = GOLDENS["layers"].told["initial"][constructor]
    assert set(found) == set(recorded)
    for name, (low, high, mean, deviation, zeros) in recorded.items():
        value = found[name]
        if deviation == 0:
            assert (value == mean).all(), name
            continue
        error = deviation / np.sqrt(value.size - zeros)
        assert (value == 0).sum() == zeros, name
        assert abs(value.mean() - mean) < 7 * error, name
        assert abs(value.std() - deviation) < 7 * error, name
        bound = max(-low, high)
        if bound < 1.9 * deviation:  # a uniform distribution: its bounds are reached, and nothing lies beyond
            assert abs(np.abs(value).max() / bound - 1) < 15 / value.size, name

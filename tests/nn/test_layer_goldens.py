"""Layers and losses compute what MindSpore 2.7.0 computed: outputs, gradients, Parameters, moving statistics."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn
from sporax._src.testing.laws import leaves

RTOL = 2e-4

# MindSpore gives labels no gradient here; sporax gives them the true one.
NO_LABEL_GRADIENT = ("nn.KLDivLoss",)
# MindSpore's CPU kernel gives another gradient than that of the formula (SeLU), the rows of a sparse one
# (EmbeddingLookup), or that of the logits before log_softmax instead of log_probs (CTCLoss, see `test_losses.py`).
OTHER_GRADIENT = ("nn.SeLU", "nn.EmbeddingLookup", "nn.CTCLoss")
# MindSpore's CPU kernel of ClipByNorm confuses the norms if there is an axis.
OTHER_VALUE = ("nn.EmbeddingLookup(7, 3, max_norm", "nn.ClipByNorm(0")
# Something is drawn.
RANDOM = ("nn.Dropout", "nn.RReLU", "nn.SampledSoftmaxLoss")

FOLDER = Path(__file__).parents[1] / "goldens"
SCOPE = {"nn": nn, "ms": ms, "Tensor": Tensor, "np": np}
CASES = {
    f"{section}: {key}": (section, case)
    for section in ("layers", "losses")
    for key, case in json.loads((FOLDER / f"{section}.json").read_text())["cases"].items()
    if "error" not in case and not case["constructor"].startswith(OTHER_VALUE)
}
ARRAYS = {section: np.load(FOLDER / f"{section}.npz") for section in ("layers", "losses")}


def inputs_of(text: str, arrays: dict[str, np.ndarray]) -> list[Any]:
    """Return the inputs, nested as in the text, with the recorded arrays in place."""

    def sample(*sizes: int) -> np.ndarray:
        return np.ones(sizes)

    names = {"r": sample, "u": sample, "b": sample, "i": lambda high, *s: np.zeros(s), "p": np.zeros, "np": np}
    nested = eval(f"({text},)" if text.strip() else "()", names)
    numbers = iter(range(100))

    def place(value: Any) -> Any:
        if isinstance(value, (tuple, list)):
            return type(value)(place(v) for v in value)
        key = f"in{next(numbers)}"
        return Tensor(arrays[key]) if key in arrays else value

    return [place(v) for v in nested]


def numbered(prefix: str, arrays: dict[str, np.ndarray]) -> Iterator[tuple[int, np.ndarray]]:
    """Yield the arrays `prefix0`, `prefix1`, ... that exist."""
    return ((k, arrays[f"{prefix}{k}"]) for k in range(100) if f"{prefix}{k}" in arrays)


def close(got: Tensor, want: np.ndarray, what: str, rtol: float = RTOL) -> None:
    """Compare shape, dtype and values relative to the largest."""
    have = got.asnumpy()
    assert have.shape == want.shape and have.dtype == want.dtype, (
        f"{what}: {have.dtype}{have.shape}, not {want.dtype}{want.shape}"
    )
    scale = float(np.max(np.abs(want[np.isfinite(want)]), initial=1e-3)) if want.size else 1.0
    np.testing.assert_allclose(
        have.astype(np.float64), want.astype(np.float64), rtol=rtol, atol=rtol * scale, err_msg=what
    )


def weighted(cell: Callable[..., Any], arrays: dict[str, np.ndarray]) -> Callable[..., Any]:
    """Return the sum of the outputs times the recorded cotangents, as a function."""

    def scalar(*xs: Any) -> Any:
        out = leaves(cell(*xs))
        return sum(((out[k] * Tensor(w).astype(out[k].dtype)).sum() for k, w in numbered("ct", arrays)), 0.0)

    return scalar


@pytest.mark.parametrize("name", CASES)
def test_layer(name: str) -> None:
    """One recorded layer."""
    section, case = CASES[name]
    prefix = f"{case['case']}/"
    arrays = {k.removeprefix(prefix): ARRAYS[section][k] for k in ARRAYS[section].files if k.startswith(prefix)}
    cell = eval(case["constructor"], SCOPE)
    params = list(cell.get_parameters())
    shown = [f"{p.name}{list(p.shape)}{'' if p.requires_grad else '!'}" for p in params]
    assert shown == case["parameters"]

    def load() -> None:
        for p, (_, value) in zip(params, numbered("p", arrays), strict=True):
            p.set_data(Tensor(value, p.dtype))

    args = inputs_of(case["inputs"], arrays)
    random = case["constructor"].startswith(RANDOM)
    for mode in ("eval", "train"):
        load()
        out = leaves(cell.set_train(mode == "train")(*args))
        recorded = list(numbered(mode, arrays))
        assert len(out) == len(recorded)
        for k, want in recorded:
            if random and (mode == "train" or "Sampled" in name):
                assert out[k].shape == want.shape
            else:
                close(out[k], want, f"{mode} output {k}")
    for k, want in enumerate(w for _, w in numbered("after", arrays)):
        close([p for p in params if not p.requires_grad][k], want, f"moving value {k}")
    if not random:
        load()
        compare_gradients(cell, args, arrays, case["constructor"])


def compare_gradients(cell: Any, args: list[Any], arrays: dict[str, np.ndarray], constructor: str) -> None:
    """Compare the recorded gradients of inputs and Parameters."""
    positions = tuple(k for k, a in enumerate(args) if isinstance(a, Tensor) and a._data.dtype.kind == "f")
    weights = [p for p in cell.get_parameters() if p.requires_grad]
    recorded = [("input", w) for _, w in numbered("gin", arrays)] + [
        ("Parameter", w) for _, w in numbered("gp", arrays)
    ]
    if not recorded or constructor.startswith(OTHER_GRADIENT):
        return
    found = leaves(ms.grad(weighted(cell, arrays), positions or None, weights or None)(*args))
    if constructor.startswith(NO_LABEL_GRADIENT):
        found, recorded = found[:1], recorded[:1]
    assert len(found) == len(recorded)
    for k, (got, (kind, want)) in enumerate(zip(found, recorded, strict=True)):
        close(got, want, f"gradient {k} ({kind})", 2e-3)

"""Layers and losses that MindSpore's CPU wheel cannot run compute what torch's do, or a formula written in torch."""
# ruff: noqa: E501 (a table: one case is one line)

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from laws.operators import leaves
from torch.nn import functional

import sporax as ms
from sporax import Tensor, mint, nn

FOLDER = Path(__file__).parents[2] / "goldens"
SECTIONS = ("layers", "losses", "mint_layers")
ARRAYS = {section: np.load(FOLDER / f"{section}.npz") for section in SECTIONS}


def windows(x: torch.Tensor, rows: int, columns: int, strides: tuple[int, int], rates: tuple[int, int]) -> torch.Tensor:
    """Return (N, C · rows · columns, H', W'): the elements of windows, those of one place in all channels together."""
    found = functional.unfold(x, (rows, columns), rates, 0, strides)
    size = [(x.shape[2 + i] - rates[i] * (k - 1) - 1) // strides[i] + 1 for i, k in enumerate((rows, columns))]
    return found.reshape(len(x), x.shape[1], rows * columns, *size).transpose(1, 2).flatten(1, 2)


def triplet(x: Any, positive: Any, negative: Any, margin: Any, swap: bool = False, reduction: str = "mean") -> Any:
    """Return torch's loss; its margin is a number."""
    return functional.triplet_margin_loss(x, positive, negative, margin.item(), swap=swap, reduction=reduction)


def pooled_embedding(ids: Any, values: Any, fields: Any, table: torch.Tensor, how: str) -> torch.Tensor:
    """Return the rows of each field, weighted and pooled."""
    rows = table[ids.long()] * values[..., None]
    found = []
    for field in range(2):
        mine = (fields == field)[..., None]
        total = torch.where(mine, rows, 0.0).sum(1)
        mean = total / torch.where(mine, values[..., None].abs(), 0.0).sum(1)
        best = torch.where(mine & (values != 0)[..., None], rows, -torch.inf).amax(1)
        found.append({"SUM": total, "MEAN": mean, "MAX": best}[how])
    return torch.stack(found, 1)


def instance_norm(x: Any, mean: Any, variance: Any, gamma: Any, beta: Any) -> Any:
    """Return torch's result; the statistics are those of the input in both modes."""
    return functional.instance_norm(x, None, None, gamma, beta)


# The constructor of MindSpore up to its arguments, and that of torch.
RENAMED = {
    "nn.AvgPool1dExt(": "torch.nn.AvgPool1d(",
    "nn.AvgPool2dExt(": "torch.nn.AvgPool2d(",
    "nn.AvgPool3dExt(": "torch.nn.AvgPool3d(",
    "nn.ELU(": "torch.nn.ELU(",
    "nn.EmbeddingExt(": "torch.nn.Embedding(",
    "nn.L1LossExt(": "torch.nn.L1Loss(",
    "nn.LayerNormExt(": "torch.nn.LayerNorm(",
    "nn.MaxPool2dExt(": "torch.nn.MaxPool2d(",
    "mint.nn.": "torch.nn.",
}
FORMULAS: dict[str, Callable[..., Any]] = {
    "nn.InstanceNorm1d(3)": instance_norm,
    "nn.InstanceNorm2d(3)": instance_norm,
    "nn.InstanceNorm3d(3)": instance_norm,
    "nn.MatDet()": torch.linalg.det,
    "nn.MatInverse()": torch.linalg.inv,
    "nn.MatrixDiag()": torch.diag_embed,
    "nn.MatrixDiagPart()": lambda x: x.diagonal(dim1=-2, dim2=-1),
    "nn.MatrixSetDiag()": lambda x, d: torch.diagonal_scatter(x, d, 0, -2, -1),
    "nn.MultilabelMarginLoss()": lambda x, t: functional.multilabel_margin_loss(x, t.long()),
    "nn.MultilabelMarginLoss('none')": lambda x, t: functional.multilabel_margin_loss(x, t.long(), reduction="none"),
    "nn.MultilabelMarginLoss('sum')": lambda x, t: functional.multilabel_margin_loss(x, t.long(), reduction="sum"),
    "nn.Roll(1, 0)": lambda x: torch.roll(x, 1, 0),
    "nn.Roll([1], [0])": lambda x: torch.roll(x, 1, 0),
    "nn.Roll([1, -1], [0, 1])": lambda x: torch.roll(x, (1, -1), (0, 1)),
    "nn.SoftMarginLoss()": lambda x, y: functional.softplus(-x * y).mean(),
    "mint.nn.SoftMarginLoss()": lambda x, y: functional.softplus(-x * y).mean(),
    "nn.SoftMarginLoss(reduction='none')": lambda x, y: functional.softplus(-x * y),
    "nn.TripletMarginLoss()": triplet,
    "nn.TripletMarginLoss(p=2, swap=True, reduction='none')": lambda *xs: triplet(*xs, swap=True, reduction="none"),
    "nn.Unfold([1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1])": lambda x: windows(x, 2, 2, (1, 1), (1, 1)),
    "nn.Unfold([1, 2, 3, 1], [1, 1, 2, 1], [1, 2, 1, 1], padding='same')": lambda x: windows(functional.pad(x, (0, 1, 1, 1)), 2, 3, (1, 2), (2, 1)),
    "nn.MultiFieldEmbeddingLookup(10, 2, field_size=2, target='DEVICE')": lambda *xs: pooled_embedding(*xs, "SUM"),
    "nn.MultiFieldEmbeddingLookup(10, 2, field_size=2, target='DEVICE', operator='MAX')": lambda *xs: pooled_embedding(*xs, "MAX"),
    "nn.MultiFieldEmbeddingLookup(10, 2, field_size=2, target='DEVICE', operator='MEAN')": lambda *xs: pooled_embedding(*xs, "MEAN"),
}  # fmt: skip
# Tested elsewhere, or by no oracle; with the reason.
LEFT_OUT = {
    "nn.Conv2dThor(": "MindSpore has no kernel for it on the CPU: see optim/test_thor.py",
    "nn.DropoutExt(p=0.3)": "drawn: see nn/test_dropout.py",
    "mint.nn.Upsample(size=(4, 5), mode='bicubic')": "takes the weights of MindSpore's CPU kernel, a = -0.5; torch's a is -0.75",
    "mint.nn.Dropout": "drawn: see nn/test_dropout.py",
}
# MindSpore runs these wrongly, see goldens.py.
WRONG = ("nn.EmbeddingExt(7, 3, max_norm",)
TORCH = {
    "torch": torch,
    "ms": SimpleNamespace(float32=torch.float32),
    "Tensor": lambda value, dtype: torch.tensor(value, dtype=dtype),
}
OURS = {"nn": nn, "mint": mint, "ms": ms, "Tensor": Tensor, "np": np}
NAMES = {"gamma": "weight", "beta": "bias", "moving_mean": "running_mean", "moving_variance": "running_var"}
FAILED = {
    key: (section, case)
    for section in SECTIONS
    for key, case in json.loads((FOLDER / f"{section}.json").read_text())["cases"].items()
    if ("error" in case and not key.startswith(tuple(LEFT_OUT))) or key.startswith(WRONG)
}


def oracle(constructor: str) -> Any:
    """Return a module of torch or a formula."""
    if constructor in FORMULAS:
        return FORMULAS[constructor]
    start, other = next(item for item in RENAMED.items() if constructor.startswith(item[0]))
    return eval((other + constructor.removeprefix(start)).replace("Loss('", "Loss(reduction='"), TORCH)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("key", FAILED)
def test_oracle(key: str) -> None:
    """Outputs in both modes, gradients of inputs and Parameters, moving statistics."""
    section, case = FAILED[key]
    stored = ARRAYS[section]
    arrays = [stored[name] for k in range(9) if (name := f"{case['case']}/in{k}") in stored]
    wide = [a.astype(np.int64) if a.dtype == np.int32 else a for a in arrays]  # what torch takes for labels
    ours, theirs = eval(case["constructor"], OURS), oracle(case["constructor"])
    params = {NAMES.get(p.name, p.name): p for p in ours.get_parameters()}
    rng = np.random.default_rng(0)
    values = {name: rng.uniform(0.2, 1, p.shape).astype(np.float32) for name, p in params.items()}
    module = isinstance(theirs, torch.nn.Module)
    if module:
        state = dict(theirs.state_dict())
        assert {k: tuple(v.shape) for k, v in state.items()} == {k: p.shape for k, p in params.items()}
        values |= {k: v.numpy().copy() for k, v in state.items() if v.dtype != torch.float32}
    for training in (False, True):
        for name, p in params.items():
            p.set_data(Tensor(values[name], p.dtype))
        theirs_args = [torch.tensor(a, requires_grad=a.dtype.kind == "f") for a in wide]
        if module:
            theirs.load_state_dict({k: torch.tensor(v) for k, v in values.items()})
            want = theirs.train(training)(*theirs_args)
            weights = list(theirs.parameters())
        else:
            weights = [torch.tensor(values[name], requires_grad=p.requires_grad) for name, p in params.items()]
            want = theirs(*theirs_args, *weights)
        args = [Tensor(a) for a in arrays]
        got = leaves(ours.set_train(training)(*args))
        wanted = list(want) if isinstance(want, tuple) else [want]
        for one, other in zip(got, wanted, strict=True):
            close(one, other, "output")
        after = {k: v.clone() for k, v in theirs.state_dict().items()} if module else {}
        for name, value in after.items():
            close(params[name], value, name)
        compare_gradients(ours, args, wanted, [t for t in (*theirs_args, *weights) if t.requires_grad])


def compare_gradients(cell: Any, args: list[Tensor], wanted: list[Any], variables: list[Any]) -> None:
    """The gradients of a weighted sum of the floating outputs."""
    rng = np.random.default_rng(1)
    floating = [k for k, out in enumerate(wanted) if out.is_floating_point()]
    cotangents = {k: np.asarray(rng.standard_normal(tuple(wanted[k].shape)), np.float32) for k in floating}
    trained = [p for p in cell.get_parameters() if p.requires_grad]
    positions = tuple(k for k, a in enumerate(args) if a._data.dtype.kind == "f")
    if not (positions or trained):
        return

    def scalar(*xs: Tensor) -> Tensor:
        out = leaves(cell(*xs))
        return sum(((out[k] * Tensor(c)).sum() for k, c in cotangents.items()), Tensor(0.0))

    sum((wanted[k] * torch.tensor(c)).sum() for k, c in cotangents.items()).backward()
    found = leaves(ms.grad(scalar, positions or None, trained or None)(*args))
    for got, leaf in zip(found, variables, strict=True):
        if leaf.grad is not None:
            close(got, leaf.grad, "gradient")
            leaf.grad = None


def close(got: Tensor, want: torch.Tensor, what: str) -> None:
    """Compare shape, dtype and values relative to the largest."""
    have, value = got.asnumpy(), want.detach().numpy()
    assert have.shape == value.shape and have.dtype == value.dtype, f"{what}: {have.dtype}{have.shape}"
    scale = float(np.abs(value).max(initial=1e-3))
    np.testing.assert_allclose(
        have.astype(np.float64), value.astype(np.float64), rtol=0, atol=1e-5 * scale, err_msg=what
    )

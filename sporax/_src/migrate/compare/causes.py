"""Causes of differences: each function in the tables recognises one kind; the first that fits is named."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sporax._src.migrate.compare import experiments, source
from sporax._src.migrate.compare.align import kind
from sporax._src.migrate.compare.settings import differences, sentence

NOTHING: dict[str, Any] = {"kind": "", "library": True, "settings": {}, "source": []}


@dataclass(frozen=True)
class Evidence:
    """The known facts about a difference.

    Args:
        ours, theirs: The descriptions of the layer, in the reference and here.
        values: Its values on both sides; None where one side has none.
        role: The Parameter that differs, by torch's name, if it is one.
        status: The status of the row.
        dtypes: The dtypes, in the reference and here.
        optimizers, losses: Descriptions of both, in the reference and here.
    """

    ours: Mapping[str, Any]
    theirs: Mapping[str, Any] | None = None
    values: experiments.Values | None = None
    role: str = ""
    status: str = ""
    dtypes: tuple[str, str] = ("", "")
    optimizers: tuple[Mapping[str, Any], Mapping[str, Any]] = field(default=(NOTHING, NOTHING))
    losses: tuple[Mapping[str, Any], Mapping[str, Any]] = field(default=(NOTHING, NOTHING))

    @property
    def both(self) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """The descriptions of both layers."""
        return self.ours, self.theirs or NOTHING


Cause = Callable[[Evidence], str]


def no_layer(e: Evidence) -> str:
    """The layer is on one side only."""
    return f"there is no such layer here: {e.ours['kind']} is missing" if e.theirs is None else ""


def settings(e: Evidence) -> str:
    """The settings differ."""
    return sentence(differences(*e.both))


def kinds(e: Evidence) -> str:
    """The layers are of different classes."""
    ours, theirs = e.both
    if kind(ours) != kind(theirs) and ours["library"] and theirs["library"]:
        return f"the layer is a {ours['kind']} in the reference and a {theirs['kind']} here"
    return ""


def no_parameter(e: Evidence) -> str:
    """A Parameter is on one side only."""
    if e.status != "missing":
        return ""
    hint = "MindSpore's Conv2d has has_bias=False by default" if e.role == "bias" and "Conv" in e.ours["kind"] else ""
    return f"{e.role} is missing here" + (f" ({hint})" if hint else "")


def other_dtype(e: Evidence) -> str:
    """The values have another dtype."""
    ours, theirs = e.dtypes
    return f"it computes in {theirs} here and in {ours} in the reference" if e.status == "dtype" else ""


def not_a_number(e: Evidence) -> str:
    """NaN or infinities on one side."""
    if e.status != "not a number" or e.values is None:
        return ""
    side = "here" if not np.isfinite(e.values.got).all() else "in the reference"
    return f"there are values that are no numbers {side}: a division by zero, an overflow or a masked row"


def random(e: Evidence) -> str:
    """The output changes from run to run."""
    if e.status != "random":
        return ""
    return "the output changes from run to run in evaluation mode: dropout, or another draw, is on here"


def layer_values(e: Evidence) -> str:
    """The cause in the values of a layer, or the difference in its code."""
    shown = experiments.tried(experiments.LAYERS, e.values) if e.values is not None else ""
    return "; ".join(filter(None, (shown, code(e))))


def code(e: Evidence) -> str:
    """Where the code of the program's own layer differs."""
    ours, theirs = e.both
    return source.difference(ours["source"], theirs["source"])


def shapes(e: Evidence) -> str:
    """The shapes differ."""
    if e.values is None or e.values.reference.shape == e.values.got.shape:
        return ""
    return f"the shape is {list(e.values.got.shape)} here and {list(e.values.reference.shape)} in the reference"


def parameter_values(e: Evidence) -> str:
    """The cause in the values of a Parameter."""
    shown = experiments.tried(experiments.PARAMETERS, e.values) if e.values is not None else ""
    return f"{e.role}: {shown}" if shown else ""


def loss_settings(e: Evidence) -> str:
    """The settings of the loss differ."""
    return loss_kinds(e) or sentence(differences(*e.losses))


def loss_kinds(e: Evidence) -> str:
    """The losses are of different classes."""
    ours, theirs = e.losses
    if kind(ours) != kind(theirs) and ours["library"] and theirs["library"]:
        return f"the loss is {ours['kind']} in the reference and {theirs['kind']} here"
    return ""


def loss_values(e: Evidence) -> str:
    """The cause in the values of the loss, or the difference in its code."""
    shown = experiments.tried(experiments.LOSSES, e.values) if e.values is not None else ""
    return "; ".join(filter(None, (shown, source.difference(e.losses[0]["source"], e.losses[1]["source"]))))


def no_gradient(e: Evidence) -> str:
    """No gradient arrives on one side."""
    v = e.values
    if v is None or v.reference.shape != v.got.shape:
        return ""
    if not v.got.any():
        return "; ".join(filter(None, ("no gradient arrives here: it is detached (stop_gradient) on the way", code(e))))
    if not v.reference.any():
        return "no gradient arrives in the reference (detach), and one does here"
    return ""


def padding_row(e: Evidence) -> str:
    """A row of an embedding has no gradient on one side."""
    v = e.values
    if v is None or "Embedding" not in e.ours["kind"] or v.got.ndim != 2 or v.got.shape != v.reference.shape:
        return ""
    rows = np.flatnonzero(np.abs(v.got - v.reference).max(1) > 1e-4 * np.abs(v.reference).max())
    zero, other = (v.reference, "here") if not v.reference[rows].any() else (v.got, "in the reference")
    if rows.size == 1 and not zero[rows].any():
        hint = "MindSpore's nn.Embedding trains it, mint.nn.Embedding does not"
        return f"row {rows[0]} has a gradient {other} and none on the other side: padding_idx ({hint})"
    return ""


def gradient_values(e: Evidence) -> str:
    """The cause in the values of a gradient."""
    shown = (
        experiments.tried((experiments.scale, experiments.transposed, experiments.same_numbers), e.values)
        if e.values
        else ""
    )
    return f"the gradient differs: {shown}" if shown else ""


def optimizer_settings(e: Evidence) -> str:
    """The optimizers, or their settings, differ."""
    ours, theirs = e.optimizers
    if kind(ours) != kind(theirs):
        hint = " (it does not correct the moments' bias)" if theirs["kind"] == "AdamWeightDecay" else ""
        return f"the optimizer is {ours['kind']} in the reference and {theirs['kind']} here{hint}"
    return sentence(differences(ours, theirs))


def update_values(e: Evidence) -> str:
    """The cause in the steps."""
    shown = experiments.tried(experiments.UPDATES, e.values) if e.values else ""
    return f"the step differs: {shown}" if shown else ""


def unknown(e: Evidence) -> str:
    """The cause is unknown: only the values differ."""
    return f"the values differ for a reason that settings, code and values of {e.ours['kind'] or 'the network'} do not show"


_ALWAYS = (other_dtype, not_a_number, random)
TABLE: dict[str, tuple[Cause, ...]] = {
    "parameters": (no_layer, kinds, settings, no_parameter, shapes, other_dtype, not_a_number, parameter_values),
    "forward": (*_ALWAYS, kinds, settings, layer_values, shapes),
    "training": (*_ALWAYS, kinds, settings, layer_values, shapes),
    "loss": (loss_settings, loss_values, *_ALWAYS, shapes),
    "gradients": (*_ALWAYS, settings, padding_row, no_gradient, gradient_values, loss_settings, code, shapes),
    "updates": (optimizer_settings, not_a_number, update_values),
    "metric": (optimizer_settings, loss_settings, code),
}


def cause(stage: str, evidence: Evidence) -> str:
    """Return the likely cause of a difference in a sentence without a full stop."""
    return next(text for text in (row(evidence) for row in (*TABLE[stage], unknown)) if text)

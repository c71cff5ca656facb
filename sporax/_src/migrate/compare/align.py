"""Pairs of layers and of Parameters of two networks: by path, else by order and kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

# The classes of Cells under the names of torch.
KINDS = {
    "Dense": "Linear", "NonDynamicallyQuantizableLinear": "Linear", "SequentialCell": "Sequential", "CellList": "ModuleList",
    "CellDict": "ModuleDict", "Conv1dTranspose": "ConvTranspose1d", "Conv2dTranspose": "ConvTranspose2d",
    "Conv3dTranspose": "ConvTranspose3d", "SeLU": "SELU", "HSwish": "Hardswish", "HSigmoid": "Hardsigmoid",
    "HShrink": "Hardshrink", "SoftShrink": "Softshrink", "MultiHeadAttention": "MultiheadAttention", "FastGelu": "GELU",
    "SoftmaxCrossEntropyWithLogits": "CrossEntropyLoss", "Momentum": "SGD",
}  # fmt: skip
# The Parameters of Cells under the names of torch.
ROLES = {
    "gamma": "weight",
    "beta": "bias",
    "moving_mean": "running_mean",
    "moving_variance": "running_var",
    "embedding_table": "weight",
    "w": "weight",
}


def kind(layer: Mapping[str, Any]) -> str:
    """Return the class of a layer under the name that torch has for it."""
    name: str = layer["kind"].removesuffix("Ext")
    return KINDS.get(name, name)


def alike(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two layers may correspond: not if both are library layers of different kinds."""
    return kind(one) == kind(other) or not (one["library"] and other["library"])


def layer_pairs(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, str]:
    """Return the path in `theirs` of each layer of `ours` that has a counterpart.

    Layers with the same path and kind are paired first. Then the rest of one kind is paired in order, and last those
    with the same path.
    """
    pairs = {path: path for path in ours if path in theirs and alike(ours[path], theirs[path])}
    left = [path for path in ours if path not in pairs]
    right = [path for path in theirs if path not in pairs]
    pairs.update(in_order(left, right, [kind(ours[p]) for p in left], [kind(theirs[p]) for p in right]))
    paired = set(pairs.values())
    for path in left:  # layers that were moved
        moved = [p for p in right if p not in paired and kind(theirs[p]) == kind(ours[path])]
        if path not in pairs and moved:
            pairs[path] = moved[0]
            paired.add(moved[0])
    pairs.update({path: path for path in left if path not in pairs and path in theirs and path not in paired})
    return {path: pairs[path] for path in ours if path in pairs}


def parameter_pairs(ours: Sequence[str], theirs: Sequence[str], layers: Mapping[str, str]) -> dict[str, str]:
    """Return the name in `theirs` of each Parameter of `ours`: in pairs of layers, by role."""
    known = {(owner(name), role(name)): name for name in theirs}
    pairs: dict[str, str] = {}
    for name in ours:
        other = known.get((layers.get(owner(name), owner(name)), role(name)))
        if other is not None:
            pairs[name] = other
    return pairs


def in_order(left: Sequence[str], right: Sequence[str], a: Sequence[str], b: Sequence[str]) -> list[tuple[str, str]]:
    """Return pairs of `left` and `right` in order, given the kind of each, by the longest runs of equal kinds."""
    blocks = SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()
    return [(left[m.a + i], right[m.b + i]) for m in blocks for i in range(m.size)]


def owner(name: str) -> str:
    """Return the path of the layer that has a Parameter."""
    return name.rpartition(".")[0]


def role(name: str) -> str:
    """Return the role of a Parameter in its layer, by torch's name."""
    own = name.rpartition(".")[2]
    return ROLES.get(own, own)

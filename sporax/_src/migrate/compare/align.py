"""Which layer of one network is which of the other, and which Parameter: by path, else by order and kind."""

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
    """Tell whether two layers may be the same: not if both are of the libraries and of different kinds."""
    return kind(one) == kind(other) or not (one["library"] and other["library"])


def layer_pairs(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, str]:
    """Return the path in `theirs` of each layer of `ours` that is there too.

    Layers of one path that are alike are the same; of the rest, those of one kind in order; then those of one path.
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
    """Return the name in `theirs` of each Parameter of `ours`: of the layers that are pairs, by role."""
    known = {(owner(name), role(name)): name for name in theirs}
    pairs: dict[str, str] = {}
    for name in ours:
        other = known.get((layers.get(owner(name), owner(name)), role(name)))
        if other is not None:
            pairs[name] = other
    return pairs


def in_order(left: Sequence[str], right: Sequence[str], a: Sequence[str], b: Sequence[str]) -> list[tuple[str, str]]:
    """Return which of `left` is which of `right`, given what kind each is: the longest runs of equal kinds."""
    blocks = SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()
    return [(left[m.a + i], right[m.b + i]) for m in blocks for i in range(m.size)]


def owner(name: str) -> str:
    """Return the path of the layer that has a Parameter."""
    return name.rpartition(".")[0]


def role(name: str) -> str:
    """Return what a Parameter is in its layer, by torch's name."""
    own = name.rpartition(".")[2]
    return ROLES.get(own, own)

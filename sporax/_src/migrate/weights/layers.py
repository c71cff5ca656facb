"""The table of kinds of layers: names and layouts of their arrays on each side. A role is torch's name of an array."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

Shape = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of layer.

    Attributes:
        name: The name in reports.
        torch, cell: The names of its classes on either side.
        names: The names of roles in the classic layers of `nn`, where they differ; those of `mint.nn` are torch's.
        inner: The Cell inside the classic layer that holds its Parameters.
        idle: The values of roles with which the layer behaves as without them.
        extra_axis: Whether the classic layer stores its weight with one more axis, (N, C, 1, k).
        swapped: Whether torch stores the weight as (inputs, outputs).
    """

    name: str
    torch: str = ""
    cell: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    inner: str = ""
    idle: Mapping[str, float] = field(default_factory=dict)
    extra_axis: bool = False
    swapped: bool = False

    def role(self, leaf: str) -> str:
        """Return the role of an array by its name on either side."""
        return next((role for role, name in self.names.items() if name == leaf), leaf)


_SCALE = {"weight": "gamma", "bias": "beta"}
_MOVING = {**_SCALE, "running_mean": "moving_mean", "running_var": "moving_variance"}
_IDLE_SCALE = {"weight": 1.0, "bias": 0.0}
_IDLE_BATCH = {**_IDLE_SCALE, "num_batches_tracked": 0}
_IDLE_INSTANCE = {**_IDLE_SCALE, "running_mean": 0.0, "running_var": 1.0, "num_batches_tracked": 0}

BATCH_NORM = Kind(
    name="batch norm",
    torch="BatchNorm1d BatchNorm2d SyncBatchNorm FrozenBatchNorm2d",
    cell="BatchNorm1d BatchNorm2d SyncBatchNorm",
    names=_MOVING,
    idle=_IDLE_BATCH,
)
BATCH_NORM_3D = Kind(
    name="batch norm", torch="BatchNorm3d", cell="BatchNorm3d", names=_MOVING, inner="bn2d", idle=_IDLE_BATCH
)
INSTANCE_NORM = Kind(
    name="instance norm",
    torch="InstanceNorm1d InstanceNorm2d InstanceNorm3d",
    cell="InstanceNorm1d InstanceNorm2d InstanceNorm3d",
    names=_MOVING,
    idle=_IDLE_INSTANCE,
)
NORM = Kind(
    name="layer or group norm",
    torch="LayerNorm GroupNorm",
    cell="LayerNorm LayerNormExt GroupNorm",
    names=_SCALE,
    idle=_IDLE_SCALE,
)
EMBEDDING = Kind(
    name="embedding",
    torch="Embedding EmbeddingBag",
    cell="Embedding EmbeddingLookup EmbeddingExt",
    names={"weight": "embedding_table"},
)
PRELU = Kind(name="PReLU", torch="PReLU", cell="PReLU PReLUExt", names={"weight": "w"})
CONV_1D = Kind(
    name="1-D convolution",
    torch="Conv1d ConvTranspose1d",
    cell="Conv1d Conv1dTranspose",
    extra_axis=True,
)
CONV = Kind(
    name="convolution",
    torch="Conv2d Conv3d ConvTranspose2d ConvTranspose3d",
    cell="Conv2d Conv3d Conv2dTranspose Conv3dTranspose ConvTranspose2d",
)
LINEAR = Kind(name="linear", torch="Linear", cell="Dense Linear")
LINEAR_SWAPPED = Kind(name="linear, inputs first", torch="Conv1D", cell="Conv1D", swapped=True)
BILINEAR = Kind(name="bilinear", torch="Bilinear", cell="BiDense")
# Of recurrent layers and of attention both sides use the same names, and the same order of gates and of query, key, value.
RECURRENT = Kind(
    name="recurrent", torch="RNN LSTM GRU RNNCell LSTMCell GRUCell", cell="RNN LSTM GRU RNNCell LSTMCell GRUCell"
)
ATTENTION = Kind(name="attention", torch="MultiheadAttention", cell="MultiheadAttention")
RMS_NORM = Kind(name="RMS norm", torch="RMSNorm", cell="RMSNorm", idle={"weight": 1.0})

KINDS = (
    BATCH_NORM, BATCH_NORM_3D, INSTANCE_NORM, NORM, EMBEDDING, PRELU, CONV_1D, CONV, LINEAR, LINEAR_SWAPPED, BILINEAR,
    RECURRENT, ATTENTION, RMS_NORM,
)  # fmt: skip

_BY_CLASS = {side: {name: kind for kind in KINDS for name in getattr(kind, side).split()} for side in ("torch", "cell")}
_EMBEDS = re.compile(r"(^|_)(emb|embed\w*|wte|wpe|lookup|shared)($|_)", re.IGNORECASE)
_ACTIVATES = re.compile(r"(prelu|relu|act)", re.IGNORECASE)


def kind_of(layer: object, side: str) -> Kind | None:
    """Return the kind of a layer by its class or a base class, None if it is not in the table."""
    kinds = (_BY_CLASS[side].get(base.__name__) for base in type(layer).__mro__)
    return next((kind for kind in kinds if kind is not None), None)


def guess(path: str, shapes: Mapping[str, Shape], side: str) -> Kind | None:
    """Return the kind of a layer by the names and shapes of its arrays; None if they do not determine it.

    Args:
        path: The dotted name of the layer.
        shapes: The shapes of its own arrays by their names.
        side: `"torch"` or `"cell"`.
    """
    return (_guess_torch if side == "torch" else _guess_cell)(path.rpartition(".")[2], shapes)


def _guess_torch(last: str, shapes: Mapping[str, Shape]) -> Kind | None:
    names, weight = set(shapes), shapes.get("weight", ())
    if {"running_mean", "running_var"} <= names:
        return BATCH_NORM
    if names == {"weight", "bias"} and len(weight) == 1 and shapes["bias"] == weight:
        return NORM
    if names == {"weight"} and len(weight) == 1 and _ACTIVATES.search(last):
        return PRELU
    if names == {"weight"} and len(weight) == 2 and _EMBEDS.search(last):
        return EMBEDDING
    return CONV_1D if len(weight) == 3 else None


def _guess_cell(last: str, shapes: Mapping[str, Shape]) -> Kind | None:
    names = set(shapes)
    if {"moving_mean", "moving_variance"} <= names:
        return BATCH_NORM
    if {"gamma", "beta"} <= names:
        return NORM
    if "embedding_table" in names:
        return EMBEDDING
    if names == {"w"} and len(shapes["w"]) == 1:
        return PRELU
    one_d = len(shapes.get("weight", ())) == 4 and shapes["weight"][2] == 1 and "1d" in last.lower()
    return CONV_1D if one_d else None

"""The settings of layers, losses and optimizers under common names, and their differences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sporax._src.migrate.compare.align import kind

UNKNOWN = object()


@dataclass(frozen=True)
class Setting:
    """One setting.

    Args:
        name: The common name.
        read: Returns its value from all settings by the names of either framework; UNKNOWN if there is none.
        hint: The usual cause of an unintended difference.
    """

    name: str
    read: Callable[[Mapping[str, Any]], Any]
    hint: str = ""


def first(*names: str) -> Callable[[Mapping[str, Any]], Any]:
    """Read the first of several names that exists."""
    return lambda options: next((options[name] for name in names if name in options), UNKNOWN)


def each_axis(*names: str) -> Callable[[Mapping[str, Any]], Any]:
    """Read a number, or one for each axis; equal ones become one. MindSpore's 1-D layers have 2-D settings."""
    return lambda options: shortest(first(*names)(options), line=options.get("kind", "").endswith("1d"))


def shortest(value: object, line: bool = False) -> Any:
    """Return equal numbers as one, and the two ends of each axis, if they are equal, as one."""
    if not isinstance(value, (list, tuple)) or not value:
        return value
    ends = list(zip(value[::2], value[1::2], strict=False))
    if len(value) in (4, 6) and all(a == b for a, b in ends):
        value = [a for a, _ in ends]
    return value[-1] if len(set(value)) == 1 or (line and len(value) == 2) else tuple(value)


def padding(options: Mapping[str, Any]) -> Any:
    """Read the padding of the input: a number or one for each axis; 'same' if the numbers differ."""
    mode = str(options.get("pad_mode", "pad")).lower()
    value = {"valid": 0, "same": "same"}.get(mode, each_axis("padding")(options))
    if value == "valid":
        return 0
    kernel, dilation = each_axis("kernel_size")(options), each_axis("dilation")(options)
    if value == "same" and each_axis("stride")(options) == 1 and isinstance(kernel, int):
        total = (dilation if isinstance(dilation, int) else 1) * (kernel - 1)
        return total // 2 if total % 2 == 0 else value
    return value


def stride(options: Mapping[str, Any]) -> Any:
    """Read the step of a window; the default is the size of the window."""
    value = each_axis("stride")(options)
    return each_axis("kernel_size")(options) if value is None else value


def approximate(options: Mapping[str, Any]) -> Any:
    """Read the form of GELU."""
    value = first("approximate")(options)
    return {True: "tanh", False: "none"}.get(value, value) if isinstance(value, bool) else value


def dropout(options: Mapping[str, Any]) -> Any:
    """Read the probability to zero a value."""
    if options.get("p") is None and options.get("keep_prob") is not None:
        return round(1 - options["keep_prob"], 7)
    return first("p")(options)


def moving(options: Mapping[str, Any]) -> Any:
    """Read whether moving statistics are used in evaluation."""
    if options.get("use_batch_statistics") is not None:
        return not options["use_batch_statistics"]
    return options.get("track_running_stats", True)


def reduction(options: Mapping[str, Any]) -> Any:
    """Read how a loss is reduced."""
    if options.get("reduction") is not None:
        return options["reduction"]
    if "average" in options:
        return "none" if not options.get("reduce", True) else "mean" if options["average"] else "sum"
    return UNKNOWN


def betas(options: Mapping[str, Any]) -> Any:
    """Read the decay rates of Adam's moments."""
    if "betas" in options:
        return tuple(options["betas"])
    return (options["beta1"], options["beta2"]) if "beta1" in options and "beta2" in options else UNKNOWN


_CONVOLUTION = (
    Setting("kernel_size", each_axis("kernel_size")),
    Setting("stride", stride, "MindSpore's pooling has stride=1 where torch takes the kernel's size"),
    Setting(
        "padding", padding, "MindSpore's Conv2d has pad_mode='same' by default and needs pad_mode='pad' for a padding"
    ),
    Setting("dilation", each_axis("dilation")),
    Setting("groups", first("groups", "group")),
    Setting("ceil_mode", first("ceil_mode")),
    Setting("count_include_pad", first("count_include_pad"), "MindSpore's AvgPool2d has another default"),
    Setting("padding_mode", first("padding_mode")),
)
_BATCH_NORM = (
    Setting("eps", first("eps")),
    Setting("momentum", first("momentum"), "MindSpore's momentum is 1 - torch's"),
    Setting("affine", first("affine")),
    Setting("track_running_stats", moving),
)
_RECURRENT = tuple(
    Setting(n, first(n)) for n in ("hidden_size", "num_layers", "batch_first", "bidirectional", "dropout")
)
_LOSS = (
    Setting("reduction", reduction, "MindSpore's SoftmaxCrossEntropyWithLogits has reduction='none' by default"),
    Setting("label_smoothing", first("label_smoothing")),
    Setting("ignore_index", first("ignore_index")),
    Setting("beta", first("beta")),
    Setting("delta", first("delta")),
)
_OPTIMIZER = (
    Setting("lr", first("lr", "learning_rate")),
    Setting("weight_decay", first("weight_decay"), "torch decays every Parameter; AdamW has 0.01 by default, Adam 0"),
    Setting("betas", betas),
    Setting("eps", first("eps", "epsilon")),
    Setting("momentum", first("momentum")),
    Setting("dampening", first("dampening")),
    Setting("nesterov", first("nesterov", "use_nesterov")),
    Setting("amsgrad", first("amsgrad", "use_amsgrad")),
    Setting("alpha", first("alpha", "decay")),
)
_AXIS = (Setting("dim", first("dim", "axis")),)
_POOL = ("MaxPool", "AvgPool", "LPPool")
TABLE: dict[str, tuple[Setting, ...]] = {
    **{f"{family}{n}d": _CONVOLUTION for family in ("Conv", "ConvTranspose", *_POOL) for n in (1, 2, 3)},
    **{f"{family}Norm{n}d": _BATCH_NORM for family in ("Batch", "Instance") for n in (1, 2, 3)},
    "SyncBatchNorm": _BATCH_NORM,
    "LayerNorm": (Setting("eps", first("eps", "epsilon"), "MindSpore's LayerNorm has 1e-7, torch's 1e-5"),),
    "RMSNorm": (Setting("eps", first("eps", "epsilon")),),
    "GroupNorm": (
        Setting("num_groups", first("num_groups")),
        Setting("eps", first("eps")),
        Setting("affine", first("affine")),
    ),
    "LeakyReLU": (
        Setting("negative_slope", first("negative_slope", "alpha"), "MindSpore's LeakyReLU has 0.2, torch's 0.01"),
    ),
    "ELU": (Setting("alpha", first("alpha")),),
    "CELU": (Setting("alpha", first("alpha")),),
    "GELU": (Setting("approximate", approximate, "MindSpore's nn.GELU is the tanh form unless approximate=False"),),
    "Softplus": (Setting("beta", first("beta")), Setting("threshold", first("threshold"))),
    "Hardtanh": (Setting("min_val", first("min_val")), Setting("max_val", first("max_val"))),
    **dict.fromkeys(("Softmax", "LogSoftmax", "Softmin", "GLU"), _AXIS),
    **{
        name: (Setting("p", dropout, "MindSpore's older argument keep_prob is 1 - p"),)
        for name in ("Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout")
    },
    "Embedding": (Setting("padding_idx", first("padding_idx")), Setting("max_norm", first("max_norm"))),
    "Upsample": (
        Setting("mode", first("mode")),
        Setting("align_corners", lambda options: bool(options.get("align_corners"))),
        Setting("scale_factor", each_axis("scale_factor")),
    ),
    "Flatten": (Setting("start_dim", first("start_dim")), Setting("end_dim", first("end_dim"))),
    "PixelShuffle": (Setting("upscale_factor", first("upscale_factor")),),
    **dict.fromkeys(("RNN", "LSTM", "GRU"), _RECURRENT),
    "MultiheadAttention": tuple(Setting(n, first(n)) for n in ("num_heads", "dropout", "batch_first")),
    "TransformerEncoderLayer": tuple(Setting(n, first(n)) for n in ("norm_first",)),
    **dict.fromkeys(("CrossEntropyLoss", "NLLLoss", "MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss"), _LOSS),
    **dict.fromkeys(("BCELoss", "BCEWithLogitsLoss", "KLDivLoss"), _LOSS),
    **dict.fromkeys(("SGD", "Adam", "AdamW", "RMSprop", "RMSProp", "Adagrad", "Adamax", "Rprop"), _OPTIMIZER),
}


def differences(reference: Mapping[str, Any], got: Mapping[str, Any]) -> list[tuple[Setting, Any, Any]]:
    """Return the settings in which two layers, losses or optimizers of one kind differ, with both values.

    For the program's own classes, all attributes with common names are compared.
    """
    ours, theirs = ({**side["settings"], "kind": kind(side)} for side in (reference, got))
    if kind(reference) == kind(got) and kind(reference) in TABLE:
        known = TABLE[kind(reference)]
    elif not (reference["library"] or got["library"]):
        shared = [n for n in ours if n in theirs and n not in ("kind", "training", "requires_grad")]
        known = tuple(Setting(name, each_axis(name)) for name in shared)
    else:
        known = ()
    pairs = [(setting, setting.read(ours), setting.read(theirs)) for setting in known]
    return [(s, a, b) for s, a, b in pairs if UNKNOWN not in (a, b) and not same(a, b)]


def same(a: object, b: object) -> bool:
    """Return whether two values are equal, numbers as float32."""
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return abs(a - b) <= 1e-6 * max(abs(a), abs(b))
    return a == b


def sentence(pairs: list[tuple[Setting, Any, Any]]) -> str:
    """Return a sentence that names the settings with both values."""
    parts = [f"{s.name} is {shown(a)} in the reference and {shown(b)} here" for s, a, b in pairs]
    hints = list(dict.fromkeys(s.hint for s, _, _ in pairs if s.hint))
    return "; ".join(parts) + "".join(f" ({hint})" for hint in hints)


def shown(value: object) -> str:
    """Return a value as text, floats as those of float32."""
    if isinstance(value, tuple):
        return f"({', '.join(map(shown, value))})"
    return f"{value:.7g}" if isinstance(value, float) else repr(value)

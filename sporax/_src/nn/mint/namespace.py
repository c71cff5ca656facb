"""The layers of `mint.nn` without Parameters: each calls its function of `mint.nn.functional` with its arguments."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection
from functools import cached_property
from typing import Any

from sporax._src.api.mint.functional import FUNCTIONAL
from sporax._src.bindings.primitive import holds, own
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.losses.regression import LossBase

# On the left the constructor, on the right the inputs and, after `|`, the function and its further arguments.
_LAYERS = """
AdaptiveAvgPool1d(output_size) -> input | adaptive_avg_pool1d(output_size)
AdaptiveAvgPool2d(output_size) -> input | adaptive_avg_pool2d(output_size)
AdaptiveAvgPool3d(output_size) -> input | adaptive_avg_pool3d(output_size)
AdaptiveMaxPool1d(output_size, return_indices=False) -> input | adaptive_max_pool1d(output_size, return_indices)
AdaptiveMaxPool2d(output_size, return_indices=False) -> input | adaptive_max_pool2d(output_size, return_indices)
AvgPool1d(kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True) -> \
input | avg_pool1d(kernel_size, stride, padding, ceil_mode, count_include_pad)
AvgPool2d(kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None) -> \
input | avg_pool2d(kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
AvgPool3d(kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None) -> \
input | avg_pool3d(kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
MaxUnpool2d(kernel_size, stride=None, padding=0) -> \
input, indices, output_size=None | max_unpool2d(indices, kernel_size, stride, padding, output_size)
BCELoss(weight=None, reduction='mean') -> input, target | binary_cross_entropy(target, weight, reduction)
BCEWithLogitsLoss(weight=None, reduction='mean', pos_weight=None) -> \
input, target | binary_cross_entropy_with_logits(target, weight, reduction, pos_weight)
CosineEmbeddingLoss(margin=0.0, reduction='mean') -> \
input1, input2, target | cosine_embedding_loss(input2, target, margin, reduction)
CrossEntropyLoss(weight=None, ignore_index=-100, reduction='mean', label_smoothing=0.0) -> \
input, target | cross_entropy(target, weight, ignore_index, reduction, label_smoothing)
KLDivLoss(reduction='mean', log_target=False) -> input, target | kl_div(target, reduction, log_target)
L1Loss(reduction='mean') -> logits, labels | l1_loss(labels, reduction)
MSELoss(reduction='mean') -> input, target | mse_loss(target, reduction)
NLLLoss(weight=None, ignore_index=-100, reduction='mean') -> input, target | nll_loss(target, weight, ignore_index, reduction)
SmoothL1Loss(reduction='mean', beta=1.0) -> input, target | smooth_l1_loss(target, reduction, beta)
SoftMarginLoss(reduction='mean') -> logits, labels | soft_margin_loss(labels, reduction)
ELU(alpha=1.0, inplace=False) -> input | elu(alpha, inplace)
GELU(approximate='none') -> input | gelu(approximate=approximate)
GLU(dim=-1) -> input | glu(dim)
Hardshrink(lambd=0.5) -> input | hardshrink(lambd)
Hardsigmoid() -> input | hardsigmoid()
Hardswish() -> input | hardswish()
Hardtanh(min_val=-1.0, max_val=1.0, inplace=False) -> input | hardtanh(min_val, max_val, inplace)
LogSigmoid() -> input | logsigmoid()
LogSoftmax(dim=None) -> x | log_softmax(dim)
Mish() -> input | mish()
ReLU() -> input | relu()
ReLU6(inplace=False) -> input | relu6(inplace)
SELU() -> input | selu()
SiLU(inplace=False) -> x | silu(inplace)
Sigmoid() -> input | sigmoid()
Softmax(dim=None) -> input | softmax(dim)
Softshrink(lambd=0.5) -> input | softshrink(lambd)
Tanh() -> input | tanh()
Threshold(threshold, value, inplace=False) -> input | threshold(threshold, value, inplace)
Flatten(start_dim=1, end_dim=-1) -> input | flatten(start_dim, end_dim)
Fold(output_size, kernel_size, dilation=1, padding=0, stride=1) -> input | fold(output_size, kernel_size, dilation, padding, stride)
Unfold(kernel_size, dilation=1, padding=0, stride=1) -> input | unfold(kernel_size, dilation, padding, stride)
PixelShuffle(upscale_factor) -> input | pixel_shuffle(upscale_factor)
Upsample(size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None) -> \
input | interpolate(size, scale_factor, mode, align_corners, recompute_scale_factor)
UpsamplingNearest2d(size=None, scale_factor=None) -> input | interpolate(size, scale_factor, 'nearest')
UpsamplingBilinear2d(size=None, scale_factor=None) -> input | interpolate(size, scale_factor, 'bilinear', True)
"""
# Extra attributes: the Primitives of some layers, and the attributes of losses from their base class.
_ATTRIBUTES: dict[str, dict[str, Any]] = {
    "BCEWithLogitsLoss": {"bce_with_logits": holds("BCEWithLogitsLoss", own.reduction)},
    "Hardshrink": {"hshrink": holds("HShrink", own.lambd)},
    "Hardsigmoid": {"hsigmoid": holds("HSigmoid")},
    "Hardswish": {"hswish": holds("HSwish")},
    "L1Loss": {
        "average": cached_property(lambda self: self.reduction != "sum"),
        "reduce": cached_property(lambda self: self.reduction != "none"),
    },
    "LogSoftmax": {"log_softmax": holds("LogSoftmaxExt")},
    "ReLU": {"relu": holds("ReLU")},
    "SoftMarginLoss": {"average": True, "reduce": True},
    "Softshrink": {"softshrink": holds("SoftShrink", own.lambd)},
}
_LINE = re.compile(r"^(\w+)\((.*)\) -> (.*) \| (\w+)\((.*)\)$", re.MULTILINE)


def _layers(text: str) -> dict[str, type[Cell]]:
    """Return the layers of a table's lines; their functions are compiled together, which takes as long as one."""
    parts = _LINE.findall(text)
    assert len(parts) == text.count(" -> "), "a line of the table does not read as one"
    constructors = _compiled([f"lambda self, {parameters}: _begin(**locals())" for _, parameters, *_ in parts])
    call_arguments = [
        _with_self(arguments, fn.__code__.co_varnames) for (*_, arguments), fn in zip(parts, constructors, strict=True)
    ]
    calls = [
        f"lambda self, {inputs}: {target}({', '.join(filter(None, (inputs.split(',')[0], arguments)))})"
        for (_, _, inputs, target, _), arguments in zip(parts, call_arguments, strict=True)
    ]
    every = zip(parts, constructors, _compiled(calls), strict=True)
    return {name: _layer(name, init, target, construct) for (name, _, _, target, _), init, construct in every}


def _begin(self: Any, **attributes: object) -> None:
    Cell.__init__(self)
    for key, value in attributes.items():
        object.__setattr__(self, key, value)


def _layer(name: str, init: Callable[..., Any], target: str, construct: Callable[..., Any]) -> type[Cell]:
    init.__qualname__, construct.__qualname__ = f"{name}.__init__", f"{name}.construct"
    body = {
        "__init__": init,
        "construct": construct,
        "__doc__": f"Calls `mint.nn.functional.{target}`.\n\n{FUNCTIONAL[target].__doc__}",
        "__module__": "sporax.mint.nn",
    }
    attributes = _ATTRIBUTES.get(name, {})
    base: Any = LossBase if "average" in attributes else Cell
    return type(name, (base,), body | attributes)


def _compiled(sources: list[str]) -> list[Callable[..., Any]]:
    return eval(compile(f"[{', '.join(sources)}]", "<op mint.nn>", "eval"), {**FUNCTIONAL, "_begin": _begin})


def _with_self(arguments: str, names: Collection[str]) -> str:
    """Return an argument list in which the names of attributes read them from `self`."""
    call = ast.parse(f"f({arguments})", mode="eval")
    for node in ast.walk(call):
        if isinstance(node, ast.Name) and node.id in names:
            node.id = f"self.{node.id}"
    return ast.unparse(call)[2:-1]


def _padding(name: str, n: int, mode: str, value: float | None) -> type[Cell]:
    def begin(self: Any, padding: Any, value: object) -> None:
        Cell.__init__(self)
        self.padding = (padding,) * (2 * n) if isinstance(padding, int) else tuple(padding)
        if len(self.padding) != 2 * n:
            raise ValueError(f"mint.nn.{name}: padding must be a number or {2 * n} of them, got {padding}.")
        self.value = value

    def __init__(self: Any, padding: object) -> None:
        begin(self, padding, value)

    init = begin if value is None and mode == "constant" else __init__
    init.__qualname__ = f"{name}.__init__"

    def construct(self: Any, input: Tensor) -> Tensor:
        return FUNCTIONAL["pad"](input, self.padding, mode, self.value)

    text = f"Puts elements before and after those of the last {n} axes, see `mint.nn.functional.pad` (mode {mode!r})."
    body = {"__init__": init, "construct": construct, "__doc__": text, "__module__": "sporax.mint.nn"}
    return type(name, (Cell,), body)


_KINDS = {"ConstantPad": ("constant", None), "ZeroPad": ("constant", 0.0), "ReflectionPad": ("reflect", None)}
_KINDS["ReplicationPad"] = ("replicate", None)

LAYERS = _layers(_LAYERS)
for _kind, (_mode, _value) in _KINDS.items():
    for _n in (1, 2, 3):
        LAYERS[f"{_kind}{_n}d"] = _padding(f"{_kind}{_n}d", _n, _mode, _value)


class Identity(Cell):
    """Returns its input.

    Args:
        args, kwargs: Accepted and not used, so that any layer may be replaced by this one.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def construct(self, input: Any) -> Any:
        return input


LAYERS["Identity"] = Identity
globals().update(LAYERS)

__all__ = [*sorted(LAYERS)]  # noqa: PLE0604  # pyright: ignore[reportUnsupportedDunderAll]  (the stub lists them)

"""Sharding rules of operators whose rules do not follow from their graphs: a table of operand axes, and its check.

A rule has a word for each Tensor, in the order of the Tensors, or `name=word` for the Tensor of one argument. A word
has a sign for each axis: `-` stays whole, `?` stays whole if its size is unknown, `.` is free, and axes with the same
letter are sharded equally. A star repeats the sign before it for any number of axes. `?--c b- b` allows sharding of
images along batch and channels, and of boxes along the first axis, like their indices. A rule that depends on the call
is a function of it. The rules reject calls that MindSpore's kernels do not support; XLA could shard them.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from sporax._src.base.jax_compat import is_tracer
from sporax._src.core import tree
from sporax._src.core.parameter import Parameter
from sporax._src.core.symbol import is_unknown
from sporax._src.core.tensor import Tensor, is_tensor
from sporax._src.sharding.layout import Layout
from sporax._src.sharding.strategies import BY_HAND, flat, of_tensors, shown

_ALONE = "-?."  # signs that link no other axes
_INTERLEAVED = "interleaved_parallel"  # the name in a Layout for several pieces on one device


@dataclass(frozen=True)
class Asked:
    """A call of an operator with strategies.

    Attributes:
        label: The name of the operator in errors.
        named: Its attributes and arguments by name.
        tensors: The Tensors among the arguments.
        operand_names: The argument of each Tensor.
        strategies: The strategies of the Tensors.
        devices: How many there are.
    """

    label: str
    named: Mapping[str, Any]
    tensors: Sequence[Tensor]
    operand_names: Sequence[str]
    strategies: Sequence[Any]
    devices: int

    @property
    def by_names(self) -> bool:
        """Whether strategies are Layouts."""
        return any(isinstance(s, Layout) for s in self.strategies)

    def pieces(self, i: int) -> tuple[int, ...]:
        """Return the numbers of pieces along the axes of a Tensor, including pieces on the same device."""
        return tuple(_pieces(self.strategies[i]))

    @property
    def is_open(self) -> bool:
        """Whether the size of an axis is not known."""
        return any(is_unknown(size) for tensor in self.tensors for size in tensor.shape)

    def refuse(self, why: str) -> NoReturn:
        """Raise the error of a strategy that does not fit."""
        raise RuntimeError(f"{self.label}: {why}, got the strategies {shown(self.strategies)}.")


Rule = str | Callable[[Asked], str]


def _pieces(strategy: Any) -> Iterator[int]:
    if not isinstance(strategy, Layout):
        yield from strategy
        return
    described = strategy.to_dict()
    matrix = described["device_matrix"]
    for part in described["tensor_map"]:
        axes = part if isinstance(part, tuple) else (part,)
        yield math.prod(matrix[len(matrix) - 1 - axis] for axis in axes if axis != -1)


# --- rules that depend on the call -----------------------------------------------------------------------------------------


def _axes(asked: Asked, whole: Callable[[int], bool]) -> str:
    return "".join("-" if whole(i) else "." for i in range(asked.tensors[0].ndim))


def _along(argument: str) -> Callable[[Asked], str]:
    """Return the rule that the axes in an argument stay whole; all axes if it is None."""

    def rule(asked: Asked) -> str:
        axes, ndim = asked.named[argument], asked.tensors[0].ndim
        selected = range(ndim) if axes is None else axes if isinstance(axes, (tuple, list)) else (axes,)
        return _axes(asked, {axis % ndim for axis in selected}.__contains__)

    return rule


def _split(argument: str) -> Rule:
    along = _along(argument)
    return lambda asked: "" if asked.named.get("skip_redistribution") else along(asked)


def _zero(argument: str) -> Rule:
    def rule(asked: Asked) -> str:
        if asked.named[argument] != 0:
            asked.refuse(f"with a strategy, {argument} must be 0, not {asked.named[argument]}")
        return ""

    return rule


def _conv(word: str) -> Rule:
    """Return the rule `word`; if sizes are unknown, axes along which kernels overlap stay whole."""
    spatial = word.index(" ") - 2

    def rule(asked: Asked) -> str:
        stride, kernel = (asked.named[n] for n in ("stride", "kernel_size"))
        if isinstance(stride, (tuple, list)) and len(stride) > spatial and set(stride[:2]) != {1}:
            asked.refuse(f"with a strategy, strides along batch and channels must be 1, not {tuple(stride)}")
        steps, sizes = ((n,) * spatial if isinstance(n, int) else tuple(n)[-spatial:] for n in (stride, kernel))
        overlaps = any(size > step for size, step in zip(sizes, steps, strict=True))
        return f"..--{word[4:]}" if asked.is_open and overlaps else word

    return rule


def _conv_transpose(asked: Asked) -> str:
    return _known(asked) or ".... ..--"


def _batch_norm(asked: Asked) -> str:
    size = asked.named.get("group_size")
    if size is None:
        return ""
    if size < 1 or size & (size - 1) or asked.devices % size:
        asked.refuse(f"group_size must be a power of 2 that divides the {asked.devices} devices, not {size}")
    if asked.pieces(0)[0] != asked.devices:
        asked.refuse(f"with a group_size, the batch must be sharded over all {asked.devices} devices")
    return ""


def _known(asked: Asked) -> str:
    if asked.is_open:
        asked.refuse("with a strategy, the sizes of all axes must be known")
    return ""


def _resize(asked: Asked) -> str:
    return _known(asked) if any(map(is_unknown, asked.tensors[0].shape[2:])) else "..-."


def _gather(asked: Asked) -> str:
    axis = asked.named.get("axis", 0) % asked.tensors[0].ndim
    return "." * axis + "?.*"


def _gather_along(asked: Asked) -> str:
    """Return the rule that indices are sharded like the operand that they index, but not along the axis."""
    axis = asked.named["dim"] % asked.tensors[0].ndim
    x, index = ([chr(ord("a") + i) for i in range(asked.tensors[0].ndim)] for _ in range(2))
    x[axis], index[axis] = "?", "-"
    return f"{''.join(x)} {''.join(index)}"


def _scatter(picked: str) -> Rule:
    """Return the rule of scatters: along indexed axes, operands have the sign `picked`."""

    def rule(asked: Asked) -> str:
        indices = asked.tensors[1]
        return f"{picked * indices.shape[-1]}a* -* {'-' * (indices.ndim - 1)}a*"

    return rule


def _padded(asked: Asked) -> str:
    paddings = asked.named["paddings"]
    if isinstance(paddings, Tensor):
        if is_tracer(paddings._data):
            return ""
        paddings = paddings.asnumpy().tolist()
    ndim = asked.tensors[0].ndim
    if not all(isinstance(n, int) for n in paddings):
        return ""
    return _axes(asked, lambda i: any(paddings[2 * (ndim - 1 - i) :][:2]))


def _tile(asked: Asked) -> str:
    """Return the rule for a Layout, which shards elements (numbers shard the repetitions): repeated axes stay whole."""
    repeated, shape = _repeated(asked), asked.tensors[0].shape
    ahead = len(repeated) - len(shape)
    return _axes(asked, lambda i: repeated[ahead + i] > 1 and shape[i] > 1) if asked.by_names else ""


def _repeated(asked: Asked) -> tuple[int, ...]:
    dims = asked.named["dims"]
    return (1,) * (asked.tensors[0].ndim - len(dims)) + tuple(dims)


def _attention(asked: Asked) -> str:
    """Return the rule for sequences packed in one axis: only Layouts can shard queries further than keys."""
    is_joined = asked.named["input_layout"] == "TND" and not asked.by_names
    return "query=t.. key=t.. value=t.." if is_joined else ""


_DECODING = {  # the rules of IncreFlashAttention, by input_layout
    "BSH": "query=b-h key=b-h value=b-h attn_mask=b-* antiquant_scale=-h antiquant_offset=-h",
    "BNSD": "query=bh-- key=bh-- value=bh-- attn_mask=b-* antiquant_scale=-h-- antiquant_offset=-h--",
}
_RULES: dict[str, Rule] = {
    "BatchNorm": _batch_norm,
    "Conv2D": _conv(".... ..--"),
    "Conv2DBackpropInput": _conv_transpose,
    "Conv2DTranspose": _conv_transpose,
    "Conv3D": _conv("....- ..---"),
    "CropAndResize": "?--c b- b",
    "DCT": _along("axis"),
    "DCTN": _along("axes"),
    "DropoutDoMask": _known,
    "EmbeddingLookup": _zero("offset"),
    "FlashAttentionScore": _attention,
    "Gather": _gather,
    "GatherD": _gather_along,
    "GatherNd": "-* .*-",
    "IDCT": _along("axis"),
    "IDCTN": _along("axes"),
    "IncreFlashAttention": lambda asked: _DECODING.get(asked.named["input_layout"], ""),
    "InplaceAdd": "-a* -a*",
    "InplaceSub": "-a* -a*",
    "InplaceUpdate": "-a* -a*",
    "PadV3": _padded,
    "PagedAttention": "..h --h-* --h-* .-",
    "PagedAttentionMask": ".-h --h- --h- .- . .h..",
    "ROIAlign": "?.-- .-",
    "RandomChoiceWithMask": "-*",
    "ResizeBilinear": _resize,
    "ResizeBilinearV2": _resize,
    "ResizeNearestNeighbor": lambda asked: "..--" if asked.named["align_corners"] else "",
    "ScatterNdAdd": _scatter("?"),
    "ScatterNdSub": _scatter("?"),
    "ScatterNdUpdate": _scatter("-"),
    "Split": _split("axis"),
    "SplitV": _split("split_dim"),
    "StridedSlice": _zero("ellipsis_mask"),
    "TensorScatterAdd": _scatter("?"),
    "TensorScatterSub": _scatter("?"),
    "TensorScatterUpdate": _scatter("-"),
    "Tile": _tile,
    "TopK": ".*-",
    "TopkExt": _along("dim"),
    "UniformCandidateSampler": lambda asked: "-*" if asked.named["remove_accidental_hits"] else "",
}


# --- the check -----------------------------------------------------------------------------------------------------------------


def check_rules(primitive: Any, label: str, arguments: Mapping[str, Any], out_strategy: Any, devices: int) -> None:
    """Check the strategies of an operator for a call, as its rule says.

    Args:
        primitive: The operator.
        label: Its name in errors.
        arguments: The arguments of the call, by name.
        out_strategy: The strategy of its results; None: there is none.
        devices: How many there are.

    Raises:
        RuntimeError: If the strategies do not fit.
    """
    if "in_strategy" not in primitive.attrs:
        by_hand = next(name for name in BY_HAND if name in primitive.attrs)
        raise RuntimeError(f"{label}: with {by_hand}, the table needs a strategy, and there is none.")
    tensors: list[Tensor] = []
    operand_names: list[str] = []
    for name, value in arguments.items():
        tree.flatten(value, is_tensor, tensors)
        operand_names += [name] * (len(tensors) - len(operand_names))
    values = (tuple(arguments.values()), {})
    strategies = of_tensors(primitive.attrs["in_strategy"], values, len(tensors))
    if len(strategies) != len(tensors):
        strategies = [s for s in strategies if s != ()]
    named = {**vars(primitive), **primitive.attrs, **arguments}
    asked = Asked(label, named, tensors, operand_names, strategies, devices)
    is_unnamed = any(
        isinstance(s, Layout) and s.tensor_map is None for s in strategies
    )  # an error when the Layout is applied
    if is_unnamed or primitive.attrs.get("self_define_shard"):
        return
    _check_kinds(asked, primitive.name, out_strategy)
    rule = _RULES.get(primitive.name, "")
    _check_words(asked, (rule if isinstance(rule, str) else rule(asked)).split())


def named_arguments(call: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call by name, in the order of the call, with defaults for missing ones."""
    parameters = inspect.signature(call).parameters.values()
    values: dict[str, Any] = {}
    rest = list(args)
    for p in parameters:
        if p.kind is p.VAR_POSITIONAL:
            values[p.name], rest = tuple(rest), []
        elif rest and p.kind is not p.KEYWORD_ONLY:
            values[p.name] = rest.pop(0)
    values.update(kwargs)
    return values | {p.name: p.default for p in parameters if p.default is not p.empty and p.name not in values}


def _check_words(asked: Asked, words: Sequence[str]) -> None:
    """Check each axis against its sign; a Tensor whose number of axes differs from its word is left to its kernel."""
    first: dict[str, tuple[int, str]] = {}
    for i, (tensor, argument, _) in enumerate(zip(asked.tensors, asked.operand_names, asked.strategies, strict=False)):
        word = _word(words, i, argument)
        signs, pieces = _signs(word, tensor.ndim), asked.pieces(i)
        if len(signs) != len(pieces):
            continue
        for axis, (sign, n) in enumerate(zip(signs, pieces, strict=True)):
            at = f"axis {axis} of input {i}"
            if sign == "-" and n > 1:
                asked.refuse(f"{at} cannot be cut")
            if sign == "?" and n > 1 and is_unknown(tensor.shape[axis]):
                asked.refuse(f"{at} cannot be cut if its size is not known")
            before, where = first.setdefault(sign, (n, at)) if sign not in _ALONE else (n, at)
            if before != n:
                asked.refuse(f"{where} and {at} must be sharded equally")


def _word(words: Sequence[str], i: int, argument: str) -> str:
    if words and "=" in words[0]:
        return dict(word.split("=") for word in words).get(argument, "")
    return words[i] if i < len(words) else ""


def _signs(word: str, ndim: int) -> list[str]:
    """Return a sign for each axis; repeated letters get an index."""
    before, star, behind = word.partition("*")
    if not star:
        return list(word)
    sign, count = before[-1], ndim - len(before) + 1 - len(behind)
    return [*before[:-1], *[sign if sign in _ALONE else f"{sign}{i}" for i in range(count)], *behind]


# --- Layouts and results ----------------------------------------------------------------------------------------------------------

_NUMBERS_ALONE = frozenset(
    """
    AddN ApplyRotaryPosEmb ArgMaxWithValue ArgMinWithValue Argmax Argmin AvgPool AvgPool3D BatchNorm Betainc BoundingBoxEncode
    BroadcastTo Cdist CheckValid Concat Conv2D Conv2DBackpropInput Conv2DTranspose Conv3D CropAndResize DCT DCTN DropoutDoMask
    Embedding EmbeddingLookup FFT FFT2 FFTN FFTShift FillV2 FusedInferAttentionScore Gamma Gather GatherD GatherNd
    GridSampler2D GroupNorm HFFT HFFT2 HFFTN IDCT IDCTN IFFT IFFT2 IFFTN IFFTShift IHFFT IHFFT2 IHFFTN IOU IRFFT IRFFT2 IRFFTN
    IncreFlashAttention IndexSelect InplaceAdd InplaceSub InplaceUpdate KLDivLoss LinSpace LstsqV2 MaxPool MaxPool3D OneHot
    OneHotExt PReLU PadV3 PagedAttention PagedAttentionMask PromptFlashAttention RFFT RFFT2 RFFTN ROIAlign
    RandomChoiceWithMask Range ReduceAll ReduceAny ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ResizeBilinear
    ResizeBilinearV2 ResizeNearestNeighbor ScatterAdd ScatterDiv ScatterMax ScatterMin ScatterMul ScatterNdAdd ScatterNdSub
    ScatterNdUpdate ScatterSub ScatterUpdate Select Slice SliceExt SoftmaxCrossEntropyWithLogits SolveTriangular
    SparseGatherV2 SparseSoftmaxCrossEntropyWithLogits SquareSumAll Stack StackExt StridedSlice TensorDot TensorScatterAdd
    TensorScatterDiv TensorScatterMax TensorScatterMin TensorScatterMul TensorScatterSub TensorScatterUpdate TopK TopkExt
    TraceV2 UniformCandidateSampler Unique UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd UnsortedSegmentSum
    """.split()
)  # Layouts shard them only with the attribute self_define_shard
_PRODUCTS = {"MatMul", "MatMulExt", "BatchMatMul", "BatchMatMulExt"}
_RESULTS_BY_NUMBERS = _PRODUCTS | {"Custom", "Embedding", "EmbeddingLookup", "Gather", "SparseGatherV2"}
_RESULTS_BY_NAMES = _PRODUCTS | {"BiasAdd", "Custom", "FlashAttentionScore", "Tile", "Transpose"}


def _check_kinds(asked: Asked, name: str, out_strategy: Any) -> None:
    """Check that an operator takes Layouts, and a strategy of its results, if there are any."""
    if asked.by_names and name in _NUMBERS_ALONE:
        asked.refuse("Layouts cut this operator only with add_prim_attr('self_define_shard', True); give numbers")
    if asked.by_names and asked.is_open:
        _check_open(asked)
    for tensor, strategy in zip(asked.tensors, asked.strategies, strict=False):
        if isinstance(tensor, Parameter) and isinstance(strategy, Layout) and _is_interleaved(strategy):
            asked.refuse(f"the Parameter {tensor.name} cannot be cut along {_INTERLEAVED}")
    if not out_strategy:
        return
    results = list(flat(out_strategy))
    if name not in (_RESULTS_BY_NAMES if any(isinstance(s, Layout) for s in results) else _RESULTS_BY_NUMBERS):
        asked.refuse("results of this operator are cut like its operands; leave out the out_strategy")
    if name == "Tile":
        for axis, (n, times) in enumerate(zip(_pieces(results[0]), _repeated(asked), strict=False)):
            if times > 1 and times % n:
                asked.refuse(f"axis {axis} is repeated {times} times, which cannot be cut into {n} equal parts")


def _check_open(asked: Asked) -> None:
    """Check Layouts with unknown sizes: such axes stay whole, and others are sharded along one name, one piece per device."""
    for i, (tensor, layout) in enumerate(zip(asked.tensors, asked.strategies, strict=True)):
        if _is_interleaved(layout) or any(
            isinstance(part, tuple) and len(part) > 1 for part in layout.to_dict()["tensor_map"]
        ):
            asked.refuse(f"if sizes are not known, each axis must be cut along one name, and not along {_INTERLEAVED}")
        if any(n > 1 and is_unknown(size) for n, size in zip(asked.pieces(i), tensor.shape, strict=True)):
            asked.refuse(f"input {i} cannot be cut along axes whose size is not known")


def _is_interleaved(layout: Layout) -> bool:
    described = layout.to_dict()
    axes = {p for part in described["tensor_map"] for p in (part if isinstance(part, tuple) else (part,))}
    names = described["alias_name"]
    return any(p != -1 and names[len(names) - 1 - p] == _INTERLEAVED for p in axes)

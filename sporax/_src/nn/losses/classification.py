"""Losses of classification."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.bindings.primitive import Primitive, holds, own
from sporax._src.core import dtype as mstype
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.nn.activation import get_activation
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.checks import (
    bad_input,
    choice,
    dtype_input,
    flag,
    integer,
    label,
    of_type,
    rank_input,
    tensor_input,
    within,
)
from sporax._src.nn.losses.regression import LossBase, ReducedLoss
from sporax._src.nn.softmax import LogSoftmax
from sporax._src.ops.nn import classification_loss, regression_loss

__all__ = [
    "BCELoss", "BCEWithLogitsLoss", "CrossEntropyLoss", "DiceLoss", "FocalLoss", "KLDivLoss", "MultiClassDiceLoss",
    "MultilabelMarginLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss", "NLLLoss", "SampledSoftmaxLoss",
    "SoftmaxCrossEntropyWithLogits",
]  # fmt: skip

_HALVES = (mstype.float16, mstype.float32)


def _class_weight(cell: Cell, weight: Tensor | None) -> Any:
    if weight is not None and of_type(cell, "weight", weight, Tensor).dtype not in _HALVES:
        raise TypeError(f"{label(cell)}: weight must be of dtype float16 or float32, got {describe(weight)}.")
    return weight


class SoftmaxCrossEntropyWithLogits(ReducedLoss):
    """Computes -Σ labels · log_softmax(logits) for each row, reduced.

    Args:
        sparse: Whether labels are class indices, shape (N,), rather than probabilities, shape (N, C).
        reduction: `"none"`, `"mean"` or `"sum"`.

    Inputs:
        - **logits** (Tensor) - Shape (N, C).
        - **labels** (Tensor) - Shape (N,), integers, if `sparse`; otherwise (N, C).

    Outputs:
        A Tensor of shape (N,) if `reduction` is `"none"`, otherwise a number.

    Raises:
        TypeError: If `sparse` is not a bool, or an input no Tensor.
        ValueError: If `reduction` is another, or shapes do not fit.

    Examples:
        >>> import sporax as ms
        >>> loss = ms.nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        >>> round(loss(ms.Tensor([[0.0, 0.0]]), ms.Tensor([1], ms.int32)).item(), 4)
        0.6931
    """

    def __init__(self, sparse: bool = False, reduction: str = "none") -> None:
        super().__init__(reduction)
        self.sparse = flag(self, "sparse", sparse)

    # Operators that programs mark for devices.
    one_hot, softmax_cross_entropy = holds("OneHot"), holds("SoftmaxCrossEntropyWithLogits")
    sparse_softmax_cross_entropy = holds("SparseSoftmaxCrossEntropyWithLogits")
    on_value = cached_property(lambda self: Tensor(1.0, mstype.float32))
    off_value = cached_property(lambda self: Tensor(0.0, mstype.float32))
    is_cpugpu = True  # whether the sparse operator serves

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        tensor_input(self, logits=logits, labels=labels)
        return classification_loss.softmax_cross_entropy_of_batch(logits, labels, self.sparse, self.reduction)


class CrossEntropyLoss(ReducedLoss):
    """Computes -Σ weight · target · log_softmax(logits) over the classes, reduced, see `ops.cross_entropy`.

    Args:
        weight: A weight of each class, shape (C,).
        ignore_index: The class index that is ignored. reduction: `"mean"` (weighted), `"sum"` or `"none"`.
            label_smoothing: The part of the target that is spread over all classes, in [0, 1].

    Inputs:
        - **logits** (Tensor) - Shape (C,), (N, C) or (N, C, d1, ...).
        - **labels** (Tensor) - Class indices, shape (), (N,) or (N, d1, ...); or probabilities of the shape of logits.

    Raises:
        TypeError: If an argument has another type.
        ValueError: If a value is out of range, or shapes do not fit.

    Examples:
        >>> import sporax as ms
        >>> round(ms.nn.CrossEntropyLoss()(ms.Tensor([[0.0, 0.0]]), ms.Tensor([1], ms.int32)).item(), 4)
        0.6931
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(reduction)
        self.ignore_index = integer(self, "ignore_index", ignore_index)
        self.label_smoothing = within(
            self, "label_smoothing", of_type(self, "label_smoothing", label_smoothing, float), 0, 1
        )
        self.weight = _class_weight(self, weight)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        tensor_input(self, logits=logits, labels=labels)
        return classification_loss.cross_entropy(
            logits, labels, self.weight, self.ignore_index, self.reduction, self.label_smoothing
        )


class NLLLoss(ReducedLoss):
    """Computes -weight · logits of the labelled class, logits being log probabilities; reduced, see `ops.nll_loss`.

    Args:
        weight: A weight of each class, shape (C,).
        ignore_index: The class index that is ignored.
        reduction: `"mean"` (weighted), `"sum"` or `"none"`.
    """

    def __init__(self, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.ignore_index = integer(self, "ignore_index", ignore_index)
        self.weight = _class_weight(self, weight)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return classification_loss.nll_loss(logits, labels, self.weight, self.ignore_index, self.reduction)


class BCELoss(ReducedLoss):
    """Computes -weight · (labels · ln logits + (1 - labels) · ln(1 - logits)), logits being probabilities; reduced.

    Args:
        weight: A weight of each element, of a shape that broadcasts.
        reduction: `"mean"`, `"sum"` or `"none"`.
    """

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight = weight

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return classification_loss.binary_cross_entropy(logits, labels, self.weight, self.reduction)


class BCEWithLogitsLoss(ReducedLoss):
    """Computes -weight · (pos_weight · target · ln σ(input) + (1 - target) · ln(1 - σ(input))), reduced.

    Args:
        reduction: `"mean"`, `"sum"` or `"none"`.
        weight: A weight of each element, of a shape that broadcasts.
        pos_weight: A weight of the positive part, of a shape that broadcasts.

    Raises:
        TypeError: If a weight is a Parameter.
    """

    _means = True

    def __init__(self, reduction: str = "mean", weight: Tensor | None = None, pos_weight: Tensor | None = None) -> None:
        super().__init__(reduction)
        for name, value in (("weight", weight), ("pos_weight", pos_weight)):
            if isinstance(value, Parameter):
                raise TypeError(f"{label(self)}: {name} must not be a Parameter.")
        self.weight, self.pos_weight = weight, pos_weight

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        tensor_input(self, input=input, target=target)
        return classification_loss.binary_cross_entropy_with_logits(
            input, target, self.weight, self.pos_weight, self.reduction
        )


class KLDivLoss(LossBase):
    """Computes labels · (ln labels - logits), logits being log probabilities; reduced.

    Args:
        reduction: `"mean"`, `"sum"`, `"none"`, or `"batchmean"`: the sum over the size of the first axis.
    """

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = choice(self, "reduction", reduction, ("none", "mean", "sum", "batchmean"))

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        tensor_input(self, logits=logits, labels=labels)
        return regression_loss.kl_div(logits, labels, self.reduction)


class DiceLoss(LossBase):
    """Computes 1 - 2 Σ logits · label / (Σ logits² + Σ label² + smooth).

    Args:
        smooth: Keeps the quotient finite, positive.
    """

    def __init__(self, smooth: float = 1e-5) -> None:
        super().__init__()
        self.smooth = within(self, "smooth", of_type(self, "smooth", smooth, float), 0, float("inf"), "()")

    reshape = holds("Reshape")

    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        _check_pair(self, logits, label)
        dtype_input(self, [t for t in mstype.all_types if t is not mstype.uint8], logits=logits, label=label)
        return classification_loss.dice(logits, label, self.smooth)


def _check_pair(cell: Cell, logits: Tensor, labels: Tensor) -> None:
    tensor_input(cell, logits=logits, label=labels)
    if logits.shape != labels.shape:
        raise bad_input(cell, "logits and label must have the same shape.", logits=logits, label=labels)


class MultiClassDiceLoss(LossBase):
    """Computes the mean of the dice losses of the channels (axis 1).

    Args:
        weights: A weight of each channel, shape (C, K).
        ignore_indiex: The channel that is ignored.
        activation: The activation that is applied to the logits first: a Cell or its name; None for nothing.
    """

    _activations = ("softmax", "logsoftmax", "relu", "relu6", "tanh", "sigmoid")

    def __init__(
        self,
        weights: Tensor | None = None,
        ignore_indiex: int | None = None,
        activation: str | Cell | Primitive | None = "softmax",
    ) -> None:
        super().__init__()
        self.weights = weights
        if weights is not None and len(of_type(self, "weights", weights, Tensor).shape) != 2:
            raise ValueError(f"{label(self)}: weights must have 2 axes, got {describe(weights)}.")
        self.ignore_indiex = None if ignore_indiex is None else integer(self, "ignore_indiex", ignore_indiex)
        if isinstance(activation, str):
            activation = get_activation(choice(self, "activation", activation, self._activations))
        if activation is not None and not isinstance(activation, Cell):
            raise TypeError(f"{label(self)}: activation must be a Cell or its name, got {describe(activation)}.")
        self.binarydiceloss = DiceLoss(smooth=1e-5)
        self.activation = activation

    reshape = holds("Reshape")

    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        _check_pair(self, logits, label)
        if len(label.shape) < 2:
            raise bad_input(self, "logits and label must have 2 axes or more.", logits=logits, label=label)
        if self.weights is not None and self.weights.shape[0] != label.shape[1]:
            raise bad_input(
                self, f"weights {describe(self.weights)} must have a row for each channel.", logits=logits, label=label
            )
        logits = logits if self.activation is None else self.activation(logits)
        return classification_loss.multi_class_dice(logits, label, self.weights, 1e-5, self.ignore_indiex)


class FocalLoss(LossBase):
    """Computes -(1 - p)^gamma · ln p of the labelled classes, p = softmax(logits) over axis 1; reduced.

    Args:
        weight: A weight of each class, shape (C,).
        gamma: The exponent that reduces the weight of easy samples.
        reduction: `"mean"`, `"sum"` or `"none"`.

    Inputs:
        - **logits** (Tensor) - Shape (N, C), (N, C, H) or (N, C, H, W), C > 1.
        - **labels** (Tensor) - The same number of axes; class indices (C = 1) or probabilities.
    """

    def __init__(self, weight: Tensor | None = None, gamma: float = 2.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.gamma = of_type(self, "gamma", gamma, float)
        if weight is not None and len(of_type(self, "weight", weight, Tensor).shape) != 1:
            raise ValueError(f"{label(self)}: weight must have 1 axis, got {describe(weight)}.")
        self.weight = weight
        self.logsoftmax = LogSoftmax(1)

    expand_dims, squeeze, tile = holds("ExpandDims"), holds("Squeeze", 1), holds("Tile")
    gather_d, dtype = holds("GatherD"), holds("DType")

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        tensor_input(self, logits=logits, labels=labels)
        rank_input(self, (2, 3, 4), logits=logits, labels=labels)
        if len(logits.shape) != len(labels.shape):
            raise bad_input(self, "logits and labels must have the same number of axes.", logits=logits, labels=labels)
        if logits.shape[1] == 1 or labels.shape[1] not in (1, logits.shape[1]):
            message = "axis 1 of logits must be the classes (2 or more), that of labels 1 or as many."
            raise bad_input(self, message, logits=logits, labels=labels)
        dtype_input(self, (mstype.int32, mstype.int64, *_HALVES), labels=labels)
        return classification_loss.focal(logits, labels, self.weight, self.gamma, self._kind)


class MultiMarginLoss(ReducedLoss):
    """Computes Σ max(0, margin - x_target + x_i)^p / C over the other classes i, reduced, see `ops.multi_margin_loss`.

    Args:
        p: 1 or 2.
        margin: The margin by which the score of the target should be larger.
        reduction: `"mean"`, `"sum"` or `"none"`.
        weight: A weight of each class, shape (C,).
    """

    _means = True

    def __init__(self, p: int = 1, margin: float = 1.0, reduction: str = "mean", weight: Tensor | None = None) -> None:
        super().__init__(reduction)
        if integer(self, "p", p) not in (1, 2):
            raise ValueError(f"{label(self)}: p must be 1 or 2, got {p}.")
        self.p, self.margin, self.weight = p, of_type(self, "margin", margin, float), weight

    multi_margin_loss = holds("MultiMarginLoss", own.p, own.margin, own.reduction)

    def construct(self, x: Tensor, target: Tensor, weight: Tensor | None = None) -> Tensor:
        tensor_input(self, x=x, target=target)
        weight = weight if self.weight is None else self.weight
        return classification_loss.multi_margin_loss(x, target, self.p, self.margin, weight, self.reduction)


class MultilabelMarginLoss(ReducedLoss):
    """Computes the margins between labelled and other classes, reduced, see `ops.multilabel_margin_loss`.

    Args:
        reduction: `"mean"`, `"sum"` or `"none"`.
    """

    multilabel_margin_loss = holds("MultilabelMarginLoss", own.reduction)

    _means = True

    def construct(self, x: Tensor, target: Tensor) -> Tensor:
        return classification_loss.multilabel_margin_loss(x, target, self.reduction)


class MultiLabelSoftMarginLoss(ReducedLoss):
    """Computes the mean over the classes of their binary cross entropies, reduced.

    Args:
        weight: A weight of each class, shape (C,).
        reduction: `"mean"`, `"sum"` or `"none"`.
    """

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight = weight

    def construct(self, x: Tensor, target: Tensor) -> Tensor:
        return classification_loss.multilabel_soft_margin_loss(x, target, self.weight, self.reduction)


class SampledSoftmaxLoss(LossBase):
    """Computes the cross entropy of each row over its own classes and a sample of the others.

    Args:
        num_sampled: How many classes are drawn.
        num_classes: The number of classes.
        num_true: How many classes each row has.
        sampled_values: The sample (classes, expected counts of the true and of the drawn classes); None: drawn.
        remove_accidental_hits: Whether classes of the rows are not drawn.
        seed: The seed of the draws; 0 for the global one.
        reduction: `"none"`, `"mean"` or `"sum"`.

    Inputs:
        - **weights** (Tensor) - The output layer, shape (num_classes, D).
        - **biases** (Tensor) - Its bias, shape (num_classes,).
        - **labels** (Tensor) - Integers, shape (N, num_true).
        - **logits** (Tensor) - The inputs of the output layer, shape (N, D).

    Outputs:
        A Tensor of shape (N,).
    """

    def __init__(
        self,
        num_sampled: int,
        num_classes: int,
        num_true: int = 1,
        sampled_values: tuple[Tensor, ...] | None = None,
        remove_accidental_hits: bool = True,
        seed: int = 0,
        reduction: str = "none",
    ) -> None:
        super().__init__(reduction)
        for name, value, low, high in (
            ("num_true", num_true, 1, num_classes),
            ("num_sampled", num_sampled, 1, num_classes),
            ("seed", seed, 0, 2**63),
        ):
            within(self, name, value, low, high)
        if sampled_values is not None and len(of_type(self, "sampled_values", sampled_values, (list, tuple))) != 3:
            raise ValueError(f"{label(self)}: sampled_values must have 3 elements, got {len(sampled_values)}.")
        self.num_sampled, self.num_classes, self.num_true = num_sampled, num_classes, num_true
        self.sampled_values, self.remove_accidental_hits, self.seed = sampled_values, remove_accidental_hits, seed

    # The operators of MindSpore's own computation.
    sampler = holds(
        "UniformCandidateSampler",
        own.num_true,
        own.num_sampled,
        True,
        own.num_classes,
        own.seed,
        own.remove_accidental_hits,
    )
    shape, reshape, expand_dims, slice_op = holds("Shape"), holds("Reshape"), holds("ExpandDims"), holds("Slice")
    exp, log, matmul, gather_v2 = holds("Exp"), holds("Log"), holds("MatMul", False, True), holds("Gather")
    reduce_max_true, reduce_sum_true = holds("ReduceMax", True), holds("ReduceSum", True)
    concat_dim0, concat_dim1, dtype = holds("Concat", 0), holds("Concat", 1), holds("DType")
    ones_like, zeros_like = holds("OnesLike"), holds("ZerosLike")

    def construct(self, weights: Tensor, biases: Tensor, labels: Tensor, logits: Tensor) -> Tensor:
        tensor_input(self, weights=weights, biases=biases, labels=labels, logits=logits)
        dtype_input(self, (mstype.int32, mstype.int64), labels=labels)
        sample = self.sampled_values or classification_loss.candidates(
            labels, self.num_sampled, self.num_classes, self.remove_accidental_hits, self.seed
        )
        sampled, of_labels, of_sampled = sample
        return classification_loss.sampled_softmax(
            weights, biases, labels, logits, sampled, of_labels, of_sampled, self.num_true
        )

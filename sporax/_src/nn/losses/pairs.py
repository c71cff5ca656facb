"""Losses of pairs and triplets, and of signs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.bindings.primitive import holds
from sporax._src.core.tensor import Tensor
from sporax._src.nn.checks import bad_input, flag, label, of_type, tensor_input, within
from sporax._src.nn.losses.regression import LossBase, ReducedLoss
from sporax._src.ops.math import norms
from sporax._src.ops.math.arithmetic import minimum, sub
from sporax._src.ops.nn import classification_loss, regression_loss

__all__ = [
    "CosineEmbeddingLoss", "HingeEmbeddingLoss", "MarginRankingLoss", "SoftMarginLoss", "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]  # fmt: skip


class MarginRankingLoss(ReducedLoss):
    """Computes max(0, -target · (input1 - input2) + margin), reduced.

    Args:
        margin: How much larger the first input should be where target is 1.
        reduction: `"mean"`, `"sum"` or `"none"`.
    """

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = of_type(self, "margin", margin, (float, int))

    def construct(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return regression_loss.margin_ranking_loss(input1, input2, target, self.margin, self.reduction)


class SoftMarginLoss(ReducedLoss):
    """Computes ln(1 + exp(-labels · logits)), labels being 1 or -1; reduced.

    Args:
        reduction: `"mean"`, `"sum"` or `"none"`.
    """

    _means = True

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return regression_loss.soft_margin_loss(logits, labels, self.reduction)


class HingeEmbeddingLoss(ReducedLoss):
    """Computes logits where labels is 1 and max(0, margin - logits) where it is -1, reduced.

    Args:
        margin: The value that logits should exceed where labels is -1.
        reduction: `"mean"`, `"sum"` or `"none"`.
    """

    _means = True

    def __init__(self, margin: float = 1.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = of_type(self, "margin", margin, (float, int))

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return regression_loss.hinge_embedding_loss(logits, labels, self.margin, self.reduction)


class CosineEmbeddingLoss(ReducedLoss):
    """Computes 1 - cos(x1, x2) where labels is 1 and max(0, cos(x1, x2) - margin) where it is -1, reduced.

    Args:
        margin: In [-1, 1].
        reduction: `"mean"`, `"sum"` or `"none"`.

    Inputs:
        - **logits_x1**, **logits_x2** (Tensor) - Shape (N, D).
        - **labels** (Tensor) - 1 or -1, shape (N,).
    """

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = within(self, "margin", of_type(self, "margin", margin, float), -1, 1)

    maximum = holds("Maximum")

    def construct(self, logits_x1: Tensor, logits_x2: Tensor, labels: Tensor) -> Tensor:
        tensor_input(self, logits_x1=logits_x1, logits_x2=logits_x2, labels=labels)
        if logits_x1.shape != logits_x2.shape or logits_x1.dtype != logits_x2.dtype:
            raise bad_input(self, "both must have the same shape and dtype.", logits_x1=logits_x1, logits_x2=logits_x2)
        return regression_loss.cosine_embedding_loss(logits_x1, logits_x2, labels, self.margin, self.reduction)


class TripletMarginLoss(ReducedLoss):
    """Computes max(0, d(x, positive) - d(x, negative) + margin), d the p-norm of the difference; reduced.

    Args:
        p: The power of the norm.
        swap: Whether d(positive, negative) counts instead of d(x, negative) where it is smaller.
        eps: Added to the differences.
        reduction: `"mean"`, `"sum"` or `"none"`.
        margin: How much farther the negative should be; if this is 1.0, the `margin` of the call is used.
    """

    _means = True

    def __init__(
        self, p: int = 2, swap: bool = False, eps: float = 1e-6, reduction: str = "mean", margin: float = 1.0
    ) -> None:
        super().__init__(reduction)
        self.p, self.swap, self.eps, self.margin = p, swap, eps, margin

    def construct(self, x: Tensor, positive: Tensor, negative: Tensor, margin: float | Tensor = 1.0) -> Tensor:
        margin = margin if self.margin == 1.0 else self.margin
        return regression_loss.triplet_margin_loss(
            x, positive, negative, margin, self.p, self.eps, self.swap, self.reduction
        )


def _pairwise_distance(x: Tensor, y: Tensor) -> Tensor:
    return norms.l2_norm(sub(x, y), 1)


class TripletMarginWithDistanceLoss(LossBase):
    """Computes max(0, d(x, positive) - d(x, negative) + margin), reduced.

    Args:
        distance_function: The function d of two Tensors; None for the Euclidean distance of rows.
        swap: Whether d(positive, negative) counts instead of d(x, negative) where it is smaller.
        reduction: `"mean"`, `"sum"` or `"none"`.
        margin: How much farther the negative should be.
    """

    def __init__(
        self,
        distance_function: Callable[[Any, Any], Any] | None = None,
        swap: bool = False,
        reduction: str = "mean",
        margin: float = 1.0,
    ) -> None:
        super().__init__(reduction)
        self.margin = of_type(self, "margin", margin, float)
        self.swap = flag(self, "swap", swap)
        if distance_function is not None and not callable(distance_function):
            raise TypeError(f"{label(self)}: distance_function must be a function, got {describe(distance_function)}.")
        self.distance_function = distance_function or _pairwise_distance
        self.reduction = reduction

    maximum, minimum = holds("Maximum"), holds("Minimum")

    def construct(self, x: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        tensor_input(self, x=x, positive=positive, negative=negative)
        near, far = self.distance_function(x, positive), self.distance_function(x, negative)
        far = minimum(far, self.distance_function(positive, negative)) if self.swap else far
        return classification_loss.triplet(near, far, self.margin, self._kind)

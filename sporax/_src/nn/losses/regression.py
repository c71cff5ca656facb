"""The base of losses, and losses of regression."""

from __future__ import annotations

from sporax._src.bindings.primitive import holds, own
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.checks import choice, dtype_input, flag, of_type, tensor_input, within
from sporax._src.ops.nn import classification_loss, regression_loss

__all__ = [
    "GaussianNLLLoss", "HuberLoss", "L1Loss", "L1LossExt", "LossBase", "MAELoss", "MSELoss", "PoissonNLLLoss",
    "RMSELoss", "SmoothL1Loss",
]  # fmt: skip

REDUCTIONS = ("mean", "sum", "none")


class LossBase(Cell):
    """The base of losses: a subclass computes a loss of each element in `construct` and returns `self.get_loss(loss)`.

    Args:
        reduction: `"mean"`, `"sum"` or `"none"`.

    Raises:
        ValueError: If `reduction` is another.

    Examples:
        >>> import sporax as ms
        >>> class Cubic(ms.nn.LossBase):
        ...     def construct(self, logits, labels):
        ...         return self.get_loss((logits - labels) ** 3)
        >>> Cubic()(ms.Tensor([1.0, 3.0]), ms.Tensor([0.0, 0.0])).item()
        14.0
    """

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        choice(self, "reduction", reduction, REDUCTIONS)
        self.average = reduction != "sum"
        self.reduce = reduction != "none"

    reduce_mean, reduce_sum, mul, cast = holds("ReduceMean"), holds("ReduceSum"), holds("Mul"), holds("Cast")

    @property
    def _kind(self) -> str:
        return "none" if not self.reduce else "mean" if self.average else "sum"

    def get_axis(self, x: Tensor) -> tuple[int, ...]:
        """Return all axes of x."""
        return tuple(range(len(x.shape)))

    def get_loss(self, x: Tensor, weights: float | Tensor = 1.0) -> Tensor:
        """Return x · weights, reduced.

        Args:
            x: The loss of each element.
            weights: A number or a Tensor that broadcasts to x.
        """
        return classification_loss.weighted_loss(x, weights, self._kind)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} must define construct.")


class _Loss(LossBase):
    """The former name of `LossBase`."""


class ReducedLoss(LossBase):
    """A loss whose operator reduces; in some of MindSpore's losses, `get_loss` always takes the mean."""

    _means = False

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.reduction = reduction
        if self._means:
            self.average = self.reduce = True


class L1Loss(ReducedLoss):
    """Computes |logits - labels|, reduced.

    Args:
        reduction: `"mean"`, `"sum"` or `"none"`.
    """

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return regression_loss.l1_loss(logits, labels, self.reduction)


class L1LossExt(L1Loss):
    """Computes |logits - labels|, reduced.

    Args:
        reduction: `"mean"`, `"sum"` or `"none"`.
    """


class MSELoss(LossBase):
    """Computes (logits - labels)², reduced.

    Args:
        reduction: `"mean"`, `"sum"` or `"none"`.

    Inputs:
        - **logits** (Tensor) - Any shape.
        - **labels** (Tensor) - A shape that broadcasts with it.

    Outputs:
        A Tensor: a number, or the loss of each element if `reduction` is `"none"`.

    Raises:
        TypeError: If an input is no Tensor.
        ValueError: If `reduction` is another, or shapes do not fit.

    Examples:
        >>> import sporax as ms
        >>> ms.nn.MSELoss()(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 4.0])).item()
        2.0
    """

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        tensor_input(self, logits=logits, labels=labels)
        return classification_loss.squared_error(logits, labels, self._kind)


_UNSIGNED = (mstype.uint8, mstype.uint16, mstype.uint32, mstype.uint64)


class RMSELoss(LossBase):
    """Computes √mean((logits - label)²)."""

    def __init__(self) -> None:
        super().__init__()
        self.MSELoss = MSELoss()

    dtype = holds("DType")

    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        dtype_input(self, [t for t in mstype.all_types if t not in _UNSIGNED], logits=logits, label=label)
        return classification_loss.root_mean_squared_error(logits, label)


class MAELoss(LossBase):
    """Computes |logits - label|, reduced.

    Args:
        reduction: `"mean"`, `"sum"` or `"none"`.
    """

    abs = holds("Abs")

    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        tensor_input(self, logits=logits, label=label)
        return classification_loss.absolute_error(logits, label, self._kind)


class SmoothL1Loss(ReducedLoss):
    """Computes d² / (2 beta) where d = |logits - labels| < beta and d - beta / 2 elsewhere, reduced.

    Args:
        beta: The difference at which the loss turns from a parabola into a line, at least 0.
        reduction: `"none"`, `"mean"` or `"sum"`.
    """

    def __init__(self, beta: float = 1.0, reduction: str = "none") -> None:
        super().__init__(reduction)
        self.beta = float(of_type(self, "beta", beta, (float, int)))

    smooth_l1_loss = holds("SmoothL1Loss", own.beta, own.reduction)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return regression_loss.smooth_l1_loss(logits, labels, self.beta, self.reduction)


class HuberLoss(ReducedLoss):
    """Computes d² / 2 where d = |logits - labels| < delta and delta · (d - delta / 2) elsewhere, reduced.

    Args:
        reduction: `"mean"`, `"sum"` or `"none"`.
        delta: The difference at which the loss turns from a parabola into a line, positive.
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction)
        self.delta = of_type(self, "delta", delta, (float, int))

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return regression_loss.huber_loss(logits, labels, self.reduction, self.delta)


class PoissonNLLLoss(LossBase):
    """Computes exp(input) - target · input, the negative log likelihood of Poisson counts, reduced.

    Args:
        log_input: Whether input is the logarithm of the rate; otherwise input - target · ln(input + eps) is computed.
        full: Whether to add Stirling's approximation of ln target!.
        eps: Keeps the logarithm finite.
        reduction: `"mean"`, `"sum"` or `"none"`.
    """

    def __init__(self, log_input: bool = True, full: bool = False, eps: float = 1e-8, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.log_input, self.full, self.eps = log_input, full, eps

    maximum = holds("Maximum")

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        tensor_input(self, input=input, target=target)
        return classification_loss.poisson_nll(input, target, self.log_input, self.full, self.eps, self._kind)


class GaussianNLLLoss(ReducedLoss):
    """Computes (ln max(var, eps) + (logits - labels)² / max(var, eps)) / 2, reduced.

    Args:
        full: Whether to add ln(2π) / 2.
        eps: The least variance, positive.
        reduction: `"mean"`, `"sum"` or `"none"`.
    """

    _means = True

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.full = flag(self, "full", full)
        self.eps = within(self, "eps", eps, 0, float("inf"), "()")

    def construct(self, logits: Tensor, labels: Tensor, var: Tensor) -> Tensor:
        tensor_input(self, logits=logits, labels=labels, var=var)
        return regression_loss.gaussian_nll_loss(logits, labels, var, self.full, self.eps, self.reduction)

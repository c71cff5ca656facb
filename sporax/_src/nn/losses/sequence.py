"""Losses of sequences."""

from __future__ import annotations

from collections.abc import Sequence

from sporax._src.core.tensor import Tensor
from sporax._src.nn.checks import bad_input, tensor_input
from sporax._src.nn.losses.regression import ReducedLoss
from sporax._src.ops.nn.ctc import ctc_loss

__all__ = ["CTCLoss"]  # fmt: skip


class CTCLoss(ReducedLoss):
    """Computes the connectionist temporal classification loss, see `ops.ctc_loss`.

    Args:
        blank: The class that stands for no symbol.
        reduction: `"mean"`, `"sum"` or `"none"`.
        zero_infinity: Whether infinite losses, and their gradients, count as 0.

    Inputs:
        - **log_probs** (Tensor) - Shape (T, N, C) or (T, C).
        - **targets** (Tensor) - Integers, shape (N, S); (S,) or (1, S) for log_probs of 2 axes.
        - **input_lengths**, **target_lengths** (Tensor or tuple) - Shape (N,).
    """

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction)
        self.blank, self.zero_infinity = blank, zero_infinity

    def construct(
        self,
        log_probs: Tensor,
        targets: Tensor,
        input_lengths: Tensor | Sequence[int],
        target_lengths: Tensor | Sequence[int],
    ) -> Tensor:
        tensor_input(self, log_probs=log_probs, targets=targets)
        single = len(log_probs.shape) == 2
        if single:
            if len(targets.shape) > 2 or (len(targets.shape) == 2 and targets.shape[0] != 1):
                raise bad_input(self, "targets must have shape (S,) or (1, S).", log_probs=log_probs, targets=targets)
            log_probs, targets = log_probs.expand_dims(1), targets.reshape(1, -1)
        value, _ = ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity
        )
        return value.squeeze(0) if single and self.reduction == "none" else value

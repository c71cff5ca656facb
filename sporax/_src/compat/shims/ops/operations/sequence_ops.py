"""The operator of `mindspore.ops.operations._sequence_ops` that mindformers (`modules/transformer/moe.py`) imports."""

from __future__ import annotations

from typing import Any

from sporax import Tensor
from sporax.ops import Primitive


class TensorToScalar(Primitive):
    """The number that a Tensor of one element holds; None of what has more, or is no Tensor.

    Inputs:
        input_tensor: A Tensor of shape () or (1,).
    """

    def __init__(self) -> None:
        super().__init__("TensorToScalar")

    def __call__(self, input_tensor: Any) -> Any:
        one = isinstance(input_tensor, Tensor) and input_tensor.shape in ((), (1,))
        return input_tensor.item() if one else None

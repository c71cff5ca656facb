"""The loss of MindSpore 1.x's transformers."""

from __future__ import annotations

from sporax import Tensor, float32, int32, nn
from sporax._src.compat.operators import ops
from sporax._src.compat.transformer.layers import _check_input_dtype
from sporax._src.compat.transformer.op_parallel_config import OpParallelConfig, default_dpmp_config

__all__ = ["CrossEntropyLoss"]


class CrossEntropyLoss(nn.Cell):
    """Σ mask · −log softmax(logits)[label] / (Σ mask + 1e-5).

    Inputs:
        - **logits**: (N, C). **label**: int32 (N,). **input_mask**: float32 (N,), 0 where a row does not count.

    Outputs:
        A Tensor (1,).

    Raises:
        TypeError: If `parallel_config` is no `OpParallelConfig`, or an input has an unexpected type.
    """

    def __init__(self, parallel_config: object = default_dpmp_config) -> None:
        super().__init__()
        if not isinstance(parallel_config, OpParallelConfig):
            raise TypeError(f"CrossEntropyLoss: parallel_config must be an OpParallelConfig, got {parallel_config!r}.")

    def construct(self, logits: Tensor, label: Tensor, input_mask: Tensor) -> Tensor:
        _check_input_dtype(label.dtype, "label", [int32], self.cls_name)
        _check_input_dtype(input_mask.dtype, "input_mask", [float32], self.cls_name)
        rows = ops.log_softmax(logits.astype(float32), -1)
        losses = -ops.gather_elements(rows, 1, label.reshape(-1, 1)).reshape(-1)
        mask = input_mask.reshape(-1)
        return ((losses * mask).sum() / (mask.sum() + 1e-5)).reshape(1)

"""Mixed precision by operator: which operators compute in half precision, and which in float32.

Products and convolutions are as good in half precision, since they add up in float32; exponentials, logarithms, norms and
losses are not. Operators that take operands of one dtype compute in the widest they are given. The lists are those of
MindSpore's level "auto". Every other operator computes in what it is given.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

NARROW = frozenset(
    "_convolution conv1d conv2d conv3d _conv_transposed conv_transpose conv_transpose2d conv3d_transpose matmul bmm einsum "
    "dense addmm addbmm addmv baddbmm mv prelu".split()
)
WIDE = frozenset(
    "pow acos asin cosh erfinv exp expm1 log log10 log1p log2 reciprocal rsqrt sinh tan softplus layer_norm "
    "batch_norm _batch_norm_train _batch_norm_infer group_norm norm vector_norm kl_div smooth_l1_loss "
    "multilabel_margin_loss soft_margin_loss triplet_margin_loss multi_margin_loss binary_cross_entropy_with_logits "
    "pdist cdist renorm prod reduce_prod softmax log_softmax cumprod cumsum sum l1_loss mse_loss nll_loss "
    "cross_entropy".split()
)
WIDEST = frozenset("cat hstack vstack dstack column_stack grid_sample".split())


class ByOperator(NamedTuple):
    """The dtype that each operator casts its float operands to.

    Attributes:
        half: What the operators of `NARROW` compute in; those of `WIDE` do in float32, those of `WIDEST` in the widest
            float among their operands.
    """

    half: np.dtype

    def of(self, kernel: str) -> np.dtype | str | None:
        """Return what an operator computes in, by the name of its kernel; None: in what it is given."""
        name = kernel.removeprefix("ops.")
        if name in WIDEST:
            return "widest"
        return self.half if name in NARROW else np.dtype(np.float32) if name in WIDE else None

"""Mixed precision by operator: which operators compute in half precision, and which in float32.

Products and convolutions are accurate in half precision, since they accumulate in float32; exponentials, logarithms, norms and
losses are not. Operators whose operands must have one dtype compute in the widest dtype among them. Each operator
declares its rule, as in MindSpore's level "auto". Every other operator computes in the dtypes of its operands.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np

Amp: TypeAlias = Literal["half", "float32", "widest"]


class ByOperator(NamedTuple):
    """The dtype that each operator casts its float operands to.

    Attributes:
        half: The dtype of operators whose rows say `amp="half"`.
    """

    half: np.dtype

    def of(self, amp: Amp | None) -> np.dtype | str | None:
        """Return the dtype in which an operator computes, by the rule of its row; None: that of its operands."""
        if amp == "half":
            return self.half
        return np.dtype(np.float32) if amp == "float32" else amp

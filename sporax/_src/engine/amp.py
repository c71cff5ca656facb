"""Mixed precision by operator: which operators compute in half precision, and which in float32.

Products and convolutions are as good in half precision, since they add up in float32; exponentials, logarithms, norms and
losses are not. Operators that take operands of one dtype compute in the widest they are given. A row says so itself, as
MindSpore's level "auto" has it. Every other operator computes in what it is given.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np

Amp: TypeAlias = Literal["half", "float32", "widest"]


class ByOperator(NamedTuple):
    """The dtype that each operator casts its float operands to.

    Attributes:
        half: What the operators compute in whose rows say `amp="half"`.
    """

    half: np.dtype

    def of(self, amp: Amp | None) -> np.dtype | str | None:
        """Return what an operator computes in, by the word of its row; None: in what it is given."""
        if amp == "half":
            return self.half
        return np.dtype(np.float32) if amp == "float32" else amp

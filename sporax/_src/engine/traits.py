"""The properties that operators declare for their kernels."""

from __future__ import annotations

from typing import NamedTuple

from sporax._src.engine import lenses
from sporax._src.engine.amp import Amp


class Traits(NamedTuple):
    """The properties that an operator declares for its kernels.

    Attributes:
        amp: The rule of mixed precision by operator; None: the operator keeps the dtypes of its operands (see `amp`).
        convolves: Whether XLA gets the compiler options for convolutions.
        casts: Whether it converts its one operand to another dtype, through which gradients pass to integers.
        exchanges: Whether it is a collective, which exchanges values with other processes.
        views: Whether its results are views of its first operand (see `core.views`), or a `Lens` if its graph does not show how.
        iterates: Whether it loops over time, so that its backward keeps the activations of the loop.
    """

    amp: Amp | None = None
    convolves: bool = False
    casts: bool = False
    exchanges: bool = False
    views: bool | lenses.Lens = False
    iterates: bool = False


PLAIN = Traits()

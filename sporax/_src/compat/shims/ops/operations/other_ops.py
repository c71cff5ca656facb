"""Operators of `mindspore.ops.operations.other_ops` of MindSpore 1.x for parameter servers, of which there is none here.

Optimizers of `models` (`research/cv/NFNet`) make them, in any case.
"""

from __future__ import annotations

from typing import Any

from sporax.ops import Primitive


class _ServerOperator(Primitive):
    def __call__(self, *args: object) -> Any:
        raise RuntimeError(
            f"ops.{self.name}: there is no parameter server to talk to; Parameters are updated where they are."
        )


class Push(_ServerOperator):
    """Sends the inputs of an optimizer to a parameter server; a run without one only makes it.

    Args:
        optim_type: The name of the optimizer's operator.
        only_shape_indices: Which inputs send their shapes only.
    """

    def __init__(self, optim_type: str = "ApplyMomentum", only_shape_indices: object = None) -> None:
        super().__init__("Push")
        self.optim_type, self.only_shape_indices = optim_type, only_shape_indices


class Pull(_ServerOperator):
    """Fetches a Parameter from a parameter server; a run without one only makes it."""

    def __init__(self) -> None:
        super().__init__("Pull")

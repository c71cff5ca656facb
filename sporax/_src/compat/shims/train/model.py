"""What training loops of their own import from `mindspore.train.model`; mindscience (`sponge/core/sponge.py`) does."""

from __future__ import annotations

from typing import Any

from sporax import Tensor
from sporax._src.compat.shims.common.api import PyNativeExecutor
from sporax.train import Callback


def _transfer_tensor_to_tuple(inputs: object) -> Any:
    """Return a Tensor as a tuple of one, other things as they are."""
    return (inputs,) if isinstance(inputs, Tensor) else inputs


class _StepSync(Callback):
    """Waits after each step until it has finished."""

    def step_end(self, run_context: Any) -> None:
        PyNativeExecutor().sync()

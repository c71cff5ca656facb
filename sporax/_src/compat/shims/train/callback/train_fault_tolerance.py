"""The callback of `mindspore.train.callback._train_fault_tolerance`; mindformers (`core/optim/build_optim.py`) imports it."""

from __future__ import annotations

from sporax.train import Callback


class TrainFaultTolerance(Callback):
    """MindSpore's callback for trainings whose Ascend devices fail, which raises where there is none.

    Raises:
        ValueError: Always.
    """

    def __init__(self, ckpt_save_path: str | None = None, **kwargs: object) -> None:
        raise ValueError("TrainFaultTolerance: only a training on Ascend can go on without a device that failed.")

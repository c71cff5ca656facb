"""WandbCallback: the values of a run for Weights & Biases, by its own package."""

from __future__ import annotations

from typing import Any

from sporax._src.train.callbacks.tracking import Tracker


class WandbCallback(Tracker):
    """Log to Weights & Biases the loss, the learning rate and the metrics of a run of `Model`.

    An open run of `wandb` is used and stays open; otherwise the callback begins and ends a run.

    Args:
        every: Steps between two reports of loss and learning rate.
        **options: Given to `wandb.init`: `project="digits"`, `config={...}`, `mode="offline"`, `dir="runs"`, ...

    Raises:
        TypeError: If `every` is not an int.
        ValueError: If `every` is not positive.
        RuntimeError: If the package wandb is not installed (when the run begins).

    Examples:
        >>> import sporax as ms
        >>> tracked = ms.train.WandbCallback(every=100, project="digits", mode="offline")
    """

    def __init__(self, every: int = 50, **options: object) -> None:
        super().__init__(every)
        self._options = options
        self._run: Any = None
        self._is_ours = False

    def open(self) -> None:
        """Begin a run, or use the open one."""
        try:
            import wandb
        except ImportError as error:
            raise RuntimeError(f"WandbCallback needs the package wandb (pip install wandb): {error}.") from None
        self._is_ours = wandb.run is None
        self._run = wandb.init(**self._options) if self._is_ours else wandb.run

    def report(self, values: dict[str, float], step: int) -> None:
        """Log the values of a step together."""
        self._run.log(values, step=step)

    def close(self, failed: bool) -> None:
        """End the run if this callback began it."""
        if self._run is not None and self._is_ours:
            self._run.finish(exit_code=int(failed))
        self._run = None

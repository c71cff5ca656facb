"""MLflowCallback: the values of a run for MLflow, by its own package."""

from __future__ import annotations

from typing import Any

from sporax._src.train.callbacks.tracking import Tracker


class MLflowCallback(Tracker):
    """Log to MLflow the loss, the learning rate and the metrics of a run of `Model`.

    An open run of `mlflow` is used and stays open; otherwise the callback begins and ends a run.
    `mlflow.set_tracking_uri` and `mlflow.set_experiment` set the destination of the values.

    Args:
        every: Steps between two reports of loss and learning rate.
        params: Names and values logged as parameters when the run begins.
        **options: Given to `mlflow.start_run`: `run_name="first"`, `tags={...}`, ...

    Raises:
        TypeError: If `every` is not an int.
        ValueError: If `every` is not positive.
        RuntimeError: If the package mlflow is not installed (when the run begins).

    Examples:
        >>> import sporax as ms
        >>> tracked = ms.train.MLflowCallback(every=100, params={"batch": 64}, run_name="first")
    """

    def __init__(self, every: int = 50, *, params: dict[str, Any] | None = None, **options: object) -> None:
        super().__init__(every)
        self._params, self._options = params or {}, options
        self._mlflow: Any = None
        self._is_ours = False

    def open(self) -> None:
        """Begin a run, or use the open one."""
        try:
            import mlflow
        except ImportError as error:
            raise RuntimeError(f"MLflowCallback needs the package mlflow (pip install mlflow): {error}.") from None
        self._mlflow, self._is_ours = mlflow, mlflow.active_run() is None
        if self._is_ours:
            mlflow.start_run(**self._options)
        if self._params:
            mlflow.log_params(self._params)

    def report(self, values: dict[str, float], step: int) -> None:
        """Log values of a step."""
        self._mlflow.log_metrics(values, step=step)

    def close(self, failed: bool) -> None:
        """End the run if this callback began it."""
        if self._mlflow is not None and self._is_ours:
            self._mlflow.end_run("FAILED" if failed else "FINISHED")
        self._mlflow = None

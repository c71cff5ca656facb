"""The dataset that `Model.train` reads, as MindSpore keeps it to continue a training that failed."""

from __future__ import annotations

from typing import Any

from sporax.dataset import Dataset

__all__ = ["_get_training_dataset", "_reset_training_dataset", "_set_training_dataset"]

_training: list[Any] = []


def _set_training_dataset(dataset: Any) -> None:
    """Keep the dataset that a training reads."""
    _training[:] = [dataset]


def _get_training_dataset() -> Any:
    """Return the dataset that was kept, or None."""
    return _training[0] if _training else None


def _reset_training_dataset(global_step: int, dataset_size: int | None = None) -> None:
    """Let the next iterators of the dataset that was kept start at a step, counted over epochs.

    Raises:
        RuntimeError: If none was kept.
    """
    dataset = _get_training_dataset()
    dataset = getattr(dataset, "dataset", dataset)
    if not isinstance(dataset, Dataset):
        raise RuntimeError("_reset_training_dataset: no dataset was set with _set_training_dataset.")
    dataset.set_init_step(global_step)

"""What training loops set in `mindspore.dataset.engine.datasets`; mindscience (`sponge/core/sponge.py`) does."""

from __future__ import annotations

from typing import Any

_training: list[Any] = []


def _set_training_dataset(dataset: object) -> None:
    """Keep the dataset that a training reads."""
    _training[:] = [dataset]

"""TensorBoard's event files, read by its own reader."""

from pathlib import Path

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util.tensor_util import make_ndarray


def read(folder: Path) -> EventAccumulator:
    found = EventAccumulator(str(folder))
    found.Reload()
    return found


def series(found: EventAccumulator, tag: str) -> dict[int, float]:
    return {e.step: make_ndarray(e.tensor_proto).item() for e in found.Tensors(tag)}

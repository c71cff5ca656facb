"""split: disjoint parts."""

from __future__ import annotations

from typing import Any

from sporax._src.base.errors import describe, warn_user
from sporax._src.data import checks, config
from sporax._src.data.dataset import Dataset, as_method
from sporax._src.data.transformations.shuffle import ShuffleDataset


def _check(sizes: object) -> None:
    if not isinstance(sizes, list):
        raise TypeError(f"Dataset.split: sizes must be a list, got {describe(sizes)}.")
    if not sizes:
        raise ValueError("Dataset.split: sizes cannot be empty.")
    if all(isinstance(size, int) for size in sizes):
        if min(sizes) < 1:
            raise ValueError(f"Dataset.split: sizes must be positive, got {sizes}.")
    elif all(isinstance(size, float) for size in sizes):
        if min(sizes) <= 0 or max(sizes) > 1:
            raise ValueError(f"Dataset.split: shares must be in (0, 1], got {sizes}.")
        if abs(sum(sizes) - 1) > 1e-9:
            raise ValueError(f"Dataset.split: shares must sum up to 1, got {sizes}, which sum up to {sum(sizes)}.")
    else:
        raise ValueError(f"Dataset.split: sizes must be all int or all float, got {sizes}.")


def _counts(sizes: list[Any], total: int) -> list[int]:
    """Return the number of rows of each part.

    If rounding leaves rows over, the first part gets them. If it gives too many, the first part that is large enough loses them.
    """
    if isinstance(sizes[0], int):
        if sum(sizes) != total:
            raise RuntimeError(
                f"Dataset.split: sizes {sizes} sum up to {sum(sizes)}, but the dataset has {total} rows."
            )
        return list(sizes)
    counts = [round(share * total) for share in sizes]
    if 0 in counts:
        raise RuntimeError(f"Dataset.split: share {sizes[counts.index(0)]} of {total} rows gives no row.")
    missing = total - sum(counts)
    position = 0 if missing > 0 else next(k for k, count in enumerate(counts) if count + missing > 0)
    counts[position] += missing
    return counts


@as_method
def split(self: Dataset, sizes: list[int] | list[float], randomize: bool = True) -> tuple[Dataset, ...]:
    """Return disjoint parts of this dataset.

    The parts are parts of the order that an epoch has. If that is another one in each epoch, rows move from one part to another,
    and a warning says so: make the source with ``shuffle=False``, and shuffle the parts. `MindDataset` keeps its parts.

    Args:
        sizes (Union[list[int], list[float]]): The rows of each part, or its share.
        randomize (bool): Whether rows are divided in random order, the same in every epoch. Default: ``True``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `sizes` is empty, not positive, or shares that do not sum up to 1.
        RuntimeError: If `sizes` do not sum up to the dataset's size, a share gives no row, or the dataset is sharded.

    Examples:
        >>> import sporax.dataset as ds
        >>> train, test = ds.NumpySlicesDataset(list(range(10))).split([0.8, 0.2])
        >>> train.get_dataset_size(), test.get_dataset_size()
        (8, 2)
    """
    _check(sizes)
    checks.boolean("Dataset.split", "randomize", randomize)
    if self.is_sharded():
        raise RuntimeError("Dataset.split: the dataset is sharded; split it first, then shard the parts.")
    counts = _counts(sizes, self._size())
    if self._is_shuffled_anew():
        warn_user(
            "Dataset.split: the dataset is shuffled anew in each epoch, so that rows move from one part to another and training "
            "sees rows of the test part; make the source with shuffle=False, and call shuffle of the part to train with."
        )
    make = getattr(self, "_split_parts", None)
    parts = make(counts, randomize) if make is not None else None
    if parts is not None:
        return tuple(parts)
    whole = ShuffleDataset(self, self._size(), seed=config.draw_seed(), reshuffle=False) if randomize else self
    starts = [sum(counts[:k]) for k in range(len(counts))]
    return tuple(whole.skip(start).take(count) for start, count in zip(starts, counts, strict=True))

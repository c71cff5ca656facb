"""apply: a function of the whole pipeline."""

from __future__ import annotations

from collections.abc import Callable

from sporax._src.base.errors import describe
from sporax._src.data.dataset import Dataset, as_method


@as_method
def apply(self: Dataset, apply_func: Callable[[Dataset], Dataset]) -> Dataset:
    """Return the result of `apply_func` for this dataset.

    Args:
        apply_func (Callable): Takes and returns a Dataset.

    Raises:
        TypeError: If `apply_func` is not callable or returns something else.

    Examples:
        >>> import sporax.dataset as ds
        >>> data = ds.NumpySlicesDataset([1, 2, 3], shuffle=False).apply(lambda data: data.batch(2))
        >>> data.get_dataset_size()
        2
    """
    if not callable(apply_func):
        raise TypeError(f"Dataset.apply: apply_func must be a function, got {describe(apply_func)}.")
    result = apply_func(self)
    if not isinstance(result, Dataset):
        raise TypeError(f"Dataset.apply: apply_func must return a Dataset, got {describe(result)}.")
    return result

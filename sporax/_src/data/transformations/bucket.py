"""bucket_batch_by_length: batches of rows of similar length."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.dataset import Dataset, Row, as_method, skipping
from sporax._src.data.iteration import Run
from sporax._src.data.tensor_bridge import as_array
from sporax._src.data.transformations.padded_batch import PadInfo, check_pad_info, pad_and_stack


class BucketBatchByLengthDataset(Dataset):
    """`input_dataset` in padded batches of similar length; made by `Dataset.bucket_batch_by_length`."""

    def __init__(
        self,
        input_dataset: Dataset,
        column_names: list[str],
        bucket_boundaries: list[int],
        bucket_batch_sizes: list[int],
        element_length_function: Callable[..., int] | None,
        pad_info: PadInfo | None,
        pad_to_bucket_boundary: bool,
        drop_remainder: bool,
    ) -> None:
        super().__init__(input_dataset)
        self.column_names, self.boundaries, self.batch_sizes = column_names, bucket_boundaries, bucket_batch_sizes
        self.length_of, self.pad_info = element_length_function, pad_info
        self.pad_to_bucket_boundary, self.drop_remainder = pad_to_bucket_boundary, drop_remainder

    def _static_size(self) -> int | None:
        return None

    def _rows(self, run: Run, epoch: int, start: int = 0) -> Iterator[Row]:
        return skipping(self._all(run, epoch), start)

    def _all(self, run: Run, epoch: int) -> Iterator[Row]:
        names = self.children[0]._columns()
        positions = checks.positions("Dataset.bucket_batch_by_length", self.column_names, names)
        buckets: list[list[Row]] = [[] for _ in self.batch_sizes]
        for number, row in enumerate(self.children[0]._rows(run, epoch)):
            bucket = bisect_right(self.boundaries, self._length(number, [row[k] for k in positions]))
            buckets[bucket].append(row)
            if len(buckets[bucket]) == self.batch_sizes[bucket]:
                yield self._batched(names, bucket, buckets[bucket])
                buckets[bucket] = []
        for bucket, rows in enumerate(buckets):
            if rows and not self.drop_remainder:
                yield self._batched(names, bucket, rows)

    def _length(self, number: int, values: list[Any]) -> int:
        if self.length_of is None:
            return values[0].shape[0]
        try:
            return int(self.length_of(*(as_array(value, copy=True) for value in values)))
        except Exception as error:
            raise checks.failed("Dataset.bucket_batch_by_length", self.length_of, number, error) from error

    def _batched(self, names: list[str], bucket: int, rows: list[Row]) -> Row:
        where, info = "Dataset.bucket_batch_by_length", self.pad_info or {}
        if self.pad_to_bucket_boundary:
            if bucket == len(self.boundaries):
                raise RuntimeError(f"{where}: a row is longer than the last boundary, {self.boundaries[-1]}.")
            info = {
                name: ([self.boundaries[bucket] - 1 if n is None else n for n in shape] if shape else shape, value)
                for name, (shape, value) in info.items()
            }
        return pad_and_stack(where, names, rows, info)


@as_method
def bucket_batch_by_length(
    self: Dataset,
    column_names: str | list[str],
    bucket_boundaries: list[int],
    bucket_batch_sizes: list[int],
    element_length_function: Callable[..., int] | None = None,
    pad_info: PadInfo | None = None,
    pad_to_bucket_boundary: bool = False,
    drop_remainder: bool = False,
) -> Dataset:
    """Return batches of rows of similar length, each padded to one shape.

    Args:
        column_names (Union[str, list[str]]): The columns that give the length.
        bucket_boundaries (list[int]): Ascending lengths; a row belongs below the first boundary that is larger.
        bucket_batch_sizes (list[int]): The rows per batch of each bucket, one more than boundaries.
        element_length_function (Callable, optional): Takes the columns, returns the length. Default: the first axis
            of the one column.
        pad_info (dict, optional): As for `padded_batch`. Default: ``None``, all columns to the longest.
        pad_to_bucket_boundary (bool): Whether ``None`` in `pad_info` means the boundary less one. Default: ``False``.
        drop_remainder (bool): Whether to leave out batches that are not full. Default: ``False``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If boundaries do not ascend or the sizes do not fit them.

    Examples:
        >>> import sporax.dataset as ds
        >>> data = ds.GeneratorDataset([[[1]], [[1, 2, 3]], [[4]]], ["a"], shuffle=False)
        >>> data = data.bucket_batch_by_length("a", [2], [2, 1])
        >>> [row[0].tolist() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
        [[[1, 2, 3]], [[1], [4]]]
    """
    where = "Dataset.bucket_batch_by_length"
    names = checks.columns(where, "column_names", column_names)
    for label, numbers in (("bucket_boundaries", bucket_boundaries), ("bucket_batch_sizes", bucket_batch_sizes)):
        if not isinstance(numbers, list) or not numbers:
            raise TypeError(f"{where}: {label} must be a list of int, got {describe(numbers)}.")
        for number in numbers:
            checks.integer(where, label, number, 1)
    if sorted(set(bucket_boundaries)) != bucket_boundaries:
        raise ValueError(f"{where}: bucket_boundaries must ascend, got {bucket_boundaries}.")
    if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
        raise ValueError(
            f"{where}: bucket_batch_sizes must have one item more than bucket_boundaries, "
            f"got {len(bucket_batch_sizes)} and {len(bucket_boundaries)}."
        )
    if element_length_function is None and len(names) != 1:
        raise ValueError(f"{where}: element_length_function is needed with more than one column, got {names}.")
    check_pad_info(where, pad_info)
    return BucketBatchByLengthDataset(
        self, names, bucket_boundaries, bucket_batch_sizes, element_length_function, pad_info,
        pad_to_bucket_boundary, drop_remainder,
    )  # fmt: skip

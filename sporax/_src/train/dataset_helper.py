"""DatasetHelper and data_sink: loops over a dataset for programs that write their own training loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.train.callbacks.monitor import check_int
from sporax._src.train.rows import dataset_of, endless
from sporax._src.transform.jit import jit


class DatasetHelper:
    """Yields the rows of a dataset, epoch by epoch.

    Args:
        dataset: The dataset, or what `dataset.from_source` takes, such as a `DataLoader` of PyTorch.
        dataset_sink_mode: Accepted: a loop receives the rows in either mode.
        sink_size: The rows of an epoch; -1: the whole dataset.
        epoch_num: Accepted; there is no limit of epochs.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If `sink_size` is out of range.

    Examples:
        >>> import sporax as ms
        >>> rows = ms.dataset.NumpySlicesDataset([1.0, 2.0], shuffle=False)
        >>> [row[0].item() for row in ms.DatasetHelper(rows, dataset_sink_mode=False)]
        [1.0, 2.0]
    """

    def __init__(self, dataset: Any, dataset_sink_mode: bool = True, sink_size: int = -1, epoch_num: int = 1) -> None:
        dataset = dataset_of("DatasetHelper", dataset)
        if not isinstance(dataset_sink_mode, bool):
            raise TypeError(f"DatasetHelper: dataset_sink_mode must be a bool, got {describe(dataset_sink_mode)}.")
        if check_int("DatasetHelper", "sink_size", sink_size, -1) == 0:
            raise ValueError("DatasetHelper: sink_size must be -1 or > 0, got 0.")
        self.dataset = dataset
        self._size = sink_size if dataset_sink_mode and sink_size > 0 else dataset.get_dataset_size()
        self._rows = endless(dataset.create_tuple_iterator(num_epochs=-1))

    def __iter__(self) -> Iterator[list[Any]]:
        return (list(next(self._rows)) for _ in range(self._size))

    def sink_size(self) -> int:
        """Return the rows of an epoch."""
        return self._size

    def types_shapes(self) -> tuple[Any, Any]:
        """Return dtypes and shapes of the columns."""
        return self.dataset.output_types(), self.dataset.output_shapes()

    def stop_send(self) -> None:
        """Do nothing: nothing is sent ahead."""

    def continue_send(self) -> None:
        """Do nothing: nothing is sent ahead."""

    def release(self) -> None:
        """Release the rows."""
        self._rows = iter(())

    def dynamic_min_max_shapes(self) -> tuple[Any, Any]:
        """Return the shapes of the columns twice: graphs are kept per shape, without bounds."""
        shapes = self.dataset.output_shapes()
        return shapes, shapes


def connect_network_with_dataset(network: object, dataset_helper: DatasetHelper) -> Any:
    """Return the network unchanged: its arguments are the rows of the helper.

    Raises:
        TypeError: If `dataset_helper` is no DatasetHelper.
    """
    if not isinstance(dataset_helper, DatasetHelper):
        raise TypeError(f"connect_network_with_dataset: expected a DatasetHelper, got {describe(dataset_helper)}.")
    return network


def data_sink(
    fn: Callable[..., Any], dataset: Any, sink_size: int = 1, jit_config: object = None, input_signature: object = None
) -> Callable[[], Any]:
    """Return a function without arguments that runs `fn` on the next rows of a dataset.

    Args:
        fn: The function.
        dataset: The dataset; it begins again after its last row.
        sink_size: The number of rows for each call; the result is that of the last row.
        jit_config: Compile `fn` unless None.
        input_signature: Accepted; graphs are kept per shape.

    Raises:
        ValueError: If `sink_size` is not positive.

    Examples:
        >>> import sporax as ms
        >>> rows = ms.dataset.NumpySlicesDataset([1.0, 2.0], shuffle=False)
        >>> step = ms.data_sink(lambda x: x * 2, rows)
        >>> step().item(), step().item(), step().item()
        (2.0, 4.0, 2.0)
    """
    check_int("data_sink", "sink_size", sink_size, 1)
    rows = endless(dataset_of("data_sink", dataset).create_tuple_iterator(num_epochs=-1))
    run = fn if jit_config is None else jit(fn)

    def sink_process() -> Any:
        result = None
        for _ in range(sink_size):
            result = run(*next(rows))
        return result

    return sink_process

"""SummaryRecord: values as event files for TensorBoard, written by its own writer.

Each record has a separate file. After a kill this file has its first values, and the files of other records do not
change.
"""

from __future__ import annotations

import contextlib
import io
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from sporax._src.api.primitives.summary import Entry, collecting
from sporax._src.base.errors import describe
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell

_TEXTS = ("graph", "dataset_graph", "train_lineage", "eval_lineage", "custom_lineage_data")
PLUGINS = ("scalar", "tensor", "image", "histogram", *_TEXTS)


def _tensorboard() -> Any:
    """Return TensorBoard's writer and makers of records, by plugin."""
    try:
        from tensorboard.compat.proto import event_pb2, summary_pb2
        from tensorboard.plugins.histogram.summary_v2 import histogram_pb
        from tensorboard.plugins.scalar.summary_v2 import scalar_pb
        from tensorboard.plugins.text.summary_v2 import text_pb
        from tensorboard.summary.writer.event_file_writer import EventFileWriter
        from tensorboard.util.tensor_util import make_tensor_proto
    except ImportError as error:
        raise RuntimeError(f"Summaries need the package tensorboard (pip install tensorboard): {error}.") from None

    summary: Any = vars(summary_pb2)["Summary"]  # protobuf makes the classes when it loads
    event: Any = vars(event_pb2)["Event"]

    def tensor_pb(tag: str, value: np.ndarray) -> Any:
        return summary(value=[summary.Value(tag=tag, tensor=make_tensor_proto(value))])

    def image_pb(tag: str, value: np.ndarray) -> Any:
        (channels, height, width), image = value.shape[1:], summary.Image
        shown = image(height=height, width=width, colorspace=channels, encoded_image_string=_png(value[0]))
        return summary(value=[summary.Value(tag=tag, image=shown)])

    makers = {"scalar": scalar_pb, "histogram": histogram_pb, "tensor": tensor_pb, "image": image_pb, "text": text_pb}
    return EventFileWriter, event, makers


def _png(image: np.ndarray) -> bytes:
    """Return an image (C, H, W) as PNG; floats are stretched to what the format holds."""
    from PIL import Image

    if image.dtype != np.uint8:
        low, high = float(image.min()), float(image.max())
        image = ((image.astype(np.float64) - low) * (255 / (high - low) if high > low else 0)).astype(np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(image[0] if image.shape[0] == 1 else image.transpose(1, 2, 0)).save(buffer, "PNG")
    return buffer.getvalue()


class SummaryRecord:
    """Writes values by name and step into an event file that TensorBoard shows; used as a context.

    Operators such as `ops.ScalarSummary` add their values to every open record.

    Args:
        log_dir: The folder.
        file_suffix: The end of the file's name.
        network: A Cell whose structure is written at the first step.
        file_prefix, num_process, max_file_size, raise_exception: Accepted for MindSpore programs.
        export_options: None; values are in the event file only.

    Raises:
        TypeError: If `log_dir` is not a string.
        ValueError: If `export_options` is given.
        RuntimeError: If the package tensorboard is not installed.

    Examples:
        >>> import sporax as ms, tempfile
        >>> with ms.SummaryRecord(tempfile.mkdtemp()) as record:
        ...     record.add_value("scalar", "loss", ms.Tensor(0.5))
        ...     record.record(1)
        True
    """

    def __init__(
        self,
        log_dir: str,
        file_prefix: str = "events",
        file_suffix: str = "_MS",
        num_process: int = 32,
        network: Cell | None = None,
        max_file_size: int | None = None,
        raise_exception: bool = False,
        export_options: dict[str, str] | None = None,
    ) -> None:
        if not isinstance(log_dir, (str, os.PathLike)) or not str(log_dir):
            raise TypeError(f"SummaryRecord: log_dir must be a string that is not empty, got {describe(log_dir)}.")
        if export_options is not None:
            raise ValueError("SummaryRecord: export_options is not offered; values are in the event file.")
        writer, self._event, self._makers = _tensorboard()
        self._log_dir = os.path.realpath(log_dir)
        self._writer: Any = writer(self._log_dir, filename_suffix=file_suffix)
        self._network = network
        self._values: list[tuple[str, str, Any]] = []
        self._mode = "train"
        self._open = contextlib.ExitStack()
        self._entries: list[Entry] = self._open.enter_context(collecting())

    def __enter__(self) -> SummaryRecord:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def log_dir(self) -> str:
        """The folder of the event file."""
        return self._log_dir

    def set_mode(self, mode: str) -> None:
        """Set whether the values that follow are of training or of evaluation: `"eval"` goes before their names.

        Raises:
            ValueError: If `mode` is neither `"train"` nor `"eval"`.
        """
        if mode not in ("train", "eval"):
            raise ValueError(f"SummaryRecord.set_mode: mode must be 'train' or 'eval', got {mode!r}.")
        self._mode = mode

    def add_value(self, plugin: str, name: str, value: object) -> None:
        """Keep a value for the next `record`.

        Args:
            plugin: `"scalar"` (one element), `"histogram"`, `"tensor"`, `"image"` (N, C, H, W: the first is shown), or one
                of `"graph"`, `"dataset_graph"`, `"train_lineage"`, `"eval_lineage"`, `"custom_lineage_data"` (text).
            name: The tag.
            value: A Tensor; for the last kinds any value, whose text is written.

        Raises:
            TypeError: If `value` is not a Tensor where it has to be.
            ValueError: If the plugin is unknown, the name is no string, or the shape does not fit.
        """
        if plugin not in PLUGINS:
            raise ValueError(f"SummaryRecord.add_value: plugin must be one of {', '.join(PLUGINS)}, got {plugin!r}.")
        if not isinstance(name, str) or not name:
            raise ValueError(f"SummaryRecord.add_value: name must be a string that is not empty, got {name!r}.")
        if plugin in _TEXTS:
            self._values.append((plugin, name, value))
            return
        if not isinstance(value, Tensor):
            raise TypeError(f"SummaryRecord.add_value: value must be a Tensor, got {describe(value)}.")
        if plugin == "scalar" and value.size != 1:
            raise ValueError(f"SummaryRecord.add_value: a scalar must have one element, got {describe(value)}.")
        if plugin == "image" and (value.ndim != 4 or value.shape[1] not in (1, 3, 4) or value.size == 0):
            raise ValueError(
                "SummaryRecord.add_value: an image must have shape (N, C, H, W) with C of 1, 3 or 4, "
                f"got {describe(value)}."
            )
        self._values.append((plugin, name, value.asnumpy()))

    def record(
        self, step: int, train_network: Cell | None = None, plugin_filter: Callable[[str], bool] | None = None
    ) -> bool:
        """Write the values that were added, also by summary operators, since the last call.

        Args:
            step: The step.
            train_network: A Cell whose structure is written at the first step.
            plugin_filter: Returns, for a plugin, whether its values are written.

        Returns:
            Whether values could be written: False once the record is closed.

        Raises:
            TypeError: If `step` is not an int.
        """
        if isinstance(step, bool) or not isinstance(step, int):
            raise TypeError(f"SummaryRecord.record: step must be an int, got {describe(step)}.")
        if self._writer is None:
            return False
        for plugin, name, value in self._taken(train_network):
            if plugin_filter is None or plugin_filter(plugin):
                self._write(plugin, name, value, step)
        return True

    def _taken(self, train_network: Cell | None) -> list[tuple[str, str, Any]]:
        network = train_network if train_network is not None else self._network
        found = [("graph", "network", network)] if network is not None else []
        self._network = None
        found += [(kind.lower(), tag, value) for tag, kind, value in self._entries]
        self._entries.clear()
        values, self._values = [*found, *self._values], []
        return values

    def _write(self, plugin: str, name: str, value: Any, step: int) -> None:
        tag = name if self._mode == "train" else f"eval/{name}"
        if plugin in _TEXTS:
            summary = self._makers["text"](tag, f"```\n{value}\n```")
        elif plugin == "scalar":
            summary = self._makers["scalar"](tag, np.float32(value.reshape(())))
        else:
            summary = self._makers[plugin](tag, value)
        event = self._event(step=step, summary=summary)
        event.wall_time = time.time()
        self._writer.add_event(event)

    def flush(self) -> None:
        """Write everything that was recorded to the disk."""
        if self._writer is not None:
            self._writer.flush()

    def close(self) -> None:
        """Write everything and close the file; a second call does nothing."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
            self._open.close()

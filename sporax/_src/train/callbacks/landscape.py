"""SummaryLandscape: the loss around the path of training, on a grid of two directions."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sporax._src.base.atomic import replacing, replacing_all, settled
from sporax._src.base.errors import describe
from sporax._src.checkpoint.serialization import load_checkpoint, save_checkpoint
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell
from sporax._src.train.callbacks.callback import InternalCallbackParam
from sporax._src.train.callbacks.monitor import check_int
from sporax._src.train.callbacks.summary_record import SummaryRecord
from sporax._src.train.metrics.error import Loss

DEFAULTS = {
    "landscape_size": 40,
    "unit": "step",
    "create_landscape": {"train": True, "result": True},
    "num_samples": 2048,
    "intervals": [],
}
_MARGIN = 0.2  # beyond the way, in parts of its length
_WEIGHTS, _METADATA = "ckpt_dir", "train_metadata.json"


def check_settings(label: str, given: object) -> dict[str, Any]:
    """Return the checked settings of `collect_landscape`, without defaults.

    Raises:
        TypeError: If something has an unexpected type.
        ValueError: If a key is unknown or a number out of range.
    """
    if not isinstance(given, dict):
        raise TypeError(f"{label}: collect_landscape must be a dict, got {describe(given)}.")
    for key, value in given.items():
        if key not in DEFAULTS:
            raise ValueError(f"{label}: collect_landscape takes {', '.join(DEFAULTS)}, got {key!r}.")
        if key == "landscape_size" and check_int(label, key, value, 3) > 256:
            raise ValueError(f"{label}: landscape_size must be <= 256, got {value}.")
        if key == "num_samples":
            check_int(label, key, value, 1)
        if key == "unit" and value not in ("step", "epoch"):
            raise ValueError(f"{label}: unit must be 'step' or 'epoch', got {value!r}.")
        if key == "create_landscape":
            _check_kinds(label, value)
        if key == "intervals":
            _check_intervals(label, value)
    return dict(given)


def _check_kinds(label: str, kinds: object) -> None:
    if not isinstance(kinds, dict) or not all(isinstance(wanted, bool) for wanted in kinds.values()):
        raise TypeError(f"{label}: create_landscape must be a dict of bools, got {describe(kinds)}.")
    if unknown := [kind for kind in kinds if kind not in ("train", "result")]:
        raise ValueError(f"{label}: create_landscape takes 'train' and 'result', got {unknown[0]!r}.")


def _check_intervals(label: str, intervals: object) -> None:
    if not isinstance(intervals, list) or not all(isinstance(interval, list) for interval in intervals):
        raise TypeError(f"{label}: intervals must be a list of lists, got {describe(intervals)}.")
    for interval in intervals:
        for number in interval:
            check_int(label, "a number of intervals", number, 1)
        if len(interval) < 3:
            raise ValueError(f"{label}: each of intervals must have at least 3 numbers, got {interval}.")


class WeightCollector:
    """Keeps the weights of a network at the steps or epochs for which a landscape is wanted.

    When training ends, they replace the weights of an earlier training.

    Args:
        folder: The folder of the summary.
        settings: The settings of `collect_landscape`.
    """

    def __init__(self, folder: Path, settings: dict[str, Any]) -> None:
        self._folder = folder / _WEIGHTS
        self._settings = {**DEFAULTS, **settings}
        self._wanted = {number for interval in self._settings["intervals"] for number in interval}
        self._files: dict[str, str] = {}
        self._unfinished = ExitStack()
        self._new: Path | None = None

    def keep(self, unit: str, args: InternalCallbackParam) -> None:
        """Save the weights at the end of a step or an epoch that the settings select."""
        number = args.cur_step_num if unit == "step" else args.cur_epoch_num
        if unit == self._settings["unit"] and number in self._wanted:
            name = f"{type(args.network).__name__}_{number}_{unit}.ckpt"
            save_checkpoint(args.network, str(self._begun() / name))
            self._files[str(number)] = str(self._folder / name)

    def _begun(self) -> Path:
        if self._new is None:
            self._new = self._unfinished.enter_context(replacing_all(self._folder, make=True))
        return self._new

    def finish(self, args: InternalCallbackParam) -> None:
        """Write the files that `SummaryLandscape` reads."""
        told = {name: self._settings[name] for name in DEFAULTS if name != "intervals"}
        groups = {str(i): interval for i, interval in enumerate(self._settings["intervals"])}
        whole = {"epoch_group": groups, "model_params_file_map": self._files, "step_per_epoch": args.batch_num, **told}
        (self._begun() / _METADATA).write_text(json.dumps(whole), encoding="utf-8")
        self._unfinished.close()
        self._new = None


class Landscape(NamedTuple):
    """The loss on a grid.

    Attributes:
        x, y: Coordinates, `(size,)` each: along which direction, and how far.
        z: The losses, `(size, size)`: a row for each of `y`.
        path: The path of training, `(points, 2)`; for the result a single point.
        path_losses: The losses at these points.
    """

    x: np.ndarray
    y: np.ndarray
    z: np.ndarray
    path: np.ndarray
    path_losses: np.ndarray


class SummaryLandscape:
    """Computes the loss around the weights that a `SummaryCollector` has saved with `collect_landscape`.

    Args:
        summary_dir: The folder of the summary.

    Examples:
        >>> import sporax as ms
        >>> landscape = ms.SummaryLandscape("./summary")
    """

    def __init__(self, summary_dir: str) -> None:
        self._folder = Path(summary_dir)

    def clean_ckpt(self) -> None:
        """Delete the weights that were kept."""
        shutil.rmtree(self._folder / _WEIGHTS, ignore_errors=True)

    def gen_landscapes_with_multi_process(
        self,
        callback_fn: Callable[[], Any],
        collect_landscape: dict[str, Any] | None = None,
        device_ids: list[int] | None = None,
        output: str | None = None,
    ) -> None:
        """Compute the landscapes, and write them for TensorBoard and as arrays (`landscape_1_5.npz`).

        For each interval (`create_landscape={"train": True}`) the directions are the principal components of the
        weights. Around the last weights (`"result"`) the directions are random, with the norm of each weight.

        Args:
            callback_fn: Returns the Model, the network, the dataset and the metrics, of which one must be the loss.
            collect_landscape: Settings that replace those of the `SummaryCollector` (see there).
            device_ids: Accepted; everything is computed in this process.
            output: The folder of the results; that of the summary if None.

        Raises:
            FileNotFoundError: If no weights were kept.
            TypeError: If an argument has an unexpected type.
            ValueError: If a number is out of range, weights of an interval are missing, or no metric is the loss.
        """
        label = "SummaryLandscape"
        changed = {} if collect_landscape is None else check_settings(label, collect_landscape)
        path = self._folder / _WEIGHTS / _METADATA
        with settled(path.parent):
            there = path.exists()
        if not there:
            raise FileNotFoundError(f"{label}: there is no {path}; have a SummaryCollector collect_landscape first.")
        known = json.loads(path.read_text(encoding="utf-8"))
        settings = {**known, **changed}
        intervals = changed.get("intervals", list(known["epoch_group"].values()))
        missing = [n for interval in intervals for n in interval if str(n) not in known["model_params_file_map"]]
        if missing:
            raise ValueError(f"{label}: the weights of {settings['unit']} {missing[0]} were not kept.")
        loss = _Losses(callback_fn(), settings["num_samples"])
        weights = lambda number: loss.vector(known["model_params_file_map"][str(number)])
        wanted = settings["create_landscape"]
        folder = Path(output) if output is not None else self._folder
        for interval in intervals if wanted.get("train", True) else ():
            found = _around_path(loss, [weights(number) for number in interval], settings["landscape_size"])
            _write(folder, f"landscape_{interval[0]}_{interval[-1]}", found)
        if wanted.get("result", True) and intervals:
            last = intervals[-1][-1]
            _write(folder, f"landscape_{last}", _around_point(loss, weights(last), settings["landscape_size"]))


class _Losses:
    """The loss of a network as a function of all its trainable weights, as one vector.

    Args:
        given: What the program's function returned: Model, network, dataset, metrics.
        samples: How many samples of the dataset are used.
    """

    def __init__(self, given: Sequence[Any], samples: int) -> None:
        self.model, self.network, dataset, metrics = given
        if not isinstance(self.network, Cell):
            raise TypeError(f"SummaryLandscape: callback_fn must return a Cell second, got {describe(self.network)}.")
        names = [name for name, metric in metrics.items() if isinstance(metric, Loss)]
        if not names:
            raise ValueError("SummaryLandscape: the metrics that callback_fn returns must hold a Loss.")
        self.name = names[0]
        self.dataset = dataset.take(math.ceil(samples / dataset.get_batch_size()))
        self.parameters = self.network.trainable_params()
        self.shapes = [p.shape for p in self.parameters]

    def vector(self, file: str) -> np.ndarray:
        """Return the trained weights in a file as a vector; load the others into the network."""
        load_checkpoint(file, self.network)
        return np.concatenate([p.asnumpy().astype(np.float64).ravel() for p in self.parameters])

    def at(self, vector: np.ndarray) -> float:
        """Return the loss with these weights."""
        ends = np.cumsum([math.prod(shape) for shape in self.shapes])[:-1]
        for p, part in zip(self.parameters, np.split(vector, ends), strict=True):
            p.set_data(Tensor(part.reshape(p.shape), p.dtype))
        return float(self.model.eval(self.dataset, dataset_sink_mode=False)[self.name])

    def grid(self, centre: np.ndarray, axes: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the losses at `centre + x·axes[0] + y·axes[1]`, a row for each of `y`."""
        return np.array([[self.at(centre + a * axes[0] + b * axes[1]) for a in x] for b in y])


def _around_path(loss: _Losses, points: Sequence[np.ndarray], size: int) -> Landscape:
    """Return the landscape around a path of points, in the plane that is nearest to all points."""
    centre = np.mean(points, axis=0)
    axes = np.linalg.svd(np.stack(points) - centre, full_matrices=False)[2][:2]
    path = (np.stack(points) - centre) @ axes.T
    low, high = path.min(0), path.max(0)
    margin = np.maximum(_MARGIN * (high - low), 1e-6)
    x, y = (np.linspace(low[i] - margin[i], high[i] + margin[i], size) for i in (0, 1))
    return Landscape(x, y, loss.grid(centre, axes, x, y), path, np.array([loss.at(point) for point in points]))


def _around_point(loss: _Losses, point: np.ndarray, size: int) -> Landscape:
    """Return the landscape around a point, in two random directions."""
    axes = np.stack([_normalized(np.random.standard_normal(point.size), point, loss.shapes) for _ in range(2)])
    x = y = np.linspace(-5 * _MARGIN, 5 * _MARGIN, size)
    return Landscape(x, y, loss.grid(point, axes, x, y), np.zeros((1, 2)), np.array([loss.at(point)]))


def _normalized(direction: np.ndarray, point: np.ndarray, shapes: Sequence[tuple[int, ...]]) -> np.ndarray:
    """Return a direction whose filters have the norms of the weights' filters; it is zero for biases and scales."""
    ends = np.cumsum([math.prod(shape) for shape in shapes])[:-1]
    parts = []
    for shape, way, here in zip(shapes, np.split(direction, ends), np.split(point, ends), strict=True):
        if len(shape) < 2:
            parts.append(np.zeros_like(way))
            continue
        way, here = way.reshape(shape[0], -1), here.reshape(shape[0], -1)
        lengths = np.linalg.norm(here, axis=1, keepdims=True) / np.linalg.norm(way, axis=1, keepdims=True)
        parts.append((way * lengths).ravel())
    return np.concatenate(parts)


def _write(folder: Path, name: str, found: Landscape) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / f"{name}.npz") as temporary, open(temporary, "wb") as file:
        np.savez(file, **found._asdict())
    picture = np.log(found.z - found.z.min() + 1e-12)
    picture = (picture - picture.min()) / max(float(np.ptp(picture)), 1e-12)
    with SummaryRecord(str(folder)) as record:
        record.add_value("tensor", name, Tensor(found.z.astype(np.float32)))
        record.add_value("image", f"{name}/picture", Tensor(picture[None, None].astype(np.float32)))
        record.record(0)

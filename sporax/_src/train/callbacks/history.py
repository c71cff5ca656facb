"""History: the results of each epoch of a run, and their curves."""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from sporax._src.base.atomic import replacing
from sporax._src.core.tensor import Tensor
from sporax._src.train.callbacks.callback import Callback, RunContext, last_loss

_MOST_UNREAD = 512  # losses that are read later, so that no step waits for its own
_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 720, 220, 70, 24, 10
_STYLE = """\
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 760px; color: #222; background: #fff }
svg { width: 100%; font-size: 12px } line { stroke: #ddd } text { fill: #666; text-anchor: end }
polyline { fill: none; stroke: #1f6feb; stroke-width: 2 } circle { fill: #1f6feb }
table { border-collapse: collapse } td, th { padding: 2px 12px; text-align: right; border-bottom: 1px solid #ddd }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #111 } line, td, th { stroke: #333; border-color: #333 } }
"""


class History(Callback):
    """Keep the loss, and with `Model.fit` the metrics, of each epoch in `.epoch` and `.history`.

    `plot` draws them, `html` writes a page.

    Examples:
        >>> import sporax as ms
        >>> ms.train.History().history
        {}
    """

    _resumed = ("history", "epoch")

    def __init__(self) -> None:
        self.history: dict[str, list[Any]] = {}
        self.epoch: dict[str, list[int]] | None = None

    def begin(self, run_context: RunContext) -> None:
        self.epoch = {"epoch": []}

    def epoch_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        assert self.epoch is not None
        self.epoch["epoch"].append(args.get("cur_epoch_num", 1))
        for name, value in {"net_output": last_loss(args.net_outputs), **(args.metrics or {})}.items():
            self.history.setdefault(name, []).append(value)

    def _curves(self, method: str) -> tuple[dict[str, list[float]], list[int]]:
        """Return the numbers to draw, by name, and the epochs; other values are left out."""
        epochs = (self.epoch or {}).get("epoch", [])
        if not epochs:
            raise ValueError(
                f"History.{method}: there is no epoch yet; give the History to Model.train or Model.fit first."
            )
        found = {name: list(values) for name, values in self.history.items()}
        numbers = {
            name: values for name, values in found.items() if all(np.ndim(v) == 0 and _is_number(v) for v in values)
        }
        return {name: [float(v) for v in values] for name, values in numbers.items()}, epochs

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Return a figure of matplotlib with a curve for the loss and each metric, by epoch.

        Args:
            path: A file to which it is also written; the suffix chooses the format (`.png`, `.svg`, `.pdf`).

        Raises:
            RuntimeError: If the package matplotlib is not installed.
            ValueError: If no epoch has ended yet.
        """
        curves, epochs = self._curves("plot")
        try:
            from matplotlib.figure import Figure
            from matplotlib.ticker import MaxNLocator
        except ImportError as error:
            raise RuntimeError(
                f"History.plot needs the package matplotlib (pip install matplotlib): {error}."
            ) from None
        figure = Figure(figsize=(7, 2.6 * len(curves)), layout="constrained")
        for axes, (name, values) in zip(figure.subplots(len(curves), squeeze=False)[:, 0], curves.items(), strict=True):
            axes.plot(epochs[-len(values) :], values, marker="o" if len(values) < 30 else None)
            axes.set(ylabel=_title(name), xlabel="epoch")
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
            axes.grid(alpha=0.3)
        if path is not None:
            figure.savefig(path)
        return figure

    def html(self, path: str | os.PathLike[str]) -> None:
        """Write a self-contained page with the curves and their numbers.

        Args:
            path: The file.

        Raises:
            ValueError: If no epoch has ended yet.

        Examples:
            >>> import numpy as np, sporax as ms
            >>> rows = ms.dataset.NumpySlicesDataset((np.ones((4, 2), np.float32),) * 2, shuffle=False).batch(2)
            >>> net = ms.nn.Dense(2, 2)
            >>> kept = ms.train.History()
            >>> ms.Model(net, ms.nn.MSELoss(), ms.nn.SGD(net.trainable_params())).train(2, rows, kept)
            >>> kept.html("training.html")
        """
        curves, epochs = self._curves("html")
        figures = [f"<h2>{escape(_title(name))}</h2>{_svg(epochs[-len(v) :], v)}" for name, v in curves.items()]
        with replacing(path) as temporary:
            Path(temporary).write_text(
                f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Training</title><style>{_STYLE}</style>'
                f"<h1>Training: {len(epochs)} epochs</h1>{''.join(figures)}"
                f"{_table(curves, epochs)}</html>\n",
                encoding="utf-8",
            )

    def __repr__(self) -> str:
        if not (self.epoch or {}).get("epoch"):
            return "History(no epoch yet)"
        curves, epochs = self._curves("repr")
        runs = [f"{_title(name)} {v[0]:.4g} to {v[-1]:.4g}" for name, v in curves.items()]
        return f"History({len(epochs)} epochs: {', '.join(runs)})"

    def _repr_html_(self) -> str:
        return _table(*self._curves("repr")) if (self.epoch or {}).get("epoch") else escape(repr(self))


class FitHistory(History):
    """What `Model.fit` returns: `loss`, the mean over an epoch's steps, and the metrics; `eval_loss` is the loss of the evaluation.

    In sink mode on a GPU or TPU it sees the last step alone.
    """

    def begin(self, run_context: RunContext) -> None:
        super().begin(run_context)
        self._unread: deque[Any] = deque()
        self._total, self._count = 0.0, 0

    def step_end(self, run_context: RunContext) -> None:
        outputs = run_context.original_args().net_outputs
        loss = outputs[0] if isinstance(outputs, (tuple, list)) and outputs else outputs
        is_scalar = isinstance(loss, Tensor) and loss.size == 1
        self._unread.append(loss if is_scalar else last_loss(loss))
        if len(self._unread) > _MOST_UNREAD:
            self._add(self._unread.popleft())

    def _add(self, loss: object) -> None:
        if (value := last_loss(loss)) is not None:
            self._total, self._count = self._total + value, self._count + 1

    def epoch_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        assert self.epoch is not None
        self.epoch["epoch"].append(args.get("cur_epoch_num", 1))
        while self._unread:
            self._add(self._unread.popleft())
        mean = self._total / self._count if self._count else None
        self._total, self._count = 0.0, 0
        results = (args.metrics or {}) | (args.eval_results or {})
        metrics = {"eval_loss" if name == "loss" else name: value for name, value in results.items()}
        for name, value in {"loss": mean, **metrics}.items():
            self.history.setdefault(name, []).append(value)


def _table(curves: dict[str, list[float]], epochs: Sequence[int]) -> str:
    """Return the numbers as a table of HTML, a row for each epoch."""
    head = "".join(f"<th>{escape(title)}</th>" for title in ("epoch", *map(_title, curves)))
    columns = [[""] * (len(epochs) - len(v)) + [f"{x:.6g}" for x in v] for v in curves.values()]
    lines = zip(map(str, epochs), *columns, strict=True)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in line) + "</tr>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _is_number(value: object) -> bool:
    return np.asarray(value).dtype.kind in "fiub"


def _title(name: str) -> str:
    return "loss of the last step" if name == "net_output" else name


def _svg(epochs: Sequence[int], values: Sequence[float]) -> str:
    """Return a curve as SVG; values that are not finite are left out."""
    finite = [v for v in values if math.isfinite(v)] or [0.0]
    low, high = min(finite), max(finite)
    if low == high:
        low, high = low - 0.5, high + 0.5
    across = (_WIDTH - _LEFT - 10) / max(epochs[-1] - epochs[0], 1)
    point_of = lambda e, v: (
        _LEFT + (e - epochs[0]) * across,
        _TOP + (_HEIGHT - _BOTTOM - _TOP) * (high - v) / (high - low),
    )
    points = [(*point_of(e, v), e, v) for e, v in zip(epochs, values, strict=True) if math.isfinite(v)]
    grid = [low + (high - low) * i / 4 for i in range(5)]
    lines = [
        f'<line x1="{_LEFT}" x2="{_WIDTH}" y1="{point_of(epochs[0], v)[1]:.1f}" y2="{point_of(epochs[0], v)[1]:.1f}"/>'
        f'<text x="{_LEFT - 6}" y="{point_of(epochs[0], v)[1] + 4:.1f}">{v:.4g}</text>'
        for v in grid
    ]
    ends = f'<text x="{_LEFT + 6}" y="{_HEIGHT - 4}">{epochs[0]}</text><text x="{_WIDTH}" y="{_HEIGHT - 4}">{epochs[-1]}</text>'
    dots = [
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"><title>epoch {e}: {v:.6g}</title></circle>' for x, y, e, v in points
    ]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y, *_ in points)
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">{"".join(lines)}{ends}<polyline points="{path}"/>'
        f"{''.join(dots)}</svg>"
    )

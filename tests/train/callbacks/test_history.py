"""The curves of History: a figure of matplotlib, and a page."""

import math
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from training import GOLDEN, model, rows

from sporax import train


@pytest.fixture(scope="module")
def kept() -> train.History:
    history = train.History()
    model({"mae"}).fit(3, rows(), rows(), valid_frequency=[2, 3], callbacks=history)
    return history


class Counter(HTMLParser):
    """Counts elements, and keeps what stands in cells."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.cells: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        assert not {"src", "href"} & dict(attrs).keys(), "a page loads nothing"

    def handle_data(self, data):
        if self.tags[-1] == "td":
            self.cells.append(data)


def test_page(kept: train.History, tmp_path: Path) -> None:
    kept.html(tmp_path / "run.html")
    text = (tmp_path / "run.html").read_text()
    found = Counter(text)
    assert "Training: 3 epochs" in text and "loss of the last step" in text and "<h2>mae</h2>" in text
    assert found.tags.count("svg") == 2 and found.tags.count("circle") == 3 + 2
    assert found.cells[0] == "1" and f"{kept.history['mae'][-1]:.6g}" in found.cells


def test_page_of_odd_values(tmp_path: Path) -> None:
    odd = train.History()
    odd.epoch = {"epoch": [1, 2]}
    odd.history = {"net_output": [math.nan, 1.0], "<same>": [2.0, 2.0], "matrix": [[1, 2], [3, 4]], "text": ["a", "b"]}
    odd.html(tmp_path / "run.html")
    text = (tmp_path / "run.html").read_text()
    assert Counter(text).tags.count("circle") == 1 + 2
    assert "&lt;same&gt;" in text and "matrix" not in text and "<th>text" not in text
    assert not re.search(r'(x|y|cx|cy|points)="[^"]*nan', text)


def test_figure(kept: train.History, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    figure = kept.plot(tmp_path / "run.png")
    assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")
    assert [axes.get_ylabel() for axes in figure.axes] == ["loss of the last step", "mae"]
    (line,) = figure.axes[1].lines
    assert line.get_xdata().tolist() == [2, 3] and line.get_ydata().tolist() == pytest.approx(kept.history["mae"])
    assert kept.plot() is not figure


def test_what_is_missing(kept: train.History, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for method, call in (("plot", train.History().plot), ("html", lambda: train.History().html(tmp_path / "a.html"))):
        with pytest.raises(
            ValueError, match=rf"History.{method}: there is no epoch yet; give the History to Model.train"
        ):
            call()
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(RuntimeError, match=r"History.plot needs the package matplotlib \(pip install matplotlib\)"):
        kept.plot()


def test_history() -> None:
    kept = train.History()
    model({"loss", "mae"}).fit(2, rows(), rows(), callbacks=kept)
    want = GOLDEN["history"]
    assert kept.epoch == want["epoch"]
    assert kept.history.keys() == want["history"].keys()
    for name, values in want["history"].items():
        np.testing.assert_allclose(kept.history[name], values, rtol=2e-5)


def test_fit_returns_the_means_of_its_epochs() -> None:
    losses: list[float] = []
    watch = train.LambdaCallback(on_train_step_end=lambda run: losses.append(float(run.original_args().net_outputs)))
    told = model({"loss", "mae"}).fit(2, rows(), rows(), callbacks=watch)
    steps = len(losses) // 2
    assert told.epoch == {"epoch": [1, 2]}
    assert told.history.keys() == {"loss", "mae", "eval_loss"}
    assert told.history["loss"] == pytest.approx([np.mean(losses[:steps]), np.mean(losses[steps:])])


def test_looks(kept: train.History) -> None:
    told = model(set()).fit(2, rows())
    first, last = told.history["loss"]
    assert repr(told) == f"History(2 epochs: loss {first:.4g} to {last:.4g})"
    assert told._repr_html_().startswith("<table><thead><tr><th>epoch</th><th>loss</th></tr></thead>")
    assert repr(kept).startswith("History(3 epochs: loss of the last step ")
    assert repr(train.History()) == train.History()._repr_html_() == "History(no epoch yet)"

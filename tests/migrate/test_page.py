"""The page of reports: needs nothing else, escapes what it shows, and searches, filters and sorts in a browser."""

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import torch

from sporax import nn
from sporax._src.migrate.page import Plot, page
from sporax.migrate import compare

ROWS = [
    {"name": "a<b>", "error": 0.25, "count": 3, "status": "same"},
    {"name": "conv", "error": 1e-7, "count": 20, "status": "different"},
    {"name": "fc", "error": None, "count": 100, "status": "same"},
]
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --window-size=1200,900"
).split()
needs_browser = pytest.mark.skipif(BROWSER is None, reason="there is no chromium or chrome")


PLOTS = (Plot("errors", [("a<b>", 0.0, False), ("conv", 1e-7, True), ("fc", float("inf"), True)]),)


def report(plots=PLOTS) -> str:
    return page("Report & more", "2 of 3 agree.", ("name", "error", "count", "status"), ROWS, plots, good=("same",))


def test_it_needs_nothing_else_and_escapes():
    text = report()
    assert text.count("a&lt;b&gt;") == 2 and "a<b>" not in text and "<title>Report &amp; more</title>" in text
    assert not re.findall(r"(?:src|href|url|import)\s*[=(]", text) and "http" not in text
    assert '<td class="bad">different</td>' in text and '<td class="good">same</td>' in text
    assert '<td class="number" data-value="1e-07">1e-07</td>' in text
    assert text.count("<circle") == 3 and 'class="bad"><title>fc: inf</title>' in text


def test_columns_without_values_are_left_out():
    text = page("t", "s", ("name", "becomes", "why"), [{"name": "a", "becomes": "", "why": "b"}, {"name": "c"}])
    assert re.findall("<th [^>]*>(.*?)</th>", text) == ["name", "why"]


def test_plots_of_nothing_but_zeros():
    text = report([Plot("zeros", [("a", 0.0, False), ("b", 0.0, False)])])
    assert text.count("<circle") == 2 and "nan" not in text


def shown(tmp_path: Path, text: str, *, then: str = "", anchor: str = "") -> str:
    """Return the page's elements after its scripts ran, and then another."""
    file = tmp_path / "page.html"
    file.write_text(text.replace("</body>", f"<script>{then}</script></body>"))
    command = [BROWSER, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", f"file://{file}{anchor}"]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


def names(dom: str) -> list[str]:
    """Return the first field of the rows that are not hidden."""
    return re.findall(r'<tr data-status="[a-z ]+"><td>(.*?)</td>', dom)


@needs_browser
def test_search_filters_and_sorting_in_a_browser(tmp_path):
    assert names(shown(tmp_path, report())) == ["a&lt;b&gt;", "conv", "fc"]
    dom = shown(tmp_path, report(), anchor="#CONV")
    assert names(dom) == ["conv"] and "1 of 3 rows" in dom
    dom = shown(tmp_path, report(), then="buttons[0].click()")
    assert names(dom) == ["conv"] and 'aria-pressed="false"' in dom
    assert names(shown(tmp_path, report(), then="heads[1].click()")) == ["conv", "a&lt;b&gt;", "fc"]
    assert names(shown(tmp_path, report(), then="heads[2].click();heads[2].click()")) == ["fc", "conv", "a&lt;b&gt;"]


@needs_browser
def test_the_page_of_a_comparison_in_a_browser(tmp_path):
    x = np.linspace(-2, 2, 12, dtype=np.float32).reshape(2, 6)
    ours = torch.nn.Sequential(torch.nn.Linear(6, 6), torch.nn.LeakyReLU(), torch.nn.Linear(6, 2))
    result = compare(ours, nn.SequentialCell(nn.Dense(6, 6), nn.LeakyReLU(), nn.Dense(6, 2)), x)
    result.html(tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text()
    dom = shown(tmp_path, text)
    assert "negative_slope is 0.01 in the reference and 0.2 here" in dom
    assert dom.count("<tr data-status=") == len(result.rows) and dom.count("<svg") >= 3
    assert len(names(shown(tmp_path, text, then="buttons[0].click()"))) == sum(
        row.status != "same" for row in result.rows
    )
    picture = tmp_path / "page.png"
    command = [BROWSER, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", f"--screenshot={picture}"]
    subprocess.run([*command, f"file://{tmp_path / 'r.html'}"], capture_output=True, timeout=120, check=True)
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n" and picture.stat().st_size > 10_000

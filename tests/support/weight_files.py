"""Files of weights, what a report says of them, and the errors of those that cannot be converted."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch

from sporax._src.migrate.weights.report import WeightsReport
from sporax.migrate import convert_weights


def saved(folder: Path, state: Mapping[str, Any], name: str = "net.pth") -> Path:
    """Save a `state_dict` and return the file."""
    torch.save(state, folder / name)
    return folder / name


def pairs(report: WeightsReport) -> dict[str, str]:
    """Return the names of the source with those that they got."""
    return {row.source: row.target for row in report.rows if row.target}


def statuses(report: WeightsReport) -> dict[str, str]:
    """Return what became of each name."""
    return {row.source or row.target: row.status for row in report.rows}


def fails(
    folder: Path,
    src: Path,
    told: str,
    dst: str = "out.ckpt",
    error: type[Exception] = ValueError,
    **options: Any,
) -> None:
    """Expect one error, and a folder in which nothing was written."""
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    with pytest.raises(error, match=told):
        convert_weights(src, folder / dst, **options)
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before

"""`sporax report` collects what a bug report needs, without secrets."""

import pytest
from click.testing import CliRunner

from sporax._src.base import config, tracebacks
from sporax._src.cli.commands.report import report


def test_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPORAX_SECRET", "do not show")
    monkeypatch.setenv("SPORAX_LOG", "recompile")
    monkeypatch.setenv("HOME_PAGE", "of no matter")
    monkeypatch.setattr(tracebacks, "last", lambda: "2026-01-01 train.py\nValueError: text")
    config.set_context(device_id=0, debug_nans=True)
    try:
        done = CliRunner().invoke(report)
    finally:
        config.set_context(debug_nans=False)
    assert done.exit_code == 0
    lines = done.output.splitlines()
    assert [line for line in lines if line.startswith("##")] == [
        "## Versions", "## Machine", "## Settings", "## Environment", "## Last error",
    ]  # fmt: skip
    assert {"    SPORAX_SECRET=(hidden)", "    SPORAX_LOG=recompile", "    debug_nans=True"} <= set(lines)
    assert "do not show" not in done.output and "HOME_PAGE" not in done.output
    assert lines[-3:-1] == ["    2026-01-01 train.py", "    ValueError: text"]

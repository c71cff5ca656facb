"""A sample of damaged files of every format: loaded, or refused by an error that names them (see `tools/mutate_files.py`)."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from house import ROOT

TOOLS = ROOT / "tools"


def test_a_sample(tmp_path: Path) -> None:
    out = tmp_path / "results.json"
    command = [sys.executable, str(TOOLS / "mutate_files.py"), "--count", "240", "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    told = json.loads(out.read_text()) if out.exists() else {"bad": done.stderr[-2000:]}
    assert told["bad"] == []
    assert told["total"]["own error"] > 100 and sum(told["total"].values()) == 240


def test_all_of_them_as_recorded() -> None:
    told = json.loads((TOOLS / "results" / "mutate_files.json").read_text())
    assert sum(told["total"].values()) == told["files"] >= 10_000 and told["bad"] == []
    for name, found in told["formats"].items():
        assert found["raw error"] == found["crash"] == found["hang"] == 0, name


@pytest.mark.parametrize(
    "code", ["import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "import time; time.sleep(60)"]
)
def test_crashes_and_hangs_are_seen(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(TOOLS))
    import mutate_files

    program = (
        f"import json, sys; jobs = json.load(sys.stdin)\nif jobs[0][1] == 0:\n print('[\"at\"]', flush=True)\n {code}\n"
    )
    program += "for job in jobs: print('[\"at\"]'); print('[\"loaded\"]', flush=True)"

    monkeypatch.setattr(mutate_files, "PATIENCE", 1.0)
    monkeypatch.setattr(mutate_files, "child_command", lambda folder: [sys.executable, "-c", program])
    outcome = "crash" if "kill" in code else "hang"
    assert [found[0] for found in mutate_files.run([("png", 0), ("png", 1)])] == [outcome, "loaded"]

"""Every script in `tools/` starts from any folder, without what a shell may have set."""

import os
import subprocess
import sys

import pytest
from house import ROOT

SCRIPTS = sorted(path for path in (ROOT / "tools").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_script_says_what_it_does(script, tmp_path):
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([sys.executable, script, "--help"], cwd=tmp_path, env=clean, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"usage: {script.name}")
    assert [*tmp_path.iterdir()] == []

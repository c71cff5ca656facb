"""`sporax check` trains on each device."""

import re

from commands import sporax


def test_check(tmp_path):
    done = sporax("check", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"CPU.*PYNATIVE", done.stdout) and re.search(r"CPU.*GRAPH", done.stdout)
    assert "failed" not in done.stdout

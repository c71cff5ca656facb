"""The commands that `sporax --help` lists."""

import re

from commands import sporax


def test_help_lists_the_commands(tmp_path):
    text = sporax("--help", cwd=tmp_path).stdout
    shown = re.findall(r"^  (\w+)  ", text, re.MULTILINE)
    assert {"run", "launch", "check"} <= set(shown) and shown == sorted(shown)

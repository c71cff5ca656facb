"""The commands that `sporax --help` lists."""

import re

from commands import sporax


def test_help_lists_the_commands(tmp_path):
    text = sporax("--help", cwd=tmp_path).stdout
    shown = re.findall(r"^  (\w+)  ", text, re.MULTILINE)
    assert {"run", "launch", "check"} <= set(shown) and shown == sorted(shown)


def test_commands_and_options_are_completed(tmp_path, monkeypatch):
    """The README says how a shell asks for it."""
    monkeypatch.setenv("_SPORAX_COMPLETE", "bash_complete")
    for words, want in (("sporax che", "plain,check"), ("sporax run --dev", "plain,--device")):
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(words.count(" ")))
        assert sporax(cwd=tmp_path).stdout.strip() == want

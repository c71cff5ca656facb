"""Options of `sporax weights` that are refused before anything is read. What is carried is tested in `migrate`."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from sporax._src.cli.commands.weights import weights


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--verify"], "--verify runs both nets; give --source-net and --target-net too."),
        (["--input", "1,3"], "--input is what --verify runs the nets on; give --verify too."),
        (["--report", "{folder}/out.ckpt"], "give a file of its own, in a folder that exists."),
        (["--report", "{folder}/none/r.json"], "give a file of its own, in a folder that exists."),
        (["--report", "{folder}/a.json"], "a.json: the file exists; give another name, or --force to replace it."),
        (["--target", "numpy"], "'numpy' is not one of 'classic', 'mint'"),
    ],
)
def test_options_that_do_not_go_together(words: list[str], text: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    (tmp_path / "a.pth").write_bytes(b"")
    options = [word.format(folder=tmp_path) for word in words]
    done = CliRunner().invoke(weights, [str(tmp_path / "a.pth"), str(tmp_path / "out.ckpt"), *options])
    assert done.exit_code in (1, 2) and text in done.output
    assert not (tmp_path / "out.ckpt").exists()

"""Options of `sporax compare`, and the script that it writes. What is compared is tested in `migrate`."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from sporax._src.cli.commands.compare import compare


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["a.zip"], "give two recordings, or --torch-net and --net."),
        (["a.zip", "b.zip", "--net", "n.py:net"], "give two recordings, or --torch-net and --net."),
        (["--net", "n.py:net"], "give --torch-net and --net, or two recordings."),
    ],
)
def test_options_that_do_not_go_together(words: list[str], text: str) -> None:
    done = CliRunner().invoke(compare, words)
    assert done.exit_code != 0 and text in done.output


def test_the_script_is_written_once(tmp_path: Path) -> None:
    out = tmp_path / "dump.py"
    done = CliRunner().invoke(compare, ["dump-script", "-o", str(out)])
    assert done.exit_code == 0 and f"{out}: written" in done.output.replace("\n", "")
    compile(out.read_text(), str(out), "exec")
    assert "import sporax" not in out.read_text()
    again = CliRunner().invoke(compare, ["dump-script", "-o", str(out)])
    assert again.exit_code != 0 and "exists: name another, or delete it." in again.output

"""`sporax migrate`: what is shown, written and refused. The conversion itself is tested in `migrate`."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from sporax._src.cli.commands.migrate import migrate


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "p.py"
    path.write_text("import torch\nprint(torch.ones(2))\n")
    return path


def test_a_file_is_converted_and_not_replaced(program: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.py"
    done = CliRunner().invoke(migrate, [str(program), "-o", str(out)])
    assert done.exit_code == 0, done.output
    assert "mint.ones((2,))" in out.read_text() and "0 left (100.0%)" in done.output
    again = CliRunner().invoke(migrate, [str(program), "-o", str(out)])
    assert again.exit_code == 1 and "out.py" in again.output


def test_changes_are_shown_and_nothing_is_written(program: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(migrate, [str(program), "--diff"])
    assert "-print(torch.ones(2))" in done.output and "+print(mint.ones((2,)))" in done.output
    assert [path.name for path in tmp_path.iterdir()] == ["p.py"]


def test_what_is_left_fails_a_check(program: Path) -> None:
    assert CliRunner().invoke(migrate, [str(program), "--check"]).exit_code == 0
    program.write_text("import torch\ntorch.no_such_name(3)\n")
    done = CliRunner().invoke(migrate, [str(program), "--check"])
    assert done.exit_code == 1 and "p.py:2: " in done.output


def test_where_to_write_must_be_said(program: Path) -> None:
    done = CliRunner().invoke(migrate, [str(program)])
    assert done.exit_code == 2 and "say where to write with -o OUT" in done.output


def test_a_report_shows_names_and_code_as_they_are(tmp_path: Path) -> None:
    """Long names are wrapped, not cut; what looks like markup or an emoji is neither."""
    folder = tmp_path / "source" / "a_folder_with_a_long_name"
    folder.mkdir(parents=True)
    name = "a_file_whose_name_is_longer_than_a_terminal_of_eighty_columns_is_wide.py"
    (folder / name).write_text("import torch\nimport timm\ntorch.cat(1, 2, 3, 4, ':100:', '[red]')\n")
    output = CliRunner().invoke(migrate, [str(tmp_path / "source"), "--check"]).output
    cells = [line.split("\u2502")[1] for line in output.splitlines() if line.count("\u2502") > 3]
    path = f"a_folder_with_a_long_name/{name}"
    assert path in "".join(cell.strip() for cell in cells)
    assert "':100:', '[red]'" in output and "\u2026" not in output
    last = "timm needs torch and is not converted; replace it, or convert its source too"
    assert output.rstrip().endswith(f"To be looked at:\n  {last}: {path}:2")

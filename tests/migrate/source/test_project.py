"""Files, folders and notebooks: the output is whole or absent, the source is only read, each error names its file."""

import json
import os

import pytest
from click.testing import CliRunner
from program_folders import snapshot, write_program

from sporax._src.cli.commands.migrate import migrate as command
from sporax._src.migrate.source.diagnostics import Diagnostics
from sporax._src.migrate.source.project import migrate


@pytest.fixture
def source(tmp_path):
    return write_program(tmp_path / "source")


def test_a_folder(source, tmp_path):
    before = snapshot(source)
    report = migrate(source, tmp_path / "out")
    assert snapshot(source) == before
    after = snapshot(tmp_path / "out")
    assert after.keys() == before.keys()
    assert after["a.py"] == b"from mindspore import mint\nx = mint.cat([])\n"
    assert after["data.txt"] == b"as it is"
    assert after["old.py"] == before["old.py"]
    errors = {file.path: file.error for file in report.files if file.error}
    assert errors["old.py"].startswith("line 1: Missing parentheses in call to 'print'")
    assert errors["latin.py"].startswith("is not UTF-8 text")
    assert [(file, line) for file, line, _ in report.todo] == [("pkg/b.py", 2)]
    assert report.rate == 0.5


@pytest.mark.parametrize("folder", ["torchvision", "."])
def test_what_a_package_imports_of_itself_is_its_own(folder, tmp_path):
    package = tmp_path / "source" / "torchvision"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    text = "import torchvision\nimport torch\nfrom torchvision.ops import box_area\nx = torchvision.f(box_area(torch.t(y)))\n"
    (package / "a.py").write_text(text)
    report = migrate(tmp_path / "source" / folder, tmp_path / "out")
    converted = text.replace("import torch\n", "from mindspore import mint\n").replace("torch.t(", "mint.t(")
    assert [(file.text, file.todo) for file in report.files if file.path.endswith("a.py")] == [(converted, [])]


def test_a_file_goes_into_a_file_or_a_folder(source, tmp_path):
    migrate(source / "a.py", tmp_path / "one.py")
    migrate(source / "a.py", tmp_path / "folder")
    assert (tmp_path / "one.py").read_text() == (tmp_path / "folder" / "a.py").read_text()


@pytest.mark.parametrize("inside", ["source/out", "source", "."])
def test_output_and_source_do_not_lie_in_one_another(source, tmp_path, inside):
    before = snapshot(source)
    with pytest.raises(ValueError, match=r"contain one another; give an output folder outside of the source\."):
        migrate(source, tmp_path / inside)
    assert snapshot(source) == before


def test_what_exists_is_not_replaced_unasked(source, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.py").write_text("mine")
    with pytest.raises(FileExistsError, match=r"exists already; give another folder, or --force to replace it\."):
        migrate(source, tmp_path / "out")
    assert snapshot(tmp_path / "out") == {"mine.py": b"mine"}
    migrate(source, tmp_path / "out", force=True)
    assert "mine.py" not in snapshot(tmp_path / "out")


def test_an_output_that_cannot_be_written_leaves_nothing(source, tmp_path, monkeypatch):
    def broken(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(OSError, match="disk full"):
        migrate(source, tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["source"]


def test_a_source_that_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no .* to convert\."):
        migrate(tmp_path / "nothing", tmp_path / "out")


def test_a_notebook(tmp_path):
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["import torch"]},
        {
            "cell_type": "code",
            "metadata": {},
            "outputs": [1],
            "execution_count": 3,
            "source": ["%matplotlib inline\n", "import torch"],
        },
        {
            "cell_type": "code",
            "metadata": {},
            "outputs": [],
            "execution_count": 4,
            "source": ["x = torch.cat([], axis=0)\n", "!ls"],
        },
    ]
    book = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "n.ipynb").write_text(json.dumps(book))
    migrate(tmp_path / "n.ipynb", tmp_path / "out.ipynb")
    after = json.loads((tmp_path / "out.ipynb").read_text())["cells"]
    assert after[0] == cells[0]
    assert "".join(after[1]["source"]) == "%matplotlib inline\nfrom mindspore import mint"
    assert (after[1]["outputs"], after[1]["execution_count"]) == ([], None)
    assert "".join(after[2]["source"]) == "x = mint.cat([], dim=0)\n!ls"


def run(*args):
    return CliRunner().invoke(command, [str(arg) for arg in args])


def test_the_command(source, tmp_path):
    done = run(source, "-o", tmp_path / "out")
    assert done.exit_code == 0
    assert "pkg/b.py:2: torch.no_such has no counterpart here" in done.output
    assert "4 files, 1 uses of torch converted, 1 left (50.0%)." in done.output
    assert run(source, "-o", tmp_path / "out").output.startswith("Error: ")
    assert run(source).exit_code == 2


def test_the_command_shows_changes_and_checks(source, tmp_path):
    shown = run(source / "a.py", "--diff")
    assert "-x = torch.cat([])\n+from mindspore import mint\n+x = mint.cat([])\n" in shown.output
    assert run(source / "a.py", "--check").exit_code == 0
    assert run(source, "--check").exit_code == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["source"]


def test_a_fault_of_the_conversion_is_none_of_the_file(source, tmp_path, monkeypatch):
    monkeypatch.setattr(Diagnostics, "write_comments", lambda self, edits: edits.add(0, 0, "("))
    report = migrate(source / "a.py", tmp_path / "a.py")
    assert report.files[0].error == (
        "line 1: the converted text is not Python (invalid syntax); "
        "this is an error of the converter, and the file is copied unchanged"
    )
    assert (tmp_path / "a.py").read_text() == (source / "a.py").read_text()


def test_the_command_names_the_files_that_it_copied_as_they_are(source, tmp_path, monkeypatch):
    monkeypatch.setattr(Diagnostics, "write_comments", lambda self, edits: edits.add(0, 0, "("))
    result = run(source / "a.py", "-o", tmp_path / "a.py")
    assert "Copied as they are, not converted: a.py." in result.output
    assert result.exit_code == 1
    assert "0 uses of torch converted, 1 left (0.0%)." in result.output


def test_statements_that_share_a_line(tmp_path):
    (tmp_path / "a.py").write_text(
        "import torch\nw = torch.ones(2, requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.1)\n"
        "for _ in range(2):\n    loss = (w * w).sum()\n    loss.backward(); opt.step(); opt.zero_grad()\n"
    )
    report = migrate(tmp_path / "a.py", tmp_path / "b.py")
    assert not report.unconverted and not report.todo
    assert "torch" not in (tmp_path / "b.py").read_text().replace("_from_torch", "")


def notebook_of(path, *sources):
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": 1, "source": source.splitlines(True)}
        for source in sources
    ]
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    return path


def test_cells_in_other_languages_and_magics_stay(tmp_path):
    others = ("%%bash\nfor f in *; do\n  echo $f\ndone", "files = !ls\n%time f()\nf??", "%%time\n%matplotlib inline")
    notebook_of(tmp_path / "n.ipynb", "import torch", *others, "%%time\nx = torch.cat([], axis=0)")
    report = migrate(tmp_path / "n.ipynb", tmp_path / "out.ipynb")
    assert not report.unconverted
    after = ["".join(cell["source"]) for cell in json.loads((tmp_path / "out.ipynb").read_text())["cells"]]
    assert after == ["from mindspore import mint", *others, "%%time\nx = mint.cat([], dim=0)"]


def test_a_cell_that_is_no_python_leaves_the_others(tmp_path):
    notebook_of(tmp_path / "n.ipynb", "import torch", "x = 1\nprint x", "x = torch.cat([], axis=0)")
    report = migrate(tmp_path / "n.ipynb", tmp_path / "out.ipynb")
    assert not report.unconverted
    after = ["".join(cell["source"]) for cell in json.loads((tmp_path / "out.ipynb").read_text())["cells"]]
    assert after == ["from mindspore import mint", "x = 1\nprint x", "x = mint.cat([], dim=0)"]
    ((path, _, reason),) = report.todo
    assert path == "n.ipynb" and reason.startswith("code cell 2, line 2: ")


def test_a_file_that_is_no_python_leaves_the_others(tmp_path):
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "two.py").write_text("import torch\nprint 'x'\nexec 'y' in z\n")
    (folder / "wrong.py").write_text("import torch\ndef f(:\n")
    (folder / "right.py").write_text("import torch\nx = torch.ones(2)\n")
    report = migrate(folder, tmp_path / "out")
    assert {file.path: bool(file.error) for file in report.files} == {
        "right.py": False,
        "two.py": True,
        "wrong.py": True,
    }
    assert [(path, reason.partition(":")[0]) for path, _, reason in report.todo] == [
        ("two.py", "line 2"),
        ("wrong.py", "line 2"),
    ]
    assert "mint.ones" in (tmp_path / "out" / "right.py").read_text()


def test_a_conversion_runs_no_code(tmp_path):
    """Packages that install others when they are imported, and build scripts, are only read."""
    package = tmp_path / "source" / "pkg"
    package.mkdir(parents=True)
    acts = f"import torch, pathlib\npathlib.Path({str(tmp_path / 'ran')!r}).touch()\nx = torch.ones(2)\n"
    (package / "__init__.py").write_text(acts)
    (tmp_path / "source" / "setup.py").write_text(acts)
    assert not migrate(tmp_path / "source", tmp_path / "out").todo
    assert not (tmp_path / "ran").exists()


def test_extensions_in_other_languages_are_copied(tmp_path):
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "op.cpp").write_bytes(b"#include <torch/extension.h>\n")
    (folder / "op.so").write_bytes(b"\x7fELF\x00")
    (folder / "a.py").write_text("from torch.utils.cpp_extension import load\nop = load('op', ['op.cpp'])\n")
    report = migrate(folder, tmp_path / "out")
    assert [line for _, line, _ in report.todo] == [2] and "write an operator with mindspore.ops.Custom" in report.todo[
        0
    ][2]
    assert (tmp_path / "out" / "op.so").read_bytes() == b"\x7fELF\x00"


def test_files_that_import_one_another_in_a_circle(tmp_path):
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "a.py").write_text("from b import *\nimport torch\nx = torch.ones(2)\n")
    (folder / "b.py").write_text("from a import *\ny = torch.zeros(2)\n")
    assert not migrate(folder, tmp_path / "out").todo
    assert "mint.zeros((2,))" in (tmp_path / "out" / "b.py").read_text()


def test_folders_without_init_and_names_with_dashes(tmp_path):
    folder = tmp_path / "my-source" / "spaced" / "inner-part"
    folder.mkdir(parents=True)
    (folder / "my-script.py").write_text("import torch\nscaler = torch.amp.GradScaler()\n")
    assert not migrate(tmp_path / "my-source", tmp_path / "my-out").todo
    written = {path.name for path in (tmp_path / "my-out").rglob("*.py")}
    assert {"my-script.py", "runtime.py"} <= written


def test_a_file_of_twenty_thousand_lines(tmp_path):
    function = "def f{}(x: torch.Tensor):\n    y = torch.cat([x, x], axis=0)\n    return y\n\n"
    text = "import torch\n" + "".join(map(function.format, range(5000)))
    (tmp_path / "a.py").write_text(text)
    (report,) = migrate(tmp_path / "a.py").files
    assert report.lines > 20_000 and not report.todo and report.used["torch.cat"] == 5000

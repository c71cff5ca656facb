"""`sporax compare`: two networks, recordings of two machines, the script for MindSpore itself, and what it says of bad input."""

import ast
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from program_packages import write_package

from sporax import compat
from sporax._src.cli import main
from sporax._src.cli.commands.compare import compare
from sporax._src.migrate.compare.storage import load
from sporax.migrate import migrate

TESTS = Path(__file__).parents[2]
HERE = TESTS / "support" / "compared"
GOLDENS = TESTS / "goldens" / "compare"
TORCH, CELL = f"{HERE / 'torch_net.py'}", f"{HERE / 'cell_net.py'}"


@pytest.fixture(autouse=True)
def _apart(monkeypatch, tmp_path):
    """Leave no path and no name of MindSpore behind."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    x = np.cos(np.arange(96)).reshape(2, 3, 4, 4).astype(np.float32)
    np.savez("inputs.npz", x=x, y=np.array([0, 2]))
    np.savez("inputs32.npz", x=x, y=np.array([0, 2], np.int32))
    yield
    compat.uninstall()


def sporax(*args: str) -> Result:
    return CliRunner().invoke(main, ["compare", *args], catch_exceptions=False)


def recorded(net: str, out: str, *options: str) -> str:
    done = sporax("dump", "--net", net, "--inputs", "inputs.npz", "-o", out, *options)
    assert done.exit_code == 0 and done.output == f"{out}: written\n", done.output
    return out


def trained(file: str) -> tuple[str, ...]:
    return "--loss", f"{file}:loss", "--optimizer", f"{file}:optimizer"


def test_networks_that_agree():
    done = sporax("--torch-net", f"{TORCH}:build", "--net", f"{CELL}:build", "--shape", "2,3,4,4", "--single-step")
    assert done.exit_code == 0, done.output
    assert "agrees with Net (torch" in done.output and "forward  5 same" in done.output


def test_networks_that_differ():
    options = "--inputs", "inputs.npz", "--loss", "cross_entropy", "--json", "r.json", "--html", "r.html"
    done = sporax("--torch-net", f"{TORCH}:build", "--net", f"{CELL}:build_wrong", *options)
    assert done.exit_code == 1
    assert "first at bn" in done.output and "momentum is 0.1" in done.output and "loss  1 same" in done.output
    data = json.loads(Path("r.json").read_text())
    assert data["first_difference"] == "bn" and data["stage"] == "training" and data["agrees"] is False
    assert "momentum is 0.1" in Path("r.html").read_text()


def test_weights_are_not_carried_if_so_told():
    options = "--shape", "2,3,4,4"
    assert sporax("--torch-net", f"{TORCH}:build", "--net", f"{CELL}:build", *options, "--no-carry").exit_code == 0


# --- recordings -----------------------------------------------------------------------------------------------------


def test_recordings_of_torch_and_of_mindspore_itself():
    ours = recorded(f"{TORCH}:build", "torch.zip", *trained(TORCH))
    done = sporax(ours, str(GOLDENS / "mindspore.zip"), "--json", "r.json")
    assert done.exit_code == 0, done.output
    data = json.loads(Path("r.json").read_text())
    assert data["candidate"] == "Net (mindspore 2.7.0)" and {"updates", "metric"} <= {r["stage"] for r in data["rows"]}
    done = sporax(ours, str(GOLDENS / "mindspore_momentum.zip"))
    assert done.exit_code == 1 and "first at bn" in done.output and "momentum is 0.1" in done.output


def test_recordings_of_a_cell_in_a_folder():
    with zipfile.ZipFile(recorded(f"{CELL}:build", "cell.zip", *trained(CELL))) as file:
        file.extractall("folder")
    assert sorted(p.name for p in Path("folder").iterdir()) == ["arrays.npz", "recording.json"]
    assert sporax(str(GOLDENS / "mindspore.zip"), "folder").exit_code == 0
    assert load("folder").about["framework"] == "sporax"


def test_the_script_needs_numpy_and_mindspore_alone():
    assert sporax("dump-script", "-o", "dump.py").exit_code == 0
    imported = set()
    for node in ast.walk(ast.parse(Path("dump.py").read_text())):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module]
            imported |= {name.split(".")[0] for name in names}
    assert imported <= {"numpy", *sys.stdlib_module_names}
    command = [sys.executable, "-m", "sporax", "run", "dump.py", "--net", f"{CELL}:build", "--inputs", "inputs32.npz"]
    subprocess.run([*command, "--out", "b.zip", *trained(CELL)], check=True, timeout=300)
    assert sporax(recorded(f"{TORCH}:build", "a.zip", *trained(TORCH)), "b.zip").exit_code == 0


def test_a_recording_is_whole_or_absent(monkeypatch):
    monkeypatch.setattr(zipfile.ZipFile, "writestr", lambda *args: (_ for _ in ()).throw(OSError("the disk is full")))
    done = sporax("dump", "--net", f"{TORCH}:build", "--inputs", "inputs.npz", "-o", "a.zip", *trained(TORCH))
    assert done.exit_code == 1 and done.output == "Error: the disk is full\n"
    assert sorted(p.name for p in Path().iterdir()) == ["inputs.npz", "inputs32.npz"]


# --- bad input ------------------------------------------------------------------------------------------------------


NETS = "--torch-net", f"{TORCH}:build", "--net", f"{CELL}:build"
BAD = [
    ((), 2, "give --torch-net and --net, or two recordings"),
    (("a.zip",), 2, "give two recordings, or --torch-net and --net"),
    (("a.zip", "b.zip"), 1, "a.zip: there is no recording"),
    (("inputs.npz", "inputs.npz"), 1, "inputs.npz: this is no recording of `sporax compare dump`"),
    (("old", "old"), 1, "old: expected a recording of schema 1, got 0: record it anew"),
    (NETS, 1, "give the inputs by --inputs FILE.npz or by --shape 2,3,32,32, one of both"),
    ((*NETS, "--shape", "2,x"), 1, "--shape 2,x: expected sizes such as 2,3,32,32, or 2,16:100"),
    ((*NETS, "--shape", "2,3"), 1, "Net (torch) fails with inputs float32[2, 3]"),
    ((*NETS, "--inputs", "none.npz"), 1, "none.npz: expected an npz file of arrays without objects"),
    ((*NETS, "--inputs", "text.npz"), 1, "text.npz: expected an npz file of arrays without objects"),
    ((*NETS, "--inputs", "empty.npz"), 1, "empty.npz: there are no arrays in it"),
    ((*NETS, "--inputs", "inputs.npz", "--loss", "nonsense"), 1, "there is no such function in nn.functional"),
    (("--torch-net", "x", *NETS[2:]), 1, "'x': expected FILE.py:function"),
    (("--torch-net", "x.py:build", *NETS[2:]), 1, "there is no file x.py"),
    (("--torch-net", f"{TORCH}:nothing", *NETS[2:]), 1, "has no function nothing; it has build, loss"),
    (("--torch-net", f"{TORCH}:fails", *NETS[2:], "--shape", "1"), 1, "fails fails: KeyError: 'weights'"),
    (
        ("--torch-net", "broken.py:build", *NETS[2:]),
        1,
        "broken.py fails to load: ModuleNotFoundError: No module named 'nox'",
    ),
    (
        ("--torch-net", f"{TORCH}:no_network", *NETS[2:], "--shape", "1"),
        1,
        "torch_net must be a torch.nn.Module, got 3",
    ),
    (
        ("dump", "--net", f"{TORCH}:no_network", "--shape", "1", "-o", "a"),
        1,
        "returned a int: expected a torch.nn.Module or a Cell",
    ),
    (("dump", "--net", f"{TORCH}:build", "--shape", "1", "-o", "inputs.npz"), 1, "inputs.npz exists: name another"),
    (("dump-script", "-o", "inputs.npz"), 1, "inputs.npz exists: name another"),
]


@pytest.mark.parametrize(("args", "code", "text"), BAD, ids=[text[:40] for _, _, text in BAD])
def test_bad_input(args, code, text):
    Path("text.npz").write_text("no archive")
    Path("broken.py").write_text("import nox\n")
    np.savez("empty.npz")
    Path("old").mkdir()
    Path("old/recording.json").write_text('{"schema": 0}')
    np.savez("old/arrays.npz", a=np.zeros(1))
    before = sorted(Path().iterdir())
    done = sporax(*args)
    assert done.exit_code == code and text in done.output.replace("\n", " "), done.output
    assert len(re.findall(r"^Error: ", done.output, re.MULTILINE)) == 1
    assert sorted(path for path in Path().iterdir() if path.name != "__pycache__") == before


def test_recordings_of_other_inputs():
    for name, factor in (("a.zip", 1), ("b.zip", 2)):
        np.savez("inputs.npz", x=factor * np.ones((2, 3, 4, 4), np.float32))
        recorded(f"{TORCH}:build", name)
    done = sporax("a.zip", "b.zip")
    assert done.exit_code == 1 and "the recordings are of different inputs" in done.output


def test_objects_are_not_unpickled():
    np.savez("inputs.npz", x=np.array([{"a": 1}], dtype=object))
    done = sporax("dump", "--net", f"{TORCH}:build", "--inputs", "inputs.npz", "-o", "a.zip")
    assert done.exit_code == 1 and "without objects" in done.output


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


def test_packages_of_one_name_are_compared(tmp_path):
    theirs, ours = write_package(tmp_path / "theirs" / "pkg"), tmp_path / "ours" / "pkg"
    migrate(theirs.parent, ours)
    nets = "--torch-net", f"{theirs}:build", "--net", f"{ours / 'net.py'}:build", "--shape", "3,4"
    done = sporax(*nets)
    assert done.exit_code == 0 and "agrees with Net (torch" in done.output, done.output
    wrong = tmp_path / "wrong" / "pkg"
    migrate(theirs.parent, wrong)
    (wrong / "late.py").write_text("from mindspore import mint\n\ndef scale(x):\n    return mint.sigmoid(x)\n")
    done = sporax(*nets[:2], "--net", f"{wrong / 'net.py'}:build", *nets[4:])
    assert done.exit_code == 1 and "differs from Net (torch" in done.output, done.output

"""`sporax run` starts a program as `python` does, with sporax in MindSpore's place."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import jax
import pytest

from sporax._src.cli.commands.run import no_file, split
from sporax._src.compat import companions


def sporax(*args: str, cwd: Path) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", "sporax", *args], capture_output=True, text=True, cwd=cwd)


def test_own_options_end_where_the_program_begins():
    assert split([]) == ([], [])
    assert split(["a.py", "--mode", "x", "-m", "y"]) == ([], ["a.py", "--mode", "x", "-m", "y"])
    assert split(["--device", "CPU", "--mode=graph", "a.py", "b"]) == (
        ["--device", "CPU", "--mode=graph"],
        ["a.py", "b"],
    )
    assert split(["--mode", "graph", "-m", "pytest", "-m", "z"]) == (["--mode", "graph", "-m", "pytest"], ["-m", "z"])
    assert split(["-mpytest", "-q"]) == (["-mpytest"], ["-q"])
    assert split(["--mode", "graph", "--", "-odd.py", "-x"]) == (["--mode", "graph"], ["-odd.py", "-x"])
    assert split(["--help"]) == (["--help"], [])


def test_script_sees_what_python_would_show_it(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "helper.py").write_text("import mindspore as ms\nVERSION = ms.__version__\n")
    (folder / "main.py").write_text(
        "import sys, os, helper, __main__\n"
        "assert __name__ == '__main__' and __main__.__dict__ is globals(), __name__\n"
        "print(helper.VERSION, sys.argv, os.path.basename(sys.path[0]), os.path.basename(__file__))\n"
    )
    done = sporax("run", "project/main.py", "--mode", "x", "-q", cwd=tmp_path)
    assert done.stdout.split("\n")[0] == "2.7.0 ['project/main.py', '--mode', 'x', '-q'] project main.py", done.stderr


def test_module_and_its_options(tmp_path):
    (tmp_path / "prog.py").write_text(
        "import sys, mindspore\nprint(sys.argv[1:], sys.path[0] == __import__('os').getcwd())\n"
    )
    done = sporax("run", "-m", "prog", "-m", "slow", "--device", "x", cwd=tmp_path)
    assert done.stdout.strip() == "['-m', 'slow', '--device', 'x'] True", done.stderr


def test_ids_of_tests_are_those_of_numpy_1(tmp_path):
    (tmp_path / "test_a.py").write_text(
        "import numpy as np, pytest\n"
        "@pytest.mark.parametrize('dtype', [np.bool_, bool, np.int32, np.float_])\n"
        "@pytest.mark.parametrize('n', [1])\n"
        "def test_it(dtype, n): pass\n"
    )
    done = sporax("run", "-m", "pytest", "-qW", "error", "--collect-only", "test_a.py", cwd=tmp_path)
    ids = [line.partition("::")[2] for line in done.stdout.splitlines() if "::" in line]
    assert ids == [f"test_it[1-{dtype}]" for dtype in ("bool_", "bool", "int32", "float64")], done.stdout


def test_command_line_overrides_the_program(tmp_path):
    (tmp_path / "a.py").write_text(
        "import mindspore as ms\n"
        "ms.set_context(mode=ms.GRAPH_MODE, device_target='CPU')\n"
        "print(ms.get_context('mode') == ms.PYNATIVE_MODE, ms.get_context('device_target'))\n"
    )
    done = sporax("run", "--mode", "pynative", "--device", "cpu", "a.py", cwd=tmp_path)
    assert done.stdout.strip() == "True CPU", done.stderr
    assert sporax("run", "a.py", cwd=tmp_path).stdout.strip() == "False CPU"


@pytest.mark.parametrize(
    "program", ["import six", "try:\n    import six\nexcept ImportError:\n    raise RuntimeError('no')"]
)
def test_a_package_that_mindspore_brings_is_told(program, tmp_path):
    (tmp_path / "a.py").write_text(f"import sys\nsys.modules['six'] = None\n{program}\n")
    done = sporax("run", "a.py", cwd=tmp_path)
    assert done.returncode == 1
    assert "MindSpore brings six; sporax does by: pip install 'sporax[mindspore]'\n" in done.stderr


def test_the_extra_has_what_mindspore_brings():
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
    names = {re.match("[a-z]+", need)[0] for need in project["optional-dependencies"]["mindspore"]}
    held = {"opencv"}  # MindSpore's own library has OpenCV inside: its programs cannot import it
    assert names - held == {{"PIL": "pillow"}.get(name, name) for name in companions.BROUGHT}


def test_errors_show_the_frames_of_the_program(tmp_path):
    (tmp_path / "a.py").write_text("def f():\n    raise KeyError('x')\nf()\n")
    done = sporax("run", "a.py", cwd=tmp_path)
    lines = done.stderr.strip().splitlines()
    assert done.returncode == 1
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[1].endswith('a.py", line 3, in <module>')
    assert lines[-1] == "KeyError: 'x'"
    assert "runpy" not in done.stderr and "click" not in done.stderr
    (tmp_path / "b.py").write_text("x = = 1\n")
    done = sporax("run", "b.py", cwd=tmp_path)
    assert done.returncode == 1 and "SyntaxError" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("code", "status"), [("sys.exit(3)", 3), ("sys.exit('why')", 1), ("raise KeyboardInterrupt", 130), ("", 0)]
)
def test_exit_status(code, status, tmp_path):
    (tmp_path / "a.py").write_text(f"import sys\n{code}\n")
    assert sporax("run", "a.py", cwd=tmp_path).returncode == status


def test_spawned_processes_find_the_alias(tmp_path):
    (tmp_path / "a.py").write_text(
        "import multiprocessing as mp\nimport mindspore as ms\n\n"
        "def work(q):\n    q.put(ms.__version__)\n\n"
        "if __name__ == '__main__':\n"
        "    context = mp.get_context('spawn')\n    q = context.SimpleQueue()\n"
        "    p = context.Process(target=work, args=(q,))\n    p.start()\n    print(q.get())\n    p.join()\n"
    )
    done = sporax("run", "a.py", cwd=tmp_path)
    assert done.stdout.strip() == "2.7.0", done.stderr


def test_wrong_use_is_explained(tmp_path):
    assert "name a script" in sporax("run", cwd=tmp_path).stderr
    assert "no file 'none.py'" in sporax("run", "none.py", cwd=tmp_path).stderr
    missing = sporax("run", "-m", "none.at.all", cwd=tmp_path)
    assert missing.returncode == 1 and "none" in missing.stderr


@pytest.mark.parametrize(("last", "code"), [("", 0), ("sys.exit(3)", 3), ("raise ValueError('x')", 1)])
def test_a_program_ends_while_its_last_steps_are_computed(tmp_path, last, code):
    (tmp_path / "prog.py").write_text(
        "import sys\nimport mindspore as ms\nfrom mindspore import nn, ops\n"
        "ms.set_context(mode=ms.GRAPH_MODE)\n"
        "net = nn.SequentialCell(*[nn.Conv2d(16, 16, 3) for _ in range(4)])\n"
        "step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1))\n"
        "x = ops.ones((8, 16, 48, 48))\n"
        "for _ in range(20):\n    loss = step(x, x)\n" + last
    )
    assert sporax("run", "prog.py", cwd=tmp_path).returncode == code


def test_the_times_of_data_are_printed(tmp_path):
    (tmp_path / "reads.py").write_text(
        "from mindspore import dataset\n"
        "rows = dataset.NumpySlicesDataset([1, 2, 3], ['a'], shuffle=False).batch(2)\n"
        "print(len(list(rows)))\n"
        "raise SystemExit(3)\n"
    )
    done = sporax("run", "--profile-data", "reads.py", cwd=tmp_path)
    assert done.returncode == 3 and done.stdout == "2\n"
    assert "batch(batch_size=2): 2 rows, " in done.stderr and "Reading took " in done.stderr


def test_a_device_that_is_not_here_is_an_error(tmp_path):
    (tmp_path / "a.py").write_text("print('ran')")
    absent = "TPU" if jax.default_backend() != "tpu" else "GPU"
    done = sporax("run", "--device", absent, "a.py", cwd=tmp_path)
    assert done.returncode == 2 and f"Error: --device {absent}: there is none here; devices: CPU" in done.stderr
    assert "ran" not in done.stdout


def test_a_mistyped_script(tmp_path):
    (tmp_path / "train.py").write_text("print('ran')")
    assert no_file(str(tmp_path / "trian.py")).endswith(f"Did you mean '{tmp_path / 'train.py'}'?")
    assert no_file("elsewhere/x.py") == "there is no file 'elsewhere/x.py', and no such command."

"""`sporax weights`: its options, what it prints and writes, and its exit code. What is carried is tested in `migrate`."""

import json
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner
from program_packages import write_package

import sporax as ms
from sporax import compat
from sporax._src.cli.commands.weights import weights
from sporax._src.migrate.loading import load_function
from sporax.migrate import migrate

TORCH_NET = """
import torch
from helper import WIDTH

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = torch.nn.Conv2d(3, WIDTH, 3), torch.nn.BatchNorm2d(WIDTH)
        self.head = torch.nn.Linear(WIDTH, 2)

    def forward(self, x):
        return self.head(self.norm(self.conv(x)).relu().mean((2, 3)))

def build():
    return Net()

def small():
    return torch.nn.Linear(2, 2)

def nothing():
    pass

def number():
    return 3

def fails():
    raise RuntimeError("no data here")
"""
MINDSPORE_NET = """
import mindspore
from mindspore import nn

class Net(nn.Cell):
    def __init__(self, eps=1e-5):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, pad_mode="valid", has_bias=True)
        self.norm = nn.BatchNorm2d(4, eps=eps)
        self.head = nn.Dense(4, 2)

    def construct(self, x):
        return self.head(nn.ReLU()(self.norm(self.conv(x))).mean((2, 3)))

def build():
    return Net()

def other():
    return Net(eps=0.1)

def wide():
    net = Net()
    net.head = nn.Dense(4, 3)
    return net
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "helper.py").write_text("WIDTH = 4")
    (tmp_path / "ours.py").write_text(MINDSPORE_NET)
    (tmp_path / "theirs.py").write_text(TORCH_NET)
    net = torch.nn.Module()
    net.conv, net.norm, net.head = torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.Linear(4, 2)
    net.norm.running_var.uniform_(0.5, 2)
    torch.save(net.state_dict(), "net.pth")
    yield tmp_path
    compat.uninstall()


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner(env={"COLUMNS": "160"}).invoke(weights, arguments)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


BOTH = ("--source-net", "theirs.py:build", "--target-net", "ours.py:build")


def test_a_table_and_the_numbers_are_printed(folder):
    code, text = run("net.pth", "net.ckpt")
    assert code == 0
    assert "norm.running_var" in text and "norm.moving_variance" in text and "num_batches_tracked" in text
    assert "9 names: 4 carried, 4 renamed, 1 dropped." in text
    assert len(ms.load_checkpoint("net.ckpt")) == 8


def test_the_report_as_json(folder):
    assert run("net.pth", "net.ckpt", "--report", "report.json", *BOTH, "--verify")[0] == 0
    report = json.loads((folder / "report.json").read_text())
    assert (report["tool"], report["version"], report["ok"]) == ("weights", 1, True)
    assert report["counts"] == {"carried": 4, "renamed": 4, "dropped": 1} and 0 <= report["difference"] < 3e-6
    row = next(row for row in report["rows"] if row["source"] == "norm.weight")
    assert row == {
        "source": "norm.weight", "target": "norm.gamma", "status": "renamed", "shape": [4], "dtype": "float32", "reason": ""
    }  # fmt: skip


@pytest.mark.parametrize("inputs", [(), ("--input", "1,3,7,9")])
def test_both_nets_are_run(folder, inputs):
    code, text = run("net.pth", "net.ckpt", *BOTH, "--verify", *inputs)
    assert code == 0 and "greatest difference of the outputs: " in text
    reverse = ("--source-net", "ours.py:build", "--target-net", "theirs.py:build")
    code, text = run("net.ckpt", "back.pth", *reverse, "--verify", *inputs)
    assert code == 0 and "greatest difference of the outputs: " in text
    first, second = (torch.load(name, weights_only=True) for name in ("net.pth", "back.pth"))
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_nets_that_differ_are_told_and_nothing_is_written(folder):
    nets = ("--source-net", "theirs.py:build", "--target-net", "ours.py:other", "--verify")
    code, text = run("net.pth", "net.ckpt", *nets)
    assert code == 1 and "nothing was written to net.ckpt: the nets differ" in text
    assert not (folder / "net.ckpt").exists()
    assert run("net.pth", "net.ckpt", *nets, "--partial")[0] == 0
    assert (folder / "net.ckpt").exists()


def test_what_is_not_carried_is_told_and_nothing_is_written(folder):
    code, text = run("net.pth", "net.ckpt", "--target-net", "ours.py:wide", "--report", "report.json")
    assert code == 1 and "differs" in text and "nothing was written to net.ckpt. head.weight: the source has" in text
    assert not (folder / "net.ckpt").exists()
    assert json.loads((folder / "report.json").read_text())["counts"]["differs"] == 2
    assert run("net.pth", "net.ckpt", "--target-net", "ours.py:wide", "--partial")[0] == 0
    assert len(ms.load_checkpoint("net.ckpt")) == 6


def test_rules_target_and_force(folder):
    (folder / "rules.toml").write_text('[rename]\n"head.*" = "fc.*"\n')
    assert run("net.pth", "net.ckpt", "--rules", "rules.toml", "--target", "mint")[0] == 0
    assert {"fc.weight", "norm.running_mean"} <= set(ms.load_checkpoint("net.ckpt"))
    code, text = run("net.pth", "net.ckpt")
    assert code == 1 and "net.ckpt: the file exists; give another name, or --force" in text
    assert run("net.pth", "net.ckpt", "--force")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("absent.pth", "net.ckpt"), "absent.pth: there is no file"),
        (("net.pth", "net.ckpt", "--verify"), "--verify runs both nets; give --source-net and --target-net too"),
        (("net.pth", "net.ckpt", "--input", "1,2"), "--input is what --verify runs the nets on; give --verify too"),
        (("net.pth", "net.ckpt", "--report", "net.pth"), "--report net.pth: give a file of its own"),
        (("net.pth", "net.ckpt", "--report", "deep/r.json"), "--report deep/r.json: give a file of its own, in a folder that"),
        (("net.pth", "net.ckpt", "--report", "ours.py"), "ours.py: the file exists; give another name, or --force"),
        (("net.pth", "net.ckpt", "--source-net", "theirs.py"), "theirs.py: expected FILE.py:FUNCTION, such as model.py:build"),
        (("net.pth", "net.ckpt", "--source-net", "no.py:build"), "no.py:build: there is no file no.py"),
        (("net.pth", "net.ckpt", "--source-net", "theirs.py:make"), "theirs.py has no function make; it has Net, build, small"),
        (("net.pth", "net.ckpt", "--source-net", "theirs.py:fails"), "fails() fails: RuntimeError: no data here"),
        (("net.pth", "net.ckpt", "--source-net", "theirs.py:nothing"), "must return a torch module or a Cell, got None"),
        (("net.pth", "net.ckpt", "--target-net", "theirs.py:number"), "must be a torch module or a Cell, or a tuple"),
        (("net.pth", "net.ckpt", "--source-net", "theirs.py:small"), "these are not the weights of the source net: weight is"),
        (("net.pth", "net.ckpt", "--target-net", "theirs.py:build"), "One side must be PyTorch's"),
        (("net.pth", "net.ckpt", "--target-net", "broken.py:build"), "broken.py does not run: SyntaxError"),
        (("net.pth", "net.ckpt", *BOTH, "--verify", "--input", "x"), "--input x: expected SHAPE or SHAPE:DTYPE"),
        (("net.pth", "net.ckpt", *BOTH, "--verify", "--input", "2,2:text"), "expected SHAPE or SHAPE:DTYPE"),
        (("net.pth", "net.ckpt", *BOTH, "--verify", "--input", "1,5,8,8"), "Net does not take float32[1, 5, 8, 8]"),
    ],
)  # fmt: skip
def test_bad_options_are_told_in_one_line(folder, arguments, told):
    (folder / "broken.py").write_text("def build(:\n")
    before = sorted(folder.iterdir())
    code, text = run(*arguments)
    assert code == 1 and told in text.replace("\n", " ")
    assert [p for p in sorted(folder.iterdir()) if p.name != "__pycache__"] == [
        p for p in before if p.name != "__pycache__"
    ]


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


def test_packages_of_one_name_are_built_apart(folder):
    theirs, ours = write_package(folder / "theirs" / "pkg"), folder / "ours" / "pkg" / "net.py"
    migrate(theirs.parent, ours.parent)
    torch.save(load_function(f"{theirs}:build")().state_dict(), "pkg.pth")
    nets = ("--source-net", f"{theirs}:build", "--target-net", f"{ours}:build")
    code, text = run("pkg.pth", "pkg.ckpt", *nets, "--verify")
    assert code == 0 and "greatest difference of the outputs" in text, text

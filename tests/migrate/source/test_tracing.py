"""A run of a program tells what kinds its values have where its text does not."""

import pytest
from click.testing import CliRunner

from sporax._src.cli.commands.migrate import migrate as command
from sporax._src.migrate.source import tracing
from sporax._src.migrate.source.project import migrate
from sporax._src.migrate.source.scopes import Scopes

HELPERS = """\
class Batch:
    def __init__(self, x):
        self.x: object = x


def largest(batch, sizes, more=None):
    match sizes:
        case [int(), *rest]:
            count = len(rest)
    return batch.x.max(1)[0], count, None if more is None else more.size(0)


def describe(batch):
    return batch.x.size(0), [word.count("a") for word in ("aa", "b")], f"{batch.x.dim()}"


def either(value):
    return value.size(0) if hasattr(value, "size") else value.count(1)
"""
TRAIN = """\
import sys

import torch

from helpers import Batch, describe, either, largest

batch = Batch(torch.ones(int(sys.argv[1]), 2))
largest(batch, [1, 2])
largest(batch, [1, 2], torch.ones(3))
describe(batch)
either(batch.x)
either([1])
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("traced") / "source"
    folder.mkdir()
    (folder / "helpers.py").write_text(HELPERS)
    (folder / "train.py").write_text(TRAIN)
    (folder / "stops.py").write_text("import sys\nsys.exit(int(sys.argv[1]))\n")
    return folder


def text(report, name):
    return next(file.text for file in report.files if file.path == name)


def test_what_the_text_does_not_tell(source):
    """A file that never names torch is converted too, where its values are torch's."""
    assert text(migrate(source), "helpers.py") == HELPERS
    before = {path.name for path in source.rglob("*")}
    report = migrate(source, trace=["train.py", "3"])
    assert {path.name for path in source.rglob("*")} == before  # no byte code
    lines = text(report, "helpers.py").splitlines()
    assert "    return mint.max(batch.x, 1)[0], count, None if more is None else more.shape[0]" in lines
    assert '    return batch.x.shape[0], [word.count("a") for word in ("aa", "b")], f"{batch.x.ndim}"' in lines
    assert '    return value.shape[0] if hasattr(value, "size") else value.count(1)' in lines
    assert not report.todo


@pytest.mark.parametrize(
    ("seen", "kind"),
    [
        ([["torch.nn.modules.linear.Linear", "torch.nn.modules.module.Module"]], "torch.nn.Linear"),
        (
            [
                ["torch.nn.modules.linear.Linear", "torch.nn.modules.module.Module"],
                ["net.Block", "torch.nn.modules.module.Module"],
            ],
            "torch.nn.Module",
        ),
        ([["torch.LongTensor", "torch.Tensor"]], "torch.LongTensor"),
        ([["torch.LongTensor", "torch.Tensor"], ["torch.Tensor"]], "torch.Tensor"),
        ([["builtins.NoneType"], ["torch.nn.parameter.Parameter", "torch.Tensor"]], "torch.nn.Parameter"),
        ([["torch.Tensor"], ["builtins.list"]], ""),
        ([["builtins.NoneType"]], ""),
        ([["numpy.ndarray"]], "numpy.ndarray"),
        ([["numpy.float64", "builtins.float"]], ""),
        ([["builtins.bool", "builtins.int"]], "bool"),
    ],
)
def test_the_kind_is_the_nearest_that_all_values_have(seen, kind):
    assert tracing.kind(seen, Scopes().of_classes) == kind


def test_a_run_that_fails(source, tmp_path):
    with pytest.raises(RuntimeError, match=r"stops\.py 3 ended with status 3; trace a run that succeeds"):
        migrate(source, tmp_path / "out", trace=["stops.py", "3"])
    assert not (tmp_path / "out").exists()
    assert migrate(source, trace=["stops.py", "0"]).files


def test_no_such_script(source, tmp_path):
    outside = tmp_path / "outside.py"
    outside.write_text("")
    for script in ("none.py", str(outside)):
        with pytest.raises(FileNotFoundError, match=r"there is no script .*\.py in .* to trace"):
            migrate(source, trace=[script])


def test_the_command(source):
    result = CliRunner().invoke(command, [str(source), "--diff", "--trace", "stops.py 0"])
    assert result.exit_code == 0, result.output
    result = CliRunner().invoke(command, [str(source), "--diff", "--trace", "none.py"])
    assert result.exit_code == 1
    assert "there is no script none.py" in result.output

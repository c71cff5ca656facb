"""A program and its conversion side by side: the first printed line that differs, and errors of one sentence."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from sporax._src.cli.commands.migrate import migrate
from sporax._src.migrate.verify import compared, verify

TRAIN = """import torch
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    loss = net(torch.randn(4, 3)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step}: loss {loss.item():.5f}")
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "train.py").write_text(TRAIN)
    return folder


def test_lines_are_compared_number_by_number() -> None:
    assert compared(["loss 1.0", "a 2"], ["loss 1.0001", "a 2"], 1e-3).line == 0
    result = compared(["loss 1.0", "b 2e-3"], ["loss 1.0", "b 3e-3"], 1e-3)
    assert (result.lines, result.line, result.source, result.converted) == (1, 2, "b 2e-3", "b 3e-3")
    assert compared(["loss nan"], ["loss nan"], 1e-3).line == 0
    assert compared(["loss 1"], ["cost 1"], 1e-3).line == 1
    assert compared(["a", "b"], ["a"], 1e-3).converted == "(nothing)"


def test_a_conversion_that_agrees_and_one_that_does_not(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = CliRunner().invoke(migrate, [str(source), "-o", str(out), "--verify", "python train.py"])
    assert done.exit_code == 0 and "verified: 3 printed lines agree." in done.output, done.output
    text = (out / "train.py").read_text()
    (out / "train.py").write_text(text.replace("lr=0.1", "lr=0.5"))
    result = verify(source, out, "python train.py")
    assert result.line == 2 and result.summary().startswith("line 2 differs:\n  source:    step 1: loss")


SHUFFLED = """import torch
from torch.utils.data import DataLoader, TensorDataset
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 1)
        self.optimizer = torch.optim.SGD(self.layer.parameters(), lr=0.1)
    def forward(self, x):
        return self.layer(x)
x = torch.arange(24.0).reshape(8, 3) / 24
net = Net()
for a, b in DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=2, shuffle=True):
    loss = ((net(a) - b) ** 2).mean()
    net.optimizer.zero_grad()
    loss.backward()
    net.optimizer.step()
    print(round(loss.item(), 5))
"""


def test_shuffled_data_has_one_order_and_optimizers_are_no_networks(source: Path, tmp_path: Path) -> None:
    (source / "train.py").write_text(SHUFFLED)
    done = CliRunner().invoke(migrate, [str(source), "-o", str(tmp_path / "out"), "--verify", "python train.py"])
    assert "verified: 4 printed lines agree." in done.output, done.output


@pytest.mark.parametrize(
    ("text", "command", "error"),
    [
        ("raise SystemExit(2)", "python train.py", "the source ended with status 2: no message"),
        ("a = [1]\na[2]", "python train.py", r"IndexError: list index out of range \(train.py:2\)"),
        ("import time; time.sleep(60)", "python train.py", "the source did not end within 5 seconds"),
        ("", "bash train.sh", "expected `python SCRIPT"),
    ],
)
def test_runs_that_fail(source: Path, tmp_path: Path, text: str, command: str, error: str) -> None:
    (source / "train.py").write_text(f"{text}\n")
    with pytest.raises((RuntimeError, ValueError), match=error):
        verify(source, source, command, timeout=5 if "sleep" in text else None)


def test_torch_is_needed(source: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(RuntimeError, match="torch is not installed here; install it to run the source"):
        verify(source, source, "python train.py")


def test_what_is_not_written_is_not_run(source: Path) -> None:
    done = CliRunner().invoke(migrate, [str(source), "--check", "--verify", "python train.py"])
    assert done.exit_code == 2 and "--verify runs what is written" in done.output

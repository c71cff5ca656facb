"""`sporax check` trains on each device, runs attention and a convolution there, and names what a GPU needs."""

import re
import sys

import numpy as np
import pytest
from commands import sporax

import sporax as ms
from sporax._src.cli.commands.check import cards_of, compared, gpu_lines


def test_check(tmp_path):
    done = sporax("check", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"CPU.*PYNATIVE", done.stdout) and re.search(r"CPU.*GRAPH", done.stdout)
    assert re.search(r"CPU: attention in [\d.]+ ms", done.stdout)
    assert re.search(r"CPU: convolution in [\d.]+ ms", done.stdout)
    assert "failed" not in done.stdout


def test_a_wrong_result_is_told() -> None:
    with pytest.raises(ArithmeticError, match=r"the result is off by 5.0e-01 of its largest value"):
        compared("CPU", lambda x: x, [ms.Tensor([1.0, 2.0])], np.array([2.0, 2.0]))


def test_cards_are_named() -> None:
    row = "NVIDIA H200, 580.82.07, 143000 MiB, 143771 MiB"
    said = cards_of((sys.executable, "-c", f"print({row!r}); print({row!r})"))
    assert said == [f"GPU {i}: NVIDIA H200, driver 580.82.07, 143000 MiB of 143771 MiB free" for i in range(2)]


def test_cards_that_cannot_be_named_are_told() -> None:
    assert cards_of(("no-such-program",)) == ["GPU: there is no nvidia-smi, which would name driver and free memory"]
    assert cards_of((sys.executable, "-c", "raise SystemExit('no driver')")) == ["GPU: nvidia-smi failed: no driver"]


def test_libraries_are_named() -> None:
    assert gpu_lines()[-1].startswith("libraries: ")

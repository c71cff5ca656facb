"""Programs for PyTorch, converted: they run, and compute what they compute under torch."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch_programs import BOUNDS, NAMES, PROGRAMS, STEPS, compare, convert, load, torch_losses, torch_run


@pytest.fixture(scope="module")
def converted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the converted programs."""
    out = tmp_path_factory.mktemp("programs") / "converted"
    convert(out)
    return out


def test_there_are_twenty_one() -> None:
    lines = {name: len((PROGRAMS / f"{name}.py").read_text().splitlines()) for name in NAMES}
    assert len(NAMES) == 21
    assert all(100 <= n <= 400 for n in lines.values()), lines


@pytest.mark.parametrize("name", NAMES)
def test_under_torch(name) -> None:
    """The program itself is sound: finite losses, gradients, and no draw of torch's own inside a step."""
    run = torch_run(name)
    assert len(run.losses) == STEPS
    assert all(type(loss) is float for loss in run.losses)
    assert np.isfinite(run.losses).all()
    nets = run.gradients if isinstance(run.gradients, tuple) else (run.gradients,)
    assert any(gradient.abs().sum() > 0 for net in nets for gradient in net.parameters())
    torch.manual_seed(1)
    again = torch_losses(load(PROGRAMS / f"{name}.py"), run.model)
    np.testing.assert_allclose(again, run.losses, rtol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_converted(name, converted) -> None:
    found = compare(name, converted / f"{name}.py")
    assert found.forward <= BOUNDS.forward, found
    assert found.gradients <= BOUNDS.gradients, found
    assert found.losses <= BOUNDS.losses, found

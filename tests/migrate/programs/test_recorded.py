"""Converted programs under MindSpore 2.7.0: what `tools/record_migrated.py` recorded there, they compute here."""

import json
from pathlib import Path

import numpy as np
import pytest
from converted_programs import answering_mindspore
from torch_programs import BOUNDS, PROGRAMS, STEPS, built, load, quiet, torch_run

from sporax.migrate import convert

RECORDED = json.loads((Path(__file__).parents[2] / "goldens" / "migrated.json").read_text())


def test_there_are_ten() -> None:
    assert len(RECORDED) >= 10
    assert all(len(losses) == STEPS for losses in RECORDED.values())


@pytest.mark.parametrize("name", RECORDED)
def test_losses_are_those_under_mindspore(name, tmp_path) -> None:
    """Of the same text: converted for the target "classic"."""
    expected = torch_run(name)
    converted = convert((PROGRAMS / f"{name}.py").read_text(), name, target="classic")
    assert not converted.todo
    file = tmp_path / f"{name}.py"
    converted.write(file)
    module = load(file)
    with quiet(), answering_mindspore():
        losses = module.train(built(module, expected.model), STEPS)
    scale = np.abs(RECORDED[name]).max()
    np.testing.assert_allclose([float(loss) for loss in losses], RECORDED[name], rtol=0, atol=BOUNDS.losses * scale)
    np.testing.assert_allclose(expected.losses, RECORDED[name], rtol=0, atol=BOUNDS.losses * scale)

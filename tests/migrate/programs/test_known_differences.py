"""Every known difference: the program computes the same under torch and converted, and the map says what becomes of it."""

import types
import warnings

import pytest
import torch
from converted_programs import execute
from differences import DIFFERENCES
from torch_results import assert_same, value

import sporax as ms
from sporax._src.migrate.source.convert import convert
from sporax._src.migrate.source.lookup import find

BEGIN = """
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

x = torch.tensor([[0.5, -1.25, 2.0], [1.5, -0.75, -2.5]])
image = torch.sin(torch.arange(216, dtype=torch.float32)).reshape(2, 3, 6, 6)


def fill(net):
    with torch.no_grad():
        for i, p in enumerate(net.parameters()):
            p.copy_(torch.sin(torch.arange(p.numel(), dtype=torch.float32) + i).reshape(p.shape) * 0.3)

"""
CASES = [(row, target) for row in DIFFERENCES for target in row.targets]


def test_names_are_unique():
    names = [row.name for row in DIFFERENCES]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(("row", "target"), CASES, ids=[f"{row.name}-{target}" for row, target in CASES])
def test_a_difference_is_taken_care_of(row, target):
    program = f"{BEGIN}{row.program}"
    done = convert(program, row.name, target)
    assert not done.todo, done.todo
    theirs, ours = {}, types.ModuleType("converted")
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(program, row.name, "exec"), theirs)
    ms.set_seed(0)
    execute(done, vars(ours))
    assert_same(value(ours.result), value(theirs["result"]))


REFUSED = [(row, target) for row in DIFFERENCES for target in row.refused]


@pytest.mark.parametrize(("row", "target"), REFUSED, ids=[f"{row.name}-{target}" for row, target in REFUSED])
def test_what_has_no_counterpart_is_left_to_do(row, target):
    done = convert(f"{BEGIN}{row.program}", row.name, target)
    assert len(done.todo) == 1
    assert "# TODO(sporax): " in done.text


@pytest.mark.parametrize("row", DIFFERENCES, ids=[row.name for row in DIFFERENCES])
def test_the_map_says_so(row):
    entries = find(row.api) + find(row.api, "classic")
    assert entries
    told = "\n".join(str(entry) for entry in entries)
    assert row.says in told

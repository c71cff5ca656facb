"""A table of strategies, and what XLA exchanges for each: no more than the strategies need."""

import json
import os
import subprocess
import sys

import pytest
from launching import PROGRAMS

SUM, GATHER = "all-reduce", "all-gather"

# What devices exchange: operations, each with the number of devices in a group. Operands come cut as the operator takes them,
# and results stay as the second strategy of `Primitive.shard` says.
EXPECTED = {
    # products: sums over the devices that have pieces of the contracted axis
    "MatMul ((8, 1), (1, 1))": [],
    "MatMul ((1, 1), (1, 8))": [],
    "MatMul ((2, 1), (1, 4))": [],
    "MatMul ((1, 8), (8, 1))": [[SUM, 8]],
    "MatMul ((2, 2), (2, 1))": [[SUM, 2]],
    "MatMul of layouts (a, b), (b, c)": [[SUM, 2]],
    "MatMul of layouts (dp, mp), (mp, None)": [[SUM, 4]],
    "MatMul of layouts ((dp, mp), None), (None, None)": [],
    "BatchMatMul ((8, 1, 1), (8, 1, 1))": [],
    "BatchMatMul ((2, 1, 4), (2, 4, 1))": [[SUM, 4]],
    # elementwise operators need nothing
    "Add ((2, 4), (2, 4))": [],
    "Add ((2, 4), (4,))": [],
    "ReLU ((8, 1))": [],
    "MatMul, from rows to columns": [[GATHER, 8]],
    "MatMul, from rows to all": [[GATHER, 8]],
    "ReduceSum along the cut axis": [[SUM, 8]],
    "ReduceSum along the other": [],
    "Transpose of layout (dp, mp)": [],
    # normalization
    "Softmax cut on the batch": [],
    "LayerNorm cut on the batch": [],
    # tables: of rows that are elsewhere a device has zeros
    "Gather from a table whole": [],
    "Gather from a table cut on its columns": [],
    "Gather from a table cut on its rows": [[SUM, 8]],
    # images
    "Conv2D cut on the batch": [],
    "Conv2D cut on what comes out": [],
    "Conv2D cut on what comes in": [[SUM, 8]],
    "MaxPool cut on batch and channels": [],
    # networks; XLA joins sums over the same devices
    "MLP by column, then by row: forward": [[SUM, 8]],
    "MLP by row, then by column: forward": [[GATHER, 8], [SUM, 8]],
    "MLP by column, then by row: step": [[SUM, 8]],
    "MLP on batch and model: step": [[SUM, 2], [SUM, 4]],
    "data parallel: forward": [],
    "data parallel: step": [[SUM, 8]],
    "full batch: step": [],
    "data parallel, optimizer sharded: step": [[GATHER, 8], [SUM, 8]],
}


@pytest.fixture(scope="module")
def found(tmp_path_factory) -> dict:
    folder = tmp_path_factory.mktemp("table")
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=8"
    program = PROGRAMS / "collectives_of_strategies.py"
    subprocess.run(
        [sys.executable, "-m", "sporax", "run", str(program), str(folder)],
        env=os.environ | {"XLA_FLAGS": flags}, check=True, timeout=300,
    )  # fmt: skip
    return json.loads((folder / "found.json").read_text())


def test_every_row_is_here(found):
    assert list(found) == list(EXPECTED)


@pytest.mark.parametrize("row", EXPECTED)
def test_row(found, row: str):
    assert found[row] == EXPECTED[row]

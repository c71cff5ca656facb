"""Batches cut in every way, recomputation, sums of gradients and regions under strategies: what one device computes."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from launching import PROGRAMS

import sporax as ms
from sporax.parallel import Layout

VARIANTS = (
    "plain", "full batch", "strategy of the dataset", "layouts of the dataset", "recompute", "region", "region, recompute",
    "accumulation", "accumulation, recompute", "accumulation, optimizer",
)  # fmt: skip


@pytest.fixture(scope="module")
def found(tmp_path_factory) -> dict:
    folder = tmp_path_factory.mktemp("variants")
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=8"
    subprocess.run(
        [sys.executable, "-m", "sporax", "run", str(PROGRAMS / "variants.py"), str(folder)],
        env=os.environ | {"XLA_FLAGS": flags}, check=True, timeout=300,
    )  # fmt: skip
    return json.loads((folder / "found.json").read_text())


def test_every_variant_is_here(found):
    assert tuple(found["variants"]) == VARIANTS


@pytest.mark.parametrize("variant", VARIANTS)
def test_variant(found, variant: str):
    (losses, weights), (cut_losses, cut_weights) = found["variants"][variant]
    np.testing.assert_allclose(cut_losses, losses, rtol=1e-5)
    for cut, whole in zip(cut_weights, weights, strict=True):
        np.testing.assert_allclose(cut, whole, rtol=1e-5, atol=1e-6)


def test_layouts(found):
    """Those of a Parameter that an operator of a layer cuts, of its moment, of one that none cuts; in training and prediction."""
    up = [[2, 4], [0, -1], [16, 32], 0, True, "", [64, 32], [16, 32]]
    whole = [[8], [-1, -1], [16, 32], 0, True, "", [16, 32], [16, 32]]
    assert found["layouts"]["train"] == [up, up, whole]
    assert found["layouts"]["predict"] == up
    assert found["layouts"]["cell"] == [[2, 4], [-1, 0], [8, 16], 0, True, "", [8, 64], [8, 16]]


@pytest.mark.parametrize(
    ("strategy", "kind", "text"),
    [
        ("half", ValueError, "dataset_strategy must be one of .*, got 'half'"),
        ([1], TypeError, "dataset_strategy must be 'full_batch', 'data_parallel' or a tuple of tuples, got"),
        ((8,), TypeError, "must be a tuple of tuples, or of Layouts, got"),
        (((8.0,),), TypeError, "must be tuples of ints, got"),
        (
            (Layout((8, 2), ("dp", "interleaved_parallel"))("dp"),),
            ValueError,
            "must be of Layouts without 'interleaved_parallel'",
        ),
    ],
)
def test_wrong_dataset_strategy(strategy: object, kind: type, text: str):
    with pytest.raises(kind, match=text):
        ms.set_auto_parallel_context(dataset_strategy=strategy)


def test_an_error_names_operator_parameter_strategy_and_shape():
    class Net(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.matmul = ms.ops.MatMul().shard(((1, 1), (1, 8)))
            self.weight = ms.Parameter(ms.ops.ones((5, 4)), name="weight")

        def construct(self, x):
            return self.matmul(x, self.weight)

    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", device_num=8)
    try:
        with pytest.raises(RuntimeError) as raised:
            Net()(ms.ops.ones((4, 5)))
    finally:
        ms.reset_auto_parallel_context()
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert (
        "MatMul: axis 1 of input 1 (weight) has size 4, which cannot be cut into 8 equal pieces (strategy (1, 8), shape (5, 4))"
        in str(raised.value)
    )

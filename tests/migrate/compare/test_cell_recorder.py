"""A recorded run of a Cell, and what the script for MindSpore reads."""

from compared_networks import MLP, ROWS, MLPCell

import sporax as ms
from sporax.migrate import compare


def test_graph_mode_and_training_mode_are_kept() -> None:
    cell = MLPCell().set_train()
    ms.set_context(mode=ms.GRAPH_MODE)
    assert compare(MLP().eval(), cell, ROWS).agrees
    assert ms.get_context("mode") == ms.GRAPH_MODE and cell.training

"""The calls of layers on both sides, and in which of them a difference begins."""

import numpy as np
from compared_networks import Tagger, TaggerCell

from sporax.migrate import compare


def test_calls_of_one_layer_are_told_apart() -> None:
    result = compare(Tagger(), TaggerCell(), np.array([[1, 2], [3, 4]]))
    assert [row.name for row in result.rows if row.stage == "forward" and row.layer == "tied"] == [
        "tied",
        "tied (call 2)",
    ]

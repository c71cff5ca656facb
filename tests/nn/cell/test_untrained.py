"""Parameters that only a list, tuple or dict of a Cell holds."""

import pytest

from sporax import Parameter, Tensor, nn


def test_parameters_in_lists_are_told(caplog: pytest.LogCaptureFixture) -> None:
    """Once, by the path of the attribute; those that are registered as well are not told of."""

    class Listed(nn.Cell):
        def __init__(self, kind: type) -> None:
            super().__init__()
            self.layers = kind([nn.Dense(2, 2)])
            self.kept = nn.CellList([nn.Dense(2, 2)])
            self.again = list(self.kept)
            self.named = {"w": Parameter(Tensor([1.0]), name="w", requires_grad=False)}

    net = nn.SequentialCell(Listed(list), Listed(nn.CellList), Listed(tuple))
    for _ in range(2):
        assert len(net.trainable_params()) == 8
    assert [record.getMessage().split(" and are not trained")[0] for record in caplog.records] == [
        f"SequentialCell: the Parameters in '{place}.layers' are not among its Parameters" for place in (0, 2)
    ]

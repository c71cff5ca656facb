"""Which layer of one network is which of the other, and which Parameter."""

from collections import OrderedDict

import torch
from compared_networks import ROWS

from sporax import nn
from sporax.migrate import compare


def test_layers_of_other_names_are_found_by_order_and_kind() -> None:
    ours = torch.nn.Sequential(OrderedDict(a=torch.nn.Linear(6, 6), b=torch.nn.ReLU(), c=torch.nn.Linear(6, 3)))
    theirs = nn.SequentialCell(OrderedDict(first=nn.Dense(6, 6), act=nn.ReLU(), second=nn.Dense(6, 3)))
    result = compare(ours, theirs, ROWS)
    assert result.agrees, result
    assert [row.name for row in result.rows if row.stage == "forward"] == ["a", "b", "c", "Sequential"]

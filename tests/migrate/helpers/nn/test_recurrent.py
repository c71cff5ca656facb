"""Recurrent layers: the rows of the torch map that use these helpers."""

from converted_programs import assert_same_answers
from torch_map_rows import rows_of

TestRows = rows_of("sporax._src.migrate.helpers.nn.recurrent")


def test_the_two_parts_of_a_state_may_be_a_list():
    assert_same_answers(
        """
import torch
net = torch.nn.LSTM(2, 3)
with torch.no_grad():
    [p.fill_(0.1) for p in net.parameters()]
state = [part.detach() for part in net(torch.ones(4, 1, 2))[1]]
answers = [net(torch.ones(4, 1, 2), state)[0].sum().item()]
""",
        1e-5,
    )

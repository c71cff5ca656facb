"""The state of an optimizer: the rows of the torch map that use these helpers, and files of it for torch and of torch."""

import pytest
from converted_programs import execute
from torch_map_rows import rows_of

from sporax._src.migrate.source.convert import convert

TestRows = rows_of("sporax._src.migrate.helpers.training.optimizer_state")

# Trains a network from the file `source`, or from the beginning, and saves it.
_PROGRAM = """
import torch
x = torch.tensor([[1.0, 2.0, -1.0], [0.5, -1.0, 3.0]])
net = torch.nn.Linear(3, 2)
with torch.no_grad():
    net.weight.copy_(torch.arange(6.0).reshape(2, 3) / 7)
    net.bias.copy_(torch.tensor([0.1, -0.2]))
optimizer = torch.optim.{optimizer}
if source:
    saved = torch.load(source, weights_only=True)
    net.load_state_dict(saved["net"])
    optimizer.load_state_dict(saved["optimizer"])
for _ in range(3):
    optimizer.zero_grad()
    loss = (net(x) ** 2).sum()
    loss.backward()
    optimizer.step()
torch.save({{"net": net.state_dict(), "optimizer": optimizer.state_dict()}}, file)
answer = net.weight.flatten().tolist()
"""
_OPTIMIZERS = [
    "ASGD(net.parameters(), lr=0.01)",
    "Adadelta(net.parameters(), lr=0.1)",
    "Adagrad(net.parameters(), lr=0.1)",
    "Adam(net.parameters(), lr=0.1, amsgrad=True)",
    "AdamW(net.parameters(), lr=0.1)",
    "Adamax(net.parameters(), lr=0.1)",
    "NAdam(net.parameters(), lr=0.1)",
    "RAdam(net.parameters(), lr=0.1)",
    "RMSprop(net.parameters(), lr=0.1, momentum=0.9, centered=True)",
    "Rprop(net.parameters(), lr=0.1)",
    "SGD(net.parameters(), lr=0.1, momentum=0.9)",
]


@pytest.mark.parametrize("optimizer", _OPTIMIZERS)
def test_torch_continues_from_files_of_converted_programs_and_they_from_its(optimizer, tmp_path):
    program = _PROGRAM.format(optimizer=optimizer)
    converted = convert(program)
    assert not converted.todo

    def trained(is_torch, source, file):
        scope = {"source": source and tmp_path / source, "file": tmp_path / file}
        exec(compile(program, "torch", "exec"), scope) if is_torch else execute(converted, scope)
        return scope["answer"]

    assert trained(False, None, "ours.pt") == pytest.approx(trained(True, None, "theirs.pt"), abs=1e-5)
    expected = pytest.approx(trained(True, "theirs.pt", "end.pt"), abs=2e-5)
    assert trained(True, "ours.pt", "end.pt") == expected
    assert trained(False, "theirs.pt", "end.pt") == expected

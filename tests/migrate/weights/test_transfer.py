"""A net's weights and buffers set into a net of the other side."""

import re
from typing import Any

import numpy as np
import pytest
import torch
from converted_programs import execute
from list_nets import NETS, program
from weight_files import pairs, statuses
from weight_nets import Net, Torch

import sporax as ms
from sporax import nn
from sporax._src.migrate.source.convert import convert
from sporax.migrate import transfer_weights

T = torch.nn


def test_buffers_are_carried_or_told():
    net = Torch(a=T.Linear(2, 2))
    net.register_buffer("scale", torch.full((3,), 2.0))
    net.register_buffer("mask", torch.ones(2, 2, dtype=torch.bool))
    net.register_buffer("passing", torch.full((2,), 4.0), persistent=False)
    net.register_buffer("unused", torch.ones(7), persistent=False)
    cell = Net(a=nn.Dense(2, 2))
    cell.register_buffer("scale", ms.Tensor(np.zeros(3, np.float32)))
    cell.register_buffer("passing", ms.Tensor(np.zeros(2, np.float32)))
    cell.register_buffer("index", ms.Tensor(np.arange(3)))
    report = transfer_weights(net, cell)
    assert statuses(report) == {
        "a.weight": "carried", "a.bias": "carried", "scale": "carried", "passing": "carried", "mask": "dropped", "index": "derived"
    }  # fmt: skip
    assert cell.scale.asnumpy().tolist() == [2, 2, 2] and cell.passing.asnumpy().tolist() == [4, 4]
    assert cell.index.asnumpy().tolist() == [0, 1, 2]


def test_buffers_without_an_array_are_dropped():
    net = Torch(a=T.Linear(2, 2))
    net.register_buffer("kept", torch.eye(2).to_sparse())
    net.register_buffer("passing", torch.eye(2).to_sparse(), persistent=False)
    net.register_buffer("empty", torch.empty(2, device="meta"), persistent=False)
    report = transfer_weights(net, Net(a=nn.Dense(2, 2)))
    assert report.ok and report.counts() == {"carried": 2, "dropped": 3}
    assert {row.source: row.reason for row in report.rows if row.status == "dropped"} == {
        "kept": "a buffer that is sparse", "passing": "a buffer that is sparse", "empty": "a buffer that has no values"
    }  # fmt: skip


def test_a_torch_net_keeps_its_sparse_buffers():
    net = Torch(a=T.Linear(2, 2))
    net.register_buffer("kept", torch.eye(2).to_sparse())
    cell = Net(a=nn.Dense(2, 2))
    assert transfer_weights(cell, net).ok
    np.testing.assert_array_equal(net.a.weight.detach().numpy(), cell.a.weight.asnumpy())
    assert net.kept.to_dense().tolist() == [[1, 0], [0, 1]]


def two_lists() -> nn.Cell:
    """Return a Cell whose layers of two lists have the same names."""
    cell = Net(downs=nn.CellList([]), ups=nn.CellList([]))
    cell.downs.append(nn.Dense(2, 2))
    cell.ups.append(nn.Dense(2, 2))
    return cell


def test_parameters_of_one_name_are_refused():
    cell = two_lists()
    net = Torch(downs=T.ModuleList([T.Linear(2, 2)]), ups=T.ModuleList([T.Linear(2, 2)]))
    told = r"several Parameters have one name: '0\.weight' is the name of downs\.0\.weight and ups\.0\.weight; .* p\.name = path"
    for pair in ((net, cell), (cell, net)):
        with pytest.raises(ValueError, match=told):
            transfer_weights(*pair)
    for path, parameter in cell.parameters_and_names():
        parameter.name = path
    assert transfer_weights(net, cell).counts() == {"carried": 4}
    np.testing.assert_array_equal(cell.downs[0].weight.asnumpy(), net.downs[0].weight.detach().numpy())


def test_rules_tell_what_shapes_do_not():
    net, cell = Torch(a=T.Linear(2, 2), b=T.Linear(2, 2)), Net(p=nn.Dense(2, 2), q=nn.Dense(2, 2))
    report = transfer_weights(net, cell, rules={"rename": {"a.*": "q.*", "b.*": "p.*"}})
    assert report.ok and pairs(report)["a.weight"] == "q.weight"
    np.testing.assert_array_equal(cell.p.weight.asnumpy(), net.b.weight.detach().numpy())


def build(text: str, target: str = "") -> Any:
    """Return a network of a program, converted for a target if there is one."""
    scope: dict[str, Any] = {}
    execute(convert(text, target=target), scope) if target else exec(text, scope)
    return scope["Net"]()


def are_equal(net: torch.nn.Module, cell: nn.Cell) -> bool:
    x = np.random.default_rng(0).normal(size=(3, 2)).astype(np.float32)
    return np.allclose(net(torch.from_numpy(x)).detach().numpy(), cell(ms.Tensor(x)).asnumpy(), atol=1e-6)


@pytest.mark.parametrize("target", ["mint", "classic"])
@pytest.mark.parametrize("name", NETS)
def test_converted_networks_of_lists_get_each_array_by_its_name(name: str, target: str) -> None:
    net, cell = build(program(name)), build(program(name), target)
    assert set(transfer_weights(net, cell).counts()) == {"carried"}
    assert are_equal(net, cell)


@pytest.mark.parametrize("name", NETS)
def test_networks_of_lists_with_other_names_exchange_nothing(name: str) -> None:
    """The Cell has other names, and lists its layers in the other order."""
    text = program(name)
    names = dict(
        zip(dict.fromkeys(re.findall(r"self\.(?!add_module)(\w+)", text)), ("one", "two", "three"), strict=False)
    )
    renamed = re.sub(r"self\.(\w+)", lambda match: f"self.{names.get(match[1], match[1])}", text)
    net, cell = build(text), build(re.sub(r'f"[qk]{i}"', lambda match: f'f"_{match[0][2:]}', renamed), "mint")
    for child, layer in reversed(list(cell.name_cells().items())):
        delattr(cell, child)
        setattr(cell, child, layer)
    report = transfer_weights(net, cell)
    told = {"nested lists", "lists of pairs", "lists of lists of parameters"}  # by numbers
    told.add("parameters of modules and lists")  # by the only shape
    assert report.ok == (name in told) == are_equal(net, cell)
    assert all("shape and order do not tell whether it is the " in row.reason for row in report.failures)

"""Query, key and value: in one array on one side, apart on the other."""

import numpy as np
import torch
from weight_nets import Net, Torch

from sporax import nn
from sporax.migrate import transfer_weights

T = torch.nn


def apart(*names: str) -> nn.Cell:
    return Net(**{name: nn.Dense(4, 4) for name in names})


def test_fused_attention_is_cut_and_joined():
    net = T.MultiheadAttention(4, 2)
    T.init.normal_(net.in_proj_bias)
    cell = apart("k_proj", "q_proj", "v_proj", "out_proj")
    report = transfer_weights(Torch(attn=net), Net(attn=cell))
    assert report.ok and report.counts() == {"reshaped": 6, "carried": 2}
    np.testing.assert_array_equal(cell.q_proj.weight.asnumpy(), net.in_proj_weight[:4].detach().numpy())
    np.testing.assert_array_equal(cell.v_proj.bias.asnumpy(), net.in_proj_bias[8:].detach().numpy())
    again = T.MultiheadAttention(4, 2)
    assert transfer_weights(Net(attn=cell), Torch(attn=again)).ok
    assert all(torch.equal(again.state_dict()[name], value) for name, value in net.state_dict().items())


def test_fused_linear_layers_are_cut_too():
    net = Torch(qkv=T.Linear(4, 12), proj=T.Linear(4, 4))
    for cell in (apart("query", "key", "value", "dense"), nn.MultiheadAttention(4, 2)):
        assert transfer_weights(net, cell).ok
        again = Torch(qkv=T.Linear(4, 12), proj=T.Linear(4, 4))
        assert transfer_weights(cell, again).ok
        assert torch.equal(again.qkv.weight, net.qkv.weight) and torch.equal(again.qkv.bias, net.qkv.bias)


def test_attention_at_another_depth_is_found():
    net = Torch(stem=T.Linear(3, 4), body=Torch(one=Torch(attn=T.MultiheadAttention(4, 2), norm=T.LayerNorm(4))))
    attention = Net(qkv=nn.Dense(4, 12), proj=nn.Dense(4, 4))
    cell = Net(embed=Net(proj=nn.Dense(3, 4)), attn=attention, norm=nn.LayerNorm((4,)))
    report = transfer_weights(net, cell)
    assert report.ok, report
    np.testing.assert_array_equal(attention.qkv.weight.asnumpy(), net.body.one.attn.in_proj_weight.detach().numpy())


def test_separate_sizes_of_key_and_value():
    net = T.MultiheadAttention(4, 2, kdim=3, vdim=5)
    cell = Net(q=nn.Dense(4, 4), k=nn.Dense(3, 4), v=nn.Dense(5, 4), out=nn.Dense(4, 4))
    assert transfer_weights(net, cell).ok
    np.testing.assert_array_equal(cell.k.weight.asnumpy(), net.k_proj_weight.detach().numpy())


def test_a_part_that_is_missing_is_told():
    cell = Net(q=nn.Dense(4, 4), k=nn.Dense(4, 4), v=nn.Dense(4, 4, has_bias=False), out_proj=nn.Dense(4, 4))
    net = T.MultiheadAttention(4, 2)
    before = net.in_proj_bias.clone()
    report = transfer_weights(cell, net)
    assert {row.target for row in report.failures} == {"in_proj_bias"}
    assert "lacks the others of 3" in str(report)
    assert torch.equal(net.in_proj_bias, before)

"""A file of one side made into one of the other, with nets and without, or nothing written."""

import re

import pytest
import torch
from safetensors.torch import load_file, save_file
from weight_files import pairs, saved, statuses
from weight_nets import CLASSIC, small_cell, small_net

import sporax as ms
from sporax import nn
from sporax.migrate import convert_weights


@pytest.mark.parametrize("suffix", [".pth", ".pt", ".bin", ".safetensors"])
def test_there_and_back_by_names_and_shapes(tmp_path, suffix):
    state = small_net().state_dict()
    src, middle, back = (tmp_path / name for name in (f"a{suffix}", "b.ckpt", f"c{suffix}"))
    save_file(state, src, {"format": "pt"}) if suffix == ".safetensors" else torch.save(state, src)
    report = convert_weights(src, middle)
    # a vector alone may as well be the scale of an RMS norm
    assert pairs(report) == CLASSIC | {"2.weight": "2.weight"}
    assert report.counts() == {"carried": 6, "renamed": 6, "reshaped": 1, "dropped": 1}
    assert statuses(report)["3.weight"] == "reshaped" and statuses(report)["1.num_batches_tracked"] == "dropped"
    doubted = {row.source for row in report.rows if "a rule, would tell" in row.reason}
    assert doubted == {"2.weight", "3.weight"}
    read = ms.load_checkpoint(str(middle))
    assert read["3.weight"].shape == (2, 4, 1, 3)
    assert convert_weights(middle, back, rules={"reshape": {"3.weight": [2, 4, 3]}}).ok
    found = load_file(back) if suffix == ".safetensors" else torch.load(back, weights_only=True)
    del state["1.num_batches_tracked"]
    assert set(found) == set(state)
    assert all(torch.equal(found[name], state[name]) for name in state)


def test_a_source_net_tells_the_kinds(tmp_path):
    net = small_net()
    report = convert_weights(saved(tmp_path, net.state_dict()), tmp_path / "net.ckpt", source_net=net)
    assert pairs(report) == CLASSIC
    assert not any("would tell" in row.reason for row in report.rows)
    cell = small_cell()
    assert ms.load_param_into_net(cell, ms.load_checkpoint(str(tmp_path / "net.ckpt"))) == ([], [])
    back = convert_weights(tmp_path / "net.ckpt", tmp_path / "back.pth", source_net=cell)
    assert back.ok and pairs(back)["3.weight"] == "3.weight"
    again = torch.load(tmp_path / "back.pth", weights_only=True)
    net.load_state_dict(again)  # batches counted are the one thing that torch may lack
    assert torch.equal(again["3.weight"], net[3].weight)


def test_a_target_net_tells_the_names(tmp_path):
    src = saved(tmp_path, small_net().state_dict())
    assert pairs(convert_weights(src, tmp_path / "net.ckpt", target_net=small_cell())) == CLASSIC
    back = convert_weights(tmp_path / "net.ckpt", tmp_path / "back.pth", target_net=small_net())
    assert {target: source for source, target in pairs(back).items() if source} == CLASSIC
    assert statuses(back)["1.num_batches_tracked"] == "derived"
    small_net().load_state_dict(torch.load(tmp_path / "back.pth", weights_only=True), strict=True)


T = torch.nn


def test_nothing_is_written_when_a_weight_is_not_carried(tmp_path):
    torch.save(T.Linear(2, 3).state_dict(), tmp_path / "net.pth")
    with pytest.raises(
        ValueError, match=r"nothing was written to .*net.ckpt. weight: the source has shape .*partial=True"
    ):
        convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt", target_net=nn.Dense(2, 4))
    assert not (tmp_path / "net.ckpt").exists()
    cell = nn.Dense(2, 3, has_bias=False)
    report = convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt", target_net=cell, partial=True)
    assert not report.ok and list(ms.load_checkpoint(str(tmp_path / "net.ckpt"))) == ["weight"]


def test_weights_of_another_net_are_told(tmp_path):
    torch.save({"weight": torch.ones(3, 2), "extra": torch.ones(2)}, tmp_path / "net.pth")
    told = "not the weights of the source net: bias is missing; extra is not of the net; weight has shape [3, 2], [3, 4] in the net"
    with pytest.raises(ValueError, match=re.escape(told)):
        convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt", source_net=T.Linear(4, 3))

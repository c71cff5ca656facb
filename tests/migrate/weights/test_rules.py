"""The user's rules: names, axes, shapes and what is left out, and rules that fit nothing."""

import numpy as np
import pytest
import torch
from weight_files import pairs, statuses
from weight_nets import Net, Torch

import sporax as ms
from sporax import nn
from sporax.migrate import convert_weights

T = torch.nn


def test_rules_rename_transpose_reshape_and_drop(tmp_path):
    state = {
        "body.1.w": torch.rand(2, 3),
        "body.1.b": torch.rand(3),
        "aux.0.x": torch.rand(2),
        "norm.g": torch.rand(1, 4),
    }
    torch.save(state, tmp_path / "net.pth")
    (tmp_path / "rules.toml").write_text(
        'drop = ["aux.**"]\n[rename]\n"body.*.w" = "layers.*.weight"\n"**.1.b" = "**s.1.bias"\n"norm.g" = "norm.gamma"\n'
        '[transpose]\n"body.*.w" = [1, 0]\n[reshape]\n"norm.g" = [4]\n'
    )
    report = convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt", rules=tmp_path / "rules.toml")
    assert pairs(report) == {"body.1.w": "layers.1.weight", "body.1.b": "bodys.1.bias", "norm.g": "norm.gamma"}
    assert statuses(report) == {
        "body.1.w": "reshaped",
        "body.1.b": "renamed",
        "aux.0.x": "dropped",
        "norm.g": "reshaped",
    }
    read = ms.load_checkpoint(str(tmp_path / "net.ckpt"))
    np.testing.assert_array_equal(read["layers.1.weight"].asnumpy(), state["body.1.w"].numpy().T)


def test_a_rule_counts_before_order(tmp_path):
    net = Torch(a=T.Linear(3, 3), b=T.Linear(3, 3))
    torch.save(net.state_dict(), tmp_path / "net.pth")
    rules = {"rename": {"a.*": "q.*", "b.*": "p.*"}}
    cell = Net(p=nn.Dense(3, 3), q=nn.Dense(3, 3))
    report = convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt", target_net=cell, source_net=net, rules=rules)
    assert pairs(report)["a.weight"] == "q.weight" and pairs(report)["b.bias"] == "p.bias"


def test_kinds_still_count_after_a_rename(tmp_path):
    torch.save(Torch(bn=T.BatchNorm2d(2)).state_dict(), tmp_path / "net.pth")
    report = convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt", rules={"rename": {"bn.**": "norm1.**"}})
    assert pairs(report)["bn.running_var"] == "norm1.moving_variance"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("drop = [", "not a TOML file"),
        ('names = ["a"]', r"expected drop = \[...\], \[rename\], \[transpose\] and \[reshape\], got names"),
        ('drop = "a"', "drop must be a list of names, got 'a'"),
        ("rename = 3", r"\[rename\] must hold lines \"NAME\" = a name, got 3"),
        ("[rename]\na = 3", r'\[rename\] "a" must be a name, got 3'),
        ('[rename]\n"a.*" = "b"', "both sides must have the same stars"),
        ('[transpose]\nweight = "T"', r'\[transpose\] "weight" must be a list of whole numbers'),
        ('drop = ["wieght"]', '"wieght" fits no name of the source; it has such as weight'),
        ("[transpose]\nweight = [0, 2]", r"weight has shape \[3, 2\]; the rule must name the axes \[0, 1\]"),
        ("[reshape]\nweight = [5]", r'\[reshape\] "weight" = \[5\]: weight has shape \[3, 2\]'),
        ('[rename]\nweight = "bias"', '"weight" and "bias" both become "bias"; drop or rename one'),
    ],
)
def test_bad_rules_are_told(tmp_path, text, told):
    torch.save(T.Linear(2, 3).state_dict(), tmp_path / "net.pth")
    (tmp_path / "rules.toml").write_text(text)
    with pytest.raises(ValueError, match=f"rules.toml: .*{told}"):
        convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt", rules=tmp_path / "rules.toml")
    with pytest.raises(FileNotFoundError, match="there is no such file of rules"):
        convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt", rules=tmp_path / "absent.toml")

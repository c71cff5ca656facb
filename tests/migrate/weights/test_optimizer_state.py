"""The state of optimizers: carried over, training goes on as if nothing had happened; and back."""

import numpy as np
import pytest
import torch

import sporax as ms
from sporax import mint, nn
from sporax.migrate import convert_weights, transfer_weights

X = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)
RATE = 0.05


class TorchNet(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.norm, self.b = torch.nn.Linear(4, 5), torch.nn.LayerNorm(5), torch.nn.Linear(5, 1)

    def forward(self, x):
        return self.b(self.norm(self.a(x)).tanh())


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a, self.norm, self.b = nn.Dense(4, 5), nn.LayerNorm((5,), epsilon=1e-5), nn.Dense(5, 1)

    def construct(self, x):
        return self.b(self.norm(self.a(x)).tanh())


def torch_steps(net, optimizer, n):
    for _ in range(n):
        optimizer.zero_grad()
        net(torch.tensor(X)).square().mean().backward()
        optimizer.step()


def cell_steps(net, optimizer, n):
    step = ms.value_and_grad(lambda x: net(x).square().mean(), None, net.trainable_params())
    for _ in range(n):
        optimizer(step(ms.Tensor(X))[1])


def weights_of(net) -> dict[str, np.ndarray]:
    twin = TorchNet()
    transfer_weights(net, twin)
    return {name: value.numpy() for name, value in twin.state_dict().items()}


def assert_same(cell, net, tolerance):
    for name, value in weights_of(cell).items():
        np.testing.assert_allclose(value, net.state_dict()[name].numpy(), atol=tolerance, err_msg=name)


O = torch.optim
CASES = {  # torch's, ours, and how far one step may differ: eps stands at another place in some
    "Adam": (lambda p: O.Adam(p, RATE), lambda p: nn.Adam(p, RATE), 1e-5),
    "Adam with amsgrad": (lambda p: O.Adam(p, RATE, amsgrad=True), lambda p: nn.Adam(p, RATE, use_amsgrad=True), 1e-5),
    "Adamax": (lambda p: O.Adamax(p, RATE), lambda p: nn.AdaMax(p, RATE), 1e-5),
    "mint.AdamW": (lambda p: O.AdamW(p, RATE), lambda p: mint.optim.AdamW(p, RATE), 1e-6),
    "Momentum": (lambda p: O.SGD(p, RATE, 0.9), lambda p: nn.Momentum(p, RATE, 0.9), 1e-6),
    "SGD": (lambda p: O.SGD(p, RATE, 0.9), lambda p: nn.SGD(p, RATE, 0.9), 1e-6),
    "RMSprop": (
        lambda p: O.RMSprop(p, RATE, 0.9, 1e-10, momentum=0.5), lambda p: nn.RMSProp(p, RATE, 0.9, 0.5, 1e-10), 1e-5
    ),
    "Adagrad": (lambda p: O.Adagrad(p, RATE), lambda p: nn.Adagrad(p, 0.0, RATE), 1e-5),
    "Adadelta": (lambda p: O.Adadelta(p, RATE), lambda p: nn.Adadelta(p, RATE, 0.9, 1e-6), 1e-5),
    "Rprop": (lambda p: O.Rprop(p, RATE), lambda p: nn.Rprop(p, RATE), 1e-5),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_training_goes_on(name, tmp_path):
    make_torch, make_cell, tolerance = CASES[name]
    torch.manual_seed(0)
    net, cell = TorchNet(), Net()
    optimizer = make_torch(net.parameters())
    torch_steps(net, optimizer, 3)
    torch.save({"model": net.state_dict(), "optimizer": optimizer.state_dict()}, tmp_path / "net.pth")
    ours = make_cell(cell.trainable_params())
    report = convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt", target_net=(cell, ours))
    assert report.ok, report
    read = ms.load_checkpoint(str(tmp_path / "net.ckpt"))
    assert set(read) == {p.name for p in ours.get_parameters()}
    assert ms.load_param_into_net(ours, read) == ([], [])
    assert_same(cell, net, 0)
    torch_steps(net, optimizer, 1)
    cell_steps(cell, ours, 1)
    assert_same(cell, net, tolerance)

    ms.save_checkpoint(ours, str(tmp_path / "later.ckpt"))
    again = TorchNet()
    assert convert_weights(tmp_path / "later.ckpt", tmp_path / "later.pth", source_net=cell, target_net=again).ok
    found = torch.load(tmp_path / "later.pth", weights_only=True)
    again.load_state_dict(found["model"])
    theirs = make_torch(again.parameters())
    settings = theirs.state_dict()["param_groups"]
    theirs.load_state_dict(found["optimizer"] | {"param_groups": settings})
    torch_steps(again, theirs, 1)
    cell_steps(cell, ours, 1)
    assert_same(cell, again, tolerance)


def trained(optimizer=torch.optim.Adam, **options):
    torch.manual_seed(0)
    net = TorchNet()
    made = optimizer(net.parameters(), RATE, **options)
    torch_steps(net, made, 2)
    return net, made


def test_without_nets_it_is_that_of_adam(tmp_path):
    net, optimizer = trained()
    torch.save({"state_dict": net.state_dict(), "optimizer": optimizer.state_dict()}, tmp_path / "net.pth")
    report = convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt")
    assert report.ok
    assert {row.source: row.target for row in report.rows}["optimizer.norm.weight.exp_avg_sq"] == "moment2.norm.gamma"
    cell = Net()
    ours = nn.Adam(cell.trainable_params(), RATE)
    assert ms.load_param_into_net(ours, ms.load_checkpoint(str(tmp_path / "net.ckpt"))) == ([], [])
    torch_steps(net, optimizer, 1)
    cell_steps(cell, ours, 1)
    assert_same(cell, net, 1e-5)
    back = convert_weights(tmp_path / "net.ckpt", tmp_path / "back.pth")
    assert back.ok
    found = torch.load(tmp_path / "back.pth", weights_only=True)
    assert found["optimizer"]["param_groups"][0]["lr"] == pytest.approx(RATE)
    assert found["optimizer"]["state"][0]["step"] == 2
    again = TorchNet()
    again.load_state_dict(found["model"])
    torch.optim.Adam(again.parameters()).load_state_dict(found["optimizer"])


def test_a_recurrent_layer_is_numbered_as_torch_does(tmp_path):
    cell = nn.LSTM(2, 3, 2)
    ours = nn.Momentum(cell.trainable_params(), RATE, 0.9)
    for moment in ours.moments:
        moment.set_data(ms.ops.rand(*moment.shape))
    ms.save_checkpoint(ours, str(tmp_path / "net.ckpt"))
    assert convert_weights(tmp_path / "net.ckpt", tmp_path / "net.pth").ok
    net = torch.nn.LSTM(2, 3, 2)
    theirs = torch.optim.SGD(net.parameters(), RATE, 0.9)
    theirs.load_state_dict(torch.load(tmp_path / "net.pth", weights_only=True)["optimizer"])
    known = {moment.name: moment.asnumpy() for moment in ours.moments}
    for name, parameter in net.named_parameters():
        np.testing.assert_array_equal(theirs.state[parameter]["momentum_buffer"].numpy(), known[f"moments.{name}"])


def test_the_state_of_nn_sgd_begins_after_its_first_step(tmp_path):
    net, optimizer = trained(torch.optim.SGD, momentum=0.9)
    torch.save({"model": net.state_dict(), "optimizer": optimizer.state_dict()}, tmp_path / "net.pth")
    convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt")
    names = ms.load_checkpoint(str(tmp_path / "net.ckpt"))
    assert {"moments.a.weight", "momentum", "learning_rate", "global_step"} <= set(names)


def test_safetensors_hold_no_state_of_torchs(tmp_path):
    cell = Net()
    ms.save_checkpoint(nn.Adam(cell.trainable_params()), str(tmp_path / "net.ckpt"))
    report = convert_weights(tmp_path / "net.ckpt", tmp_path / "net.safetensors")
    assert report.ok and any("holds weights only; give a .pth" in row.reason for row in report.rows)


def test_named_groups_are_carried_and_others_told(tmp_path):
    net = TorchNet()
    named = dict(net.named_parameters())
    groups = [
        [(n, p) for n, p in named.items() if n.endswith("bias")],
        [(n, p) for n, p in named.items() if not n.endswith("bias")],
    ]
    optimizer = torch.optim.Adam([{"params": group} for group in groups], RATE)
    torch_steps(net, optimizer, 1)
    torch.save({"model": net.state_dict(), "optimizer": optimizer.state_dict()}, tmp_path / "net.pth")
    assert convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt").ok
    moment = ms.load_checkpoint(str(tmp_path / "net.ckpt"))["moment1.b.bias"].asnumpy()
    np.testing.assert_array_equal(moment, optimizer.state[net.b.bias]["exp_avg"].numpy())

    nameless = torch.optim.Adam([{"params": [p for _, p in group]} for group in groups], RATE)
    torch_steps(net, nameless, 1)
    torch.save({"model": net.state_dict(), "optimizer": nameless.state_dict()}, tmp_path / "net.pth")
    with pytest.raises(ValueError, match=r"optimizer: 2 groups of 6 Parameters do not say which of the 6 they are"):
        convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt", force=True)
    report = convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt", rules={"drop": ["optimizer"]}, force=True)
    assert report.ok and not any(name.startswith("moment") for name in ms.load_checkpoint(str(tmp_path / "net.ckpt")))
    assert {row.source: row.status for row in report.rows}["optimizer"] == "dropped"


def test_optimizers_that_are_none_of_the_table_are_told(tmp_path):
    net, optimizer = trained(torch.optim.NAdam)
    torch.save({"model": net.state_dict(), "optimizer": optimizer.state_dict()}, tmp_path / "net.pth")
    with pytest.raises(
        ValueError, match=r"optimizer: .*remembers exp_avg, exp_avg_sq, mu_product, step is not in the table"
    ):
        convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt")
    cell = Net()
    ms.save_checkpoint(nn.FTRL(cell.trainable_params()), str(tmp_path / "ftrl.ckpt"))
    with pytest.raises(ValueError, match="optimizer: an optimizer that remembers linear, moments is not in the table"):
        convert_weights(tmp_path / "ftrl.ckpt", tmp_path / "ftrl.pth", target_net=TorchNet())


def test_states_of_other_shapes_are_told(tmp_path):
    net, optimizer = trained()
    state = optimizer.state_dict()
    state["state"][0]["exp_avg"] = torch.ones(2, 2)
    torch.save({"model": net.state_dict(), "optimizer": state}, tmp_path / "net.pth")
    with pytest.raises(ValueError, match=r"its exp_avg number 0 has shape \[2, 2\], a.weight has \[5, 4\]"):
        convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt")

"""The state of a run: what is saved, what comes back, loops by hand."""

import random

import numpy as np
import pytest
from resumed_runs import Net, data, same

import sporax as ms
from sporax import nn, train


def by_hand(path, seed, steps, stop_at=None):
    ms.set_seed(seed)
    random.seed(seed)
    net = Net()
    optimizer = ms.experimental.optim.Adam(net.trainable_params(), lr=0.1)
    schedule = ms.experimental.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    scaler = ms.amp.DynamicLossScaler(scale_value=16, scale_factor=2, scale_window=3)
    generator = ms.Generator().manual_seed(seed)
    rows = data().create_tuple_iterator()
    loss_fn = nn.MSELoss()

    def forward(x, y):
        return scaler.scale(loss_fn(net(x), y))

    grad = ms.value_and_grad(forward, None, optimizer.parameters)
    parts = {
        "net": net,
        "optimizer": optimizer,
        "schedule": schedule,
        "scaler": scaler,
        "generator": generator,
        "rows": rows,
    }
    told, done = [], 0
    if path.exists():
        values = train.load_state(path, **parts)
        told, done = values["told"], values["step"]
    for step in range(done, steps):
        row = next(rows, None)
        if row is None:
            row = next(rows)
        loss, grads = grad(*row)
        grads = scaler.unscale(grads)
        scaler.adjust(ms.amp.all_finite(grads))
        optimizer(grads)
        schedule.step()
        told.append([float(loss.asnumpy()), float(ms.mint.rand(1, generator=generator).asnumpy()[0])])
        if step == stop_at:
            train.save_state(
                path, **parts, told=told, step=step + 1, note="stopped", nested={"a": [1, 2.5, None, True]}
            )
            return None
    return told, {p.name: p.asnumpy() for p in net.get_parameters()}, float(schedule.get_last_lr()[0].asnumpy())


@pytest.mark.parametrize("stop_at", [0, 3])
def test_a_loop_by_hand_goes_on(tmp_path, mode, stop_at):
    told, end, rate = by_hand(tmp_path / "none.ckpt", 1, 7)
    by_hand(tmp_path / "run.ckpt", 1, 7, stop_at)
    again, got, last = by_hand(tmp_path / "run.ckpt", 2, 7)
    assert again == told and last == rate
    same(got, end)


def test_values_come_back_and_numpy_and_python_go_on(tmp_path):
    path = tmp_path / "run.ckpt"
    ms.set_seed(5)
    random.seed(5)
    train.save_state(path, epoch=3, loss=float("inf"), name="a", table={"x": [1, 2]}, nothing=None)
    expected = [np.random.rand(), random.random(), ms.ops.rand(2).asnumpy().tolist(), ms.get_seed()]
    ms.set_seed(6)
    random.seed(6)
    values = train.load_state(path)
    assert values == {"epoch": 3, "loss": float("inf"), "name": "a", "table": {"x": [1, 2]}, "nothing": None}
    assert [np.random.rand(), random.random(), ms.ops.rand(2).asnumpy().tolist(), ms.get_seed()] == expected


def test_parameters_are_those_that_load_checkpoint_reads(tmp_path):
    net = nn.Dense(2, 3)
    train.save_state(tmp_path / "run.ckpt", net=net, optimizer=nn.Momentum(net.trainable_params(), 0.1, 0.9))
    found = ms.load_checkpoint(str(tmp_path / "run.ckpt"))
    assert {"weight", "bias", "moments.weight", "learning_rate"} <= found.keys()
    other = nn.Dense(2, 3)
    assert ms.load_param_into_net(other, found)[0] == []
    np.testing.assert_array_equal(other.weight.asnumpy(), net.weight.asnumpy())


def test_two_networks_with_the_same_names(tmp_path):
    a, b = nn.Dense(2, 1), nn.Dense(2, 1)
    train.save_state(tmp_path / "run.ckpt", a=a, b=b)
    c, d = nn.Dense(2, 1), nn.Dense(2, 1)
    train.load_state(tmp_path / "run.ckpt", a=c, b=d)
    np.testing.assert_array_equal(c.weight.asnumpy(), a.weight.asnumpy())
    np.testing.assert_array_equal(d.weight.asnumpy(), b.weight.asnumpy())


def test_what_does_not_fit_loads_nothing(tmp_path):
    path = tmp_path / "run.ckpt"
    train.save_state(path, net=nn.Dense(2, 3))
    other = nn.SequentialCell(nn.Dense(2, 3), nn.Dense(3, 1))
    before, seed = {p.name: p.asnumpy() for p in other.get_parameters()}, ms.get_rng_state().asnumpy()
    with pytest.raises(
        ValueError, match=r"run.ckpt does not fit: '0.weight' .* is not in the file.*Nothing was loaded"
    ):
        train.load_state(path, net=other)
    same({p.name: p.asnumpy() for p in other.get_parameters()}, before)
    np.testing.assert_array_equal(ms.get_rng_state().asnumpy(), seed)
    with pytest.raises(ValueError, match=r"'weight' is .*\[3, 2\] in the file, .*\[4, 2\] here"):
        train.load_state(path, net=nn.Dense(2, 4))
    with pytest.raises(ValueError, match=r"'scale_value' float32.* is not in the file"):
        train.load_state(path, scaler=ms.amp.DynamicLossScaler(2, 2, 2))
    ms.save_checkpoint(nn.Dense(2, 3), str(tmp_path / "plain.ckpt"))
    with pytest.raises(ValueError, match=r"plain.ckpt is no state of a run"):
        train.load_state(tmp_path / "plain.ckpt")


def test_run_state_is_for_plain_files():
    for options in ({"format": "safetensors"}, {"crc_check": True}, {"saved_network": nn.Dense(1, 1)}):
        with pytest.raises(ValueError, match="CheckpointConfig: run_state saves the network that is trained"):
            train.CheckpointConfig(run_state=True, **options)
    with pytest.raises(TypeError, match="run_state must be a bool"):
        train.CheckpointConfig(run_state=1)

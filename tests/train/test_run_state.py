"""A run that is saved and resumed equals the run that was not interrupted, bit for bit."""

import random

import numpy as np
import pytest

import sporax as ms
import sporax.dataset as ds
from sporax import nn, ops, train

EPOCHS, ROWS, BATCH = 3, 12, 4


class Net(nn.Cell):
    """Draws from the framework's generator, and from a seeded operator's."""

    def __init__(self):
        super().__init__()
        self.inner, self.out = nn.Dense(5, 6), nn.Dense(6, 2)
        self.drop = nn.Dropout(p=0.4)
        self.noise = ops.StandardNormal(seed=3)

    def construct(self, x):
        x = self.drop(ops.relu(self.inner(x)))
        return self.out(x + self.noise((1, 6)) * 0.1)


def data():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(ROWS, 5)).astype(np.float32), rng.normal(size=(ROWS, 2)).astype(np.float32)
    rows = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True)
    rows = rows.map(lambda v: v + np.random.rand() * 0.1 + random.random() * 0.1, "x")
    return rows.map(lambda v: v.astype(np.float32), "x").batch(BATCH)


class Losses(train.Callback):
    def __init__(self, stop_at=None):
        self.losses, self.stop_at = [], stop_at

    def on_train_step_end(self, run_context):
        args = run_context.original_args()
        out = args.net_outputs
        self.losses.append((args.cur_step_num, float((out[0] if isinstance(out, tuple) else out).asnumpy())))
        if args.cur_step_num == self.stop_at:
            raise KeyboardInterrupt


def model(seed):
    """Return a Model whose random numbers begin at `seed`: that of the resumed run is another."""
    ms.set_seed(seed)
    random.seed(seed)
    net = Net()
    manager = train.DynamicLossScaleManager(init_loss_scale=64, scale_factor=2, scale_window=2)
    optimizer = nn.Adam(net.trainable_params(), learning_rate=nn.ExponentialDecayLR(0.1, 0.9, 2))
    return train.Model(net, nn.MSELoss(), optimizer, metrics={"mae"}, loss_scale_manager=manager)


def weights(of):
    return {p.name: p.asnumpy() for p in of.train_network.get_parameters()}


def run(seed, callbacks, stop_at=None, sink=False, sink_size=-1):
    losses, one = Losses(stop_at), model(seed)
    try:
        one.train(EPOCHS, data(), [*callbacks, losses], dataset_sink_mode=sink, sink_size=sink_size)
    except KeyboardInterrupt:
        assert stop_at is not None
    return losses.losses, weights(one)


def same(got, expected):
    assert got.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_array_equal(got[name], value, err_msg=name)


@pytest.mark.parametrize("stop_at", [4, 5, 6, 9])
def test_a_run_saved_at_every_step_goes_on_at_the_next(tmp_path, mode, stop_at):
    expected, end = run(1, [])
    config = train.CheckpointConfig(save_checkpoint_steps=1, keep_checkpoint_max=2, run_state=True)

    def callbacks():
        return [train.ResumeFrom(tmp_path), train.ModelCheckpoint("run", tmp_path, config)]

    before, _ = run(1, callbacks(), stop_at)
    assert before == expected[:stop_at] and len(list(tmp_path.glob("*.ckpt"))) == 2
    after, got = run(2, callbacks())
    assert after == expected[stop_at:]
    same(got, end)


def test_a_run_saved_after_epochs_goes_on_with_the_next(tmp_path, mode):
    expected, end = run(1, [])
    run(1, [train.BackupAndRestore(str(tmp_path))], stop_at=5)
    after, got = run(2, [train.BackupAndRestore(str(tmp_path))])
    assert after == expected[3:] and not list(tmp_path.iterdir())
    same(got, end)


def test_a_run_that_had_ended_is_trained_again_from_its_weights(tmp_path):
    _, end = run(1, [train.BackupAndRestore(str(tmp_path), delete_checkpoint=False)])
    one = model(2)
    seen = {}

    class First(train.Callback):
        def on_train_step_begin(self, run_context):
            seen.setdefault("weights", weights(one))

    backup = train.BackupAndRestore(str(tmp_path))
    losses = Losses()
    one.train(EPOCHS, data(), [backup, First(), losses])
    same(seen["weights"], end)
    assert [step for step, _ in losses.losses] == list(range(1, 10))


@pytest.mark.parametrize("sink_size", [-1, 2])
def test_sink_mode_resumes(tmp_path, sink_size, not_on_cpu):
    expected, end = run(1, [], sink=True, sink_size=sink_size)
    run(1, [train.BackupAndRestore(str(tmp_path))], stop_at=expected[1][0], sink=True, sink_size=sink_size)
    after, got = run(2, [train.BackupAndRestore(str(tmp_path))], sink=True, sink_size=sink_size)
    assert after == expected[1:]
    same(got, end)


@pytest.mark.parametrize("asked_at", [2, 3])
def test_a_run_that_was_asked_to_end_goes_on(tmp_path, asked_at):
    expected, end = run(1, [])
    ended = []

    class Ask(train.Callback):
        def __init__(self, leave):
            self.leave = leave

        def on_train_step_end(self, run_context):
            self.leave.exit = run_context.original_args().cur_step_num == asked_at

        def on_train_epoch_end(self, run_context):
            ended.append(run_context.original_args().cur_epoch_num)

    leave = train.OnRequestExit(directory=str(tmp_path))
    assert run(1, [Ask(leave), leave])[0] == expected[:asked_at]
    leave = train.OnRequestExit(directory=str(tmp_path))
    after, got = run(2, [leave])
    assert after == expected[asked_at:]
    same(got, end)


class Watched(train.Callback):
    """Gives `fit` results that fall, rise, and fall again."""

    VALUES = (3.0, 2.0, 2.5, 2.6, 2.7)

    def on_train_epoch_end(self, run_context):
        args = run_context.original_args()
        args.eval_results = {"result": self.VALUES[args.cur_epoch_num - 1]}


def test_callbacks_that_watch_go_on(tmp_path):
    def watched(seed, stop_at=None, epochs=5):
        one = model(seed)
        one._optimizer.learning_rate  # noqa: B018  a schedule: only EarlyStopping is asked
        stop = train.EarlyStopping("result", patience=2, mode="min", restore_best_weights=True)
        history = train.History()
        backup = train.BackupAndRestore(str(tmp_path), delete_checkpoint=False)
        try:
            one.train(
                epochs, data(), [Watched(), stop, history, *([backup] if stop_at or seed == 2 else []), Losses(stop_at)]
            )
        except KeyboardInterrupt:
            assert stop_at
        return stop, history, weights(one)

    stop, history, end = watched(1)
    assert stop.stopped_epoch == 4
    watched(1, stop_at=8)
    resumed, again, got = watched(2)
    assert (resumed.stopped_epoch, resumed.best, resumed.wait) == (4, 2.0, 2)
    assert again.epoch == history.epoch == {"epoch": [1, 2, 3, 4]}
    assert list(map(float, again.history["net_output"])) == list(map(float, history.history["net_output"]))
    same(got, end)


# --- by hand --------------------------------------------------------------------------------------------------------


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

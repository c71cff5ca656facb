"""A training that is saved and resumed equals the one that was not interrupted, bit for bit."""

import random

import pytest
from resumed_runs import EPOCHS, Net, data, same

import sporax as ms
from sporax import nn, train


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

"""Model trains, evaluates and predicts as MindSpore 2.7.0's does, in both modes, and compiles once."""

import numpy as np
import pytest
from training import GOLDEN, Recorder, losses, model, printed, rows, same_line

import sporax as ms
from sporax import Model, Tensor, nn, train
from sporax._src.transform import capture
from sporax.dataset import NumpySlicesDataset


@pytest.mark.parametrize("case", ["plain", "scaled"])
def test_losses(mode: int, case: str) -> None:
    """Twelve steps give MindSpore's losses; a loss scale changes nothing."""
    options = {"loss_scale": 1024.0, "loss_scale_manager": ms.FixedLossScaleManager(1024.0, False)}
    built = model(**(options if case == "scaled" else {}))
    np.testing.assert_allclose(losses(built), GOLDEN["losses"][case], rtol=2e-5, atol=1e-7)


class Network(nn.Cell):
    """A network with everything that behaves differently in training."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.drop = nn.Dropout(p=0.5)
        self.head = nn.Dense(4 * 16, 3)

    def construct(self, x: Tensor) -> Tensor:
        x = nn.ReLU()(self.norm(self.conv(x)))
        return self.head(self.drop(x.reshape((x.shape[0], -1))))


def images(count: int = 6) -> NumpySlicesDataset:
    """Return batches of two images and classes, in a random order of the seed's."""
    rng = np.random.default_rng(0)
    return NumpySlicesDataset((rng.random((count, 1, 4, 4), np.float32), np.arange(count, dtype=np.int32) % 3)).batch(2)


def trained(chosen: int, epochs: int = 3) -> tuple[list[float], dict[str, np.ndarray]]:
    """Train the network and return losses and Parameters."""
    ms.set_context(mode=chosen)
    ms.set_seed(3)
    net = Network()
    built = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.01), metrics={"acc"})
    kept = train.History()
    built.fit(epochs, images(), images(), callbacks=kept)
    return kept.history["net_output"], {p.name: p.asnumpy() for p in net.get_parameters()}


def test_modes_agree() -> None:
    """The law: with the same seed and data, graph and PyNative give the same losses and Parameters."""
    (eager, eager_params), (graph, graph_params) = trained(ms.PYNATIVE_MODE), trained(ms.GRAPH_MODE)
    np.testing.assert_allclose(eager, graph, rtol=1e-5, atol=1e-6)
    for name, value in eager_params.items():
        np.testing.assert_allclose(value, graph_params[name], rtol=1e-4, atol=2e-6, err_msg=name)


def test_later_epochs_do_not_compile(mode: int) -> None:
    """Training, evaluation in between, a second run, and a run of `eval` use the graphs of the first epoch."""
    net = Network()
    built = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.01), metrics={"acc", "loss"})
    built.fit(1, images(), images())
    before = capture.compilations
    built.fit(3, images(), images())
    built.eval(images())
    assert capture.compilations == before


def test_build_compiles_ahead() -> None:
    """After `build` the first step has its graph."""
    ms.set_context(mode=ms.GRAPH_MODE)
    built = model({"loss"})
    built.build(rows(), rows())
    before = capture.compilations
    assert before > 0
    built.fit(1, rows(), rows())
    assert capture.compilations == before


def test_build_needs_no_graph_in_pynative_mode() -> None:
    before = capture.compilations
    model().build(rows())
    assert capture.compilations == before


def test_eval_and_predict(mode: int) -> None:
    want = GOLDEN["results"]
    built = model({"loss", "mae", "mse"})
    got = built.eval(rows())
    assert got.keys() == want["eval"].keys()
    assert all(type(v) is float for v in got.values())
    np.testing.assert_allclose([got[k] for k in want["eval"]], list(want["eval"].values()), rtol=1e-6)
    np.testing.assert_allclose(built.predict(Tensor([[1.0, 2.0, 3.0]])).asnumpy(), want["predict"])


def test_training_flag() -> None:
    """True while training, False in evaluation and prediction."""
    net = Network()
    built = Model(net, nn.CrossEntropyLoss(), nn.SGD(net.trainable_params()), metrics={"acc"})
    seen: list[tuple[str, bool]] = []

    class Watch(train.Callback):
        def on_train_step_end(self, run_context: train.RunContext) -> None:
            seen.append(("train", net.training))

        def on_eval_step_end(self, run_context: train.RunContext) -> None:
            seen.append(("eval", net.training))

    built.fit(2, images(2), images(2), callbacks=Watch())
    assert seen == [("train", True), ("eval", False), ("train", True), ("eval", False)]
    built.train(1, images(2))
    assert net.training
    built.predict(Tensor(np.zeros((1, 1, 4, 4), np.float32)))
    assert not net.training


@pytest.mark.parametrize(
    ("name", "run"),
    [
        ("train", lambda r: model().train(2, rows(), callbacks=r)),
        ("train, initial_epoch", lambda r: model().train(3, rows(), callbacks=r, initial_epoch=2)),
        ("train, stop", lambda r: model().train(3, rows(), callbacks=r)),
        ("eval", lambda r: model({"loss"}).eval(rows(), callbacks=r)),
        ("fit", lambda r: model({"loss"}).fit(2, rows(), rows(), callbacks=r)),
    ],
)
def test_events(name: str, run: object) -> None:
    """Callbacks hear the same events with the same numbers, in the same order."""
    recorder = Recorder(6 if name == "train, stop" else 0)
    run(recorder)
    want = GOLDEN["events"][name]
    if name == "eval":  # MindSpore has no number of epochs there, nor have we
        assert [e[:1] + e[2:4] for e in recorder.events] == [e[:1] + e[2:4] for e in want]
    else:
        assert recorder.events == want


def _sunk(epochs: int, **options: object) -> list[list[int]]:
    recorder = Recorder()
    model().train(epochs, rows(), callbacks=recorder, dataset_sink_mode=True, **options)
    return [e[1:4] for e in recorder.events if e[0] == "on_train_step_end"]


def test_sink_mode_reports_once_an_epoch(not_on_cpu: None) -> None:
    """In sink mode callbacks hear of the last step of each epoch; `sink_size` says how long an epoch is."""
    assert _sunk(3) == [[1, 4, 4], [2, 8, 4], [3, 12, 4]]
    assert _sunk(3, sink_size=3) == [[1, 3, 3], [2, 6, 3], [3, 9, 3]]


@pytest.mark.of_cpus("other devices have a sink mode")
def test_a_cpu_has_no_sink_mode() -> None:
    """There callbacks hear of each step of the whole dataset, as in MindSpore; `sink_size` is what they count by."""
    assert _sunk(1) == [[1, 1, 4], [1, 2, 4], [1, 3, 4], [1, 4, 4]]
    assert _sunk(1, sink_size=3) == [[1, 1, 3], [1, 2, 3], [1, 3, 3], [1, 4, 3]]


def test_sink_mode_trains_the_same() -> None:
    """Sink mode changes what is reported, not what is computed."""
    plain, sunk = model(), model()
    plain.train(2, rows())
    sunk.train(2, rows(), dataset_sink_mode=True)
    for a, b in zip(plain.train_network.get_parameters(), sunk.train_network.get_parameters(), strict=True):
        np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())


def test_network_that_computes_its_loss(mode: int) -> None:
    """Without loss_fn the network's output is the loss; without optimizer nothing is updated."""
    net = nn.WithLossCell(nn.Dense(3, 1, weight_init=0.5, bias_init="zeros"), nn.MSELoss())
    built = Model(net, optimizer=nn.Momentum(net.trainable_params(), 0.1, 0.9))
    np.testing.assert_allclose(losses(built), GOLDEN["losses"]["plain"], rtol=2e-5, atol=1e-7)
    idle = Model(nn.Dense(3, 1, weight_init=0.5, bias_init="zeros"), nn.MSELoss())
    with pytest.warns(UserWarning, match="no optimizer"):
        first = losses(idle, 1)
        assert losses(idle, 1) == first


def test_own_eval_network() -> None:
    """`eval_indexes` picks loss, predictions and label among the outputs."""

    class Evaluate(nn.Cell):
        def construct(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
            return y, x.sum(axis=1, keepdims=True), (x * x).mean()

    built = Model(nn.Dense(3, 1), metrics={"mae", "loss"}, eval_network=Evaluate(), eval_indexes=[2, 1, 0])
    got = built.eval(rows())
    assert got["mae"] == 0.0
    x = (np.arange(24).reshape(8, 3) % 7 - 3) / 4
    assert got["loss"] == pytest.approx((x * x).mean())


@pytest.mark.parametrize("frequency", [2, [1, 4]])
def test_fit_frequency(frequency: object) -> None:
    name = "LossMonitor, fit, frequency " + ("list" if isinstance(frequency, list) else "2")
    built = model({"loss", "mae"})
    got = printed(lambda: built.fit(4, rows(), rows(), frequency, callbacks=train.LossMonitor(4)))
    want = GOLDEN["printed"][name]
    assert len(got) == len(want) and all(map(same_line, got, want)), got


NET = nn.Dense(3, 1)
OPT = nn.Momentum(NET.trainable_params(), 0.1, 0.9)
ERRORS = {
    "Model(1)": (lambda: Model(1), "network must be a Cell, got 1"),
    "Model(net, amp_level='O9')": (lambda: Model(NET, nn.MSELoss(), OPT, amp_level="O9"), "must be one of O0, O1"),
    "Model(net, amp_level=2)": (
        lambda: Model(NET, nn.MSELoss(), OPT, amp_level=2),
        "amp_level must be a string, got 2",
    ),
    "Model(net, optimizer=1)": (lambda: Model(NET, nn.MSELoss(), 1), "optimizer must be an Optimizer, got 1"),
    "Model(net, metrics=1)": (
        lambda: Model(NET, nn.MSELoss(), OPT, metrics=1),
        "must be a dict or a set of names, got 1",
    ),
    "Model(net, metrics={'nonsense'})": (
        lambda: Model(NET, nn.MSELoss(), OPT, metrics={"nonsense"}),
        "unsupported metric 'nonsense'",
    ),
    "Model(net, metrics={'a': 1})": (lambda: Model(NET, nn.MSELoss(), OPT, metrics={"a": 1}), "got 'a': 1"),
    "Model(net, metrics, no loss)": (lambda: Model(NET, metrics={"loss"}), "metrics need eval_network or loss_fn"),
    "Model(net, eval_indexes without eval_network)": (
        lambda: Model(NET, nn.MSELoss(), OPT, metrics={"loss"}, eval_network=NET, eval_indexes=[1]),
        r"eval_indexes must be a list of three ints or None, got \[1\]",
    ),
    "Model(net, nonsense=1)": (lambda: Model(NET, nn.MSELoss(), OPT, nonsense=1), "unknown option nonsense"),
    "train(0)": (lambda: model().train(0, rows()), "epoch must be >= 1, got 0"),
    "train(1.5)": (lambda: model().train(1.5, rows()), "epoch must be an int, got 1.5"),
    "train(sink_size=0)": (lambda: model().train(1, rows(), sink_size=0), "sink_size must be -1 or > 0, got 0"),
    "train(sink_size=-2)": (lambda: model().train(1, rows(), sink_size=-2), "sink_size must be >= -1, got -2"),
    "train(dataset_sink_mode=1)": (lambda: model().train(1, rows(), dataset_sink_mode=1), "must be a bool, got 1"),
    "train(initial_epoch=-1)": (
        lambda: model().train(1, rows(), initial_epoch=-1),
        "initial_epoch must be >= 0, got -1",
    ),
    "train(initial_epoch=1)": (
        lambda: model().train(1, rows(), initial_epoch=1),
        "epoch must be greater than initial_epoch, got 1 and 1",
    ),
    "train(callback)": (lambda: model().train(1, rows(), callbacks=[1]), "callbacks must be Callback objects, got 1"),
    "eval without metrics": (lambda: model().eval(rows()), "the Model has no metrics"),
    "eval(sink 1)": (lambda: model({"loss"}).eval(rows(), dataset_sink_mode=1), "must be a bool, got 1"),
    "fit(valid_frequency='a')": (
        lambda: model({"loss"}).fit(1, rows(), rows(), valid_frequency="a"),
        "valid_frequency must be an int or a list, got 'a'",
    ),
    "fit without metrics": (lambda: model().fit(1, rows(), rows()), "evaluation needs metrics"),
}


def test_full_batch_needs_a_mode_of_one_program() -> None:
    ms.set_auto_parallel_context(parallel_mode="data_parallel", full_batch=True)
    try:
        with pytest.raises(
            RuntimeError, match="full_batch goes with semi_auto_parallel and auto_parallel, not with data_par"
        ):
            model().train(1, rows())
    finally:
        ms.reset_auto_parallel_context()


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str) -> None:
    """The class of exception is MindSpore's."""
    call, text = ERRORS[name]
    with pytest.raises((TypeError, ValueError, KeyError), match=text) as error:
        call()
    assert type(error.value).__name__ == GOLDEN["errors"][name].split(":")[0]


def test_what_a_model_without_an_optimizer_refuses() -> None:
    """As in MindSpore."""
    with pytest.raises(ValueError, match="amp_level='O2' needs an optimizer"):
        Model(NET, amp_level="O2")
    with pytest.raises(ValueError, match="backend must be 'lite' or None, got 'x'"):
        Model(NET).predict(1, backend="x")


def test_errors_of_our_own() -> None:
    """What MindSpore answers with an AttributeError or a division by zero."""
    with pytest.raises(TypeError, match=r"Model\.train: expected a dataset, or what dataset\.from_source takes, got 1"):
        model().train(1, 1)
    with pytest.raises(ValueError, match="valid_frequency must be > 0, got 0"):
        model({"loss"}).fit(1, rows(), rows(), valid_frequency=0)
    with pytest.raises(ValueError, match="loss_scale_manager needs an optimizer"):
        Model(NET, loss_scale_manager=ms.FixedLossScaleManager())
    with pytest.raises(ValueError, match="the dataset is empty"):
        model().train(1, rows().take(1).batch(4, drop_remainder=True))
    with pytest.raises(ValueError, match="a row must be data and label, got 1 columns"):
        model().train(1, NumpySlicesDataset(np.ones((2, 3), np.float32), shuffle=False).batch(2))
    with pytest.raises(ValueError, match="eval_network must return loss, predictions and label, got 1 outputs"):
        Model(NET, metrics={"mae"}, eval_network=nn.WithLossCell(NET, nn.MSELoss()), eval_indexes=[0, 1, 2]).eval(
            rows()
        )


def test_what_mindspore_refuses_too() -> None:
    """Metrics are named by a set; levels of boost are those of MindSpore; what is predicted from is no array."""
    net = nn.Dense(3, 1)
    for names in (["loss"], ("loss",), "loss", frozenset({"loss"})):
        with pytest.raises(TypeError, match="must be a dict or a set of names"):
            Model(net, nn.MSELoss(), metrics=names)
    for level in ("O7", 1, None):
        with pytest.raises(ValueError, match="boost_level must be one of O0, O1, O2, got"):
            Model(net, boost_level=level)
    for value in (np.ones((1, 3), np.float32), [ms.Tensor([[1.0, 2.0, 3.0]])], {"x": 1}):
        with pytest.raises(TypeError, match=r"Model\.predict: inputs must be Tensors"):
            Model(net).predict(value)


@pytest.mark.parametrize("size", [0, -1, "a", 2.0, np.int64(2), True])
def test_a_time_monitor_takes_any_size(size: object) -> None:
    """A run knows its number of steps itself; programs give `len(data) / batch`, as MindSpore lets them."""
    model().train(1, rows(), callbacks=train.TimeMonitor(size))


def test_training_without_an_optimizer_is_told() -> None:
    net = nn.Dense(3, 1)
    before = net.weight.asnumpy().copy()
    with pytest.warns(
        UserWarning, match=r"Model.train: the Model has a loss_fn and no optimizer: .* no Parameter changes; give"
    ):
        Model(net, nn.MSELoss()).train(1, rows())
    np.testing.assert_array_equal(net.weight.asnumpy(), before)


def test_a_network_that_trains_itself_needs_no_optimizer_of_the_model() -> None:
    class Training(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.net = nn.Dense(3, 1)
            self.step = nn.SGD(self.net.trainable_params(), 0.1)

        def construct(self, x: ms.Tensor) -> ms.Tensor:
            return self.net(x)

    Model(Training(), nn.MSELoss()).train(1, rows())
    net = nn.Dense(3, 1)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1))
    Model(step).train(1, rows())


def test_repr() -> None:
    assert repr(Model(nn.Dense(2, 2))) == "Model(Dense)"
    net = nn.Dense(2, 2)
    built = Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()), metrics={"mae", "loss"}, amp_level="O2")
    assert repr(built) == "Model(Dense, loss_fn=MSELoss, optimizer=Adam, metrics=['loss', 'mae'], amp_level='O2')"

"""Training with Model: losses, what monitors print, the order of events, and the files that checkpoints leave."""

import contextlib
import io
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, train
from mindspore.dataset import GeneratorDataset
from mindspore.train import Model

from .common import error_text, set_mode, write_json

EVENTS = [
    f"on_{run}_{event}"
    for run in ("train", "eval")
    for event in ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end")
]


def rows(scale: float = 1.0) -> GeneratorDataset:
    """Return a dataset of four batches of two rows, in order."""
    x = (np.arange(24, dtype=np.float32).reshape(8, 3) % 7 - 3) / 4 * scale
    y = x.sum(axis=1, keepdims=True).astype(np.float32)
    return GeneratorDataset(list(zip(x, y, strict=True)), ["x", "y"], shuffle=False).batch(2)


def model(metrics: Any = None, rate: Any = 0.1, loss_scale: float = 1.0, **options: Any) -> Model:
    """Return a linear model whose weights are 0.5."""
    net = nn.Dense(3, 1, weight_init=0.5, bias_init="zeros")
    opt = nn.Momentum(net.trainable_params(), rate, 0.9, loss_scale=loss_scale)
    return Model(net, nn.MSELoss(), opt, metrics=metrics, **options)


class Recorder(train.Callback):
    """Lists every event with the numbers of epoch and step."""

    def __init__(self, stop_at: int = 0) -> None:
        super().__init__()
        self.events: list[Any] = []
        self.stop_at = stop_at

    def tell(self, name: str, run_context: Any) -> None:
        """Note an event."""
        args = run_context.original_args()
        numbers = [args.get(key) for key in ("cur_epoch_num", "cur_step_num", "batch_num", "epoch_num", "mode")]
        self.events.append([name, *numbers])
        if self.stop_at and name == "on_train_step_end" and args.get("cur_step_num") >= self.stop_at:
            run_context.request_stop()


for event in EVENTS:
    setattr(Recorder, event, lambda self, run_context, name=event: self.tell(name, run_context))


def printed(call: Callable[[], Any]) -> Any:
    """Return the lines that a call prints (numbers of milliseconds as T), and its error."""
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        try:
            call()
        except Exception as error:
            print(f"error {error_text(error)}")
    return [re.sub(r"\d+\.\d+ ms", "T ms", line) for line in stream.getvalue().splitlines()]


def files(call: Callable[[Path], Any]) -> Any:
    """Return the names of the checkpoints that a call leaves in a folder."""
    with tempfile.TemporaryDirectory() as name:
        call(Path(name))
        return sorted(str(p.relative_to(name)) for p in Path(name).rglob("*") if p.suffix in (".ckpt", ".safetensors"))


def events(call: Callable[[Recorder], Any], stop_at: int = 0) -> Any:
    """Return the events of a run."""
    recorder = Recorder(stop_at)
    call(recorder)
    return recorder.events


def monitored(callbacks: list[Any], epochs: int = 2, fit: bool = False, **options: Any) -> Any:
    """Return what callbacks print while training."""
    built = model({"loss", "mae"})
    if fit:
        return printed(lambda: built.fit(epochs, rows(), rows(), callbacks=callbacks, **options))
    return printed(lambda: built.train(epochs, rows(), callbacks=callbacks, **options))


def checkpointed(epochs: int = 2, twice: bool = False, prefix: Any = "net", sink: bool = False, **options: Any) -> Any:
    """Return the files of a run with a ModelCheckpoint."""

    def run(folder: Path) -> None:
        for _ in range(2 if twice else 1):
            config = train.CheckpointConfig(**options)
            saver = train.ModelCheckpoint(prefix, str(folder), config)
            model().train(epochs, rows(), callbacks=[saver], dataset_sink_mode=sink)

    return files(run)


def losses(**options: Any) -> list[float]:
    """Return the loss of every step."""
    found: list[float] = []
    keep = train.LambdaCallback(
        on_train_step_end=lambda context: found.append(float(np.mean(_first(context).asnumpy())))
    )
    model(**options).train(3, rows(), callbacks=[keep])
    return found


def _first(context: Any) -> Tensor:
    outputs = context.original_args().net_outputs
    return outputs[0] if isinstance(outputs, tuple) else outputs


def plateau() -> Any:
    """Return the learning rates after each epoch, and what is printed."""
    built = model({"loss"}, 0.2)
    rates: list[float] = []
    watch = train.LambdaCallback(
        on_train_epoch_end=lambda c: rates.append(float(c.original_args().optimizer.learning_rate.asnumpy()))
    )
    reduce = train.ReduceLROnPlateau("loss", 0.5, 1, True, min_delta=0.3, cooldown=1, min_lr=0.05)
    lines = printed(lambda: built.fit(7, rows(), rows(), callbacks=[reduce, watch]))
    return {"rates": rates, "lines": [line for line in lines if "Reduce" in line]}


def early(**options: Any) -> Any:
    """Return the epochs that run before training stops, and what is printed."""
    built = model({"loss"}, 0.3)
    seen: list[int] = []
    watch = train.LambdaCallback(on_train_epoch_end=lambda c: seen.append(c.original_args().cur_epoch_num))
    stop = train.EarlyStopping(verbose=True, **options)
    lines = printed(lambda: built.fit(8, rows(), rows(), callbacks=[stop, watch]))
    return {"epochs": seen, "lines": lines}


def history() -> Any:
    """Return what History keeps."""
    kept = train.History()
    model({"loss", "mae"}).fit(2, rows(), rows(), callbacks=[kept])
    return {"epoch": kept.epoch, "history": {k: [float(v) for v in vs] for k, vs in kept.history.items()}}


def errors() -> dict[str, str]:
    """Return the error of each bad call."""
    net = nn.Dense(3, 1)
    opt = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    calls = {
        "CheckpointConfig(0, 0, 0, 0)": lambda: train.CheckpointConfig(0, 0, 0, 0),
        "CheckpointConfig(-1)": lambda: train.CheckpointConfig(-1),
        "CheckpointConfig(1.5)": lambda: train.CheckpointConfig(1.5),
        "CheckpointConfig(keep_checkpoint_max='a')": lambda: train.CheckpointConfig(keep_checkpoint_max="a"),
        "CheckpointConfig(saved_network=1)": lambda: train.CheckpointConfig(saved_network=1),
        "CheckpointConfig(append_info='epoch_num')": lambda: train.CheckpointConfig(append_info="epoch_num"),
        "CheckpointConfig(append_info=['epoch'])": lambda: train.CheckpointConfig(append_info=["epoch"]),
        "CheckpointConfig(append_info=[1])": lambda: train.CheckpointConfig(append_info=[1]),
        "CheckpointConfig(append_info=[{}, {}])": lambda: train.CheckpointConfig(append_info=[{"a": 1}, {"b": 1}]),
        "CheckpointConfig(append_info=[{1: 1}])": lambda: train.CheckpointConfig(append_info=[{1: 1}]),
        "CheckpointConfig(format='npz')": lambda: train.CheckpointConfig(format="npz"),
        "ModelCheckpoint('a/b')": lambda: train.ModelCheckpoint("a/b"),
        "ModelCheckpoint(1)": lambda: train.ModelCheckpoint(1),
        "ModelCheckpoint(config=1)": lambda: train.ModelCheckpoint(config=1),
        "LossMonitor(-1)": lambda: train.LossMonitor(-1),
        "LossMonitor('a')": lambda: train.LossMonitor("a"),
        "TimeMonitor(data_time=1)": lambda: train.TimeMonitor(data_time=1),
        "EarlyStopping(mode='best')": lambda: train.EarlyStopping(mode="best"),
        "EarlyStopping(patience=-1)": lambda: train.EarlyStopping(patience=-1),
        "EarlyStopping(monitor=1)": lambda: train.EarlyStopping(monitor=1),
        "ReduceLROnPlateau(factor=1.5)": lambda: train.ReduceLROnPlateau(factor=1.5),
        "ReduceLROnPlateau(mode='best')": lambda: train.ReduceLROnPlateau(mode="best"),
        "RunContext(1)": lambda: train.RunContext(1),
        "Model(1)": lambda: Model(1),
        "Model(net, amp_level='O9')": lambda: Model(net, nn.MSELoss(), opt, amp_level="O9"),
        "Model(net, amp_level=2)": lambda: Model(net, nn.MSELoss(), opt, amp_level=2),
        "Model(net, optimizer=1)": lambda: Model(net, nn.MSELoss(), 1),
        "Model(net, loss_fn=1)": lambda: Model(net, 1, opt),
        "Model(net, metrics=1)": lambda: Model(net, nn.MSELoss(), opt, metrics=1),
        "Model(net, metrics={'nonsense'})": lambda: Model(net, nn.MSELoss(), opt, metrics={"nonsense"}),
        "Model(net, metrics={'a': 1})": lambda: Model(net, nn.MSELoss(), opt, metrics={"a": 1}),
        "Model(net, metrics, no loss)": lambda: Model(net, metrics={"loss"}),
        "Model(net, eval_indexes without eval_network)": lambda: Model(
            net, nn.MSELoss(), opt, metrics={"loss"}, eval_network=net, eval_indexes=[1]
        ),
        "Model(net, nonsense=1)": lambda: Model(net, nn.MSELoss(), opt, nonsense=1),
        "train without optimizer": lambda: Model(net, nn.MSELoss()).train(1, rows()),
        "train(0)": lambda: model().train(0, rows()),
        "train(1.5)": lambda: model().train(1.5, rows()),
        "train(sink_size=0)": lambda: model().train(1, rows(), sink_size=0),
        "train(sink_size=-2)": lambda: model().train(1, rows(), sink_size=-2),
        "train(dataset_sink_mode=1)": lambda: model().train(1, rows(), dataset_sink_mode=1),
        "train(initial_epoch=-1)": lambda: model().train(1, rows(), initial_epoch=-1),
        "train(initial_epoch=1)": lambda: model().train(1, rows(), initial_epoch=1),
        "train(no dataset)": lambda: model().train(1, [1]),
        "train(callback)": lambda: model().train(1, rows(), callbacks=[1]),
        "eval without metrics": lambda: model().eval(rows()),
        "eval(sink 1)": lambda: model({"loss"}).eval(rows(), dataset_sink_mode=1),
        "fit(valid_frequency=0)": lambda: model({"loss"}).fit(1, rows(), rows(), valid_frequency=0),
        "fit(valid_frequency='a')": lambda: model({"loss"}).fit(1, rows(), rows(), valid_frequency="a"),
        "fit without metrics": lambda: model().fit(1, rows(), rows()),
        "FixedLossScaleManager(0.5)": lambda: ms.FixedLossScaleManager(0.5),
        "DynamicLossScaleManager(0.5)": lambda: ms.DynamicLossScaleManager(0.5),
        "DynamicLossScaleManager(scale_window=0)": lambda: ms.DynamicLossScaleManager(scale_window=0),
        "DynamicLossScaleManager(scale_factor=0)": lambda: ms.DynamicLossScaleManager(scale_factor=0),
        "auto_mixed_precision(1)": lambda: ms.amp.auto_mixed_precision(1, "O2"),
        "auto_mixed_precision('O9')": lambda: ms.amp.auto_mixed_precision(net, "O9"),
        "auto_mixed_precision(dtype=float32)": lambda: ms.amp.auto_mixed_precision(net, "O2", ms.float32),
        "build_train_network(nonsense=1)": lambda: ms.amp.build_train_network(net, opt, nonsense=1),
        "build_train_network(level='O9')": lambda: ms.amp.build_train_network(net, opt, level="O9"),
        "StaticLossScaler(0.5)": lambda: ms.amp.StaticLossScaler(0.5),
        "DynamicLossScaler(1, 0, 1)": lambda: ms.amp.DynamicLossScaler(1, 0, 1),
        "DynamicLossScaler('a', 2, 1)": lambda: ms.amp.DynamicLossScaler("a", 2, 1),
        "custom_mixed_precision(net)": lambda: ms.amp.custom_mixed_precision(net),
        "custom_mixed_precision(both)": lambda: ms.amp.custom_mixed_precision(
            net, white_list=[nn.Dense], black_list=[nn.Dense]
        ),
        "custom_mixed_precision(black_list=1)": lambda: ms.amp.custom_mixed_precision(net, black_list=1),
        "custom_mixed_precision(black_list=[1])": lambda: ms.amp.custom_mixed_precision(net, black_list=[1]),
    }
    found = {}
    for name, call in calls.items():
        try:
            call()
            found[name] = "accepted"
        except Exception as error:
            found[name] = error_text(error)
    return found


def scaler() -> Any:
    """Return the scales of a DynamicLossScaler over finite and overflowing steps."""
    made = ms.amp.DynamicLossScaler(scale_value=8, scale_factor=2, scale_window=2)
    scales = []
    for finite in (True, True, True, False, False, False, False, True, True):
        made.adjust(Tensor(finite))
        scales.append([float(made.scale_value.asnumpy()), int(made.counter.asnumpy())])
    return scales


def record(out: Path) -> None:
    """Write ``training.json``."""
    set_mode("pynative")
    stop = lambda **o: early(monitor="loss", **o)
    data: dict[str, Any] = {
        "losses": {
            "plain": losses(),
            "scaled": losses(loss_scale=1024.0, loss_scale_manager=ms.FixedLossScaleManager(1024.0, False)),
        },
        "printed": {
            "LossMonitor": monitored([train.LossMonitor()]),
            "LossMonitor(3)": monitored([train.LossMonitor(3)], 3),
            "LossMonitor(0)": monitored([train.LossMonitor(0)]),
            "LossMonitor, sink": monitored([train.LossMonitor()], dataset_sink_mode=True),
            "LossMonitor(3), sink": monitored([train.LossMonitor(3)], 3, dataset_sink_mode=True),
            "LossMonitor, sink_size 3": monitored([train.LossMonitor()], 3, dataset_sink_mode=True, sink_size=3),
            "LossMonitor, initial_epoch": monitored([train.LossMonitor()], 2, initial_epoch=1),
            "LossMonitor, fit": monitored([train.LossMonitor(2)], fit=True),
            "LossMonitor, fit, frequency 2": monitored([train.LossMonitor(4)], 4, fit=True, valid_frequency=2),
            "LossMonitor, fit, frequency list": monitored([train.LossMonitor(4)], 4, fit=True, valid_frequency=[1, 4]),
            "LossMonitor, NaN": printed(lambda: model().train(1, rows(float("nan")), callbacks=train.LossMonitor())),
            "LossMonitor, eval": printed(lambda: model({"loss"}).eval(rows(), callbacks=train.LossMonitor())),
            "TimeMonitor": monitored([train.TimeMonitor()]),
            "TimeMonitor(data_size=2)": monitored([train.TimeMonitor(2)]),
            "TimeMonitor(data_time=True)": monitored([train.TimeMonitor(data_time=True)]),
            "TimeMonitor, fit": monitored([train.TimeMonitor()], 1, fit=True),
            "TimeMonitor, eval": printed(lambda: model({"loss"}).eval(rows(), callbacks=train.TimeMonitor())),
        },
        "events": {
            "train": events(lambda r: model().train(2, rows(), callbacks=r)),
            "train, sink": events(lambda r: model().train(2, rows(), callbacks=r, dataset_sink_mode=True)),
            "train, initial_epoch": events(lambda r: model().train(3, rows(), callbacks=r, initial_epoch=2)),
            "train, stop": events(lambda r: model().train(3, rows(), callbacks=r), 6),
            "eval": events(lambda r: model({"loss"}).eval(rows(), callbacks=r)),
            "fit": events(lambda r: model({"loss"}).fit(2, rows(), rows(), callbacks=r)),
        },
        "results": {
            "eval": {k: float(v) for k, v in model({"loss", "mae", "mse"}).eval(rows()).items()},
            "predict": model().predict(Tensor([[1.0, 2.0, 3.0]])).asnumpy().tolist(),
        },
        "files": {
            "default": checkpointed(),
            "steps 3": checkpointed(save_checkpoint_steps=3),
            "steps 3, max 2": checkpointed(save_checkpoint_steps=3, keep_checkpoint_max=2),
            "steps 3, max 0": checkpointed(save_checkpoint_steps=3, keep_checkpoint_max=0),
            "max 3": checkpointed(keep_checkpoint_max=3),
            "twice": checkpointed(twice=True, save_checkpoint_steps=4),
            "sink": checkpointed(sink=True, save_checkpoint_steps=4),
            "sink, steps 3": checkpointed(sink=True, save_checkpoint_steps=3),
            "safetensors": checkpointed(save_checkpoint_steps=4, format="safetensors"),
            "prefix function": checkpointed(
                prefix=lambda args: f"e{args.cur_epoch_num}s{args.cur_step_num}", save_checkpoint_steps=4
            ),
            "seconds": checkpointed(save_checkpoint_steps=None, save_checkpoint_seconds=1000),
        },
        "plateau": plateau(),
        "early": {
            "patience 2": stop(patience=2, min_delta=0.05),
            "patience 0": stop(patience=0),
            "max": stop(mode="max", patience=1),
            "baseline": stop(patience=3, baseline=1e-9, restore_best_weights=True),
            "absent": early(monitor="nonsense"),
        },
        "history": history(),
        "scaler": scaler(),
        "errors": errors(),
    }
    write_json(out / "training.json", data)

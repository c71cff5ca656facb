"""What the tests of training share: the linear model and the rows that the goldens were recorded with."""

import contextlib
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sporax import Model, nn, train
from sporax.dataset import GeneratorDataset

GOLDEN = json.loads((Path(__file__).parent.parent / "goldens" / "training.json").read_text())

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
        self.events: list[Any] = []
        self.stop_at = stop_at

    def tell(self, name: str, run_context: Any) -> None:
        """Note an event."""
        args = run_context.original_args()
        numbers = [args.get(key) for key in ("cur_epoch_num", "cur_step_num", "batch_num", "epoch_num", "mode")]
        self.events.append([name, *numbers])
        if self.stop_at and name == "on_train_step_end" and args.cur_step_num >= self.stop_at:
            run_context.request_stop()


for _event in EVENTS:
    setattr(Recorder, _event, lambda self, run_context, name=_event: self.tell(name, run_context))


def printed(call: Callable[[], Any]) -> list[str]:
    """Return the lines that a call prints; numbers of milliseconds are T."""
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        call()
    return [re.sub(r"\d+\.\d+ ms", "T ms", line) for line in stream.getvalue().splitlines()]


def same_line(got: str, want: str) -> bool:
    """Tell whether two lines have the same text, and numbers that agree to 6 digits (metrics in any order)."""
    number = r"-?\d+\.\d+(?:e-?\d+)?"
    if "metrics: " in want:
        (head, a), (other, b) = (line.split("metrics: ") for line in (got, want))
        a, b = eval(a), eval(b)
        return head == other and a.keys() == b.keys() and np.allclose([a[k] for k in b], list(b.values()), rtol=1e-5)
    a, b = ([float(n) for n in re.findall(number, line)] for line in (got, want))
    return re.sub(number, "#", got) == re.sub(number, "#", want) and np.allclose(a, b, rtol=1e-5)


def losses(built: Model, epochs: int = 3) -> list[float]:
    """Train and return the loss of every step."""
    found: list[float] = []

    def keep(run_context: Any) -> None:
        outputs = run_context.original_args().net_outputs
        found.append(float(np.mean((outputs[0] if isinstance(outputs, tuple) else outputs).asnumpy())))

    built.train(epochs, rows(), callbacks=train.LambdaCallback(on_train_step_end=keep))
    return found

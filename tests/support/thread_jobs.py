"""What threads do beside each other in the law of threads: every transform, mixed precision, hooks, draws, errors, prints.

A job is a function of a number that chooses its input. It gives the same each time it is called, alone or beside others.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import sporax as ms
from sporax import nn, ops

Job = Callable[[int], Any]


def given(i: int, *shape: int) -> ms.Tensor:
    """Return the input of a number."""
    size = int(np.prod(shape or (2, 3)))
    return ms.Tensor(np.linspace(-1.0, 1.0 + i, size, dtype=np.float32).reshape(shape or (2, 3)))


def smooth(x: ms.Tensor) -> ms.Tensor:
    """Return a number that every element of a Tensor has a part in."""
    return (x * x * ops.sin(x)).sum()


class Block(nn.Cell):
    """Two layers with weights that do not vary from run to run."""

    def __init__(self, seed: int = 1) -> None:
        super().__init__()
        rng = np.random.default_rng(seed)
        self.first = nn.Dense(3, 4, ms.Tensor(rng.normal(size=(4, 3)).astype(np.float32)), "zeros")
        self.norm = nn.LayerNorm((4,))
        self.last = nn.Dense(4, 2, ms.Tensor(rng.normal(size=(2, 4)).astype(np.float32)), "zeros")

    def construct(self, x: ms.Tensor) -> ms.Tensor:
        return self.last(ops.softmax(self.norm(self.first(x)), -1))


class Tripled(ms._Function):
    """A function with a backward of its own, which is not its derivative."""

    @staticmethod
    def forward(ctx: Any, x: ms.Tensor) -> ms.Tensor:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, dout: ms.Tensor) -> ms.Tensor:
        (x,) = ctx.saved_tensors
        return 3 * x * dout


class WithBprop(nn.Cell):
    """A Cell with a backward of its own."""

    def construct(self, x: ms.Tensor) -> ms.Tensor:
        return x * x

    def bprop(self, x: ms.Tensor, out: ms.Tensor, dout: ms.Tensor) -> tuple[ms.Tensor]:
        return (5 * dout + out,)


class Lines:
    """A file that a program prints to."""

    def __init__(self) -> None:
        self.text: list[str] = []

    def write(self, text: str) -> None:
        """Take a piece of a line."""
        self.text.append(text)

    def flush(self) -> None:
        """Do nothing: nothing waits."""


# --- transforms -------------------------------------------------------------------------------------------------------


def transforms() -> dict[str, Job]:
    """Return jobs that differentiate, vectorise and compile."""
    net = Block()
    forward = ms.value_and_grad(lambda x: smooth(net(x)), 0, net.trainable_params())
    twice = ms.grad(lambda x: ms.grad(smooth)(x).sum())
    rows = ms.vmap(lambda row: smooth(row) + row[0])
    looped = ms.vmap(halved)
    pulled = ms.jacrev(lambda x: ops.tanh(x) * x)
    pushed = ms.jacfwd(lambda x: ops.tanh(x) * x)
    return {
        "a product": lambda i: ops.matmul(given(i), given(i, 3, 2)),
        "grad": lambda i: ms.grad(smooth)(given(i)),
        "value_and_grad": lambda i: forward(given(i)),
        "grad of grad": lambda i: twice(given(i)),
        "vmap": lambda i: rows(given(i)),
        "vmap of a loop": lambda i: looped(given(i) * given(i) * 9),
        "jvp": lambda i: ms.jvp(smooth, given(i), given(i + 1)),
        "vjp": lambda i: ms.vjp(smooth, given(i))[1](ms.Tensor(2.0)),
        "jacrev": lambda i: pulled(given(i, 3)),
        "jacfwd": lambda i: pushed(given(i, 3)),
        "recompute": lambda i: ms.grad(lambda x: smooth(ms.recompute(net, x)))(given(i)),
        "no_grad": lambda i: ms.grad(partly)(given(i)),
        "a decorated function": lambda i: ms.grad(lambda x: (constant(x, 3) * x).sum())(given(i)),
        "grad within no_grad": lambda i: refused(given(i)),
        "a Function": lambda i: ms.grad(lambda x: Tripled.apply(x).sum())(given(i)),
        "bprop": lambda i: ms.grad(lambda x: WithBprop()(x).sum())(given(i)),
    }


def halved(x: ms.Tensor) -> ms.Tensor:
    """Halve a vector until its sum is small."""
    while x.sum() > 1.0:
        x = x / 2
    return x


def partly(x: ms.Tensor) -> ms.Tensor:
    """Return a number of which one factor is a constant to the gradient."""
    with ms.no_grad():
        y = ops.exp(x)
    return (y * x).sum()


@ms.no_grad()
def constant(x: ms.Tensor, times: int) -> ms.Tensor:
    """Return a Tensor that is a constant to the gradient, by a function that calls itself."""
    return constant(ops.exp(x), times - 1) if times else x


def refused(x: ms.Tensor) -> ms.Tensor:
    """Take a gradient where there are none."""
    with ms.no_grad():
        return ms.grad(smooth)(x)


# --- graphs -----------------------------------------------------------------------------------------------------------


def graphs() -> dict[str, Job]:
    """Return jobs that run compiled functions, with control flow, errors and prints."""
    lines, lock = Lines(), threading.Lock()

    def told(x: ms.Tensor) -> ms.Tensor:
        if x.sum() > 0.5:
            print("more:", x.sum(), file=lines)
        return x + 1

    def printed(i: int) -> Any:
        with lock:
            lines.text.clear()
            return tell(given(i)), "".join(lines.text)

    def unsure(x: ms.Tensor) -> ms.Tensor:
        try:
            y = ops.log(x)
        except ValueError:
            y = x
        return y if x.sum() > 0 else y - 1

    tell, run = ms.jit(told), ms.jit(lambda x: smooth(x) * 2)
    loop, fail, numbered = ms.jit(halved), ms.jit(positive), ms.jit(lambda x, n: x * n + n)
    careful, by_value = ms.jit(unsure), ms.jit(lambda x: x * float(x.asnumpy().sum()))
    taken, inner = ms.jit(lambda x, at: ops.gather(x, at, 0)), ms.jit(smooth)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        by_value(given(0))
    return {
        "jit": lambda i: run(given(i)),
        "jit of a loop": lambda i: loop(given(i) * 9),
        "jit of a number": lambda i: numbered(given(1), 0.5 + i),
        "jit of a try statement": lambda i: careful(given(i) + 1.5),
        "jit that falls back": lambda i: by_value(given(0) + i),
        "grad of jit": lambda i: ms.grad(inner)(given(i)),
        "an error of a graph": lambda i: fail(given(i) - i),
        "a print of a graph": printed,
        "an index of a graph": lambda i: taken(given(i), ms.Tensor([0, 1 + i])),
        "an index": lambda i: ops.gather(given(i), ms.Tensor([0, 1 + i]), 0),
    }


def positive(x: ms.Tensor) -> ms.Tensor:
    """Return a Tensor, or raise if its sum is not positive."""
    if x.sum() <= 0:
        raise ValueError(f"the sum is {x.sum()}")
    return x * 2


# --- precision, hooks, draws ------------------------------------------------------------------------------------------


def amp() -> dict[str, Job]:
    """Return jobs that compute in mixed precision, with and without gradients."""
    jobs: dict[str, Job] = {}
    for level in ("O0", "O1", "O2", "O3", "auto"):
        net = ms.amp.auto_mixed_precision(Block(), level)
        step = ms.value_and_grad(lambda x, net=net: smooth(net(x)), None, net.trainable_params())
        jobs[f"amp {level}"] = lambda i, net=net: net(given(i))
        jobs[f"amp {level} with gradient"] = lambda i, step=step: step(given(i))
    half, by_operator = Block().to_float(ms.float16), ms.amp.auto_mixed_precision(ops.matmul, "auto", ms.bfloat16)
    jobs["to_float"] = lambda i: half(given(i))
    jobs["auto of a function"] = lambda i: by_operator(given(i), given(i, 3, 2))
    return jobs


def hooks() -> dict[str, Job]:
    """Return jobs whose gradients pass through hooks."""
    net = Block()
    net.first.register_forward_hook(lambda cell, inputs, output: output * 2)
    net.last.register_backward_hook(lambda cell, into, out: tuple(g * 3 for g in into))

    def with_hook(x: ms.Tensor) -> ms.Tensor:
        y = x * 2
        y.register_hook(lambda gradient: gradient * 10)
        return smooth(y)

    return {
        "hooks of a Cell": lambda i: ms.grad(lambda x: smooth(net(x)))(given(i)),
        "a hook of a Tensor": lambda i: ms.grad(with_hook)(given(i)),
    }


def draws() -> dict[str, Job]:
    """Return jobs that draw numbers from streams of their own."""

    def dropped(i: int) -> Any:
        drop = ops.Dropout(0.5, Seed0=3 + i, Seed1=4)
        return drop(given(i))[0], drop(given(i))[0]

    def drawn(i: int) -> Any:
        source = ms.Generator().manual_seed(i)
        return ops.rand_like(given(i), seed=None).shape, source.initial_seed(), source.get_state()

    def made(i: int) -> Any:
        with nn.no_init_parameters():
            lazy = ms.Parameter(ms.common.initializer.initializer("ones", (2,)), name="lazy")
        eager = ms.Parameter(ms.common.initializer.initializer("ones", (2,)), name="eager")
        return lazy.has_init, eager.has_init, lazy.init_data(), eager

    return {"seeded dropout": dropped, "a Generator": drawn, "lazy Parameters": made}


def models() -> dict[str, Job]:
    """Return jobs that train, evaluate and predict with a Model of their own, on threads of a dataset."""

    def rows(i: int) -> Any:
        x = np.linspace(-1.0, 1.0 + i, 24, dtype=np.float32).reshape(8, 3)
        data = ms.dataset.NumpySlicesDataset((x, x[:, :2] * 0.5), shuffle=False)
        return data.map(lambda v: v * np.float32(0.5), num_parallel_workers=2).batch(4)

    def model(**options: Any) -> ms.Model:
        net = Block()
        optimizer = nn.Adam(net.trainable_params(), nn.ExponentialDecayLR(0.01, 0.9, 2))
        return ms.Model(net, nn.MSELoss(), optimizer, metrics={"mae"}, **options)

    def trained(i: int, **options: Any) -> Any:
        one, history = model(**options), ms.train.History()
        one.fit(2, rows(i), rows(i + 1), callbacks=[history], dataset_sink_mode=bool(i))
        weights = [p.value() for p in one.train_network.get_parameters()]
        return one.eval(rows(i))["mae"], one.predict(given(i)), history.epoch["epoch"], *weights

    def scaled(i: int) -> Any:
        return trained(i, loss_scale_manager=ms.train.DynamicLossScaleManager(2**10, 2, 2))

    return {"a Model": trained, "a Model with a loss scale": scaled}


def jobs() -> dict[str, Job]:
    """Return all jobs by name."""
    return transforms() | graphs() | amp() | hooks() | draws() | models()

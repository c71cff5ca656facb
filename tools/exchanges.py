"""Time what two processes exchange beside torch's gloo, and a pipeline of two stages beside one process (on two cores).

    python tools/exchanges.py [--torch-python PY]    # writes tools/results/exchanges.json

Each contestant starts several times, by turns. A figure is the median over all rounds of all starts.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
STARTS = 3
ROUNDS = 12
UNTIMED = 4  # of the rounds: the first ones take memory that the machine has not given before
LARGE = (16, 1024, 1024)  # 64 MiB
WIDTH, HEADS, LENGTH, LAYERS, BATCH, MICROS = 128, 4, 64, 8, 64, 8


def rounds(run: Callable[[], object]) -> list[float]:
    """Return the milliseconds of each timed round."""
    took = []
    for _ in range(ROUNDS):
        start = perf_counter()
        run()
        took.append(1e3 * (perf_counter() - start))
    return took[UNTIMED:]


def exchanged(
    rank: int, send: Callable[[int], object], receive: Callable[[int], object], add: Callable[[], object]
) -> dict[str, list[float]]:
    """Return the times of a message, there and back in turn, and of a sum."""

    def there_and_back() -> None:
        for turn in (0, 1):
            (send if turn == rank else receive)(1 - rank)

    messages = rounds(there_and_back)
    return {"a message of 64 MiB": [t / 2 for t in messages], "a sum of 64 MiB": rounds(add)}


def of_torch() -> dict[str, list[float]]:
    """Return the times of messages and sums in torch."""
    import torch
    from torch import distributed as dist

    dist.init_process_group("gloo")
    x, y = torch.rand(LARGE), torch.empty(LARGE)
    return exchanged(
        dist.get_rank(), lambda to: dist.send(x, to), lambda from_: dist.recv(y, from_), lambda: dist.all_reduce(x)
    )


def of_sporax() -> dict[str, list[float]]:
    """Return the times of messages and sums in sporax."""
    import mindspore as ms
    from mindspore import ops
    from mindspore.communication import comm_func, get_rank, init

    init()
    x = ms.Tensor(np.random.default_rng(0).random(LARGE, np.float32))
    total = ops.AllReduce()
    return exchanged(
        get_rank(),
        lambda to: comm_func.send(x, to),
        lambda from_: comm_func.recv(x, from_),
        lambda: total(x).asnumpy(),
    )


def on_one_core() -> dict[str, list[float]]:
    """Return the times of a training step of a transformer on one core."""
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])  # before JAX makes its threads
    return of_step()


def of_step(stages: int = 1) -> dict[str, list[float]]:
    """Return the times of a training step of a transformer, in stages with a process each."""
    import mindspore as ms
    from mindspore import nn
    from mindspore.communication import init

    ms.set_context(mode=ms.GRAPH_MODE)
    if stages > 1:
        init()
        ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", pipeline_stages=stages)

    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            layers = [nn.TransformerEncoderLayer(WIDTH, HEADS, 4 * WIDTH, 0.0, batch_first=True) for _ in range(LAYERS)]
            self.layers = nn.CellList(layers)
            for i, layer in enumerate(layers):
                layer.pipeline_stage = i * stages // LAYERS

        def construct(self, x):
            for layer in self.layers:
                x = layer(x)
            return x

    net, draw = Net(), np.random.default_rng(0)
    x, y = (ms.Tensor(draw.standard_normal((BATCH, LENGTH, WIDTH), np.float32)) for _ in range(2))
    cell = nn.WithLossCell(net, nn.MSELoss())
    step = nn.TrainOneStepCell(
        nn.PipelineCell(cell, MICROS) if stages > 1 else cell, nn.Momentum(net.trainable_params(), 0.1, 0.9)
    ).set_train()
    return {"a step of a transformer": rounds(lambda: step(x, y).asnumpy())}


MEASURES = {
    "sporax": of_sporax,
    "torch": of_torch,
    "one process": of_step,
    "one process on one core": on_one_core,
    "two stages": lambda: of_step(2),
}
TWO_PROCESSES = ("sporax", "two stages")


def command_of(name: str, torch: str, file: Path) -> list[str]:
    """Return the command of a contestant, whose first process writes what it measured."""
    own = [str(Path(__file__).resolve()), "--measure", name, "--times", str(file)]
    if name == "torch":
        return [torch, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", *own]
    return [sys.executable, "-m", "sporax", *(("launch", "-n", "2") if name in TWO_PROCESSES else ("run",)), *own]


def started(name: str, torch: str) -> dict[str, list[float]]:
    """Return what the first process of a contestant measured."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "times.json")
        environ = os.environ | ({"OMP_NUM_THREADS": "1"} if name == "torch" else {})
        run = subprocess.run(command_of(name, torch, file), env=environ, cwd=folder, capture_output=True, text=True)
        if not file.exists():
            raise SystemExit(f"{name} failed:\n{run.stdout}{run.stderr}")
        return json.loads(file.read_text())


def main() -> None:
    """Run the contestants by turns and write the figures, or measure in a process of one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--torch-python", metavar="PY", default="", help="a python with torch")
    parser.add_argument("--measure", choices=MEASURES, help=argparse.SUPPRESS)
    parser.add_argument("--times", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        times = MEASURES[args.measure]()
        if os.environ.get("RANK_ID", os.environ.get("RANK", "0")) == "0":
            args.times.write_text(json.dumps(times))
        return
    table: dict[str, dict[str, list[float]]] = {}
    for _ in range(STARTS):
        for name in MEASURES:
            if name == "torch" and not args.torch_python:
                continue
            for what, times in started(name, args.torch_python).items():
                table.setdefault(what, {}).setdefault(name, []).extend(times)
    milliseconds = {
        what: {name: round(statistics.median(times), 2) for name, times in row.items()} for what, row in table.items()
    }
    print(json.dumps(milliseconds, indent=1))
    (ROOT / "tools" / "results" / "exchanges.json").write_text(
        json.dumps({"milliseconds": milliseconds}, indent=1) + "\n"
    )


if __name__ == "__main__":
    main()

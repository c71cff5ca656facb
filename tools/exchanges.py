"""Time what two processes exchange beside torch's gloo, and a pipeline of two stages beside one process (on two cores).

    python tools/exchanges.py [--torch-python PY]    # writes tools/results/exchanges.json

Each contestant starts several times, by turns. A figure is the median over all rounds of all starts.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
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


def of_torch() -> dict[str, list[float]]:
    """Return the times of messages and sums in torch."""
    import torch
    from torch import distributed as dist

    dist.init_process_group("gloo")
    rank = dist.get_rank()
    x, y = torch.rand(LARGE), torch.empty(LARGE)

    def there_and_back() -> None:
        for turn in (0, 1):
            if turn == rank:
                dist.send(x, 1 - rank)
            else:
                dist.recv(y, 1 - rank)

    messages = rounds(there_and_back)
    return {"a message of 64 MiB": [t / 2 for t in messages], "a sum of 64 MiB": rounds(lambda: dist.all_reduce(x))}


def of_sporax() -> dict[str, list[float]]:
    """Return the times of messages and sums in sporax."""
    import mindspore as ms
    from mindspore import ops
    from mindspore.communication import comm_func, get_rank, init

    init()
    rank = get_rank()
    x = ms.Tensor(np.random.default_rng(0).random(LARGE, np.float32))
    total = ops.AllReduce()

    def there_and_back() -> None:
        for turn in (0, 1):
            if turn == rank:
                comm_func.send(x, 1 - rank)
            else:
                comm_func.recv(x, 1 - rank)

    messages = rounds(there_and_back)
    return {"a message of 64 MiB": [t / 2 for t in messages], "a sum of 64 MiB": rounds(lambda: total(x).asnumpy())}


def of_pipeline() -> dict[str, list[float]]:
    """Return the times of a training step of a transformer: in two stages if there are two processes."""
    if os.environ.get("SPORAX_TRIAL") == "one core":
        os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
    import mindspore as ms
    from mindspore import nn
    from mindspore.communication import get_group_size, init

    ms.set_context(mode=ms.GRAPH_MODE)
    stages = 1
    if os.environ.get("SPORAX_TRIAL") == "stages":
        init()
        stages = get_group_size()
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


def free_port() -> str:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return str(door.getsockname()[1])


def started(command: list[str], environ: dict[str, str]) -> dict[str, list[float]]:
    """Return what the first process of a run measured."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "times.json")
        run = subprocess.run(
            command, env=os.environ | environ | {"SPORAX_TIMES": str(file)}, cwd=folder, capture_output=True, text=True
        )
        if not file.exists():
            raise SystemExit(f"{' '.join(command)} failed:\n{run.stdout}{run.stderr}")
        return json.loads(file.read_text())


def contestants(torch: str | None) -> dict[str, tuple[list[str], dict[str, str]]]:
    """Return each contestant's command and variables."""
    here, sporax = str(Path(__file__).resolve()), [sys.executable, "-m", "sporax"]
    found = {
        "sporax": ([*sporax, "launch", "-n", "2", here, "--measure", "sporax"], {}),
        "one process": ([*sporax, "run", here, "--measure", "pipeline"], {}),
        "one process on one core": (
            [*sporax, "run", here, "--measure", "pipeline"],
            {"SPORAX_TRIAL": "one core"},
        ),
        "two stages": (
            [*sporax, "launch", "-n", "2", here, "--measure", "pipeline"],
            {"SPORAX_TRIAL": "stages"},
        ),
    }
    if torch:
        command = [torch, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--master-port", free_port(), here]
        found["torch"] = ([*command, "--measure", "torch"], {"OMP_NUM_THREADS": "1"})
    return found


def main() -> None:
    """Run the contestants by turns and write the figures, or measure in a process of one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--torch-python", metavar="PY", help="a python with torch")
    parser.add_argument("--measure", choices=("sporax", "torch", "pipeline"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        times = {"sporax": of_sporax, "torch": of_torch, "pipeline": of_pipeline}[args.measure]()
        if os.environ.get("RANK_ID", os.environ.get("RANK", "0")) == "0":
            Path(os.environ["SPORAX_TIMES"]).write_text(json.dumps(times))
        return
    table: dict[str, dict[str, list[float]]] = {}
    for _ in range(STARTS):
        for name, (command, environ) in contestants(args.torch_python).items():
            for what, times in started(command, environ).items():
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

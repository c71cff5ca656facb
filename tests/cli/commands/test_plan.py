"""Options of `sporax plan`. `transform/parallel/test_plan.py` has plans of programs."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from commands import sporax
from rich.console import Console

from sporax._src.cli.commands.plan import kernel_table, plan
from sporax._src.processes import cards

ATTENTION = """
import numpy as np, mindspore as ms
from mindspore import nn, ops
ms.set_context(mode=0)
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.qkv, self.table = nn.Dense(256, 768), nn.Embedding(10, 256)
    def construct(self, x):
        q, k, v = self.qkv(self.table(x)).reshape(2, 64, 3, 4, 64).transpose(2, 0, 3, 1, 4)
        return ops.matmul(ops.softmax(ops.matmul(q, k.swapaxes(-1, -2)) * 0.125, -1), v)
net = ms.amp.auto_mixed_precision(Net(), "O2", ms.bfloat16)
params = net.trainable_params()
grad, optimizer = ms.value_and_grad(lambda x: net(x).astype(ms.float32).sum(), None, params), nn.Adam(params)
@ms.jit
def step(x):
    loss, grads = grad(x)
    optimizer(grads)
    return loss
step(ms.Tensor(np.ones((2, 64), np.int32)))
raise SystemExit("the step ran")
"""


def test_options_stand_before_or_behind_the_program() -> None:
    given = ["train.py", "--devices", "8,64", "--lr", "0.1", "--json", "--", "--devices", "3"]
    params = plan.make_context("plan", given).params
    assert params["devices"] == [8, 64] and params["as_json"] is True
    assert params["program"] == ("train.py", "--lr", "0.1", "--devices", "3")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--devices", "8,x", "train.py"], "'8,x' must be numbers of devices with commas between, such as 8,64,1024."),
        (["--devices", "0", "train.py"], "'0' must be numbers of devices"),
        (["--sim_level=4", "train.py"], "4 is not in the range 0<=x<=3"),
        ([], "Missing argument"),
    ],
)
def test_options_that_cannot_be(words: list[str], text: str) -> None:
    done = CliRunner().invoke(plan, words)
    assert done.exit_code == 2 and text in done.output


def test_kernels_need_the_plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cards, "has_plugin", lambda: False)
    done = CliRunner().invoke(plan, ["--kernels", __file__])
    told = "--kernels needs JAX's CUDA plugin, which compiles without a GPU: pip install 'sporax[cuda12]'."
    assert done.exit_code == 1 and told in done.output


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--devices", "8", __file__], "--kernels compiles for one device."),
        (["--machine", "h300", __file__], "there is no machine 'h300' in the table; known are H200, H100."),
        (["none.py"], "there is no file 'none.py'."),
    ],
)
def test_kernels_of_what_is_not_there(words: list[str], text: str) -> None:
    done = CliRunner().invoke(plan, ["--kernels", *words])
    assert done.exit_code == 1 and text in done.output


def test_each_machine_of_the_table_has_a_card() -> None:
    machines = json.loads(Path(sys.modules[plan.callback.__module__]._MACHINES).read_text())
    assert machines.keys() == cards.CARDS.keys()


def test_kernels_are_shown() -> None:
    found = {
        "card": "NVIDIA H200", "fits": False, "seconds": 2.5, "memory": {"temporary": 2_000_000, "total": 3_000_000_000},
        "kernels": {"all": 1234, "fusions": 30, "converts": 5, "copies": 0, "custom_calls": {"__cudnn$fmhaSoftmax": 12}},
    }  # fmt: skip
    console = Console(record=True, width=80)
    console.print(kernel_table(found))
    rows = [line.strip("│ ").split() for line in console.export_text().splitlines()]
    assert ["kernels", "│", "1,234"] in rows and ["__cudnn$fmhaSoftmax", "│", "12"] in rows
    assert ["memory:", "total", "│", "3", "GB"] in rows and ["fits", "│", "no"] in rows


@pytest.mark.skipif(not cards.has_plugin(), reason="JAX's CUDA plugin is not installed")
def test_a_step_is_compiled_for_a_card(tmp_path: Path) -> None:
    """With the card's kernels, and without what is for CPUs: the check of indices."""
    (tmp_path / "train.py").write_text(ATTENTION)
    done = sporax("plan", "--kernels", "--json", "--machine", "h100", "train.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["card"] == "NVIDIA H100 80GB HBM3" and found["fits"] is True
    assert found["kernels"]["custom_calls"] == {"__cudnn$fmhaSoftmax": 1, "__cudnn$fmhaSoftmaxBackward": 1}
    weights = 4 * (256 * 768 + 768 + 10 * 256)
    assert 3 * weights <= found["memory"]["arguments"] < 3 * weights + 2000


DATA_PARALLEL = """
import mindspore as ms, numpy as np
from mindspore import nn
from mindspore.communication import get_group_size, init
init()
ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True, device_num=get_group_size())
net = nn.Dense(8, 4)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1))
step(ms.Tensor(np.ones((2, 8), np.float32)), ms.Tensor(np.ones((2, 4), np.float32)))
"""


def test_more_devices_than_jax_has_on_a_cpu(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(DATA_PARALLEL)
    done = sporax("plan", "--json", "--devices", "2048,4096", "train.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    fewer, more = json.loads(done.stdout)
    assert [e["group"] for e in fewer["exchanges"]] == [2048] and [e["group"] for e in more["exchanges"]] == [4096]
    assert fewer["memory"]["weights"] == more["memory"]["weights"] >= 4 * (8 * 4 + 4)

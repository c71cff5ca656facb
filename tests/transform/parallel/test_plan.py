"""`sporax plan` finds, without devices, what a training step takes on them."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from launching import PROGRAMS

from sporax._src.cli.commands.plan import _MACHINES, seconds
from sporax._src.transform.parallel.hlo import moved

CASES = [f"{network}:{how}" for network in ("mlp", "gpt") for how in ("data", "tensor", "optimizer")]


def sporax(*arguments: object, **changes: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "sporax", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=os.environ | changes)


def plan(*arguments: object) -> list[dict]:
    done = sporax("plan", "--json", *arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def real(tmp_path_factory) -> dict:
    file = tmp_path_factory.mktemp("real") / "found.json"
    done = sporax("run", PROGRAMS / "planned.py", file, *CASES, XLA_FLAGS="--xla_force_host_platform_device_count=8")
    assert done.returncode == 0, done.stderr
    return json.loads(file.read_text())


def exchanged(hlo: str) -> dict[str, int]:
    """Return the bytes of the results of exchanges by kind; loops and started operations are not in these graphs."""
    found: dict[str, int] = {}
    for types, kind in re.findall(r"= (\(.*?\)|\S+) (all-reduce|all-gather|collective-permute|all-to-all)\(", hlo):
        for dtype, dims in re.findall(r"(f32|f16|s32|pred|u32)\[([\d,]*)\]", types):
            size = {"f16": 2, "pred": 1}.get(dtype, 4)
            found[kind] = found.get(kind, 0) + size * int(np.prod([int(n) for n in dims.split(",") if n]))
    return found


@pytest.mark.parametrize("case", CASES)
def test_planned_bytes_are_those_of_the_run(real, case):
    """What the devices hold after a step, and what XLA compiled for it: the plan has both within 1 %."""
    (planned,) = plan(PROGRAMS / "planned.py", "unwritten.json", case)
    was, cost, memory = real[case], real[case]["cost"], planned["memory"]
    total = cost["argument_bytes"] + cost["output_bytes"] - cost["reused_bytes"] + cost["temporary_bytes"]
    found = [memory[name] for name in ("weights", "moments", "temporary", "total")]
    assert found == pytest.approx([was["weights"], was["moments"], cost["temporary_bytes"], total], rel=0.01)
    sums: dict[str, int] = {}
    for each in planned["exchanges"]:
        sums[each["kind"]] = sums.get(each["kind"], 0) + each["bytes"]
    assert sums == pytest.approx(exchanged(was["hlo"]), rel=0.01) and sums["all-reduce"] > 0
    assert ("all-gather" in sums) == case.endswith("optimizer")


def test_processes_with_parts_of_the_data_sum_their_gradients():
    weights = 4 * (64 * 128 + 128 + 128 * 32 + 32)
    small, large = plan("--devices", "8,16", PROGRAMS / "planned_ranks.py")
    for planned, devices in ((small, 8), (large, 16)):
        (exchange,) = planned["exchanges"]
        assert exchange == {
            "kind": "all-reduce", "group": devices, "count": 1, "bytes": weights,
            "moved": pytest.approx(weights * 2 * (devices - 1) / devices),
        }  # fmt: skip
        assert planned["memory"]["weights"] == pytest.approx(weights, abs=20)
    assert small["flops"] == 2 * 8 * (3 * 128 * 32 + 2 * 64 * 128)  # the data needs no gradient


def test_a_mask_is_among_the_other_memory(tmp_path):
    """A Tensor that a Cell holds is given to each run, beside weights, moments and inputs."""
    program = tmp_path / "program.py"
    program.write_text("""
import numpy as np, mindspore as ms
from mindspore import nn, Tensor
ms.set_context(mode=0)
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense, self.mask = nn.Dense(256, 256), Tensor(np.ones((256, 256), np.float32))
    def construct(self, x):
        return self.dense(x) * self.mask
net, x = Net(), Tensor(np.ones((256, 256), np.float32))
nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params()))(x, x)
""")
    (found,) = plan("--devices", 1, program)
    memory = found["memory"]
    assert memory["inputs"] == 2 * 256 * 256 * 4 and 256 * 256 * 4 <= memory["other"] < 256 * 256 * 4 + 1000


def test_a_large_network_takes_no_memory(tmp_path):
    """Four weights of 4 GB with two moments each: 48 GB, which few machines that run tests have."""
    (tmp_path / "large.py").write_text(
        "import mindspore as ms, numpy as np, resource\n"
        "from mindspore import nn\n"
        "net = nn.SequentialCell([nn.Dense(32768, 32768, has_bias=False) for _ in range(4)])\n"
        "step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params()))\n"
        "x = ms.Tensor(np.ones((4, 32768), np.float32))\n"
        "assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 2e6\n"
        "step(x, x)\n"
    )
    (planned,) = plan("--devices", "1", tmp_path / "large.py")
    assert planned["memory"]["moments"] == 8 * 2**32
    assert planned["memory"]["total"] > 48e9 and planned["fits"]
    assert planned["exchanges"] == []


@pytest.mark.parametrize(
    ("options", "program", "told"),
    [
        ([], "print('nothing to train')", "ended without a compiled training step."),
        (["--machine", "Abacus"], "", "there is no machine 'Abacus' in the table; known are H200, H100."),
        (["--devices", "8,x"], "", "'8,x' must be numbers of devices with commas between, such as 8,64,1024."),
        ([], "raise ValueError('of the program')", "with 8 devices, {0} failed: ValueError: of the program"),
        (
            ["--devices", "12"], None,
            "with 12 devices, {0} failed: RuntimeError: Gather: the strategies ((8, 1), (1, 1)) need 8 devices, and there are 12.",
        ),
    ],
)  # fmt: skip
def test_errors(tmp_path, options, program, told):
    file = PROGRAMS.parents[2] / "examples" / "parallel" / "gpt.py" if program is None else tmp_path / "program.py"
    if program is not None:
        file.write_text(program)
    done = sporax("plan", *options, file, *(["--model-parallel", "8"] if program is None else []))
    assert done.returncode != 0 and done.stdout == ""
    assert told.format(file) in done.stderr.splitlines()[-1]


def test_a_missing_file_is_told(tmp_path):
    done = sporax("plan", tmp_path / "none.py")
    assert done.returncode == 1 and f"there is no file '{tmp_path / 'none.py'}'." in done.stderr


def test_a_program_for_another_number_of_devices_is_told(tmp_path):
    (tmp_path / "fixed.py").write_text(
        "import mindspore as ms, numpy as np\n"
        "from mindspore import nn\n"
        "ms.set_auto_parallel_context(parallel_mode='semi_auto_parallel', device_num=4, full_batch=True)\n"
        "net = nn.Dense(2, 2)\n"
        "step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1))\n"
        "step(ms.Tensor(np.ones((4, 2), np.float32)), ms.Tensor(np.ones((4, 2), np.float32)))\n"
    )
    done = sporax("plan", tmp_path / "fixed.py")
    assert "the program is written for device_num=4, the plan is of 8 devices" in done.stderr.splitlines()[-1]


def test_the_table_shows_what_the_level_asks_for():
    done = sporax("plan", PROGRAMS / "planned_ranks.py", "--sim_level", "1")
    assert "memory: weights" in done.stdout and "all-reduce of 8" in done.stdout
    assert "memory: temporary" not in done.stdout and "time of a step" not in done.stdout


def test_the_launcher_simulates():
    done = sporax("launch", "-n", "4", "--sim_level", "0", PROGRAMS / "planned_ranks.py")
    assert done.returncode == 0, done.stderr
    assert "4 devices" in done.stdout and "all-reduce of 4" in done.stdout and "memory" not in done.stdout


def test_time_is_that_of_the_slowest_link():
    machine = json.loads(_MACHINES.read_text())["H200"]

    def of(devices: list[int]) -> float:
        exchange = {"kind": "all-reduce", "devices": devices, "moved": moved("all-reduce", 1e9, len(devices))}
        return seconds([{"flops": 0, "flops_by_dtype": {}, "exchanges": [exchange]}], machine)["exchanging"]

    assert of(list(range(8))) == pytest.approx(2e9 * 7 / 8 / 450e9)
    assert of([0, 8, 16, 24]) == pytest.approx(2e9 * 3 / 4 / 50e9)  # one card of each machine
    assert of(list(range(16))) == pytest.approx(2e9 * 15 / 16 / 400e9)  # eight cards of each
    products = {"flops": 10**15, "flops_by_dtype": {"float16": 3, "float32": 1}, "exchanges": []}
    assert seconds([products], machine)["computing"] == pytest.approx((0.75e15 / 989.5e12 + 0.25e15 / 494.5e12) / 0.45)


def test_the_page_of_the_documents_is_made():
    tool = PROGRAMS.parents[2] / "tools" / "plan_page.py"
    command = [sys.executable, tool, "--sizes", "tiny", "--devices", "8"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "sporax plan --devices 8 examples/parallel/gpt.py --size tiny" in done.stdout
    assert re.search(r"\| memory: total \| [\d.]+ MB \|", done.stdout) and "NVLink 900 GB/s" in done.stdout
    page = (tool.parent.parent / "docs" / "plan.md").read_text()
    for size in ("124M", "1.3B", "7B"):
        assert re.search(rf"## GPT {size}\n.*?8 H200 \| 64 H200 \| 1,024 H200", page, re.DOTALL)

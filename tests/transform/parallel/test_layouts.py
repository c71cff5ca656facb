"""Graphs of devices that are not there say how they would be cut, as those of devices that are."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from launching import PROGRAMS

import sporax as ms
from sporax import Parameter, Tensor, nn, ops
from sporax._src.compat.shims.common.api import _cell_graph_executor
from sporax.parallel import Layout


def _found(folder, devices: int) -> dict:
    folder.mkdir()
    environment = os.environ | {"XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}"}
    command = [sys.executable, "-m", "sporax", "run", PROGRAMS / "layouts.py", folder]
    subprocess.run(list(map(str, command)), env=environment, check=True, timeout=300)
    return json.loads((folder / "found.json").read_text())


def test_eight_devices_on_paper_are_cut_as_eight_that_are_there(tmp_path):
    there, paper = _found(tmp_path / "there", 8), _found(tmp_path / "paper", 1)
    np.testing.assert_allclose(paper.pop("result"), there.pop("result"), rtol=1e-6)
    assert paper == there
    assert there["layouts"]["wide"][5] and not there["layouts"]["small"][5]  # one is shared out further, one is not


class Product(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.product = ops.MatMul(transpose_b=True).shard(((2, 1), (4, 1)))
        self.weight = Parameter(Tensor(np.ones((64, 32), np.float32)), name="weight")

    def construct(self, x):
        return self.product(x, self.weight)


@pytest.fixture(autouse=True)
def _eight_devices():
    mode = ms.get_context("mode")
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", device_num=8, global_rank=3)
    yield
    ms.reset_auto_parallel_context()
    ms.set_context(mode=mode)


def _compiled(*arguments: Tensor) -> dict:
    net = Product()
    _cell_graph_executor.compile(net, *arguments)
    return net.parameter_layout_dict


def test_arguments_are_what_one_device_reads():
    x = Tensor(np.ones((4, 32), np.float32))
    found = _compiled(x)
    assert found["x"] == ([8], [0, -1], [4, 32], 0, True, "", [32, 32], [4, 32])
    assert found["weight"] == ([2, 4], [0, -1], [16, 32], 0, True, "", [64, 32], [16, 32])
    ms.set_auto_parallel_context(dataset_strategy="full_batch")
    assert _compiled(x)["x"][6] == [4, 32]
    layout = Layout((2, 4), ("dp", "mp"))
    ms.set_auto_parallel_context(dataset_strategy=(layout("dp", "None"),))
    assert _compiled(x)["x"][6] == [8, 32]
    ms.set_auto_parallel_context(dataset_strategy=((2, 1),))
    assert _compiled(x)["x"][6] == [8, 32]


def test_the_file_of_groups_that_the_environment_names(tmp_path, monkeypatch):
    monkeypatch.setenv("GROUP_INFO_FILE", str(tmp_path / "group.pb"))
    _compiled(Tensor(np.ones((4, 32), np.float32)))
    assert ms.restore_group_info_list(str(tmp_path / "group.pb")) == [3, 7]  # of 3, whose weights are cut in four

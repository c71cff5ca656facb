"""Pipelines: stages of several processes train as one process does, in the order of a table, and say what does not fit."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from launching import PROGRAMS, launched

import sporax as ms
from sporax import nn
from sporax._src.nn.parallel.schedule import gpipe, interleaved, max_in_flight, one_forward_one_backward, schedule
from sporax._src.transform.jit import Jit

PROGRAM = PROGRAMS / "pipeline.py"
NETWORKS = ("mlp", "mlp gpipe", "mlp interleaved", "images", "transformer")
HERE = {  # trained Parameters of stage 0 and of stage 1
    "mlp": (4, 4), "mlp gpipe": (4, 4), "mlp interleaved": (4, 4), "images": (3, 5), "transformer": (6, 8)
}  # fmt: skip


# --- the tables -----------------------------------------------------------------------------------------------------------


def _ends(table: list, stages: int, chunks: int) -> bool:
    """Tell whether every unit of a table runs, each stage doing its units in order when what they need is there."""
    done, places, last = set(), [0] * stages, stages * chunks - 1
    moved = True
    while moved:
        moved = False
        for stage, units in enumerate(table):
            while places[stage] < len(units):
                forward, micro, chunk = units[places[stage]]
                part = chunk * stages + stage
                needs = [(True, micro, part - 1)] if forward else [(True, micro, part), (False, micro, part + 1)]
                if any(n not in done for n in needs if 0 <= n[2] <= last):
                    break
                done.add((forward, micro, part))
                places[stage] += 1
                moved = True
    return all(place == len(units) for place, units in zip(places, table, strict=True))


@pytest.mark.parametrize("name", ["1f1b", "gpipe"])
@pytest.mark.parametrize("stages", [1, 2, 3, 4, 5, 8])
def test_each_unit_of_a_table_runs_once(name: str, stages: int):
    for micros in range(1, 20):
        for chunks in (1, 2, 3):
            table = schedule(name, stages, micros, chunks)
            want = sorted((f, m, c) for f in (True, False) for m in range(micros) for c in range(chunks))
            assert all(sorted(map(tuple, units)) == want for units in table)
            assert _ends(table, stages, chunks), (micros, chunks)


def test_tables_as_they_are_drawn():
    assert [" ".join(map(str, units)) for units in one_forward_one_backward(3, 4)] == [
        "F0 F1 F2 B0 F3 B1 B2 B3",
        "F0 F1 B0 F2 B1 F3 B2 B3",
        "F0 B0 F1 B1 F2 B2 F3 B3",
    ]
    assert " ".join(map(str, gpipe(2, 3)[1])) == "F0 F1 F2 B0 B1 B2"
    assert " ".join(map(str, interleaved(2, 2, 2)[1])) == "F0 F1 F0.1 B0.1 F1.1 B1.1 B0 B1"


def test_one_forward_one_backward_keeps_few():
    for stages in (2, 4, 8):
        for micros in (stages, 4 * stages):
            assert [max_in_flight(u) for u in one_forward_one_backward(stages, micros)] == list(range(stages, 0, -1))
            assert all(max_in_flight(u) == micros for u in gpipe(stages, micros))


# --- training -------------------------------------------------------------------------------------------------------------


def _alone(folder, stages: int, devices: int) -> dict:
    environment = os.environ | {"XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}"}
    command = [sys.executable, "-m", "sporax", "run", PROGRAM, folder, stages, devices]
    subprocess.run(list(map(str, command)), env=environment, check=True, timeout=300)
    return json.loads((folder / "rank_0.json").read_text())


@pytest.fixture(scope="module")
def alone(tmp_path_factory) -> dict:
    return _alone(tmp_path_factory.mktemp("alone"), 1, 1)


@pytest.fixture(scope="module")
def two(tmp_path_factory) -> list[dict]:
    folder = tmp_path_factory.mktemp("two")
    run = launched(PROGRAM, folder, 2, 2)
    assert run.returncode == 0, run.stdout + run.stderr
    return [json.loads((folder / f"rank_{rank}.json").read_text()) for rank in range(2)]


def _agrees(found: dict, want: dict) -> None:
    np.testing.assert_allclose(found["losses"], want["losses"], rtol=1e-5)
    for name in found["here"]:
        np.testing.assert_allclose(found["weights"][name], want["weights"][name], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", NETWORKS)
def test_two_stages_train_as_one_process_does(alone, two, name: str):
    for stage, found in enumerate(two):
        _agrees(found[name], alone[name])
        assert len(found[name]["here"]) == HERE[name][stage]


def test_a_stage_trains_its_own_parameters_alone(alone, two):
    """What other stages have stays as it was drawn: here it is not what training makes of it."""
    for stage, found in enumerate(two):
        mlp, other = found["mlp"], two[1 - stage]["mlp"]
        assert set(mlp["here"]).isdisjoint(other["here"])
        assert all(mlp["weights"][name] != other["weights"][name] for name in other["here"])
    shared = "embedding.embedding_table"
    assert all(shared in found["transformer"]["here"] for found in two)


def test_what_a_stage_keeps_for_backwards(two):
    for stage, found in enumerate(two):
        assert found["mlp"]["kept"] == 2 - stage
        assert found["mlp gpipe"]["kept"] == 4
        assert found["mlp interleaved"]["kept"] == max_in_flight(interleaved(2, 4, 2)[stage])


def test_stages_evaluate_and_predict(alone, two):
    for found in two:
        assert found["mlp"]["metrics"] == alone["mlp"]["metrics"]
        np.testing.assert_allclose(found["mlp"]["output"], alone["mlp"]["output"], rtol=1e-4, atol=1e-5)


def test_an_overflow_of_one_stage_is_everyones(alone, two):
    for found in two:
        np.testing.assert_allclose(found["scale"], alone["scale"], rtol=1e-5)
    assert [overflow for _, overflow, _ in alone["scale"]] == [1, 0, 0]


def test_what_stages_of_several_processes_do_not_serve(two):
    for found in two:
        several, by_input, weighed, second, devices = found["errors"]
        assert "a network run on micro batches must return one Tensor, got" in several
        assert "gradients of arguments do not go through stages of several processes" in by_input
        assert "the gradient must weigh all elements of the output alike" in weighed
        assert "gradients of gradients do not go through stages" in second
        assert devices == "PipelineCell: 2 stages of 4 devices need 8 processes, the run has 2."


def test_four_processes_are_two_stages_of_two_devices(tmp_path, alone):
    run = launched(PROGRAM, tmp_path, 2, 4, "mlp", "transformer", processes=4)
    assert run.returncode == 0, run.stdout + run.stderr
    for rank in range(4):
        found = json.loads((tmp_path / f"rank_{rank}.json").read_text())
        for name in ("mlp", "transformer"):
            _agrees(found[name], alone[name])
            assert len(found[name]["here"]) == HERE[name][rank // 2]


def test_one_process_with_several_devices_runs_the_stages_in_turn(tmp_path, alone):
    found = _alone(tmp_path, 2, 8)
    for name in NETWORKS:
        _agrees(found[name], alone[name])


# --- what does not fit ----------------------------------------------------------------------------------------------------


@pytest.fixture
def two_stages():
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", full_batch=True, device_num=2, pipeline_stages=2)
    yield
    ms.reset_auto_parallel_context()


def _network(*stages: int | None) -> nn.Cell:
    cells = [nn.Dense(3, 3) for _ in stages]
    for cell, stage in zip(cells, stages, strict=True):
        if stage is not None:
            cell.pipeline_stage = stage
    return nn.WithLossCell(nn.SequentialCell(*cells), nn.MSELoss())


def _step(network: nn.Cell, batch: int = 8) -> float:
    step = nn.TrainOneStepCell(network, nn.SGD(network.trainable_params(), 0.1))
    x = ms.Tensor(np.ones((batch, 3), np.float32))
    return step(x, x).item()


def test_stages_that_do_not_fit(two_stages):
    with pytest.raises(
        RuntimeError, match=r"of 2 stages has none with the number 5, the pipeline_stage of .*backbone\.1"
    ):
        _step(nn.PipelineCell(_network(0, 5), 4))
    with pytest.raises(
        RuntimeError, match=r"data goes from stage 1 back to stage 0, the pipeline_stage of .*backbone\.1"
    ):
        _step(nn.PipelineCell(_network(1, 0), 4))
    with pytest.raises(RuntimeError, match="no Cell that computes something has pipeline_stage 1"):
        _step(nn.PipelineCell(_network(0, None), 4))
    with pytest.raises(
        RuntimeError, match="micro_size must be at least the number of stages, got 1 micro batches for 2"
    ):
        _step(nn.PipelineCell(_network(0, 1), 1))
    with pytest.raises(ValueError, match=r"must divide into 4 equal parts, got float32\[9, 3\]"):
        _step(nn.PipelineCell(_network(0, 1), 4), 9)
    with pytest.raises(RuntimeError, match=r"TrainOneStepCell: .* wrap the network in a PipelineCell"):
        _step(_network(0, 1))
    ms.set_auto_parallel_context(pipeline_stages=3, device_num=8)
    with pytest.raises(RuntimeError, match="must divide the number of devices, got 3 stages of 8 devices"):
        _step(nn.PipelineCell(_network(0, 1), 4))


def test_stages_that_start_anew(two_stages):
    ms.set_auto_parallel_context(pipeline_config={"pipeline_interleave": True, "pipeline_scheduler": "1f1b"})
    assert np.isfinite(_step(nn.PipelineCell(_network(0, 1, 0, 1), 4)))


def test_a_stage_that_is_moved_is_seen(two_stages):
    network = _network(0, 1)
    step = nn.PipelineCell(network, 2)
    x = ms.Tensor(np.ones((4, 3), np.float32))
    step(x, x)
    network.backbone_network[0].pipeline_stage = 1
    with pytest.raises(RuntimeError, match="no Cell that computes something has pipeline_stage 0"):
        step(x, x)


class Counting(nn.Cell):
    """Two layers of which the second counts what the first reads."""

    def __init__(self):
        super().__init__()
        self.count = ms.Parameter(ms.Tensor(1.0), name="count", requires_grad=False)
        self.first, self.second = Reading(self.count), Writing(self.count)
        self.first.pipeline_stage, self.second.pipeline_stage = 0, 1

    def construct(self, x):
        return self.second(self.first(x))


class Reading(nn.Cell):
    def __init__(self, count):
        super().__init__()
        self.count = count

    def construct(self, x):
        return x * self.count


class Writing(Reading):
    def construct(self, x):
        ms.ops.assign(self.count, x.sum())
        return x.sum()


def test_a_state_that_two_stages_would_exchange(two_stages):
    with pytest.raises(RuntimeError, match="count' is read in stage 0 and written in stage 1; one stage must do both"):
        nn.PipelineCell(Counting(), 2)(ms.Tensor(np.ones((4, 3), np.float32)))


def test_a_network_that_is_no_graph(two_stages):
    function = Jit(lambda x: x * ms.Tensor(x.asnumpy()))
    with pytest.warns(UserWarning, match="runs in PyNative mode"):
        with pytest.raises(RuntimeError, match="cannot be compiled as one graph"):
            function.graph_that_fits(ms.Tensor([1.0]))


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        ({"pipeline_stages": 0}, ValueError, "pipeline_stages must be at least 1, got 0"),
        ({"pipeline_stages": True}, TypeError, "pipeline_stages must be an int, got True"),
        ({"pipeline_config": 1}, TypeError, "pipeline_config must be a dict, got 1"),
        ({"pipeline_config": {"x": 1}}, ValueError, "may have the keys .*, got 'x'"),
        (
            {"pipeline_config": {"pipeline_interleave": 1}},
            TypeError,
            "\\['pipeline_interleave'\\] must be a bool, got 1",
        ),
        (
            {"pipeline_config": {"pipeline_scheduler": "x"}},
            ValueError,
            "\\['pipeline_scheduler'\\] must be one of .*got 'x'",
        ),
    ],
)
def test_settings_that_are_none(options: dict, kind: type, text: str):
    with pytest.raises(kind, match=text):
        ms.set_auto_parallel_context(**options)


def test_the_reducer_divides_and_says_where_it_works(two_stages):
    weight = ms.ParameterTuple([ms.Parameter(ms.Tensor([1.0]), name="w")])
    assert nn.PipelineGradReducer(weight, 4.0)((ms.Tensor([2.0]),))[0].item() == 0.5
    ms.set_context(mode=ms.PYNATIVE_MODE)
    with pytest.raises(RuntimeError, match="PipelineGradReducer: the mode must be GRAPH_MODE"):
        nn.PipelineGradReducer(weight)
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.reset_auto_parallel_context()
    with pytest.raises(
        RuntimeError, match="parallel mode must be semi_auto_parallel or auto_parallel, got 'stand_alone'"
    ):
        nn.PipelineGradReducer(weight)

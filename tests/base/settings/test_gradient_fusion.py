"""Two processes exchange gradients in the buckets that settings name, begin with one's values and leave out a step together."""

import json

import numpy as np
import pytest
from launching import PROGRAMS, launched

import sporax as ms
from sporax._src.base.settings.gradient_fusion import buckets

MODES = ["graph", "pynative"]


@pytest.fixture(scope="module")
def found(tmp_path_factory) -> list[dict]:
    folder = tmp_path_factory.mktemp("gradients")
    run = launched(PROGRAMS / "gradients.py", folder)
    assert run.returncode == 0, run.stdout + run.stderr
    return [json.loads((folder / f"rank_{rank}.json").read_text()) for rank in range(2)]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("how", "count"), [("default", 1), ("places", 3), ("marks", 4), ("size", 6), ("index", 2), ("closed", 6)]
)
def test_the_compiled_step_has_an_all_reduce_for_each_bucket(found, mode: str, how: str, count: int):
    assert [rank[mode][how][0] for rank in found] == [count, count]
    np.testing.assert_allclose([rank[mode][how][1] for rank in found], found[0][mode]["default"][1], rtol=1e-6)


@pytest.mark.parametrize("mode", MODES)
def test_an_overflow_of_one_process_is_everyones(found, mode: str):
    left_out = [True, 512.0, False]
    for rank in found:
        assert rank[mode]["overflow"] == [[False, 2048.0, True], left_out, left_out]


@pytest.mark.parametrize("mode", MODES)
def test_processes_begin_with_the_first_ones_values(found, mode: str):
    assert found[0][mode]["first values"] == found[1][mode]["first values"]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (([4, 4, 4], [1, 1, 1], [], {}), [[0, 1, 2]]),
        (([40 << 20, 30 << 20, 4], [1, 1, 1], [], {}), [[0], [1, 2]]),
        (([4, 4, 4], [1, 1, 1], [0, 7], {}), [[0], [1, 2]]),
        (([4, 4, 4], [0, 0, 0], [], {}), [[0], [1], [2]]),
        (([4, 4, 4], [2, 3, 2], [0], {}), [[0, 2], [1]]),
        (([1 << 20, 1 << 20, 4], [1, 1, 1], [], {"allreduce": {"mode": "size", "config": 2}}), [[0, 1], [2]]),
        (([], [], [], {}), []),
    ],
)
def test_buckets(settings: tuple, expected: list):
    assert buckets(*settings) == expected


@pytest.mark.parametrize(
    ("name", "value", "kind", "text"),
    [
        ("all_reduce_fusion_config", [2, 1], ValueError, r"numbers that rise, and not empty, got \[2, 1\]"),
        ("all_reduce_fusion_config", [1.5], TypeError, r"must be a list of ints that are not negative, got \[1.5\]"),
        ("comm_fusion", [1], TypeError, r"comm_fusion must be a dict, got \[1\]"),
        ("comm_fusion", {"openstate": 1}, TypeError, r"\['openstate'\] must be a bool, got 1"),
        ("comm_fusion", {"gather": {}}, KeyError, "may have the keys .*, got 'gather'"),
        ("comm_fusion", {"allreduce": 1}, TypeError, r"\['allreduce'\] must be a dict, got 1"),
        ("comm_fusion", {"allreduce": {"mode": "auto"}}, KeyError, "must have the key 'config'"),
        ("comm_fusion", {"allgather": {"mode": "index", "config": [1]}}, KeyError, "must be one of .*, got 'index'"),
        (
            "comm_fusion",
            {"allreduce": {"mode": "index", "config": []}},
            ValueError,
            r"numbers that rise, and not empty, got \[\]",
        ),
        (
            "comm_fusion",
            {"allreduce": {"mode": "size", "config": "1"}},
            TypeError,
            r"\['config'\] must be an int, got '1'",
        ),
    ],
)
def test_wrong_settings_are_refused(name: str, value: object, kind: type[Exception], text: str):
    before = ms.get_auto_parallel_context(name)
    with pytest.raises(kind, match=text):
        ms.set_auto_parallel_context(**{name: value})
    assert ms.get_auto_parallel_context(name) == before


def test_a_parameters_bucket_is_a_number():
    net = ms.nn.Dense(2, 2).set_comm_fusion(3)
    assert [p.comm_fusion for p in net.trainable_params()] == [3, 3]
    with pytest.raises(ValueError, match="comm_fusion must be an int >= 0, got -1"):
        net.weight.comm_fusion = -1

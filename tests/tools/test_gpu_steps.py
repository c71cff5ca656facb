"""`bench/gpu` and `tools/gpu.sh`: what they ask of a machine with a GPU, without one."""

import json
import math
import subprocess

import numpy as np
import pytest
from house import ROOT

from bench.gpu import __main__ as steps
from bench.gpu.contestant import CONTESTANTS, measured, value
from bench.gpu.sizes import LARGE, MODELS, SMALL


def test_runs_name_what_there_is():
    assert {model for model, _, _ in steps.RUNS} == {*MODELS, "eager"}
    assert {contestant for _, _, contestant in steps.RUNS} == set(CONTESTANTS)


def test_the_sizes_are_those_of_the_papers():
    assert LARGE.items("gpt") == 8192 and LARGE.items("vit") == 128 and LARGE.items("lstm") == 8192
    assert LARGE.flops("gpt") == pytest.approx(6 * 8192 * 133.1e6, rel=0.001)  # 124 M weights, and half of the scores
    assert math.isnan(LARGE.flops("lstm")) and math.isnan(SMALL.flops("vit"))
    assert LARGE.flops("resnet50") == pytest.approx(3.14e12, rel=0.01)


@pytest.mark.parametrize("model", MODELS)
def test_two_batches_differ_and_repeat(model):
    (x, y), (other, _) = SMALL.batches(model)
    again = SMALL.batches(model)[0]
    assert not np.array_equal(x, other) and np.array_equal(x, again[0]) and np.array_equal(y, again[1])


@pytest.mark.parametrize("contestant", ["jax", "torch-eager"])
def test_a_contestant_is_measured(contestant):
    found = measured("lstm", contestant, "float32", SMALL)
    assert found["step_ms"] > 0 and found["items_s"] > 0 and found["memory_mib"] is None and found["tflops"] is None
    assert len(found["losses"]) == 6 + SMALL.windows and max(found["losses"]) < 4


def test_a_loss_that_is_not_finite_is_told(monkeypatch):
    nan = lambda *_: (lambda i: math.nan, lambda: None)
    monkeypatch.setattr("bench.gpu.contestant.step_of", nan)
    with pytest.raises(ArithmeticError, match="a loss is not finite"):
        measured("gpt", "jax", "float32", SMALL)


def test_results_are_written_after_each_run(tmp_path, monkeypatch, capsys):
    seen = []

    def run(names, cache, seconds, small):
        seen.append(json.loads((tmp_path / "results.json").read_text()) if seen else [])
        return {"model": names[0], "precision": names[1], "contestant": names[2], "error": "no card", "wall_s": 1.0}

    monkeypatch.setattr(steps, "run", run)
    results = steps.all_runs(1000, tmp_path, ["lstm"], True)
    assert [len(before) for before in seen] == [0, 1] and json.loads((tmp_path / "results.json").read_text()) == results
    assert "sporax-graph     no card  [1.0 s]" in capsys.readouterr().out


def test_no_run_starts_too_late(tmp_path, capsys):
    assert steps.all_runs(steps.LEAST - 1, tmp_path, ["eager"], True) == []
    assert "no time left for eager float32 sporax-pynative" in capsys.readouterr().out


def test_a_run_that_fails_or_takes_too_long_has_its_error(tmp_path):
    failed = steps.run(("gpt", "bfloat16", "nobody"), tmp_path, 60, True)
    assert "invalid choice: 'nobody'" in failed["error"]
    late = steps.run(("gpt", "bfloat16", "jax"), tmp_path, 0.01, True)
    assert late["error"] == "longer than 0 s"


def test_losses_of_all_frameworks_are_numbers():
    assert value(np.float32(2)) == 2.0


def test_the_script_says_what_it_takes():
    done = subprocess.run([ROOT / "tools" / "gpu.sh", "--help"], capture_output=True, text=True)
    assert done.returncode == 2 and "tools/gpu.sh [--small] [--wheels DIR] [--out DIR] [--seconds N]" in done.stderr

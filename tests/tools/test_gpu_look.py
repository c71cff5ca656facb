"""`tools/gpu_look.py`: the table, its place on the page, and a step of each kind where JAX's CUDA plugin is installed."""

import importlib.util
import json
import subprocess
import sys

import pytest
from house import ROOT

from sporax._src.processes.cards import has_plugin

TOOL = ROOT / "tools" / "gpu_look.py"
spec = importlib.util.spec_from_file_location("gpu_look", TOOL)
gpu_look = importlib.util.module_from_spec(spec)
spec.loader.exec_module(gpu_look)

FOUND = {
    "kernels": {
        "all": 1762, "fusions": 738, "converts": 431, "copies": 0,
        "custom_calls": {"__cudnn$fmhaSoftmax": 12, "__cublas$gemm": 3},
    },
    "memory": {"arguments": 1024 * 2**20, "results": 0, "temporary": 5000 * 2**20, "total": 6024 * 2**20},
    "seconds": 61.26,
}  # fmt: skip


def test_a_row_of_the_table():
    row = gpu_look.row_of("gpt", "bfloat16", "jax", FOUND)
    text = gpu_look.table({"card": "H200", "versions": "jax 0.10.2", "rows": [row]})
    assert text.splitlines()[0] == "Compiled for H200 by jax 0.10.2."
    assert text.splitlines()[-1] == (
        "| GPT-2 124M, 8 × 1,024 | bfloat16 | JAX by hand | 1,762 | 738 | 3 cublas gemm, 12 cudnn fmhaSoftmax | 431 | 0 | 5,000 "
        "| 1,024 | 61 s |"
    )


def test_a_step_that_does_not_compile_has_its_error(tmp_path):
    found = gpu_look.answer([sys.executable, "-c", "raise ValueError('no such tile')"])
    text = gpu_look.table({"card": "H200", "versions": "", "rows": [gpu_look.row_of("vit", "float32", "jax", found)]})
    assert text.splitlines()[-1] == (
        "| ViT-B/16, 128 | float32 | JAX by hand | `ValueError: no such tile` | | | | | | | |"
    )


def test_only_the_table_of_the_page_changes(tmp_path, monkeypatch):
    monkeypatch.setattr(gpu_look, "PAGE", tmp_path / "gpu.md")
    gpu_look.PAGE.write_text(f"before\n{gpu_look.MARKS[0]}old\n{gpu_look.MARKS[1]}after\n")
    gpu_look.write_page({"card": "H100", "versions": "jax", "rows": []})
    text = gpu_look.PAGE.read_text()
    assert text.startswith("before\n") and text.endswith("after\n") and "old" not in text and "for H100 by jax" in text


def test_the_page_shows_the_results():
    results = json.loads(gpu_look.RESULTS.read_text())
    assert gpu_look.table(results) in gpu_look.PAGE.read_text()
    assert results["rows"] == sorted(results["rows"], key=gpu_look.key)


@pytest.mark.skipif(not has_plugin(), reason="JAX's CUDA plugin is not installed")
def test_small_steps_are_compiled():
    command = [sys.executable, TOOL, "--small", "--models", "gpt", "--precisions", "bfloat16"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    for row in rows:
        assert row["kernels"]["custom_calls"] == {"__cudnn$fmhaSoftmax": 2, "__cudnn$fmhaSoftmaxBackward": 2}
    ours, by_hand = rows
    assert ours["kernels"]["all"] <= 1.2 * by_hand["kernels"]["all"]

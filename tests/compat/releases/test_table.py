"""Each release answers as MindSpore's wheel of it did, to the examples of all rows."""

import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from release_answers import answer

import sporax as ms
from sporax import nn, ops
from sporax._src.base.release import RELEASES
from sporax._src.compat.releases.table import CHANGES

ROOT = Path(__file__).resolve().parents[3]
GOLDENS = ROOT / "tests" / "goldens"
ANSWERS = json.loads((GOLDENS / "releases.json").read_text(encoding="utf-8"))
EXAMPLES = json.loads((GOLDENS / "releases_examples.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("followed", RELEASES)
def test_examples(followed, follow):
    follow(followed)
    answers = {example: answer(example, ms) for example in EXAMPLES}
    assert answers == ANSWERS[followed]


def test_every_row_has_an_example_whose_answer_changes():
    for change in CHANGES:
        before = RELEASES[RELEASES.index(change.since) - 1]
        texts = [e if e in ANSWERS[before] else f"ms.{e}" for e in change.examples]
        assert any(ANSWERS[before][e] != ANSWERS[change.since][e] for e in texts), change.what


def test_a_name_that_is_gone_says_since_when_and_what_to_use(follow):
    follow("2.10")
    text = "MindSpore 2.8 and later have no 'ops.BufferAppend'; keep samples in arrays of NumPy or Parameters."
    with pytest.raises(AttributeError, match=re.escape(text)):
        _ = ops.BufferAppend
    with pytest.raises(AttributeError, match="keep Tensors in a list"):
        _ = nn.TensorArray
    assert "BufferAppend" not in ops.__all__ and not hasattr(ms, "set_offload_context")
    follow("2.7")
    assert "BufferAppend" in ops.__all__ and callable(ops.BufferAppend) and callable(ms.set_offload_context)


def test_operands_by_keyword_and_in_graphs(follow, mode):
    follow("2.10")
    x = ms.Tensor([1, 2, 3], ms.uint8)
    assert ops.less(input=x, other=-1).asnumpy().tolist() == [False] * 3
    with pytest.raises(TypeError):
        ops.less(x)
    found = ms.jit(lambda x: (x / 300, ops.clamp(x, 1.5), ms.mint.cumprod(x, dim=0)))(x)
    assert [str(y.dtype) for y in found] == ["Float32", "Float32", "Int64"]
    gradient = ms.grad(lambda x: ops.mul(x, 3.7).sum())(ms.Tensor([1.5], ms.float16))
    assert gradient.dtype == ms.float16


def test_operands_without_axes_in_graphs_and_gradients(follow, run):
    follow("2.10")
    half, one, whole = ms.Tensor([1.5, 2.25], ms.float16), ms.Tensor(3.7), ms.Tensor([1, 2], ms.int32)
    found = run(lambda x, y, i: (x * y, y / x, ops.Mul()(x, 3.7), ops.Div()(i, -1), 3.0 / i, i * y), half, one, whole)
    assert [str(y.dtype) for y in found] == ["Float16", "Float16", "Float16", "Float32", "Float32", "Float32"]
    by_half, by_one = ms.grad(lambda x, y: (x * y).sum(), (0, 1))(half, one)
    assert (by_half.dtype, by_one.dtype, by_one.shape) == (ms.float16, ms.float32, ())
    follow("2.7")
    assert (half * one).dtype == ms.float32


def test_methods_in_place_write_what_the_release_computes(follow):
    follow("2.10")
    x = ms.Tensor([1.5, 2.25], ms.float16)
    assert x.mul_(3.7) is x and x.asnumpy().tolist() == [np.float16(5.55), np.float16(8.325)]
    flags = ms.Tensor([True, False])
    assert flags.floor_divide_(True) is flags and flags.dtype == ms.bool_


def test_gradients_pass_through_the_data_of_a_parameter_in_2_7_only(follow, run):
    w, x = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w"), ms.Tensor([3.0, 4.0])
    for followed, want in (("2.7", [3.0, 4.0]), ("2.10", [0.0, 0.0])):
        follow(followed)
        assert run(ms.grad(lambda x: w.data * x, None, (w,)), x)[0].asnumpy().tolist() == want
        w.data = ms.Tensor([1.0, 2.0])
        assert w.asnumpy().tolist() == [1.0, 2.0]


def test_backends_of_jit(follow):
    follow("2.7")
    with pytest.raises(ValueError, match="jit: backend must be 'ms_backend' or 'GE', got 'mine'"):
        ms.jit(abs, backend="mine")
    follow("2.10")
    for made in (ms.jit(abs, backend="mine"), ms.jit(backend="mine")(abs)):
        with pytest.raises(RuntimeError, match="jit: there is no backend 'mine'; leave it out, or choose 'ms_backend'"):
            made(ms.Tensor(1.0))
    with pytest.raises(ValueError, match="dynamic must be 0 or 1"):
        ms.jit(backend="mine", dynamic=2)


def test_map_of_datasets(follow):
    follow("2.10")
    rows = ms.dataset.NumpySlicesDataset([-1, 2], ["a"], shuffle=False)
    mapped = rows.map(abs, ["a"], ["b"], 1, python_multiprocessing=False)
    assert [int(row["b"]) for row in mapped.create_dict_iterator(1, output_numpy=True)] == [1, 2]
    with pytest.raises(TypeError, match="unexpected keyword argument 'column_order'; call"):
        rows.map(abs, ["a"], column_order=["a"])
    assert rows.map(abs, ["a"], column_order=None).get_col_names() == ["a"]  # as mindcv writes it
    assert "column_order" not in inspect.signature(ms.dataset.Dataset.map).parameters
    follow("2.7")
    with pytest.raises(ValueError, match="column_order was removed"):
        rows.map(abs, ["a"], ["b"], 1)


def test_errors(follow):
    follow("2.10")
    with pytest.raises(ValueError, match=r"clamp: the input and its bounds must be numbers, but got bool\."):
        ops.clamp(ms.Tensor([True]), 0)
    with pytest.raises(TypeError, match=r"less: the first operand must be a Tensor, but got int\."):
        ops.lt(2, ms.Tensor([1]))
    with pytest.raises(ValueError, match=r"set_context: there is no option 'precompile_only'\."):
        ms.set_context(precompile_only=True)
    with pytest.raises(
        TypeError, match=r"EmbeddingLookup.__init__\(\) got an unexpected keyword argument 'vocab_cache_size'"
    ):
        nn.EmbeddingLookup(4, 2, vocab_cache_size=0)


PATHS = """
import importlib
from sporax._src.compat import finder
known = (finder.PATHS, finder.CHILDREN, finder.MARKED, finder.MARKED_CHILDREN)
modules = [importlib.import_module(f"mindspore.{path}") for path in sorted({path for table in known for path in table if path})]
print(len(modules), *[hasattr(importlib.import_module("mindspore.train.serialization"), "check_checkpoint")])
try:
    from mindspore.train.serialization import check_checkpoint
except ImportError as error:
    print(type(error).__name__)
"""


@pytest.mark.parametrize(("followed", "there"), [("2.7", "True"), ("2.10", "False")])
def test_all_paths_can_be_imported_though_names_are_gone(followed, there, tmp_path):
    (tmp_path / "program.py").write_text(PATHS)
    command = [sys.executable, "-m", "sporax", "run", "--mindspore", followed, "program.py"]
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    env = os.environ | {"PYTHONPATH": path}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    count, is_there, *refused = done.stdout.split()
    assert int(count) > 300 and is_there == there and refused == ["ImportError"] * (there == "False")

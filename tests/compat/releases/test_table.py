"""Each release answers as MindSpore's wheel of it did, to the examples of all rows."""

import json
import re
from pathlib import Path

import pytest
from release_answers import answer

import sporax as ms
from sporax import nn, ops
from sporax._src.base import release
from sporax._src.base.release import RELEASES
from sporax._src.compat.releases.table import CHANGES

GOLDENS = Path(__file__).resolve().parents[2] / "goldens"
ANSWERS = json.loads((GOLDENS / "releases.json").read_text(encoding="utf-8"))
EXAMPLES = json.loads((GOLDENS / "releases_examples.json").read_text(encoding="utf-8"))


@pytest.fixture
def follow(monkeypatch):
    monkeypatch.setenv(release.VARIABLE, release.followed())
    before = release.followed()
    yield release.follow
    release.follow(before)


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


def test_errors(follow):
    follow("2.10")
    with pytest.raises(ValueError, match=r"clamp: the input and its bounds must be numbers, but got bool\."):
        ops.clamp(ms.Tensor([True]), 0)
    with pytest.raises(TypeError, match=r"less: the first operand must be a Tensor, but got int\."):
        ops.lt(2, ms.Tensor([1]))
    with pytest.raises(ValueError, match=r"set_context: there is no option 'precompile_only'\."):
        ms.set_context(precompile_only=True)
    with pytest.raises(TypeError, match=r"EmbeddingLookup\(\) got an unexpected keyword argument 'vocab_cache_size'"):
        nn.EmbeddingLookup(4, 2, vocab_cache_size=0)

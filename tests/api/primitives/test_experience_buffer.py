"""Buffers of experience: first in, first out, and samples of them."""

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, ops

SHAPES, KINDS = [(2,), (1,)], [ms.float32, ms.int32]


def buffers(capacity=4):
    data = [
        Parameter(Tensor(np.zeros((capacity, 2), np.float32)), name="state"),
        Parameter(Tensor(np.zeros((capacity, 1), np.int32)), name="action"),
    ]
    return data, Parameter(Tensor(0, ms.int32), name="count"), Parameter(Tensor(0, ms.int32), name="head")


def rows(first, count):
    n = np.arange(first, first + count)
    return [Tensor(np.stack([n, n], 1).astype(np.float32)), Tensor(n[:, None].astype(np.int32))]


def test_buffers_are_first_in_first_out(run):
    data, count, head = buffers()
    append, get = ops.BufferAppend(4, SHAPES, KINDS), ops.BufferGetItem(4, SHAPES, KINDS)
    for first, n in ((0, 1), (1, 2), (3, 3), (6, 1)):
        run(lambda *new: append(data, new, count, head), *rows(first, n))
    assert (count.asnumpy(), head.asnumpy()) == (4, 3)
    oldest_first = [run(lambda i: get(data, count, head, i), Tensor(i))[1].item() for i in range(4)]
    assert oldest_first == [3, 4, 5, 6]
    assert get(data, count, head, -1)[0].asnumpy().tolist() == [6, 6]
    append(data, [r[0] for r in rows(7, 1)], count, head)
    assert get(data, count, head, -1)[1].item() == 7


def test_samples_of_buffers(run):
    data, count, head = buffers(8)
    ops.BufferAppend(8, SHAPES, KINDS)(data, rows(10, 5), count, head)
    state, action = run(lambda: ops.BufferSample(8, 8, SHAPES, KINDS)(data, count, head))
    assert state.shape == (8, 2) and set(action.asnumpy().ravel()) <= set(range(10, 15))
    _, action = run(lambda: ops.BufferSample(8, 5, SHAPES, KINDS, unique=True)(data, count, head))
    assert sorted(action.asnumpy().ravel()) == [10, 11, 12, 13, 14]


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda d, c, h: ops.BufferAppend(0, SHAPES, KINDS)(d, rows(0, 1), c, h), "capacity must be positive"),
        (lambda d, c, h: ops.BufferAppend(5, SHAPES, KINDS)(d, rows(0, 1), c, h), "the buffers must have shapes"),
        (lambda d, c, h: ops.BufferAppend(4, SHAPES, KINDS)(d, rows(0, 1)[:1], c, h), "exp must have 2 Tensors"),
        (lambda d, c, h: ops.BufferAppend(4, SHAPES, KINDS)(d, rows(0, 1)[::-1], c, h), "rows of shapes"),
        (lambda d, c, h: ops.BufferSample(4, 5, SHAPES, KINDS)(d, c, h), r"batch_size must be in \[1, 4\]"),
    ],
)
def test_buffer_errors(call, match):
    with pytest.raises(ValueError, match=match):
        call(*buffers())

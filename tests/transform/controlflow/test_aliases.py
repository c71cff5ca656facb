"""Tensors that may be views, which only a run can decide."""

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor
from sporax._src.base.errors import CompileFallback
from sporax._src.core.views import root_of
from sporax._src.transform.controlflow import aliases
from sporax._src.transform.controlflow.failures import NeedsValue


def test_roots_of_views_and_their_bases() -> None:
    base, alone = Tensor(np.zeros((2, 3), np.float32)), Tensor([1.0])
    view = base[0]
    assert [found is want for found, want in zip(aliases.shared([view, base, alone]), [base, base, None], strict=True)]
    assert aliases.shared([alone]) == [None]
    assert aliases.shared_by_branch([view, alone]) == [base, None]


def test_a_marked_tensor_can_be_read_and_not_written() -> None:
    source, tensor, other = Tensor([1.0, 2.0]), Tensor([1.0, 2.0]), Tensor([5.0])
    aliases.mark([tensor, other, source], [source, None, source])
    assert root_of(tensor) is source and other._view is None and source._view is None
    assert tensor.asnumpy().tolist() == [1.0, 2.0]
    with pytest.raises(NeedsValue, match="selected is written in place; it may be a view of another one"):
        tensor[0] = 3.0
    source[0] = 9.0
    with pytest.raises(NeedsValue, match="selected is read after a write to its possible base"):
        tensor.asnumpy()


def test_a_graph_reads_what_a_branch_selected_and_falls_back_for_a_write() -> None:
    def selected(x: Tensor, write: bool) -> Tensor:
        base = x + 0
        row = base[0]
        if x.sum() > 0:
            row = base[1]
        if write:
            row[0] = 7.0
            return base
        return row

    x = Tensor(np.arange(4, dtype=np.float32).reshape(2, 2))
    assert ms.jit(selected, fullgraph=True)(x, False).asnumpy().tolist() == [2.0, 3.0]
    with pytest.warns(CompileFallback, match="it may be a view of another one"):
        assert ms.jit(selected)(x, True).asnumpy().tolist() == [[0.0, 1.0], [7.0, 3.0]]

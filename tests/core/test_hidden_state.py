"""States that only a run of a graph has."""

import numpy as np

from sporax._src.core.hidden_state import HiddenState


def test_it_starts_each_run_as_zeros() -> None:
    state = HiddenState.of((2,), np.int32)
    state.commit(np.ones(2, np.int32))
    state.adopt(np.ones(2, np.int32))
    assert state.concrete().tolist() == [0, 0] and state._data.dtype == np.int32

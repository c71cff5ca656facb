"""What tests of graphs share."""

import pytest

from sporax._src.engine.numpy_programs import NotInNumPy
from sporax._src.transform.any_size_graphs import AnySizeGraphs


@pytest.fixture
def graphs_of_xla(monkeypatch):
    """Let XLA compile a graph for every shape."""

    def none(*_):
        raise NotInNumPy

    monkeypatch.setattr(AnySizeGraphs, "add", none)

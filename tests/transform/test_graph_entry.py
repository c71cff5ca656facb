"""An entry tells whether a graph is valid for a call now."""

import numpy as np

import sporax as ms
from sporax import nn
from sporax._src.transform.graph_entry import Entry, find_states
from sporax._src.transform.jit import Jit

X = ms.Tensor(np.ones((2, 3), np.float32))


def test_a_graph_is_valid_until_its_cell_changes():
    net = nn.Dense(3, 2)
    fn = lambda x: net(x)
    entry = Entry(Jit(fn).graph(X), list(map(id, find_states(fn, (X,)))))
    assert entry.fits(fn, (X,))
    used = entry.used
    assert entry.fits(fn, (X,)) and entry.used > used
    net.to_float(ms.float16)
    assert not entry.fits(fn, (X,))


def test_parameters_are_found_in_arguments_closures_and_partials():
    weight = ms.Parameter(np.ones(3, np.float32), name="weight")
    other = ms.Parameter(np.ones(3, np.float32), name="other")

    def inner(x):
        return x * weight

    assert find_states(lambda x: inner(x), (other, [weight])) == [other, weight, weight]

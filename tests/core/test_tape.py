"""The tape: cotangents walk back from results to leaves, through each node once."""

import jax.numpy as jnp

from sporax._src.core import tape
from sporax._src.core.tape import Node


def add(a, b):
    return a + b


def test_cotangents_are_summed_and_each_node_runs_once() -> None:
    calls = []
    with tape.opened(), tape.recording():
        x = tape.leaf(jnp.ones(()))

        def backward(cts):
            calls.append(float(cts[0]))
            return (cts[0] * 2, cts[0] * 3)

        middle = Node(((x, 0), (x, 0)), backward, x.avals)
        top = Node(((middle, 0), (middle, 0)), lambda cts: (cts[0], cts[0] * 10), x.avals)
        (found,) = tape.walk([((top, 0), jnp.ones(()))], [x], add)
    assert calls == [11.0] and float(found) == 55.0


def test_hooks_see_the_sum_and_may_replace_it() -> None:
    with tape.opened():
        x, other = tape.leaf(jnp.ones(())), tape.leaf(jnp.ones(()))
        seen = []
        x.hooks = {0: [lambda ct: seen.append(float(ct)), lambda ct: ct * 2]}
        top = Node(((x, 0), (x, 0)), lambda cts: (cts[0], cts[0]), x.avals)
        found = tape.walk([((top, 0), jnp.ones(()))], [x, other], add)
    assert seen == [2.0] and float(found[0]) == 4.0 and found[1] is None


def test_what_records() -> None:
    assert not tape.is_recording()
    with tape.recording():
        assert tape.is_recording()
        with tape.paused():
            assert not tape.is_recording()
        with tape.refusing():
            assert not tape.is_recording()
    with tape.opened() as outer:
        with tape.opened() as inner:
            assert inner is outer
        assert outer.open
    assert not outer.open

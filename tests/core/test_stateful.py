"""What the transforms know of Cells: changes make graphs invalid."""

from sporax import nn
from sporax._src.core.stateful import graph_version


def test_a_change_is_seen_and_named() -> None:
    net = nn.Dense(2, 2)
    before, now = net._sporax_fingerprint(), graph_version.now
    assert net._sporax_changed_since(before) == ""
    net._sporax_quietly("note", 1)
    assert net.note == 1 and graph_version.now == now and net._sporax_changed_since(before) == ""
    net._sporax_invalidate("the weight was replaced")
    assert graph_version.now > now and net._sporax_fingerprint() != before
    assert net._sporax_last_change == "the weight was replaced"
    assert [p.name for p in net._sporax_states()] == ["weight", "bias"]

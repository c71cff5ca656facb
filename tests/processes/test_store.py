"""The table of a run refuses what a stranger has written, moved or taken from another run."""

import pytest
from run_table import KNOWN, Table

from sporax._src.processes import run_secret, store


@pytest.fixture
def table(monkeypatch):
    """Let this process be the only one of a run that has joined."""
    found = Table()
    for name, value in (("is_joined", lambda: True), ("shared_table", lambda: found)):
        monkeypatch.setattr(store, name, value)
    store.enter(found, KNOWN.encode(), "127.0.0.1:1", 0, 1, 0)
    return found


def test_an_entry_that_is_written_again_is_refused(table: Table):
    store.put("a", b"1")
    old = table.entries["a"]
    store.put("a", b"2", b"3")
    assert store.wait_for("a", 0) == store.wait_for("a", 0) == b"23"
    assert store.has("a") and not store.has("b")
    table.entries["a"] = old
    with pytest.raises(
        run_secret.ForeignEntry, match="process 0: the entry 'a' is an earlier one of process 0; a stranger"
    ):
        store.wait_for("a", 0)


@pytest.mark.parametrize("changed", [0, 31, 32, 36, -1])
def test_an_entry_that_is_changed_or_moved_is_refused(table: Table, changed: int):
    store.put("a", b"123")
    entry = bytearray(table.entries["a"])
    table.entries["b"] = bytes(entry)
    entry[changed] ^= 1
    table.entries["a"] = bytes(entry)
    for name in "ab":
        for look in (store.has, lambda name: store.wait_for(name, 0), lambda name: store.look_at(name, 0)):
            with pytest.raises(run_secret.ForeignEntry, match=f"process 0: the entry '{name}' is not signed"):
                look(name)


def test_an_entry_of_another_run_with_this_secret_is_refused(table: Table):
    store.put("a", b"1")
    again = Table()
    store.enter(again, KNOWN.encode(), "127.0.0.1:1", 0, 1, 0)
    with pytest.raises(run_secret.ForeignEntry):
        store.wait_for("a", 0)


def test_numbers_are_added_by_one_process_at_a_time(table: Table):
    assert (store.add("n", 2, 1), store.add("n", -3, 1)) == (2, -1) and store.wait_for("n", 0) == b"-1"
    assert list(table.entries) == ["sporax/members/0", "n"]
    store.put("text", b"a")
    with pytest.raises(ValueError, match="the value under 'text' must be a number, got b'a'"):
        store.add("text", 1, 1)
    table.entries["sporax/locks/n"] = b""  # another process adds
    with pytest.raises(RuntimeError, match="other processes have changed the value under 'n' for 0 s"):
        store.add("n", 1, 0)


def test_the_only_process_adds():
    assert (store.add("alone", 2, 1), store.add("alone", 3, 1)) == (2, 5)
    store.remove("alone")

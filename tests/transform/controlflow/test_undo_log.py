"""Slots: where a program keeps values, and how they are put back."""

from types import SimpleNamespace

import pytest

from sporax._src.transform.controlflow.undo_log import Absent, Slot


def test_attributes_are_put_back_and_taken_away() -> None:
    owner = SimpleNamespace(a=1)
    slot, new = Slot(owner, "a"), Slot(owner, "b")
    assert slot.get() == 1 and new.get() == Absent()
    slot.put(2)
    new.put(3)
    assert vars(owner) == {"a": 2, "b": 3}
    new.put(Absent())
    new.put(Absent())
    assert vars(owner) == {"a": 2}


@pytest.mark.parametrize("container", [[1, 2], {"a": 1}, {1, 2}], ids=lambda c: type(c).__name__)
def test_containers_are_filled_again(container) -> None:
    slot = Slot(container)
    before = slot.get()
    assert before == container and before is not container
    container.clear()
    slot.put(before)
    assert container == before
    assert str(slot) == f"a {type(container).__name__}"


def test_slots_say_what_they_are() -> None:
    def outer():
        x = 1
        return lambda: x

    (cell,) = outer().__closure__
    assert str(Slot(cell, "cell_contents")) == "a variable of an enclosing function"
    assert str(Slot(pytest, "mark")) == "global variable 'mark'"
    assert str(Slot(SimpleNamespace(), "a")) == "attribute 'a' of a SimpleNamespace"
    assert repr(Absent()) == "no value"

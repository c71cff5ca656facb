"""Names that may be unbound in some runs, because the path that binds them may not run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sporax._src.core import tree
from sporax._src.core.tensor import Tensor
from sporax._src.transform.controlflow.failures import fail_unless
from sporax._src.transform.controlflow.undo_log import Absent


class MaybeUnbound(tree.Container):
    """The value of a name that only some paths bind, and a flag that says whether it is bound.

    It passes through branches and loops like any value. Only a read of the name checks the flag.

    Args:
        is_bound: A traced bool.
        value: The value; if the name is unbound, a filler of the same structure that is never read.
    """

    __slots__ = ("_is_bound", "_value")

    def __init__(self, is_bound: Tensor, value: object) -> None:
        self._is_bound, self._value = is_bound, value

    def parts(self) -> tuple[Any, ...]:
        """Return the flag and the value."""
        return self._is_bound, self._value

    @classmethod
    def of_parts(cls, parts: Sequence[Any]) -> MaybeUnbound:
        """Return the object with this flag and value."""
        return cls(*parts)


class Unreturned(Absent):
    """Marks the result of a function on a path that has not returned yet; it is read only after a return."""


def load(value: object, name: str) -> Any:
    """Return the value of a variable that is read; a run in which it is unbound raises Python's error."""
    if isinstance(value, MaybeUnbound) or _is_absent(value):
        text = f"cannot access local variable '{name}' where it is not associated with a value"
        return _read(value, UnboundLocalError(text))
    return value


def load_free(value: object, name: str) -> Any:
    """Like `load`, for a variable of an enclosing function."""
    if isinstance(value, MaybeUnbound) or _is_absent(value):
        text = f"cannot access free variable '{name}' where it is not associated with a value in enclosing scope"
        return _read(value, NameError(text))
    return value


def _is_absent(value: object) -> bool:
    return type(value) is Absent or type(value).__name__ == "Undefined"  # AutoGraph's


def _read(value: object, error: NameError) -> Any:
    if not isinstance(value, MaybeUnbound):
        raise error
    is_bound, known = value.parts()
    fail_unless(is_bound._data, error)
    return known

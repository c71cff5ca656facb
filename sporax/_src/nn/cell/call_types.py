"""What type checkers know of the call of a Cell: it takes and returns what its own `construct` does.

A checker looks `__call__` up as it does every attribute, so a descriptor can say its type for each subclass. One whose `construct`
has no annotations takes anything; its result is inferred (pyright) or unknown (mypy).
"""

from __future__ import annotations

from typing import Any, Generic, ParamSpec, Protocol, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")
_R_co = TypeVar("_R_co", covariant=True)


class Constructs(Protocol[_P, _R_co]):
    """Has a method `construct`."""

    def construct(self, *args: _P.args, **kwargs: _P.kwargs) -> _R_co: ...


class Call(Generic[_P, _R_co]):
    """A method that takes and returns what a `construct` does. As a `Callable`, it would send mypy round in circles."""

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R_co: ...


class AsConstruct:
    """The type of `Cell.__call__`."""

    def __get__(self, cell: Constructs[_P, _R], owner: object = None) -> Call[_P, _R]: ...

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Where a Cell is given for a function: pyright asks no descriptor there."""

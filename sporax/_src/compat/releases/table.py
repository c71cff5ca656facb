"""The table of changes: what a row says, and what it makes of a public name."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial, wraps
from typing import Any, NamedTuple

from sporax._src.base import release

Newer = Callable[[Any], Any]  # what the older release has under a name -> what the newer one has

alike = partial(wraps, updated=())  # what a function of the table of operators holds besides stays with the older one


class Change(NamedTuple):
    """A change that a release brought.

    Args:
        since: The release.
        names: The public names it concerns, such as `"ops.clamp"` and `"Tensor.clamp"`.
        what: What the release does, and what the one before it did.
        examples: Expressions that the two answer differently. `T(values, dtype)` makes a Tensor.
        newer: Makes the newer version of a name from the older one; None if the name is gone.
        instead: What stands in the place of a name that is gone.
    """

    since: str
    names: tuple[str, ...]
    what: str
    examples: tuple[str, ...]
    newer: Newer | None = None
    instead: str = ""


CHANGES: list[Change] = []


def changed(since: str, *names: str, what: str, examples: tuple[str, ...]) -> Callable[[Newer], Newer]:
    """Add a row: the function makes the newer version of each name from the older one."""

    def add(newer: Newer) -> Newer:
        CHANGES.append(Change(since, names, what, examples, newer))
        return newer

    return add


def gone(since: str, *names: str, instead: str) -> None:
    """Add a row for names that a release no longer has."""
    CHANGES.append(Change(since, names, "The names are gone.", names, None, instead))


def version(name: str, oldest: Any) -> Any:
    """Return what the followed release has under a public name that is not gone.

    Args:
        name: The name, as in the rows.
        oldest: What sporax's own code has under it.
    """
    for change in rows(name):
        if change.newer is not None:
            oldest = _newer(change, oldest)
    return oldest


@cache
def _newer(change: Change, older: Any) -> Any:
    """Return the newer version of an older one: the same object each time."""
    return change.newer and change.newer(older)


def refuse(name: str) -> None:
    """Raise the reason if the followed release has a public name no longer.

    Raises:
        AttributeError: It says since when the name is gone, and what stands in its place.
    """
    for change in rows(name):
        if change.newer is None:
            since = change.since.removesuffix(".0")
            raise AttributeError(f"MindSpore {since} and later have no {name!r}; {change.instead}.", name=name)


def rows(name: str) -> list[Change]:
    """Return the changes of a name that the followed release has, oldest first."""
    found = [change for change in CHANGES if name in change.names and not release.is_before(change.since)]
    return sorted(found, key=lambda change: release.RELEASES.index(change.since))

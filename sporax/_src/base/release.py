"""The release of MindSpore that a process follows: `mindspore.__version__` names it, and results are those of this release.

    SPORAX_MINDSPORE=2.7 python train.py
    sporax run --mindspore 2.7 train.py

Where releases differ, the table of `sporax._src.releases` has what the older ones do.
"""

from __future__ import annotations

from collections.abc import Callable

from sporax._src.base.config import environ, give_to_children

RELEASES = ("2.7.0", "2.8.0", "2.9.0", "2.10.0")  # the newest is the default
VARIABLE = "SPORAX_MINDSPORE"

_listeners: list[Callable[[], None]] = []


def named(text: str) -> str:
    """Return the release that a text names: `"2.7"` and `"2.7.1"` are `"2.7.0"`.

    Raises:
        ValueError: If sporax follows no such release.

    Examples:
        >>> named("2.10")
        '2.10.0'
    """
    wanted = text.split(".")[:2]
    for release in RELEASES:
        if release.split(".")[:2] == wanted:
            return release
    known = ", ".join(release.removesuffix(".0") for release in RELEASES)
    raise ValueError(f"the release of MindSpore must be one of {known}, but got {text!r}.")


_followed = named(environ(VARIABLE) or RELEASES[-1])


def followed() -> str:
    """Return the release that is followed."""
    return _followed


def is_before(release: str) -> bool:
    """Return whether the release that is followed is older than another one."""
    return RELEASES.index(_followed) < RELEASES.index(release)


def follow(text: str) -> None:
    """Follow a release from now on, in this process and in those that it starts.

    Raises:
        ValueError: If sporax follows no such release.
    """
    global _followed
    _followed = named(text)
    give_to_children(VARIABLE, _followed)
    for listener in _listeners:
        listener()


def on_change(listener: Callable[[], None]) -> Callable[[], None]:
    """Call a function when another release is followed."""
    _listeners.append(listener)
    return listener

"""The table of values by name that the processes of a run share; a process that is alone has one to itself."""

from __future__ import annotations

import time

import jax

from sporax._src.base.jax_compat import shared_table
from sporax._src.base.world import is_joined

_POLL = 1000  # milliseconds between looks at whether the user has interrupted
_own: dict[str, bytes] = {}


def put(name: str, value: bytes) -> None:
    """Put a value under a name, in the place of what was there."""
    if is_joined():
        shared_table().key_value_set_bytes(name, value, allow_overwrite=True)
    else:
        _own[name] = value


def wait_for(name: str, seconds: float) -> bytes | None:
    """Return the value under a name, once it is there; None if nobody has put one there in time, or nobody else can."""
    if not is_joined():
        return _own.get(name)
    until = time.monotonic() + seconds
    while True:
        left = 1000 * (until - time.monotonic())
        try:
            return shared_table().blocking_key_value_get_bytes(name, int(max(1, min(left, _POLL))))
        except jax.errors.JaxRuntimeError as error:
            if "DEADLINE_EXCEEDED" not in str(error):
                raise
            if left <= _POLL:
                return None


def has(name: str) -> bool:
    """Tell whether there is a value under a name now."""
    if not is_joined():
        return name in _own
    try:
        shared_table().key_value_try_get_bytes(name)
    except jax.errors.JaxRuntimeError as error:
        if "NOT_FOUND" not in str(error):
            raise
        return False
    return True


def remove(name: str) -> None:
    """Remove the value under a name, if there is one."""
    if is_joined():
        shared_table().key_value_delete(name)
    else:
        _own.pop(name, None)

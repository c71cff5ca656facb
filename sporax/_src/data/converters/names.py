"""The valid names of files that are read and written."""

from __future__ import annotations

import os

from sporax._src.base.errors import describe
from sporax._src.data.mindrecord.errors import ParamValueError

_FORBIDDEN = frozenset("\\/:*?\"<>|`&';")


def check_name(name: str, path: object) -> str:
    """Return a path whose last part is a valid name on every system.

    Args:
        name: The name of the argument.
        path: The argument.

    Raises:
        ParamValueError: If it is not text, is empty, ends with a slash, or its last part has other characters.
    """
    if not isinstance(path, str) or not path:
        raise ParamValueError(f"{name} must be a path, got {describe(path)}.")
    if path.endswith("/"):
        raise ParamValueError(f"{name} must not end with '/', got {describe(path)}.")
    last = os.path.basename(path)
    if _FORBIDDEN & set(last):
        shown = " ".join(sorted(_FORBIDDEN & set(last)))
        raise ParamValueError(f"{name} must be the path of a file without {shown} in its name, got {describe(path)}.")
    if last != last.strip(" "):
        raise ParamValueError(f"{name} must not begin or end with a blank, got {describe(last)}.")
    return path

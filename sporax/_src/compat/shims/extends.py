"""The decorator of constructors of `mindspore._extends`.

mindformers, mindocr and the networks of `models` import it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def cell_attr_register(fn: Callable[..., None] | None = None, attrs: object = None) -> Any:
    """Return a Cell's constructor as it is: MindSpore registers its arguments to tell Cells of one kind apart.

    Args:
        fn: The constructor; None to use it as `cell_attr_register(attrs=...)`.
        attrs: Names of arguments; has no effect.
    """
    return (lambda init: init) if fn is None else fn

"""The decorator of `mindspore.log` that shows a warning once.

mindocr (`models/utils/abinet_layers.py`) imports it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, ClassVar
from unittest import mock


class _LogActionOnce:
    """Decorates a function: what it warns of with `logger.warning` is shown once for each key.

    Args:
        logger: The logger, a module or an object.
        key: What has been shown.
        no_warning: Whether nothing is shown at all.
    """

    is_logged: ClassVar[dict[Any, bool]] = {}

    def __init__(self, logger: object, key: object, no_warning: bool = False) -> None:
        self.logger, self.key, self.no_warning = logger, key, no_warning

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def run(*args: object, **kwargs: object) -> Any:
            quiet = self.no_warning or self.key in self.is_logged
            self.is_logged[self.key] = True
            with mock.patch.object(self.logger, "warning", lambda *_, **__: None) if quiet else nullcontext():
                return func(*args, **kwargs)

        return run

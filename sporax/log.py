"""Logging."""

import logging

from sporax._src.base.logging import (
    critical,
    debug,
    error,
    get_level,
    get_log_config,
    info,
    logger,
    set_level,
    warning,
)
from sporax._src.base.logging import get_logger as _get_logger

__all__ = [
    "_get_logger",
    "critical",
    "debug",
    "error",
    "get_level",
    "get_log_config",
    "info",
    "logger",
    "set_level",
    "warning",
]

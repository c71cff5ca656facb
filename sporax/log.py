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

__all__ = [
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

"""The logger, and MindSpore's functions on it."""

from __future__ import annotations

import logging as _logging
from typing import Any

from sporax._src.base.config import environ

_LEVELS = {"0": _logging.DEBUG, "1": _logging.INFO, "2": _logging.WARNING, "3": _logging.ERROR, "4": _logging.CRITICAL}
_NAMES = {"DEBUG": "0", "INFO": "1", "WARNING": "2", "ERROR": "3", "CRITICAL": "4"}

logger = _logging.getLogger("sporax")
logger.setLevel(_LEVELS.get(environ("GLOG_v", "2"), _logging.WARNING))


def _handler() -> _logging.Handler:
    handler = _logging.StreamHandler()
    handler.setFormatter(_logging.Formatter("[%(levelname)s] %(asctime)s [%(filename)s:%(lineno)d] %(message)s"))
    return handler


logger.addHandler(_handler())
logger.propagate = False

# JAX's messages about backends and compilations must not appear in the program's log, whose root logger may be at INFO or DEBUG. If
# JAX_LOGGING_LEVEL is set, JAX has set the level.
for _name in ("jax", "jaxlib"):
    if _logging.getLogger(_name).level == _logging.NOTSET:
        _logging.getLogger(_name).setLevel(_logging.WARNING)

TOPICS = ("recompile",)  # the topics that `SPORAX_LOG` enables, separated by commas

for _topic in filter(None, environ("SPORAX_LOG").split(",")):
    if _topic not in TOPICS:
        logger.warning("SPORAX_LOG: unknown topic %r; known are %s.", _topic, ", ".join(TOPICS))
    logger.getChild(_topic).setLevel(_logging.INFO)


def debug(msg: str, *args: object, **kwargs: Any) -> None:
    """Log at level DEBUG."""
    logger.debug(msg, *args, stacklevel=2, **kwargs)


def info(msg: str, *args: object, **kwargs: Any) -> None:
    """Log at level INFO."""
    logger.info(msg, *args, stacklevel=2, **kwargs)


def warning(msg: str, *args: object, **kwargs: Any) -> None:
    """Log at level WARNING."""
    logger.warning(msg, *args, stacklevel=2, **kwargs)


def error(msg: str, *args: object, **kwargs: Any) -> None:
    """Log at level ERROR."""
    logger.error(msg, *args, stacklevel=2, **kwargs)


def critical(msg: str, *args: object, **kwargs: Any) -> None:
    """Log at level CRITICAL."""
    logger.critical(msg, *args, stacklevel=2, **kwargs)


def get_logger() -> _logging.Logger:
    """Return the logger."""
    return logger


def get_level() -> str:
    """Return the level as MindSpore counts it, `"0"` (debug) to `"4"` (critical)."""
    return next(k for k, v in _LEVELS.items() if v == logger.level)


def set_level(level: str) -> None:
    """Set the level, by name or by MindSpore's number."""
    number = _NAMES.get(str(level).upper(), str(level))
    if number not in _LEVELS:
        raise ValueError(f"log.set_level: level must be one of {', '.join(_NAMES)} or 0 to 4, got {level!r}.")
    logger.setLevel(_LEVELS[number])


def get_log_config() -> dict[str, str]:
    """Return the configuration of the log: its level."""
    return {"GLOG_v": get_level()}

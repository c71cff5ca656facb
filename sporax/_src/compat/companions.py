"""Modules of other packages that MindSpore has loaded once it is imported, so that programs need not: `import PIL; PIL.Image`."""

from __future__ import annotations

import contextlib
import importlib

NAMES = (
    "concurrent.futures.process",
    "logging.handlers",
    "multiprocessing.managers",
    "multiprocessing.pool",
    "multiprocessing.queues",
    "multiprocessing.shared_memory",
    "packaging.version",
    "PIL.Image",
    "PIL.ImageEnhance",
    "PIL.ImageFilter",
    "PIL.ImageOps",
    "safetensors.numpy",
)


def load() -> None:
    """Load those that are installed."""
    for name in NAMES:
        with contextlib.suppress(ModuleNotFoundError):
            importlib.import_module(name)

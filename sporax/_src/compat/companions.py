"""Packages that MindSpore brings: modules it has loaded once it is imported (`PIL.Image`), and those that are missed."""

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

BROUGHT = ("PIL", "asttokens", "astunparse", "dill", "packaging", "psutil", "six")
"""The packages that are installed with MindSpore, and with sporax by its extra `mindspore`."""


def load() -> None:
    """Load those that are installed."""
    for name in NAMES:
        with contextlib.suppress(ModuleNotFoundError):
            importlib.import_module(name)


def name_the_extra(error: BaseException | None) -> None:
    """Add to an error, or to the one that it came of, how to install a package that MindSpore brings and a program has missed."""
    while error is not None:
        if isinstance(error, ModuleNotFoundError) and error.name in BROUGHT:
            error.add_note(f"MindSpore brings {error.name}; sporax does by: pip install 'sporax[mindspore]'")
            return
        error = error.__cause__ or error.__context__

"""The process-wide effects of `import sporax`, which other JAX programs in the process see as well; docs/jax.md lists them.

Each platform has a folder in `lowering` and a line in `PLATFORMS`. Each file of the folder with a list `LOWERINGS` is installed.
"""

from __future__ import annotations

import importlib
import pkgutil

from sporax._src.base.completion import wait_at_exit, watch_forks
from sporax._src.base.config import configure_jax
from sporax._src.base.tracebacks import show_in_process
from sporax._src.lowering import cpu
from sporax._src.lowering.lowering import install

PLATFORMS = {"cpu": cpu}  # the folders of lowerings by JAX's name of the platform: `cuda`, not `gpu`


def prepare_process() -> None:
    """Configure JAX, replace lowerings of it, watch for forks after JAX has begun to compute, wait for it at exit, show errors."""
    watch_forks()
    wait_at_exit()
    configure_jax()
    show_in_process()
    for platform, package in PLATFORMS.items():
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            install(platform, getattr(importlib.import_module(module.name), "LOWERINGS", ()))

"""`sporax report`: what somebody who looks for a bug needs to know of this machine."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator

import click

from sporax._src.base import config, tracebacks
from sporax._src.base.settings.context_options import OPTIONS
from sporax._src.cli.versions import devices, versions

_PREFIXES = (
    "SPORAX_",
    "MS_",
    "JAX_",
    "XLA_",
    "TF_CPP_",
    "CUDA_",
    "NVIDIA_",
    "GLOG_",
    "OMP_",
    "RANK_",
    "SLURM_N",
    "TPU_",
)
_NAMES = ("DEVICE_ID", "GLIBC_TUNABLES", "WORLD_SIZE", "RANK", "LD_PRELOAD", "LD_LIBRARY_PATH")
_HIDDEN = ("SECRET", "TOKEN", "KEY", "PASSWORD")


@click.command()
def report() -> None:
    """Collect what a bug report needs: versions, devices, settings, environment variables that matter, the last error.

    Read it before you send it: the last error contains names of files and lines of your program.
    """
    for title, lines in (
        ("Versions", [f"{name} {number}" for name, number in versions().items()]),
        ("Machine", [platform.platform(), f"{os.cpu_count()} cores", *devices()]),
        ("Settings", list(settings())),
        ("Environment", list(environment())),
        ("Last error", (tracebacks.last() or "none is known").splitlines()),
    ):
        click.echo(f"## {title}\n")
        click.echo("".join(f"    {line}\n" for line in lines))


def settings() -> Iterator[str]:
    """Yield the options of the context that differ from their defaults, and the folder of compiled graphs."""
    for name, option in OPTIONS.items():
        if (value := config.get_context(name)) != option.default:
            yield f"{name}={value!r}"
    yield f"compile cache: {config.cache_dir() or 'off'}"


def environment() -> Iterator[str]:
    """Yield the environment variables that sporax, JAX and XLA read; secrets are hidden."""
    for name, value in sorted(config.environment({}).items()):
        if name.startswith(_PREFIXES) or name in _NAMES:
            yield f"{name}={'(hidden)' if any(word in name for word in _HIDDEN) else value}"

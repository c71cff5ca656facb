"""Dry runs of a program up to its first training step, for devices that are not present (`sporax plan`)."""

from __future__ import annotations

import functools
import math
import mmap
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sporax._src.base import jax_compat
from sporax._src.base.config import environ
from sporax._src.base.jax_compat import full, to_device
from sporax._src.base.typing import Array

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

DEVICES, FILE = "SPORAX_PLAN_DEVICES", "SPORAX_PLAN_FILE"  # the variables that `sporax plan` sets for the program
_LARGE = 1 << 20  # the size in bytes from which values are left out


@functools.cache
def planned_devices() -> int:
    """Return the number of devices that this process only plans for; 0 if it computes."""
    return int(environ(DEVICES) or 0)


@functools.cache
def prepare_devices() -> None:
    """Let JAX have the devices of a plan, if they are more than it would start on a CPU."""
    if planned_devices() > jax_compat.MOST_CPU_DEVICES:
        jax_compat.plan_cpu_devices(planned_devices())


def plan_file() -> str:
    """Return the file that the plan is written to."""
    return environ(FILE)


def leaves_out(shape: Sequence[int], dtype: DTypeLike) -> bool:
    """Return whether a Parameter is so large that this dry run uses zeros for it."""
    return planned_devices() > 0 and math.prod(shape) * np.dtype(dtype).itemsize >= _LARGE


def zeros(shape: Sequence[int], dtype: DTypeLike) -> Array:
    """Return zeros; in a plan, large ones take no memory until they are read."""
    if not leaves_out(shape, dtype):
        return full(shape, 0, np.dtype(dtype))
    pages = mmap.mmap(-1, math.prod(shape) * np.dtype(dtype).itemsize)  # aligned, so that JAX does not copy it
    return to_device(np.frombuffer(pages, np.uint8).view(dtype).reshape(shape))

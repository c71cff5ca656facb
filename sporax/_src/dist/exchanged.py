"""Collective operations on Tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from sporax._src.core.tensor import Tensor
from sporax._src.dist.exchange import Ranks
from sporax._src.engine.dispatch import Kernel, Traits, run
from sporax._src.ops.array.assign import identity


@functools.cache
def kernel(name: str, fn: Callable[..., Any], ranks: Ranks, **settings: object) -> Kernel:
    """Return the kernel that runs a function of `exchange` in all processes of a group."""
    return Kernel(functools.partial(fn, ranks=ranks, **settings), f"ops.{name}", traits=Traits(exchanges=True))


def exchanged(name: str, fn: Callable[..., Any], x: Tensor, ranks: Ranks, **settings: object) -> Any:
    """Run an operation with the other processes of a group; a group of one exchanges nothing."""
    return identity(x) if len(ranks) == 1 else run(kernel(name, fn, ranks, **settings), [x])

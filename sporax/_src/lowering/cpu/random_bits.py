"""Random bits on the CPU: the rounds of Threefry unrolled, as JAX lowers them elsewhere.

On the CPU JAX loops over the rounds and keeps all bits between them: a dropout mask of 3 million numbers took 31 ms and takes 3;
an array of four axes took 2 s to compile and takes 0.1.
"""

from __future__ import annotations

from sporax._src.base.jax_compat import threefry2x32_p
from sporax._src.lowering.lowering import Lowering


def _always(*_: object, **__: object) -> bool:
    return True


LOWERINGS = [Lowering(threefry2x32_p, _always, None)]

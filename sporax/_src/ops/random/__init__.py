"""Random numbers: `draws` (of a shape), `distributions` (of parameters), `minstd` (the numbers of MindSpore's CPU kernels)."""

from sporax._src.ops.random import (  # noqa: F401  (importing a family registers its rows)
    distributions,
    draws,
)

"""A network with the settings of parallel training that it is compiled with."""

from sporax._src.nn.parallel.auto_parallel import AutoParallel

__all__ = ["AutoParallel"]

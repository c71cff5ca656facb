"""jit, and the executor of PyNative mode."""

from sporax._src.transform.executor import _pynative_executor
from sporax._src.transform.jit import jit

__all__ = [
    "_pynative_executor",
    "jit",
]

"""jit, the marks of functions, and the executor of PyNative mode."""

from sporax._src.compat.legacy.graph_executor import _cell_graph_executor, cells_compile_cache
from sporax._src.compat.legacy.pynative_executor import _pynative_executor
from sporax._src.runtime.devices import empty_cache as ms_memory_recycle
from sporax._src.transform.decorators import enable_dynamic, jit_class, set_recursion_limit
from sporax._src.transform.decorators import no_grad as _no_grad
from sporax._src.transform.jit import jit

__all__ = [
    "_cell_graph_executor",
    "_no_grad",
    "_pynative_executor",
    "cells_compile_cache",
    "enable_dynamic",
    "jit",
    "jit_class",
    "ms_memory_recycle",
    "set_recursion_limit",
]

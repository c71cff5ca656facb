"""jit, the marks of functions, and the executor of PyNative mode."""

from sporax._src.base.devices import empty_cache as ms_memory_recycle
from sporax._src.compat.legacy.graph_executor import _cell_graph_executor, cells_compile_cache
from sporax._src.transform.executor import _pynative_executor
from sporax._src.transform.jit import jit
from sporax._src.transform.marks import enable_dynamic, jit_class, set_recursion_limit
from sporax._src.transform.marks import no_grad as _no_grad

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

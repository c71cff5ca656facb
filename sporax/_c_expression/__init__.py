"""What programs import from MindSpore's compiled library."""

from sporax._c_expression import security, typing
from sporax._src.compat.legacy.expression import (
    CreationType,
    MSContext,
    _framework_profiler_step_end,
    _framework_profiler_step_start,
    _ms_memory_recycle,
    disable_multi_thread,
    reset_op_id,
)
from sporax._src.core.parameter import ParamInfo
from sporax._src.core.tensor import Tensor
from sporax._src.core.tensor import Tensor as TensorPy

__all__ = [
    "CreationType",
    "MSContext",
    "ParamInfo",
    "Tensor",
    "TensorPy",
    "_framework_profiler_step_end",
    "_framework_profiler_step_start",
    "_ms_memory_recycle",
    "disable_multi_thread",
    "reset_op_id",
    "security",
    "typing",
]

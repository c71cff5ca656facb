"""Types, Tensors, Parameters, seeds and marks of functions under MindSpore's import paths."""

from sporax.common.seed import get_seed, set_seed  # the module first: the function `seed` takes its name

# isort: split
from sporax._src.core.tensor import Tensor, from_numpy, is_tensor
from sporax.common import api, dtype, generator, initializer, jit_config, parameter
from sporax.common._grad_function import _Function
from sporax.common.api import _no_grad, enable_dynamic, jit, jit_class, ms_memory_recycle, set_recursion_limit
from sporax.common.dtype import (
    Int,
    QuantDtype,
    TensorType,
    Type,
    bfloat16,
    bool_,
    byte,
    cdouble,
    cfloat,
    complex64,
    complex128,
    double,
    dtype_to_nptype,
    dtype_to_pytype,
    float8_e4m3fn,
    float8_e5m2,
    float16,
    float32,
    float64,
    float_,
    get_py_obj_dtype,
    half,
    int8,
    int16,
    int32,
    int64,
    int_,
    intc,
    intp,
    list_,
    long,
    number,
    pytype_to_dtype,
    qint4x2,
    short,
    single,
    string,
    tensor_type,
    tuple_,
    type_none,
    ubyte,
    uint,
    uint8,
    uint16,
    uint32,
    uint64,
    uintc,
    uintp,
    ushort,
)
from sporax.common.generator import (
    Generator,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from sporax.common.jit_config import JitConfig
from sporax.common.lazy_inline import lazy_inline
from sporax.common.mutable import mutable
from sporax.common.no_inline import no_inline
from sporax.common.parameter import Parameter, ParameterTuple
from sporax.common.recompute import recompute
from sporax.common.sparse_tensor import COOTensor, CSRTensor, RowTensor, SparseTensor
from sporax.common.tensor import tensor

__all__ = [
    "COOTensor", "CSRTensor", "RowTensor", "SparseTensor",
    "Generator", "Int", "JitConfig", "Parameter", "ParameterTuple", "QuantDtype", "Tensor", "TensorType", "Type",
    "_Function", "_no_grad", "api", "bfloat16", "bool_", "byte", "cdouble", "cfloat", "complex128", "complex64",
    "default_generator", "double", "dtype", "dtype_to_nptype", "dtype_to_pytype", "enable_dynamic", "float16",
    "float32", "float64", "float8_e4m3fn", "float8_e5m2", "float_", "from_numpy", "generator", "get_py_obj_dtype",
    "get_rng_state", "get_seed", "half", "initial_seed", "initializer", "int16", "int32", "int64", "int8", "int_",
    "intc", "intp", "is_tensor", "jit", "jit_class", "jit_config", "lazy_inline", "list_", "long", "manual_seed",
    "ms_memory_recycle", "mutable", "no_inline", "number", "parameter", "pytype_to_dtype", "qint4x2", "recompute",
    "seed", "set_recursion_limit", "set_rng_state", "set_seed", "short", "single", "string", "tensor", "tensor_type",
    "tuple_", "type_none", "ubyte", "uint", "uint16", "uint32", "uint64", "uint8", "uintc", "uintp", "ushort",
]  # fmt: skip

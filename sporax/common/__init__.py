"""Types, Tensors, Parameters, seeds and marks of functions under MindSpore's import paths."""

from sporax._src.core.dtype import (
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
from sporax._src.core.generator import (
    Generator,
    default_generator,
    get_rng_state,
    get_seed,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
    set_seed,
)
from sporax._src.core.parameter import Parameter, ParameterTuple
from sporax._src.core.sparse import COOTensor, CSRTensor, RowTensor, SparseTensor
from sporax._src.core.tensor import Tensor, from_numpy, is_tensor, tensor
from sporax._src.runtime.hints import empty_cache as ms_memory_recycle
from sporax._src.transform.custom import Function as _Function
from sporax._src.transform.decorators import (
    enable_dynamic,
    jit_class,
    lazy_inline,
    mutable,
    no_inline,
    recompute,
    set_recursion_limit,
)
from sporax._src.transform.decorators import no_grad as _no_grad
from sporax._src.transform.jit import jit
from sporax._src.transform.jit_options import JitConfig
from sporax.common import initializer

__all__ = [
    "COOTensor", "CSRTensor", "RowTensor", "SparseTensor",
    "Generator", "Int", "JitConfig", "Parameter", "ParameterTuple", "QuantDtype", "Tensor", "TensorType", "Type",
    "_Function", "_no_grad", "bfloat16", "bool_", "byte", "cdouble", "cfloat", "complex128", "complex64",
    "default_generator", "double", "dtype", "dtype_to_nptype", "dtype_to_pytype", "enable_dynamic", "float16",
    "float32", "float64", "float8_e4m3fn", "float8_e5m2", "float_", "from_numpy", "get_py_obj_dtype",
    "get_rng_state", "get_seed", "half", "initial_seed", "initializer", "int16", "int32", "int64", "int8", "int_",
    "intc", "intp", "is_tensor", "jit", "jit_class", "lazy_inline", "list_", "long", "manual_seed",
    "ms_memory_recycle", "mutable", "no_inline", "number", "pytype_to_dtype", "qint4x2", "recompute",
    "seed", "set_recursion_limit", "set_rng_state", "set_seed", "short", "single", "string", "tensor", "tensor_type",
    "tuple_", "type_none", "ubyte", "uint", "uint16", "uint32", "uint64", "uint8", "uintc", "uintp", "ushort",
]  # fmt: skip

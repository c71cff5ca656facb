"""Types, Tensors, Parameters and initializers under MindSpore's import paths."""

from sporax._src.core.dtype import (
    bfloat16,
    bool_,
    complex64,
    complex128,
    dtype_to_nptype,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    pytype_to_dtype,
    uint8,
    uint16,
    uint32,
    uint64,
)
from sporax._src.core.generator import get_seed, set_seed
from sporax._src.core.parameter import Parameter, ParameterTuple
from sporax._src.core.tensor import Tensor
from sporax._src.transform.jit import JitConfig, jit
from sporax.common import (
    api,
    dtype,
    generator,
    initializer,
    parameter,
    seed,
    tensor,
)

__all__ = [
    "JitConfig",
    "Parameter",
    "ParameterTuple",
    "Tensor",
    "api",
    "bfloat16",
    "bool_",
    "complex128",
    "complex64",
    "dtype",
    "dtype_to_nptype",
    "float16",
    "float32",
    "float64",
    "generator",
    "get_seed",
    "initializer",
    "int16",
    "int32",
    "int64",
    "int8",
    "jit",
    "parameter",
    "pytype_to_dtype",
    "seed",
    "set_seed",
    "tensor",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
]

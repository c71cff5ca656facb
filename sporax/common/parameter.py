"""Parameter and ParameterTuple."""

from sporax._src.core.buffer import Buffer as _Buffer
from sporax._src.core.parameter import Parameter, ParameterTuple
from sporax._src.core.parameter import is_generated as _is_parameter_generated

__all__ = [
    "Parameter",
    "ParameterTuple",
    "_Buffer",
    "_is_parameter_generated",
]

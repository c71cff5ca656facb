"""Parameter and ParameterTuple."""

from sporax._src.core.parameter import Parameter, ParameterTuple

__all__ = [
    "Parameter",
    "ParameterTuple",
]

"""Settings of the graph compiler that programs assign; they have no effect."""

from sporax._src.compat.legacy.compile_config import (
    BOOST_PARSE,
    CHECK_BPROP,
    COMPILE_PROFILE,
    FALLBACK_FORCE_ANY,
    FALLBACK_SUPPORT_LIST_DICT_INPLACE,
    GRAD_FOR_SCALAR,
    IF_PARALLEL_CALL,
    RECURSIVE_EVAL,
    SINGLE_EVAL,
    USE_PROFILE,
)

__all__ = [
    "BOOST_PARSE",
    "CHECK_BPROP",
    "COMPILE_PROFILE",
    "FALLBACK_FORCE_ANY",
    "FALLBACK_SUPPORT_LIST_DICT_INPLACE",
    "GRAD_FOR_SCALAR",
    "IF_PARALLEL_CALL",
    "RECURSIVE_EVAL",
    "SINGLE_EVAL",
    "USE_PROFILE",
]

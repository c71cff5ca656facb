"""Settings of MindSpore's graph compiler, `mindspore._extends.parse.compile_config`; none has a meaning here.

MindSpore's own tests assign them. A graph here is what tracing a function finds, so the rules of MindSpore's front end do not
apply to it.
"""

from __future__ import annotations

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

BOOST_PARSE = ""
CHECK_BPROP = ""
COMPILE_PROFILE = ""
FALLBACK_FORCE_ANY = ""
FALLBACK_SUPPORT_LIST_DICT_INPLACE = ""
GRAD_FOR_SCALAR = ""
IF_PARALLEL_CALL = ""
RECURSIVE_EVAL = ""
SINGLE_EVAL = ""
USE_PROFILE = ""

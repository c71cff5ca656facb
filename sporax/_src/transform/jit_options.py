"""The options of `jit`: which values each takes, and `JitConfig`, which holds some of them."""

from __future__ import annotations

import importlib
from typing import Any

from sporax._src.base.errors import describe, warn_user

_TYPES = {
    "infer_boost": (str, "a string"),
    "exec_order": (str, "a string"),
    "disable_format_transform": (bool, "a bool"),
    "ge_options": (dict, "a dict"),
}
_WORDS = {
    "capture_mode": ("ast", "bytecode", "trace"),
    "jit_level": ("O0", "O1"),
    "backend": ("", "ms_backend", "GE"),
    "infer_boost": ("on", "off"),
    "exec_order": ("bfs", "dfs"),
    "exc_mode": ("auto", "sink", "no_sink"),
}
_NAMES = {*_TYPES, *_WORDS, "dynamic", "fullgraph"}


def check(dynamic: object, fullgraph: object, options: dict[str, Any]) -> None:
    """Check the options of `jit`.

    Args:
        dynamic, fullgraph: Those that are numbers.
        options: The others, by name. MindSpore takes any name; one that looks like another by mistake is told.

    Raises:
        TypeError: If an option has another type.
        ValueError: If it has none of the values that there are.
    """
    if isinstance(dynamic, bool) or not isinstance(dynamic, int):
        raise TypeError(f"jit: dynamic must be an int, got {describe(dynamic)}.")
    if dynamic not in (0, 1):
        raise ValueError(f"jit: dynamic must be 0 or 1, got {dynamic}.")
    if not isinstance(fullgraph, bool):
        raise TypeError(f"jit: fullgraph must be a bool, got {describe(fullgraph)}.")
    for name, value in options.items():
        kind, what = _TYPES.get(name, (object, ""))
        if not isinstance(value, kind):
            raise TypeError(f"jit: {name} must be {what}, got {describe(value)}.")
        if name in _WORDS:
            _check_word("jit", name, value, _WORDS[name])
        if name not in _NAMES:
            hints = importlib.import_module("sporax._src.base.hints")  # only mistakes need it
            if hint := hints.did_you_mean(name, _NAMES):
                warn_user(f"jit: there is no option {name!r}, and it has no effect. {hint}")
    for part, given in options.get("ge_options", {}).items():
        _check_word("jit", "a key of ge_options", part, ("global", "session"))
        if not isinstance(given, dict):
            raise TypeError(f"jit: the {part} options of ge_options must be a dict, got {describe(given)}.")


def _check_word(owner: str, name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        *most, last = [repr(word) for word in allowed if word]
        raise ValueError(f"{owner}: {name} must be {', '.join(most)} or {last}, got {describe(value)}.")


class JitConfig:
    """MindSpore's bundle of options of `jit`; they choose between MindSpore's compilers and have no effect.

    Args:
        jit_level: `"O0"`, `"O1"` or `"O2"`.
        exc_mode: `"auto"`, `"sink"` or `"no_sink"`.
        jit_syntax_level: `"STRICT"`, `"COMPATIBLE"` or `"LAX"`.
        debug_level: `"RELEASE"` or `"DEBUG"`.
        infer_boost: `"on"` or `"off"`.
        **options: Any others.

    Raises:
        ValueError: If an option has none of these values.
    """

    def __init__(
        self,
        jit_level: str = "",
        exc_mode: str = "auto",
        jit_syntax_level: str = "",
        debug_level: str = "RELEASE",
        infer_boost: str = "off",
        **options: object,
    ) -> None:
        _check_word("JitConfig", "jit_level", jit_level, ("", "O0", "O1", "O2"))
        _check_word("JitConfig", "exc_mode", exc_mode, _WORDS["exc_mode"])
        _check_word("JitConfig", "jit_syntax_level", jit_syntax_level, ("", "STRICT", "COMPATIBLE", "LAX"))
        _check_word("JitConfig", "debug_level", debug_level, ("RELEASE", "DEBUG"))
        _check_word("JitConfig", "infer_boost", infer_boost, ("", *_WORDS["infer_boost"]))
        self.jit_config_dict = {
            **options,
            "jit_level": jit_level,
            "exc_mode": exc_mode,
            "jit_syntax_level": jit_syntax_level,
            "debug_level": debug_level,
            "infer_boost": infer_boost,
        }
        if jit_level:
            self.jit_config_dict.setdefault("backend", "GE" if jit_level == "O2" else "ms_backend")

"""The options of jit: which values each takes, and the bundle of them."""

import re
from typing import Any

import pytest

import sporax as ms


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"capture_mode": "x"}, ValueError, "jit: capture_mode must be 'ast', 'bytecode' or 'trace', got 'x'."),
        ({"jit_level": "O2"}, ValueError, "jit: jit_level must be 'O0' or 'O1', got 'O2'."),
        ({"dynamic": 2}, ValueError, "jit: dynamic must be 0 or 1, got 2."),
        ({"dynamic": True}, TypeError, "jit: dynamic must be an int, got True."),
        ({"fullgraph": 1}, TypeError, "jit: fullgraph must be a bool, got 1."),
        ({"infer_boost": "x"}, ValueError, "jit: infer_boost must be 'on' or 'off', got 'x'."),
        ({"infer_boost": 1}, TypeError, "jit: infer_boost must be a string, got 1."),
        ({"exec_order": "x"}, ValueError, "jit: exec_order must be 'bfs' or 'dfs', got 'x'."),
        ({"exc_mode": 1}, ValueError, "jit: exc_mode must be 'auto', 'sink' or 'no_sink', got 1."),
        ({"disable_format_transform": 1}, TypeError, "jit: disable_format_transform must be a bool, got 1."),
        ({"ge_options": 3}, TypeError, "jit: ge_options must be a dict, got 3."),
        ({"ge_options": {"x": {}}}, ValueError, "jit: a key of ge_options must be 'global' or 'session', got 'x'."),
        ({"ge_options": {"global": 3}}, TypeError, "jit: the global options of ge_options must be a dict, got 3."),
    ],
)
def test_errors(options, error, text) -> None:
    """Each wrong value has one message, with a function and without one."""
    for call in (lambda: ms.jit(abs, **options), lambda: ms.jit(**options)):
        with pytest.raises(error) as found:
            call()
        assert str(found.value) == text


def test_right_values() -> None:
    """The values that MindSpore takes, and names that it does not know."""
    options = {"infer_boost": "on", "exec_order": "bfs", "ge_options": {"session": {"a": "b"}}, "another": 3}
    assert ms.jit(abs, dynamic=1, backend="GE", jit_level="O1", **options)(ms.Tensor(-1.0)).item() == 1.0
    jit: Any = ms.jit
    with pytest.raises(TypeError, match="positional argument"):
        jit(abs, "ast")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"jit_level": "O3"}, "JitConfig: jit_level must be 'O0', 'O1' or 'O2', got 'O3'."),
        ({"exc_mode": None}, "JitConfig: exc_mode must be 'auto', 'sink' or 'no_sink', got None."),
        ({"jit_syntax_level": "x"}, "JitConfig: jit_syntax_level must be 'STRICT', 'COMPATIBLE' or 'LAX', got 'x'."),
        ({"debug_level": "x"}, "JitConfig: debug_level must be 'RELEASE' or 'DEBUG', got 'x'."),
        ({"infer_boost": "x"}, "JitConfig: infer_boost must be 'on' or 'off', got 'x'."),
    ],
)
def test_jit_config_errors(options, text) -> None:
    """Each wrong value has one message."""
    with pytest.raises(ValueError) as found:
        ms.JitConfig(**options)
    assert str(found.value) == text


def test_jit_config() -> None:
    """It keeps what it is given, and names the backend of the level."""
    assert "backend" not in ms.JitConfig().jit_config_dict
    assert ms.JitConfig("O2").jit_config_dict["backend"] == "GE"
    found = ms.JitConfig("O1", another=3).jit_config_dict
    assert (found["backend"], found["another"], found["exc_mode"]) == ("ms_backend", 3, "auto")


@pytest.mark.parametrize("made", [lambda: ms.jit(abs, fulgraph=True), lambda: ms.jit(fulgraph=True)(abs)])
def test_a_mistyped_option_is_told(made) -> None:
    text = "jit: there is no option 'fulgraph', and it has no effect. Did you mean 'fullgraph'?"
    with pytest.warns(UserWarning, match=re.escape(text)) as seen:
        assert made()(ms.Tensor(-1.0)).item() == 1.0
    assert [w.filename for w in seen] == [__file__]


def test_options_of_older_releases_are_taken() -> None:
    assert ms.jit(abs, hash_args=1, input_signature=None, compile_once=True)(ms.Tensor(-1.0)).item() == 1.0

"""Limits on cores are remembered, and blocks undo what they set."""

import pytest

import sporax as ms
from sporax import runtime


def test_limits_of_streams() -> None:
    stream, other = runtime.Stream(), runtime.Stream()
    whole = runtime.get_stream_limit(stream)
    assert whole == runtime.get_device_limit(0) and min(whole.values()) >= 1
    runtime.set_stream_limit(stream, 8, 4)
    runtime.set_stream_limit(stream, vector_num=2)
    assert runtime.get_stream_limit(stream) == {"cube_core_num": 8, "vector_core_num": 2}
    assert runtime.get_stream_limit(other) == whole
    with runtime.StreamLimitCtx(stream, 3) as block:
        assert block.stream is stream is runtime.current_stream()
        assert runtime.get_stream_limit(stream) == {"cube_core_num": 3, "vector_core_num": 2}
        with runtime.StreamLimitCtx(other, 1, 1):
            assert runtime.current_stream() is other
            assert (ms.ops.ones(3) + 1).tolist() == [2.0, 2.0, 2.0]
    assert runtime.current_stream() is runtime.default_stream()
    assert runtime.get_stream_limit(stream) == {"cube_core_num": 8, "vector_core_num": 2}
    assert runtime.get_stream_limit(other) == whole
    runtime.reset_stream_limit(stream)
    assert runtime.get_stream_limit(stream) == whole


def test_limits_of_devices() -> None:
    before = runtime.get_device_limit(0)
    try:
        runtime.set_device_limit(0, 2)
        assert runtime.get_device_limit(0) == before | {"cube_core_num": 2}
    finally:
        runtime.set_device_limit(0, **{k.replace("_core", ""): v for k, v in before.items()})
    assert runtime.get_device_limit(0) == before


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: runtime.set_stream_limit(3, 8), TypeError, "set_stream_limit: stream must be a Stream, got 3"),
        (lambda: runtime.get_stream_limit(None), TypeError, "get_stream_limit: stream must be a Stream, got None"),
        (lambda: runtime.reset_stream_limit("a"), TypeError, "reset_stream_limit: stream must be a Stream, got 'a'"),
        (lambda: runtime.StreamLimitCtx(3), TypeError, "StreamLimitCtx: stream must be a Stream, got 3"),
        (lambda: runtime.get_device_limit("a"), TypeError, "get_device_limit: device must be an int, got 'a'"),
        (lambda: runtime.get_device_limit(99), ValueError, r"device must be in \[0, \d+\), got 99"),
        (lambda: runtime.set_device_limit(0.5), TypeError, r"set_device_limit: device must be an int, got 0\.5"),
        (lambda: runtime.set_device_limit(0, 1.5), TypeError, r"cube_num must be an int, got 1\.5"),
        (
            lambda: runtime.set_device_limit(0, 1, 0),
            ValueError,
            "vector_num must be at least 1, or -1 to keep it, got 0",
        ),
    ],
)
def test_what_is_refused(call: object, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()

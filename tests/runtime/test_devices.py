"""Devices, their memory, streams and events."""

import os

import jax
import pytest

import sporax as ms


def test_hal_modules() -> None:
    assert ms.hal.device.device_count is ms.hal.device_count and ms.hal.stream.Stream is ms.hal.Stream
    assert ms.hal.get_arch_list() is None


def test_device() -> None:
    ms.set_device("CPU", 0)
    assert ms.get_current_device() == ("CPU", 0)
    assert ms.hal.device_count("CPU") >= 1 and ms.hal.is_available("CPU") and not ms.hal.is_available("Ascend")
    assert ms.hal.is_initialized("CPU") and not ms.hal.is_initialized("GPU")
    assert ms.hal.get_device_name(0, "CPU") == ms.hal.get_device_properties(0, "CPU")["name"] == "CPU"
    assert ms.hal.get_device_capability(0, "CPU") is None
    with pytest.raises(ValueError, match="device_target must be one of"):
        ms.set_device("abacus")
    with pytest.raises(TypeError, match="device_target must be a str, got 1"):
        ms.set_device(1)


@pytest.mark.parametrize("name", ["device_count", "is_available", "is_initialized", "get_arch_list"])
def test_kinds_of_devices(name) -> None:
    with pytest.raises(ValueError, match="device_target must be one of CPU, GPU, TPU, Ascend, got 'cpu'"):
        getattr(ms.hal, name)("cpu")
    with pytest.raises(TypeError, match="device_target must be a str, got 3"):
        getattr(ms.hal, name)(3)


@pytest.mark.parametrize("name", ["get_device_name", "get_device_properties", "get_device_capability"])
def test_numbers_of_devices(name) -> None:
    with pytest.raises(ValueError, match=r"device_id must be in \[0, \d+\), the devices of this kind, got 5000"):
        getattr(ms.hal, name)(5000)
    with pytest.raises(TypeError, match="device_id must be an int, got 'x'"):
        getattr(ms.hal, name)("x")


def test_memory_and_hints() -> None:
    assert isinstance(ms.runtime.memory_stats(), dict) and isinstance(ms.runtime.memory_summary(), str)
    for name in ("memory_allocated", "memory_reserved", "max_memory_allocated", "max_memory_reserved"):
        assert getattr(ms.runtime, name)() >= 0
    for name in ("empty_cache", "reset_peak_memory_stats", "reset_max_memory_allocated", "reset_max_memory_reserved"):
        assert getattr(ms.runtime, name)() is None
    ms.set_deterministic(True)
    assert ms.get_context("deterministic") == "ON"
    assert (os.environ["HCCL_DETERMINISTIC"], os.environ["TE_PARALLEL_COMPILER"]) == ("true", "1")  # MindSpore's
    ms.set_deterministic(False)
    assert not {"HCCL_DETERMINISTIC", "TE_PARALLEL_COMPILER"} & os.environ.keys()
    with pytest.raises(TypeError, match="set_deterministic: expected a bool, got 1"):
        ms.set_deterministic(1)


def test_streams_and_events() -> None:
    stream, event = ms.runtime.Stream(), ms.runtime.Event()
    with pytest.raises(RuntimeError, match="both events must have been recorded"):
        event.elapsed_time(event)
    default = ms.runtime.default_stream()
    with ms.runtime.StreamCtx(stream):
        assert ms.runtime.current_stream() is stream
        stream.wait_event(event)
        stream.wait_stream(default)
        stream.synchronize()
    assert ms.runtime.current_stream() is default is ms.runtime.communication_stream()
    later = stream.record_event()
    event.record()
    event.wait()
    event.synchronize()
    assert later.elapsed_time(event) >= 0 and event.query() and stream.query()


def test_synchronize_waits_for_what_was_started() -> None:
    square = ms.jit(lambda x: x @ x @ x @ x @ x @ x)
    x = ms.ops.ones((600, 600)) / 600
    square(x).asnumpy()
    results = [square(x) for _ in range(5)]
    ms.runtime.synchronize()
    assert all(array.is_ready() for array in jax.live_arrays())
    assert results[-1].shape == (600, 600)


def test_a_block_chooses_a_device() -> None:
    before = ms.get_current_device()
    with ms.DeviceCtx("CPU") as block:
        assert (block.name, block.device_id) == ("CPU", 0) and ms.get_current_device() == ("CPU", 0)
        assert ms.ops.ones(2).tolist() == [1.0, 1.0]
    assert ms.get_current_device() == before
    for name, number, text in (
        ("abacus", None, "device_target must be one of"),
        ("CPU", -1, "device_id must be at least 0, got -1"),
    ):
        with pytest.raises(ValueError, match=text), ms.DeviceCtx(name, number):
            pass
    assert ms.get_current_device() == before

"""`mindspore.device_context`: what the context knows is set there, the rest is checked and said to have no effect."""

import jax
import pytest

import sporax as ms
from sporax import device_context
from sporax._src.runtime import device_context as implementation


def test_devices() -> None:
    assert device_context.cpu.is_available() and device_context.cpu.device_count() == len(jax.devices("cpu"))
    assert device_context.cpu.device.device_count is device_context.cpu.device_count
    gpus = [d for d in jax.devices() if d.platform == "gpu"]
    assert device_context.gpu.is_available() is bool(gpus) and device_context.gpu.device_count() == len(gpus)
    assert not device_context.ascend.is_available() and device_context.ascend.device_count() == 0


def test_settings_that_the_context_knows() -> None:
    before = {
        name: ms.get_context(name) for name in ("conv_allow_tf32", "matmul_allow_tf32", "gpu_config", "op_timeout")
    }
    threads = ms.get_context("runtime_num_threads")
    try:
        device_context.gpu.op_precision.conv_allow_tf32(False)
        device_context.gpu.op_precision.matmul_allow_tf32(True)
        device_context.gpu.op_tuning.conv_fprop_algo("gemm")
        device_context.gpu.op_tuning.conv_dgrad_algo("fft")
        device_context.gpu.op_tuning.conv_wgrad_algo("algo_3")
        device_context.ascend.op_debug.execute_timeout(100)
        device_context.cpu.op_tuning.threads_num(3)
        assert not ms.get_context("conv_allow_tf32") and ms.get_context("matmul_allow_tf32")
        want = {"conv_fprop_algo": "gemm", "conv_dgrad_algo": "fft", "conv_wgrad_algo": "algo_3"}
        assert ms.get_context("gpu_config") == want
        assert (ms.get_context("op_timeout"), ms.get_context("runtime_num_threads")) == (100, 3)
    finally:
        ms.set_context(runtime_num_threads=threads, **before)
    with pytest.raises(ValueError, match=r"op_tuning.conv_dgrad_algo: the value must be one of .*, got 'gemm'"):
        device_context.gpu.op_tuning.conv_dgrad_algo("gemm")


ACCEPTED = [
    ("op_precision", "precision_mode", "force_fp16", "precision is chosen by dtypes"),
    ("op_precision", "op_precision_mode", "a.ini", "precision is chosen by dtypes"),
    ("op_precision", "matmul_allow_hf32", True, "precision is chosen by dtypes"),
    ("op_precision", "conv_allow_hf32", True, "precision is chosen by dtypes"),
    ("op_tuning", "aoe_tune_mode", "online", "XLA chooses its kernels by itself"),
    ("op_tuning", "aoe_job_type", "2", "XLA chooses its kernels by itself"),
    ("op_tuning", "op_compile", True, "XLA compiles whole graphs"),
    ("op_tuning", "aclnn_cache", True, "it is for Ascend devices"),
    ("op_debug", "debug_option", "oom", "it is for Ascend devices"),
    ("op_debug", "aclinit_config", {"err_msg_mode": "1"}, "it is for Ascend devices"),
]


@pytest.mark.parametrize(("module", "name", "value", "why"), ACCEPTED)
def test_settings_of_ascend(module: str, name: str, value: object, why: str, monkeypatch) -> None:
    lines: list[str] = []
    monkeypatch.setattr(implementation.logging, "warning", lines.append)
    monkeypatch.setattr(implementation, "_reported", set())
    function = getattr(getattr(device_context.ascend, module), name)
    function(value)
    function(value)
    assert lines == [f"{module}.{name}({value!r}) has no effect: {lines[0].split('effect: ')[1]}"] and why in lines[0]


def test_settings_that_are_wrong() -> None:
    ascend = device_context.ascend
    with pytest.raises(ValueError, match=r"op_precision.precision_mode: the value must be one of .*, got 'fp8'"):
        ascend.op_precision.precision_mode("fp8")
    with pytest.raises(TypeError, match=r"op_precision.matmul_allow_hf32: expected a value of type bool, got 1"):
        ascend.op_precision.matmul_allow_hf32(1)
    with pytest.raises(TypeError, match=r"op_tuning.aclnn_cache: expected a value of type int, got True"):
        ascend.op_tuning.aclnn_cache(True, True)

"""The settings of one kind of device, `mindspore.device_context`.

Settings that `set_context` has under another name are set there. The others have no effect with XLA, and one line of the log says
so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sporax._src.base import logging
from sporax._src.base.config import get_context, set_context
from sporax._src.runtime import devices
from sporax._src.runtime.hints import whole

_reported: set[str] = set()


def _counted(device: str) -> tuple[Callable[[], int], Callable[[], bool]]:
    def device_count() -> int:
        return devices.device_count(device) if devices.is_available(device) else 0

    def is_available() -> bool:
        return devices.is_available(device)

    device_count.__doc__ = f"Return how many devices of the kind {device!r} there are."
    is_available.__doc__ = f"Return whether there is a device of the kind {device!r}."
    return device_count, is_available


ascend_device_count, ascend_is_available = _counted("Ascend")
cpu_device_count, cpu_is_available = _counted("CPU")
gpu_device_count, gpu_is_available = _counted("GPU")


def _accept(name: str, value: object, kind: type, choices: tuple[Any, ...] = (), why: str = "") -> None:
    """Check a setting and log once that it has no effect."""
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TypeError(f"{name}: expected a value of type {kind.__name__}, got {value!r}.")
    if choices and value not in choices:
        raise ValueError(f"{name}: the value must be one of {list(choices)}, got {value!r}.")
    if name not in _reported:
        _reported.add(name)
        logging.warning(f"{name}({value!r}) has no effect: {why or 'it is for Ascend devices'}.")


_TUNES = "XLA chooses its kernels by itself"
_PRECISION = "precision is chosen by dtypes, `Cell.to_float` and `amp`"
_MODES = (
    "force_fp16",
    "allow_fp32_to_fp16",
    "allow_mix_precision",
    "must_keep_origin_dtype",
    "force_fp32",
    "allow_fp32_to_bf16",
    "allow_mix_precision_fp16",
    "allow_mix_precision_bf16",
)
_GRADIENT_ALGORITHMS = ("normal", "performance", "algo_0", "algo_1", "fft", "fft_tiling", "winograd_nonfused")

# --- Ascend -----------------------------------------------------------------------------------------------------------


def precision_mode(mode: str) -> None:
    """Accept how Ascend's compiler mixes precisions."""
    _accept("op_precision.precision_mode", mode, str, _MODES, _PRECISION)


def op_precision_mode(path: str) -> None:
    """Accept the path of a file that gives a precision for each operator."""
    _accept("op_precision.op_precision_mode", path, str, why=_PRECISION)


def matmul_allow_hf32(value: bool) -> None:
    """Accept whether products of matrices may be computed in HF32."""
    _accept("op_precision.matmul_allow_hf32", value, bool, why=_PRECISION)


def conv_allow_hf32(value: bool) -> None:
    """Accept whether convolutions may be computed in HF32."""
    _accept("op_precision.conv_allow_hf32", value, bool, why=_PRECISION)


def aoe_tune_mode(tune_mode: str) -> None:
    """Accept when Ascend tunes its kernels."""
    _accept("op_tuning.aoe_tune_mode", tune_mode, str, ("online", "offline"), _TUNES)


def aoe_job_type(config: str) -> None:
    """Accept what Ascend tunes."""
    _accept("op_tuning.aoe_job_type", config, str, ("1", "2"), _TUNES)


def op_compile(value: bool) -> None:
    """Accept whether Ascend compiles operators as a program runs."""
    _accept("op_tuning.op_compile", value, bool, why="XLA compiles whole graphs")


def aclnn_cache(enable_global_cache: bool = False, cache_queue_length: int = 10000) -> None:
    """Accept how Ascend keeps its operators."""
    _accept("op_tuning.aclnn_cache", enable_global_cache, bool)
    _accept("op_tuning.aclnn_cache", cache_queue_length, int)


def execute_timeout(op_timeout: int) -> None:
    """Set the option `op_timeout` of the context."""
    set_context(op_timeout=op_timeout)


def debug_option(option_value: str) -> None:
    """Accept the check of Ascend's operators for accesses out of bounds."""
    _accept("op_debug.debug_option", option_value, str, ("oom",))


def aclinit_config(config: dict[str, Any]) -> None:
    """Accept how Ascend's library is started."""
    _accept("op_debug.aclinit_config", config, dict)


# --- CPU and GPU ------------------------------------------------------------------------------------------------------


def threads_num(num: int) -> None:
    """Set the option `runtime_num_threads` of the context, which does not affect the size of XLA's thread pool."""
    whole("op_tuning.threads_num", "num", num)
    set_context(runtime_num_threads=num)


def conv_allow_tf32(value: bool) -> None:
    """Set the option `conv_allow_tf32` of the context."""
    set_context(conv_allow_tf32=value)


def matmul_allow_tf32(value: bool) -> None:
    """Set the option `matmul_allow_tf32` of the context."""
    set_context(matmul_allow_tf32=value)


def _set_algorithm(name: str, mode: str, choices: tuple[str, ...]) -> None:
    if mode not in choices:
        raise ValueError(f"op_tuning.{name}: the value must be one of {list(choices)}, got {mode!r}.")
    set_context(gpu_config={**get_context("gpu_config"), name: mode})


def conv_fprop_algo(mode: str) -> None:
    """Set the algorithm of convolutions in the option `gpu_config` of the context."""
    more = ("implicit_gemm", "precomp_gemm", "gemm", "direct", "fft", "fft_tiling", "winograd", "winograd_nonfused")
    _set_algorithm("conv_fprop_algo", mode, ("normal", "performance", *more))


def conv_dgrad_algo(mode: str) -> None:
    """Set the algorithm of gradients of convolutions in the option `gpu_config` of the context."""
    _set_algorithm("conv_dgrad_algo", mode, (*_GRADIENT_ALGORITHMS, "winograd"))


def conv_wgrad_algo(mode: str) -> None:
    """Set the algorithm of gradients of kernels in the option `gpu_config` of the context."""
    _set_algorithm("conv_wgrad_algo", mode, (*_GRADIENT_ALGORITHMS, "algo_3"))

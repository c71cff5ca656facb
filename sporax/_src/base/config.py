"""Process-wide settings: the execution context and the only reader of environment variables."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import jax

from sporax._src.base.errors import warn_user

GRAPH_MODE = 0
PYNATIVE_MODE = 1

# Options of `set_context` that mean something here, with their defaults.
_DEFAULTS: dict[str, Any] = {
    "mode": PYNATIVE_MODE,
    "device_target": "CPU",
    "device_id": 0,
    "save_graphs": False,
    "save_graphs_path": ".",
    "deterministic": "OFF",
    "pynative_synchronize": False,
    "max_call_depth": 1000,
    "enable_compile_cache": True,
    "compile_cache_path": "",
    "debug_nans": False,
}

# Options that steer MindSpore's own kernels, memory pools and compilers: kept and readable, without effect.
_ACCEPTED: dict[str, Any] = {
    "aoe_config": {},
    "aoe_tune_mode": "",
    "ascend_config": {},
    "auto_tune_mode": "NO_TUNE",
    "check_bprop": False,
    "conv_allow_tf32": True,
    "debug_level": 0,
    "disable_format_transform": False,
    "enable_auto_mixed_precision": False,
    "enable_dump": False,
    "enable_graph_kernel": False,
    "enable_loop_sink": False,
    "enable_mem_offload": False,
    "enable_mem_reuse": True,
    "enable_profiling": False,
    "enable_reduce_precision": True,
    "enable_sparse": False,
    "enable_task_sink": True,
    "env_config_path": "",
    "exec_order": "",
    "gpu_config": {},
    "grad_for_scalar": False,
    "graph_kernel_flags": "",
    "graph_memory_max_size": "0",
    "host_scheduling_max_threshold": 0,
    "inter_op_parallel_num": 0,
    "jit_config": {},
    "jit_enable_inplace_ops": True,
    "jit_level": "",
    "jit_syntax_level": 2,
    "load_compile_cache": False,
    "matmul_allow_tf32": False,
    "max_device_memory": "1024GB",
    "memory_offload": "OFF",
    "memory_optimize_level": "O0",
    "mempool_block_size": "1GB",
    "op_debug_option": "",
    "op_timeout": 900,
    "precompile_only": False,
    "print_file_path": "",
    "profiling_dir_path": "",
    "profiling_options": "training_trace",
    "reserve_class_name_in_scope": False,
    "runtime_num_threads": 30,
    "save_compile_cache": False,
    "save_dump_path": "",
    "save_ms_model": False,
    "save_ms_model_path": "",
    "sparse_format": "",
    "support_binary": False,
    "topo_order": {},
    "variable_memory_max_size": "0",
}

_DEVICES = ("CPU", "GPU", "TPU", "Ascend", "Davinci")
_PLATFORMS = {"cpu": "CPU", "gpu": "GPU", "cuda": "GPU", "rocm": "GPU", "tpu": "TPU"}

_settings: dict[str, Any] = {**_ACCEPTED, **_DEFAULTS}
_overridden: set[str] = set()
_told: set[str] = set()


def environ(name: str, default: str = "") -> str:
    """Return an environment variable; every other module asks here."""
    return os.environ.get(name, default)


def mode() -> int:
    """Return the execution mode."""
    return _settings["mode"]


def set_context(**options: Any) -> None:
    """Set options of the execution context.

    Args:
        mode: `GRAPH_MODE` (0) or `PYNATIVE_MODE` (1).
        device_target: `"CPU"`, `"GPU"`, `"TPU"`; `"Ascend"` runs on the best device present.
        **options: The other options of MindSpore's `set_context`; those that steer its own kernels and
            compilers are kept and readable, and have no effect.

    Raises:
        ValueError: If an option is unknown or a value is out of range.

    Examples:
        >>> import sporax as ms
        >>> ms.set_context(mode=ms.PYNATIVE_MODE)
        >>> ms.get_context("mode")
        1
    """
    for name, value in options.items():
        if name not in _settings:
            raise ValueError(f"set_context: unknown option {name!r}; known are {', '.join(sorted(_settings))}.")
        checked = _check(name, value)
        if name not in _overridden:
            _settings[name] = checked


def get_context(name: str) -> Any:
    """Return the value of an option of the execution context."""
    if name not in _settings:
        raise ValueError(f"get_context: unknown option {name!r}; known are {', '.join(sorted(_settings))}.")
    return _settings[name]


def override(**options: Any) -> None:
    """Set options that later `set_context` calls of the program do not change (the command line's word is last)."""
    options = {k: v for k, v in options.items() if v is not None}
    _overridden.difference_update(options)
    set_context(**options)
    _overridden.update(options)


def _check(name: str, value: Any) -> Any:
    if name == "mode":
        if value not in (GRAPH_MODE, PYNATIVE_MODE) or isinstance(value, bool):
            raise ValueError(f"set_context: mode must be GRAPH_MODE (0) or PYNATIVE_MODE (1), got {value!r}.")
        return int(value)
    if name == "device_target":
        return _choose_device(value)
    if name == "device_id" and not (isinstance(value, int) and 0 <= value <= 4095):
        raise ValueError(f"set_context: device_id must be an integer in [0, 4095], got {value!r}.")
    return value


def _choose_device(target: Any) -> str:
    if target not in _DEVICES:
        raise ValueError(f"set_context: device_target must be one of {', '.join(_DEVICES)}, got {target!r}.")
    present = {_PLATFORMS.get(p, p.upper()): p for p in _platforms()}
    if target in present:
        if target != _settings["device_target"]:
            jax.config.update("jax_default_device", jax.devices(present[target])[0])
        return target
    best = next(d for d in ("TPU", "GPU", "CPU") if d in present)
    if environ("SPORAX_STRICT_DEVICE") == "1":
        raise ValueError(f"set_context: device_target {target!r} is not present here; devices: {', '.join(present)}.")
    if target not in _told:
        _told.add(target)
        warn_user(f"device_target {target!r} is not present here: running on {best}.")
    return best


def _platforms() -> list[str]:
    found = ["cpu"]
    for platform in ("gpu", "tpu"):
        try:
            jax.devices(platform)
        except RuntimeError:
            continue
        found.append(platform)
    return found


def cache_dir() -> Path | None:
    """Return the folder of the on-disk compile cache, or None if it is turned off (`SPORAX_CACHE_DIR=off`)."""
    chosen = environ("SPORAX_CACHE_DIR")
    if chosen.lower() in ("off", "0", "none"):
        return None
    if chosen:
        return Path(chosen)
    home = environ("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "sporax" / "xla"


def configure_jax() -> None:
    """Apply the settings every part of sporax stands on: 64-bit types exist, compilations are kept on disk."""
    jax.config.update("jax_enable_x64", True)
    folder = cache_dir()
    if folder is not None:
        jax.config.update("jax_compilation_cache_dir", str(folder))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)

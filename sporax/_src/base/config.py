"""Process-wide settings: the execution context and the only reader of environment variables."""

from __future__ import annotations

import difflib
import functools
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
from jax import lax

from sporax._src.base.compile_cache import CompileCache
from sporax._src.base.errors import user_level, warn_user
from sporax._src.base.jax_compat import use_compile_cache
from sporax._src.base.settings.context_options import OPTIONS, check

CARD = "SPORAX_PLAN_CARD"  # the variable that `sporax plan --kernels` sets for the program
GRAPH_MODE = 0
PYNATIVE_MODE = 1

# Whether large new Parameters are drawn when they are first needed: set where graphs are cut over devices.
draws_late = [False]

_DEVICES = ("CPU", "GPU", "TPU", "Ascend", "Davinci")
_PLATFORMS = {"cpu": "CPU", "gpu": "GPU", "cuda": "GPU", "rocm": "GPU", "tpu": "TPU"}
_MOST_FRAMES = 20_000  # with more, a runaway recursion would crash the process: CPython's stack is 8 MB

_log = logging.getLogger("sporax")
_overridden: set[str] = set()
_reported: set[str] = set()
_listeners: dict[str, list[Callable[[], None]]] = {}


def environ(name: str, default: str = "") -> str:
    """Return an environment variable; all modules read variables through this function."""
    return os.environ.get(name, default)


def environment(changes: dict[str, str]) -> dict[str, str]:
    """Return a changed copy of the environment for a child process."""
    return os.environ | changes


def give_to_children(name: str, value: str) -> None:
    """Set a variable in the environment: child processes get it."""
    os.environ[name] = value


def keep_from_children(name: str) -> None:
    """Remove a variable from the environment: child processes do not get it."""
    os.environ.pop(name, None)


_settings: dict[str, Any] = {name: option.default for name, option in OPTIONS.items()}
_settings["save_graphs"] = {"1": 1, "2": 2, "3": 3}.get(environ("MS_DEV_SAVE_GRAPHS"), 0)
_settings["save_graphs_path"] = environ("MS_DEV_SAVE_GRAPHS_PATH") or "."
_settings["max_graphs"] = int(environ("SPORAX_MAX_GRAPHS") or _settings["max_graphs"])
_settings["debug_nans"] = environ("SPORAX_DEBUG_NANS") == "1"
_settings["enable_compile_cache"] = environ("SPORAX_CACHE_DIR").lower() not in ("off", "0", "none")


def mode() -> int:
    """Return the execution mode."""
    return _settings["mode"]


def is_deterministic() -> bool:
    """Return whether results must be reproducible bit by bit, whatever else the process has computed."""
    return _settings["deterministic"] == "ON"


def max_graphs() -> int:
    """Return for how many signatures a function keeps executables (see `engine.kernel_cache`)."""
    return _settings["max_graphs"]


def is_strict() -> bool:
    """Return whether graphs use the strict syntax level, at which they return no dictionaries."""
    return (environ("MS_DEV_JIT_SYNTAX_LEVEL") or str(_settings["jit_syntax_level"])) == "0"


def set_context(**options: object) -> None:
    """Set options of the execution context.

    Args:
        mode: `GRAPH_MODE` (0) or `PYNATIVE_MODE` (1).
        device_target: `"CPU"`, `"GPU"`, `"TPU"`; `"Ascend"` runs on the best device present.
        device_id: The number of the device among those of its kind.
        save_graphs: 1, 2 or True: write each compiled graph as text; 3: also as a drawing for Graphviz. Default 0.
        save_graphs_path: The folder to write to. Default `"."`.
        debug_nans: Whether to stop at the first operation that makes a NaN or Inf from finite numbers.
        pynative_synchronize: Whether PyNative mode waits for each operation, so that the call that causes an error
            raises it.
        max_call_depth: How deep functions may call each other.
        jit_syntax_level: `STRICT` (0): a graph that is compiled from now on returns a dictionary as the tuple of its values.
            Other levels do not differ.
        matmul_allow_tf32, conv_allow_tf32: Whether matrix products (default False) and convolutions (default True) may
            round float32 operands to TensorFloat-32's 10 bits of mantissa. This makes NVIDIA GPUs several times faster.
            A TPU instead takes three passes of bfloat16. Set them before anything is computed;
            `JAX_DEFAULT_MATMUL_PRECISION` overrides both.
        deterministic: `"ON"`: results repeat bit by bit (see `set_deterministic`); set it before anything is computed.
        enable_compile_cache: Whether compiled graphs are kept on disk for the next start of a program. Default True.
        compile_cache_path: The folder to keep them in.
        **options: The other options of MindSpore's `set_context` have no effect; one line of the log says why.

    Raises:
        TypeError: If a value is of another type.
        ValueError: If an option is unknown or a value is out of range.

    Examples:
        >>> import sporax as ms
        >>> ms.set_context(mode=ms.PYNATIVE_MODE)
        >>> ms.get_context("mode")
        1
    """
    for name, value in options.items():
        _known("set_context", name)
        if name == "device_target":
            value = _choose_device(value)
        check(name, value)
        if name not in _overridden:
            _set(name, value)


def _set(name: str, value: Any) -> None:
    if name == "save_graphs":
        value = 2 if value is True else int(value)
    if name == "mode":
        value = int(value)
    before, _settings[name] = get_context(name), value
    if OPTIONS[name].why and value != OPTIONS[name].default:
        tell_once(name, f"set_context({name}={value!r}) has no effect: {OPTIONS[name].why}.")
    if before != value or name in ("device_target", "max_call_depth"):
        for listener in _listeners.get(name, ()):
            listener()


def _known(function: str, name: str) -> None:
    if name not in _settings:
        close = difflib.get_close_matches(name, _settings, n=2)
        hint = (
            f"did you mean {' or '.join(map(repr, close))}?" if close else f"known are {', '.join(sorted(_settings))}."
        )
        raise ValueError(f"{function}: unknown option {name!r}; {hint}")


def get_context(attr_key: str) -> Any:
    """Return the value of an option of the execution context."""
    _known("get_context", attr_key)
    if attr_key == "device_target" and not _settings[attr_key]:
        return _PLATFORMS.get(jax.default_backend(), "CPU")
    return _settings[attr_key]


def override(**options: object) -> None:
    """Set options that later calls of `set_context` do not change (the command line takes precedence)."""
    options = {k: v for k, v in options.items() if v is not None}
    _overridden.difference_update(options)
    set_context(**options)
    _overridden.update(options)


def on_change(name: str, listener: Callable[[], None]) -> None:
    """Call `listener` whenever an option changes."""
    _listeners.setdefault(name, []).append(listener)


def tell_once(topic: str, text: str) -> None:
    """Log a line once per process and topic."""
    if topic not in _reported:
        _reported.add(topic)
        _log.warning(text, stacklevel=user_level())


# --- devices ----------------------------------------------------------------------------------------------------------


def check_device_name(function: str, device: object) -> None:
    """Check a device that a program names for a Tensor: one that set_context knows, in upper or lower case, or `"npu"`.

    Raises:
        ValueError: If there is no such device.
    """
    if device is None or str(device).partition(":")[0].lower() in ("npu", "cuda", *map(str.lower, _DEVICES)):
        return
    raise ValueError(f"{function}: device must be one of {', '.join(_DEVICES)} or npu, got {device!r}.")


def _choose_device(target: object) -> str:
    if not isinstance(target, str):
        raise TypeError(f"set_context: device_target must be a str, got {target!r}.")
    if target not in _DEVICES:
        raise ValueError(f"set_context: device_target must be one of {', '.join(_DEVICES)}, got {target!r}.")
    present = _present()
    if target in present:
        return target
    best = next(d for d in ("TPU", "GPU", "CPU") if d in present)
    if environ("SPORAX_STRICT_DEVICE") == "1":
        raise ValueError(f"set_context: device_target {target!r} is not present here; devices: {', '.join(present)}.")
    if target not in _reported:
        _reported.add(target)
        warn_user(f"device_target {target!r} is not present here: running on {best}.")
    return best


def require_device(device: str | None) -> None:
    """Check a device that the command line names: unlike a program's, it is not replaced. Ascend stands for the best one.

    Raises:
        ValueError: If there is no such device here.
    """
    if device not in (None, "Ascend") and device not in _present():
        raise ValueError(f"--device {device}: there is none here; devices: {', '.join(_present())}.")


def _present() -> dict[str, str]:
    """Return the available devices, by their names in `device_target` and in JAX."""
    platforms = {"CPU": "cpu"}
    for platform in ("gpu", "tpu"):
        try:
            jax.local_devices(backend=platform)
        except RuntimeError:
            continue
        platforms[_PLATFORMS[platform]] = platform
    return platforms


def _setting(name: str) -> Any:
    """Return a setting of JAX; its stubs do not name all."""
    return getattr(jax.config, name)


def _use_device() -> None:
    """Compute on the device that `device_target` and `device_id` name."""
    target, index = get_context("device_target"), _settings["device_id"]
    devices = jax.local_devices(backend=_present()[target])
    if index >= len(devices):
        tell_once("device_id", f"device_id {index} is not present here: running on {target} 0 of {len(devices)}.")
    chosen = devices[index] if index < len(devices) else devices[0]
    if (_setting("jax_default_device") or jax.local_devices()[0]) != chosen:
        jax.config.update("jax_default_device", chosen)


@functools.cache
def planned_card() -> str:
    """Return the card that this process compiles its graphs for without having it; "" if they run here."""
    return environ(CARD)


def platform() -> str:
    """Return JAX's name of the platform in use: that of `device_target`, else the best one available.

    In a process that plans for a card it is that card's, although nothing runs there.
    """
    if planned_card():
        return "gpu"
    chosen: Any = _setting("jax_default_device")
    return jax.default_backend() if chosen is None else getattr(chosen, "platform", chosen)


def on_cpu() -> bool:
    """Return whether the CPU is the platform in use."""
    return platform() == "cpu"


# --- float32 in products ------------------------------------------------------------------------------------------------

_asked_of_jax: str | None = _setting("jax_default_matmul_precision")


def _use_products() -> None:
    """Set whether JAX may round float32 to TensorFloat-32 in matrix products, unless the user has set it in JAX."""
    if _asked_of_jax is None:
        precision = "tensorfloat32" if _settings["matmul_allow_tf32"] else "float32"
        jax.config.update("jax_default_matmul_precision", precision)


def convolution_precision() -> lax.Precision | None:
    """Return JAX's precision for convolutions, which may allow TensorFloat-32; None: as for matrix products."""
    if _asked_of_jax is not None:
        return None
    return lax.Precision.HIGH if _settings["conv_allow_tf32"] else lax.Precision.HIGHEST


def _raise_recursion_limit() -> None:
    frames = min(4 * _settings["max_call_depth"], _MOST_FRAMES)  # a call of a Cell takes several frames of Python
    sys.setrecursionlimit(max(sys.getrecursionlimit(), frames))


def compiler_options(convolves: bool) -> dict[str, Any] | None:
    """Return the compiler options of a function with or without convolutions; None: no options."""
    if is_deterministic() and platform() == "gpu":
        return {"xla_gpu_deterministic_ops": True}
    return (_cpu_options() or None) if convolves and on_cpu() else None


def quick_options() -> dict[str, Any]:
    """Return options with which the CPU's compiler takes a third of the time; the programs run two to five times as long.

    Empty on other devices, and if results must be reproducible whatever else the process has computed.
    """
    if not on_cpu() or is_deterministic():
        return {}
    return _if_known("xla_backend_optimization_level", 0) | _if_known("xla_cpu_use_fusion_emitters", False)


def exchange_options() -> dict[str, Any]:
    """Return additional options for a function with collectives: XLA must not combine them, since buckets are chosen."""
    return {"xla_disable_hlo_passes": "cpu-all-reduce-combiner"} if on_cpu() else {}


def with_barriers(options: dict[str, Any] | None) -> dict[str, Any]:
    """Return the compiler options of a function with optimization barriers: on the CPU, XLA must keep them during fusion."""
    return {**(options or {}), "xla_disable_hlo_passes": "cse_barrier_expander"}


def _cpu_options() -> dict[str, Any]:
    """Use YNNPACK for products and sums only: its convolutions run on one thread if channels are few.

    With Eigen's convolutions, ResNet-18's step on two cores takes 25 % less time. Products are not fused: one that is
    fused with a constant operand of equal elements, such as ones, gives wrong results. Nothing is set if XLA does not
    know the option, or the user sets it in `XLA_FLAGS`.
    """
    types = "LIBRARY_FUSION_TYPE_INDIVIDUAL_DOT,LIBRARY_FUSION_TYPE_REDUCE"
    return _if_known("xla_cpu_experimental_ynn_fusion_type", types)


@functools.cache
def _if_known(name: str, value: str | int) -> dict[str, Any]:
    """Return an option of XLA; nothing if XLA does not know it, or the user sets it in `XLA_FLAGS`."""
    options: dict[str, Any] = {name: value}
    if name in environ("XLA_FLAGS"):
        return {}
    try:
        jax.jit(lambda: 0, compiler_options=options).lower().compile()
    except jax.errors.JaxRuntimeError:
        return {}
    return options


# --- the compile cache --------------------------------------------------------------------------------------------------


def cache_dir() -> Path | None:
    """Return the folder of the on-disk compile cache, or None if it is turned off (`SPORAX_CACHE_DIR=off`)."""
    if not _settings["enable_compile_cache"]:
        return None
    chosen = environ("SPORAX_CACHE_DIR")
    if _settings["compile_cache_path"]:
        return Path(_settings["compile_cache_path"])
    if chosen and chosen.lower() not in ("off", "0", "none"):
        return Path(chosen)
    home = environ("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "sporax" / "xla"


def _use_cache() -> None:
    folder = cache_dir()
    jax.config.update("jax_compilation_cache_dir", None if folder is None else str(folder))
    most = int(float(environ("SPORAX_CACHE_GB") or 4) * 2**30)
    use_compile_cache(None if folder is None else CompileCache(folder, most))


def configure_jax() -> None:
    """Apply the JAX settings of sporax: 64-bit types are enabled, and compilations are cached on disk."""
    jax.config.update("jax_enable_x64", True)
    _use_products()
    if cache_dir() is not None:
        _use_cache()
    if _setting("jax_traceback_filtering") == "auto":
        jax.config.update("jax_traceback_filtering", "off")  # `tracebacks` leaves JAX's calls out, and adds no note
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)


for _name, _listener in {
    "device_target": _use_device,
    "device_id": _use_device,
    "matmul_allow_tf32": _use_products,
    "max_call_depth": _raise_recursion_limit,
    "enable_compile_cache": _use_cache,
    "compile_cache_path": _use_cache,
}.items():
    on_change(_name, _listener)

"""The options of `set_context`: their defaults, the values they take, and why some of them have no effect here."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from sporax._src.base.errors import shown


class Option(NamedTuple):
    """One option of the execution context.

    Attributes:
        default: Its value before it is set.
        kinds: The types it takes.
        choices: The values it takes, if they are few.
        why: Why setting it has no effect here; empty for an option that is honoured.
    """

    default: Any
    kinds: tuple[type, ...]
    choices: tuple[Any, ...] = ()
    why: str = ""


_SWITCH = ("ON", "OFF")
_LEVELS = ("", "O0", "O1", "O2")
_FUSES = "XLA fuses operators by itself"
_MEMORY = "XLA manages device memory; XLA_PYTHON_CLIENT_MEM_FRACTION limits it on a GPU"
_PLANS = "XLA plans memory and its reuse by itself"
_THREADS = "XLA sizes its pool of threads by the number of cores"
_TUNES = "XLA chooses its kernels by itself"
_ASCEND = "it steers Ascend's compiler"
_PRECISION = "precision is chosen by dtypes, `Cell.to_float` and `amp`"
_DUMP = "`set_context(save_graphs=True)` and `set_context(debug_nans=True)` show graphs and values"
_PROFILE = "JAX's profiler (`jax.profiler.trace`) records what runs"
_FILES = "networks are saved by `export` and `save_checkpoint`"
_SPARSE = "there are no sparse kernels to switch"

HONOURED: dict[str, Option] = {
    "mode": Option(1, (int,), (0, 1)),
    "device_target": Option("", (str,)),
    "device_id": Option(0, (int,)),
    "save_graphs": Option(0, (bool, int), (0, 1, 2, 3)),
    "save_graphs_path": Option(".", (str,)),
    "deterministic": Option("OFF", (str,), _SWITCH),
    "pynative_synchronize": Option(False, (bool,)),
    "max_call_depth": Option(1000, (int,)),
    "jit_syntax_level": Option(2, (int,), (0, 1, 2)),
    "enable_compile_cache": Option(True, (bool,)),
    "compile_cache_path": Option("", (str,)),
    "conv_allow_tf32": Option(True, (bool,)),
    "matmul_allow_tf32": Option(False, (bool,)),
    "debug_nans": Option(False, (bool,)),
    "reserve_class_name_in_scope": Option(True, (bool,)),
    "max_graphs": Option(64, (int,)),
}

WITHOUT_EFFECT: dict[str, Option] = {
    "aoe_config": Option({}, (dict,), why=_TUNES),
    "aoe_tune_mode": Option("", (str,), ("", "online", "offline"), why=_TUNES),
    "ascend_config": Option({}, (dict,), why=f"{_ASCEND}; {_PRECISION}"),
    "auto_tune_mode": Option("NO_TUNE", (str,), why=_TUNES),
    "check_bprop": Option(False, (bool,), why="a `bprop` of the wrong shape is an error in any case"),
    "debug_level": Option(0, (int,), (0, 1), why=_DUMP),
    "disable_format_transform": Option(False, (bool,), why="XLA chooses memory layouts by itself"),
    "enable_auto_mixed_precision": Option(False, (bool,), why=_PRECISION),
    "enable_dump": Option(False, (bool,), why=_DUMP),
    "enable_graph_kernel": Option(False, (bool,), why=_FUSES),
    "enable_loop_sink": Option(False, (bool,), why="the host starts each step ahead of the device in any case"),
    "enable_mem_offload": Option(False, (bool,), why=_MEMORY),
    "enable_mem_reuse": Option(True, (bool,), why=_PLANS),
    "enable_profiling": Option(False, (bool,), why=_PROFILE),
    "enable_reduce_precision": Option(True, (bool,), why=_PRECISION),
    "enable_sparse": Option(False, (bool,), why=_SPARSE),
    "enable_task_sink": Option(True, (bool,), why="a graph runs on its device as a whole in any case"),
    "env_config_path": Option("", (str,), why=_DUMP),
    "exec_order": Option("bfs", (str,), ("bfs", "dfs"), why="XLA orders the operators of a graph by itself"),
    "gpu_config": Option({}, (dict,), why=_TUNES),
    "grad_for_scalar": Option(False, (bool,), why="a Python number has no gradient; pass it as a Tensor"),
    "graph_kernel_flags": Option("", (str,), why=_FUSES),
    "graph_memory_max_size": Option("0", (str,), why=_MEMORY),
    "host_scheduling_max_threshold": Option(0, (int,), why=_ASCEND),
    "inter_op_parallel_num": Option(0, (int,), why=_THREADS),
    "jit_config": Option({}, (dict,), why="XLA has one level of compilation"),
    "jit_enable_inplace_ops": Option(True, (bool,), why="a graph updates Parameters in place in any case"),
    "jit_level": Option("", (str,), _LEVELS, why="XLA has one level of compilation"),
    "load_compile_cache": Option(False, (bool,), why="`enable_compile_cache` keeps compiled graphs on disk"),
    "max_device_memory": Option("1024GB", (str,), why=_MEMORY),
    "memory_offload": Option("OFF", (str,), _SWITCH, why=_MEMORY),
    "memory_optimize_level": Option("O0", (str,), ("O0", "O1"), why=_PLANS),
    "mempool_block_size": Option("1GB", (str,), why=_MEMORY),
    "op_debug_option": Option("", (str,), why=_DUMP),
    "op_timeout": Option(900, (int,), why=_ASCEND),
    "precompile_only": Option(False, (bool,), why="`Cell.compile(*inputs)` builds a graph without running it"),
    "print_file_path": Option("", (str,), why="`print` writes to the standard output"),
    "profiling_dir_path": Option("", (str,), why=_PROFILE),
    "profiling_options": Option("training_trace", (str,), why=_PROFILE),
    "recompute_comm_overlap": Option("", (str,), why="XLA orders the operators of a graph by itself"),
    "runtime_num_threads": Option(30, (int,), why=_THREADS),
    "save_compile_cache": Option(False, (bool,), why="`enable_compile_cache` keeps compiled graphs on disk"),
    "save_dump_path": Option("", (str,), why=_DUMP),
    "save_ms_model": Option(False, (bool,), why=_FILES),
    "save_ms_model_path": Option("", (str,), why=_FILES),
    "sparse_format": Option("", (str,), why=_SPARSE),
    "support_binary": Option(False, (bool,), why="a program needs its source only for control flow on Tensors"),
    "topo_order": Option({}, (dict,), why="XLA orders the operators of a graph by itself"),
    "variable_memory_max_size": Option("0", (str,), why=_MEMORY),
}

OPTIONS: dict[str, Option] = {**HONOURED, **WITHOUT_EFFECT}

_JIT_CONFIG = {"jit_level": ("O0", "O1", "O2"), "infer_boost": ("on", "off")}


def check(name: str, value: Any) -> None:
    """Raise unless an option takes this value.

    Raises:
        TypeError: If it is of another type.
        ValueError: If it is none of the values the option takes.
    """
    option = OPTIONS[name]
    if not isinstance(value, option.kinds) or (isinstance(value, bool) and bool not in option.kinds):
        kinds = " or ".join("an int" if kind is int else f"a {kind.__name__}" for kind in option.kinds)
        raise TypeError(f"set_context: {name} must be {kinds}, got {value!r}.")
    if option.choices and value not in option.choices:
        raise ValueError(f"set_context: {name} must be one of {list(option.choices)}, got {value!r}.")
    if name in ("max_call_depth", "max_graphs") and value <= 0:
        raise ValueError(f"set_context: {name} must be greater than 0, got {value}.")
    if name in ("runtime_num_threads", "inter_op_parallel_num", "op_timeout") and value < 0:
        raise ValueError(f"set_context: {name} must not be negative, got {value}.")
    if name == "env_config_path" and value and not Path(str(value)).exists():
        raise ValueError(f"set_context: env_config_path names no file: {shown(value)}.")
    if name == "save_graphs_path" and not value:
        raise ValueError("set_context: save_graphs_path must not be empty.")
    if name == "device_id" and not 0 <= value <= 4095:
        raise ValueError(f"set_context: device_id must be an integer in [0, 4095], got {value!r}.")
    if name == "jit_config":
        _check_jit_config(value)


def _check_jit_config(value: Any) -> None:
    for key, chosen in value.items():
        if key not in _JIT_CONFIG:
            raise ValueError(f"set_context: jit_config takes {', '.join(_JIT_CONFIG)}, got {key!r}.")
        if chosen not in _JIT_CONFIG[key]:
            raise ValueError(
                f"set_context: {key} of jit_config must be one of {list(_JIT_CONFIG[key])}, got {chosen!r}."
            )

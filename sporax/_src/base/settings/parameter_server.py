"""Settings of MindSpore's parameter servers and offloading: they are stored and can be read; XLA manages memory by itself."""

from __future__ import annotations

import re
import shutil
from typing import Any

from sporax._src.base.errors import describe

_SERVERS: dict[str, Any] = {
    "enable_ps": False,
    "config_file_path": "",
    "enable_ssl": False,
    "client_password": "",
    "server_password": "",
    "scheduler_ip": "",
    "scheduler_port": 0,
    "worker_num": 0,
    "server_num": 0,
}
_OFFLOAD: dict[str, Any] = {
    "offload_param": "",
    "offload_path": "./offload/",
    "offload_checkpoint": "",
    "offload_cpu_size": 0,
    "offload_disk_size": 0,
    "enable_aio": True,
    "aio_block_size": 1 << 20,
    "aio_queue_depth": 1024,
    "enable_pinned_mem": True,
    "auto_offload": False,
    "host_mem_block_size": 1 << 30,
    "cpu_ratio": 1.0,
    "hbm_ratio": 1.0,
}
_SIZE = re.compile(r"[1-9]\d*\.?\d*GB|0\.\d+GB", re.ASCII)
_TARGETS = {"offload_param": ("cpu", "disk"), "offload_checkpoint": ("cpu", "disk")}

_servers = dict(_SERVERS)
_offload = dict(_OFFLOAD)


def _checked(function: str, defaults: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    for name, value in options.items():
        if name not in defaults:
            raise ValueError(f"{function}: unknown option {name!r}; known are {', '.join(defaults)}.")
        kind = type(defaults[name])
        if (
            type(value) is not kind
            and not (kind is float and type(value) is int)
            and not (kind is int and type(value) is str)
        ):
            raise TypeError(f"{function}: {name} must be of type {kind.__name__}, got {value!r}.")
        if name in _TARGETS and str(value).lower() not in _TARGETS[name]:
            raise ValueError(f"{function}: {name} must be one of {', '.join(_TARGETS[name])}, got {value!r}.")
        if kind is int and type(value) is str and not _SIZE.fullmatch(value):
            raise ValueError(f"{function}: {name} must be an int or a size like '1.5GB', got {value!r}.")
    return options


def _numbers(options: dict[str, Any]) -> dict[str, Any]:
    """Return options of offloading with sizes in bytes and targets in lower case."""
    values = {name: value.lower() if name in _TARGETS else value for name, value in options.items()}
    sizes = {n: v for n, v in values.items() if type(_OFFLOAD[n]) is int and type(v) is str}
    return values | {name: int(float(value.removesuffix("GB")) * 2**30) for name, value in sizes.items()}


def set_ps_context(**options: object) -> None:
    """Store options of training with parameter servers; here each process keeps its Parameters itself.

    Args:
        **options: `enable_ps`, `config_file_path`, `enable_ssl`, ... as in MindSpore.

    Raises:
        TypeError: If a value is of another type.
        ValueError: If an option is unknown.
    """
    _servers.update(_checked("set_ps_context", _SERVERS, options))


def get_ps_context(attr_key: str) -> Any:
    """Return an option of training with parameter servers.

    Raises:
        ValueError: If the option is unknown.
    """
    _known("get_ps_context", _servers, attr_key)
    return _servers[attr_key]


def reset_ps_context() -> None:
    """Set all options of training with parameter servers back to their defaults."""
    _servers.update(_SERVERS)


def set_offload_context(offload_config: dict[str, Any]) -> None:
    """Store options of offloading Parameters to host memory or disk.

    Args:
        offload_config: `offload_param`, `offload_path`, `cpu_ratio`, ... as in MindSpore.

    Raises:
        TypeError: If it is no dict, or a value is of another type.
        ValueError: If an option is unknown or takes other values.
    """
    if not isinstance(offload_config, dict):
        raise TypeError(f"set_offload_context: offload_config must be a dict, got {offload_config!r}.")
    _offload.update(_numbers(_checked("set_offload_context", _OFFLOAD, offload_config)))


def get_offload_context() -> dict[str, Any]:
    """Return all options of offloading; the disk size defaults to the free space."""
    return _offload | {"offload_disk_size": _offload["offload_disk_size"] or shutil.disk_usage(".").free}


def _known(function: str, options: dict[str, Any], name: str) -> None:
    if name not in options:
        raise ValueError(f"{function}: unknown option {name!r}; known are {', '.join(options)}.")


def check_role(label: str, role: object, rank_id: object) -> None:
    """Raise unless these are the role and the number of a process of a cluster."""
    if role != "MS_WORKER":
        raise ValueError(f"{label}: role must be 'MS_WORKER', got {role!r}.")
    if not isinstance(rank_id, int):
        raise TypeError(f"{label}: rank_id must be an int, got {describe(rank_id)}.")

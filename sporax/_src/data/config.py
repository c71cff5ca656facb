"""The pipeline's settings: each has a `set_` and a `get_` function, and the seed fixes every order and draw."""

from __future__ import annotations

import os
import random
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sporax._src.base.errors import describe, shown
from sporax._src.base.json_text import parse_json
from sporax._src.data import randomness
from sporax._src.data.error_samples import ErrorSamplesMode

UNSEEDED = 5489  # MindSpore's default: with this value every iterator draws a fresh seed
_values: dict[str, Any] = {"seed": UNSEEDED}


def set_seed(seed: int) -> None:
    """Fix the order and the random operations of every pipeline; seeds `random` and `numpy.random` too.

    Args:
        seed (int): In [0, 4294967295].

    Raises:
        TypeError: If `seed` is not an int.
        ValueError: If `seed` is out of range.

    Examples:
        >>> import sporax.dataset as ds
        >>> ds.config.set_seed(1)
        >>> [int(row[0]) for row in ds.NumpySlicesDataset([0, 1, 2, 3]).create_tuple_iterator(output_numpy=True)]
        [1, 0, 2, 3]
    """
    set_global_seed(seed)
    random.seed(seed)
    np.random.seed(seed)


def set_global_seed(seed: int) -> None:
    """Fix the order and the random operations of every pipeline, and nothing else; `set_seed` of the package calls it.

    Args:
        seed (int): In [0, 4294967295].

    Raises:
        TypeError: If `seed` is not an int.
        ValueError: If `seed` is out of range.

    Examples:
        >>> from sporax._src.data.config import get_seed, set_global_seed
        >>> set_global_seed(7)
        >>> get_seed()
        7
    """
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise TypeError(f"dataset.config.set_seed: seed must be an int, got {describe(seed)}.")
    if not 0 <= seed <= 0xFFFFFFFF:
        raise ValueError(f"dataset.config.set_seed: seed must be in [0, 4294967295], got {seed}.")
    _values["seed"] = seed
    randomness.seed_eager(seed)


def get_seed() -> int:
    """Return the seed; 5489 means that none was set.

    Examples:
        >>> import sporax.dataset as ds
        >>> ds.config.set_seed(3)
        >>> ds.config.get_seed()
        3
    """
    return _values["seed"]


def draw_seed() -> int:
    """Return the seed for a new iterator: the one that was set, else a fresh one."""
    return secrets.randbits(32) if _values["seed"] == UNSEEDED else _values["seed"]


def _integer(low: int) -> Callable[[str, Any], None]:
    def check(name: str, value: object) -> None:
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError(f"dataset.config.set_{name}: expected an int, got {describe(value)}.")
        if not low <= value <= 0x7FFFFFFF:
            raise ValueError(f"dataset.config.set_{name}: expected an int in [{low}, 2147483647], got {value}.")

    return check


def _boolean(name: str, value: object) -> None:
    if not isinstance(value, bool):
        raise TypeError(f"dataset.config.set_{name}: expected a bool, got {describe(value)}.")


def _one_of(*allowed: str) -> Callable[[str, Any], None]:
    def check(name: str, value: object) -> None:
        if not isinstance(value, str):
            raise TypeError(f"dataset.config.set_{name}: expected a str, got {describe(value)}.")
        if value not in allowed:
            raise ValueError(f"dataset.config.set_{name}: expected one of {list(allowed)}, got {describe(value)}.")

    return check


def _setting(
    name: str, default: object, check: Callable[[str, Any], None], says: str = ""
) -> tuple[Callable[..., None], Callable[[], Any]]:
    """Return the two functions of one setting; MindSpore's further arguments are accepted. `says` is what it does here."""
    _values[name] = default

    def setter(value: object, *extra: object, **named: object) -> None:
        check(name, value)
        _values[name] = value

    def getter() -> Any:
        return _values[name]

    setter.__name__, getter.__name__ = f"set_{name}", f"get_{name}"
    setter.__doc__ = f"Set `{name}` of the pipeline{f': {says}' if says else f'; see `get_{name}`'}."
    getter.__doc__ = f"Return `{name}` of the pipeline{f' ({says})' if says else ''}, by default ``{default!r}``."
    return setter, getter


# Read by the pipeline: the first as the default of num_parallel_workers.
set_num_parallel_workers, get_num_parallel_workers = _setting("num_parallel_workers", 1, _integer(1))


def _mode(name: str, value: object) -> None:
    if not isinstance(value, ErrorSamplesMode):
        raise TypeError(f"dataset.config.set_{name}: expected an ErrorSamplesMode, got {describe(value)}.")


# Read by `map`: the treatment of rows for which an operation raises.
set_error_samples_mode, get_error_samples_mode = _setting("error_samples_mode", ErrorSamplesMode.RETURN, _mode)
# Read where functions are called for rows.
set_prefetch_size, get_prefetch_size = _setting(
    "prefetch_size", 16, _integer(1), "how many rows each worker may be ahead; more where rows are cheap"
)
set_debug_mode, get_debug_mode = _setting("debug_mode", False, _boolean, "whether there are no workers at all")
set_enable_shared_mem, get_enable_shared_mem = _setting(
    "enable_shared_mem",
    True,
    _boolean,
    "whether large rows of worker processes go through memory, not through a socket",
)
set_multiprocessing_timeout_interval, get_multiprocessing_timeout_interval = _setting(
    "multiprocessing_timeout_interval", 300, _integer(1), "how many seconds a worker process may take for one row"
)
# Read by iterators with `enable_autotune`.
set_autotune_interval, get_autotune_interval = _setting(
    "autotune_interval", 0, _integer(0), "after how many rows workers may change, 0 for the end of an epoch"
)
# Accepted and readable: they tune parts of MindSpore that have no counterpart here. No process is forked from the program,
# whatever the start method.
set_auto_num_workers, get_auto_num_workers = _setting("auto_num_workers", False, _boolean)
set_auto_offload, get_auto_offload = _setting("auto_offload", False, _boolean)
set_callback_timeout, get_callback_timeout = _setting("callback_timeout", 60, _integer(1))
set_dynamic_shape, get_dynamic_shape = _setting("dynamic_shape", False, _boolean)
set_enable_watchdog, get_enable_watchdog = _setting("enable_watchdog", True, _boolean)
set_fast_recovery, get_fast_recovery = _setting("fast_recovery", True, _boolean)
set_monitor_sampling_interval, get_monitor_sampling_interval = _setting("monitor_sampling_interval", 1000, _integer(1))
set_multiprocessing_start_method, get_multiprocessing_start_method = _setting(
    "multiprocessing_start_method", "fork", _one_of("fork", "spawn")
)
set_numa_enable, get_numa_enable = _setting("numa_enable", False, _boolean)
set_sending_batches, get_sending_batches = _setting("sending_batches", 0, _integer(0))
set_video_backend, get_video_backend = _setting("video_backend", "CPU", _one_of("CPU", "Ascend"))


def set_enable_autotune(enable: bool, filepath_prefix: str | None = None) -> None:
    """Set whether iterators choose the number of workers, and how far they read ahead, by what they wait for.

    What was chosen is logged at level INFO, and stays in the datasets for later iterators. The rows do not change.

    Args:
        enable (bool): Whether they do.
        filepath_prefix (str, optional): After each epoch the file ``filepath_prefix + "_" + RANK_ID + ".json"`` says what was
            chosen; RANK_ID is 0 unless the environment has it. `dataset.deserialize` makes the pipeline of such a file.
            Default: ``None``, no file.

    Raises:
        TypeError: If `enable` is not a bool, or `filepath_prefix` is not a str.
        RuntimeError: If `filepath_prefix` is empty or a folder, or in a folder that does not exist or cannot be written.

    Examples:
        >>> import sporax.dataset as ds
        >>> ds.config.set_enable_autotune(True)
        >>> data = ds.NumpySlicesDataset([1, 2, 3], shuffle=False).map(lambda x: x + 1)
        >>> [row[0].item() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
        [2, 3, 4]
        >>> ds.config.set_enable_autotune(False)
    """
    _boolean("enable_autotune", enable)
    where = "dataset.config.set_enable_autotune: filepath_prefix"
    if filepath_prefix is not None and not isinstance(filepath_prefix, str):
        raise TypeError(f"{where} must be a str, got {describe(filepath_prefix)}.")
    if enable and filepath_prefix is not None:
        folder = os.path.dirname(os.path.abspath(filepath_prefix))
        if not filepath_prefix or os.path.isdir(filepath_prefix):
            raise RuntimeError(f"{where} must be the start of a file's name, got {describe(filepath_prefix)}.")
        if not os.access(folder, os.W_OK):
            raise RuntimeError(f"{where}: the folder {shown(folder)} does not exist or cannot be written.")
    _values["enable_autotune"] = enable
    _values["autotune_path"] = filepath_prefix if enable and filepath_prefix else ""


def get_enable_autotune() -> bool:
    """Return whether iterators choose the number of workers, by default ``False``.

    Examples:
        >>> import sporax.dataset as ds
        >>> ds.config.get_enable_autotune()
        False
    """
    return _values.setdefault("enable_autotune", False)


def autotune_path() -> str:
    """Return the start of the name of the file for what iterators chose; empty for none."""
    return _values.get("autotune_path", "")


def set_iterator_mode(do_copy: bool = False, parallel_convert: bool = False) -> None:
    """Set how iterators convert rows; rows are never shared with a source here, so both choices give the same.

    Args:
        do_copy (bool): Whether rows are copied.
        parallel_convert (bool): Whether a thread converts rows.

    Raises:
        TypeError: If an argument is not a bool.

    Examples:
        >>> import sporax.dataset as ds
        >>> ds.config.set_iterator_mode(do_copy=True)
        >>> ds.config.get_iterator_mode()
        {'do_copy': True, 'parallel_convert': False}
    """
    _boolean("iterator_mode", do_copy)
    _boolean("iterator_mode", parallel_convert)
    _values["iterator_mode"] = {"do_copy": do_copy, "parallel_convert": parallel_convert}


def get_iterator_mode() -> dict[str, bool]:
    """Return what `set_iterator_mode` set.

    Examples:
        >>> import sporax.dataset as ds
        >>> sorted(ds.config.get_iterator_mode())
        ['do_copy', 'parallel_convert']
    """
    return dict(_values.setdefault("iterator_mode", {"do_copy": False, "parallel_convert": False}))


def load(file: str) -> None:
    """Load settings from a JSON file of ``{"name": value}``, each checked as its `set_` function does.

    Args:
        file (str): Path of the file.

    Raises:
        RuntimeError: If the file is not JSON, or has a wrong setting; no setting is changed then.

    Examples:
        >>> import json, os, tempfile
        >>> import sporax.dataset as ds
        >>> path = os.path.join(tempfile.mkdtemp(), "config.json")
        >>> with open(path, "w") as file:
        ...     json.dump({"prefetch_size": 8}, file)
        >>> ds.config.load(path)
        >>> ds.config.get_prefetch_size()
        8
        >>> ds.config.set_prefetch_size(16)
    """
    # MindSpore's own configuration files spell some settings differently; it passes over names that it does not know.
    names = {
        "numParallelWorkers": "num_parallel_workers",
        "opConnectorSize": "prefetch_size",
        "monitorSamplingInterval": "monitor_sampling_interval",
    }
    before = dict(_values)
    try:
        for key, value in parse_json(Path(file).read_bytes()).items():
            setter = globals().get(f"set_{names.get(key, key)}")
            if setter is not None:
                setter(value)
    except (OSError, ValueError, TypeError, AttributeError, RuntimeError) as error:
        _values.clear()
        _values.update(before)
        raise RuntimeError(f"dataset.config.load: {shown(file)} holds no settings: {shown(error)}.") from error

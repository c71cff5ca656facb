"""Hints for MindSpore's runtime, which are checked; all but `launch_blocking` have no effect with XLA."""

from __future__ import annotations

import re

from sporax._src.base import config
from sporax._src.base.errors import describe


def _check_type(function: str, name: str, value: object, kind: type) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"{function}: {name} must be a {kind.__name__}, got {describe(value)}.")


def whole(function: str, name: str, value: object) -> None:
    """Check that a number is a positive integer.

    Raises:
        TypeError: If it is no integer.
        ValueError: If it is not positive.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{function}: {name} must be an int, got {describe(value)}.")
    if value < 1:
        raise ValueError(f"{function}: {name} must be greater than 0, got {value}.")


def launch_blocking() -> None:
    """Wait after each operator in PyNative mode, so that an error shows where it arises."""
    config.set_context(pynative_synchronize=True)


def empty_cache() -> None:
    """Accept MindSpore's hint: XLA's allocator keeps its pool."""


def set_memory(
    init_size: str = "2GB",
    increase_size: str = "2GB",
    max_size: str = "1024GB",
    optimize_level: str = "O0",
    huge_page_reserve_size: str = "0GB",
) -> None:
    """Accept options of MindSpore's memory pool; XLA's is configured by its environment variables.

    Args:
        init_size, increase_size, max_size: Sizes such as `"2GB"` and `"0.5GB"`, more than nothing.
        optimize_level: `"O0"` or `"O1"`.
        huge_page_reserve_size: A size, `"0GB"` for none.

    Raises:
        TypeError: If an option is no string.
        ValueError: If it is no such size or level.
    """
    sizes = {"init_size": init_size, "increase_size": increase_size, "max_size": max_size}
    for name, size in (sizes | {"huge_page_reserve_size": huge_page_reserve_size}).items():
        _check_type("set_memory", name, size, str)
        found = re.fullmatch(r"(\d+\.?\d*)GB", size)
        if not found or (name in sizes and float(found[1]) == 0):
            raise ValueError(f"set_memory: {name} must be a size such as '2GB', got {describe(size)}.")
    _check_type("set_memory", "optimize_level", optimize_level, str)
    if optimize_level not in ("O0", "O1"):
        raise ValueError(f"set_memory: optimize_level must be 'O0' or 'O1', got {describe(optimize_level)}.")


def set_cpu_affinity(
    enable_affinity: bool,
    affinity_cpu_list: object = None,
    module_to_cpu_dict: object = None,
    bind_file: object = None,
) -> None:
    """Accept MindSpore's binding of threads to cores; the operating system places XLA's threads.

    Raises:
        TypeError: If `enable_affinity` is no bool, `affinity_cpu_list` no list or `module_to_cpu_dict` no dict.
    """
    _check_type("set_cpu_affinity", "enable_affinity", enable_affinity, bool)
    if affinity_cpu_list is not None:
        _check_type("set_cpu_affinity", "affinity_cpu_list", affinity_cpu_list, list)
    if module_to_cpu_dict is not None:
        _check_type("set_cpu_affinity", "module_to_cpu_dict", module_to_cpu_dict, dict)


def dispatch_threads_num(threads_num: int) -> None:
    """Accept a number of threads: Python dispatches in one.

    Raises:
        TypeError, ValueError: If it is no positive integer.
    """
    whole("dispatch_threads_num", "threads_num", threads_num)


def set_kernel_launch_group(thread_num: int = 2, kernel_group_num: int = 8) -> None:
    """Accept a hint for launching kernels in groups: XLA launches whole graphs.

    Raises:
        TypeError, ValueError: If a number is no positive integer, or the groups do not divide among the threads.
    """
    whole("set_kernel_launch_group", "thread_num", thread_num)
    whole("set_kernel_launch_group", "kernel_group_num", kernel_group_num)
    if kernel_group_num % thread_num:
        raise ValueError(
            f"set_kernel_launch_group: kernel_group_num must be a multiple of thread_num, got {kernel_group_num} and {thread_num}."
        )


def set_kernel_launch_capture(enable_capture_graph: bool, op_capture_skip: list[str] | None = None) -> None:
    """Accept a hint for recording launches of kernels and repeating them: XLA launches whole graphs.

    Raises:
        TypeError: If `enable_capture_graph` is no bool, or `op_capture_skip`, names of operators, no list.
    """
    _check_type("set_kernel_launch_capture", "enable_capture_graph", enable_capture_graph, bool)
    if op_capture_skip is not None:
        _check_type("set_kernel_launch_capture", "op_capture_skip", op_capture_skip, list)

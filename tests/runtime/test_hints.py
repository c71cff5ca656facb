"""Hints for MindSpore's runtime: accepted, and their arguments checked."""

import pytest

import sporax as ms


def test_hints() -> None:
    ms.runtime.set_memory("1GB", "0.5GB", "4.GB", "O1", "0GB")
    ms.runtime.set_cpu_affinity(True)
    ms.runtime.set_cpu_affinity(True, ["0-3"], {"main": [0]})
    ms.runtime.set_cpu_affinity(False, bind_file=None)
    ms.runtime.dispatch_threads_num(2)
    ms.runtime.set_kernel_launch_group()
    ms.runtime.set_kernel_launch_capture(True, ["MatMul"])
    ms.runtime.launch_blocking()
    assert ms.get_context("pynative_synchronize") is True
    ms.set_context(pynative_synchronize=False)
    assert ms.runtime.empty_cache() is None


@pytest.mark.parametrize(
    ("name", "given", "error", "text"),
    [
        ("set_memory", {"init_size": 3}, TypeError, "init_size must be a str, got 3"),
        ("set_memory", {"max_size": "2MB"}, ValueError, "max_size must be a size such as '2GB', got '2MB'"),
        ("set_memory", {"increase_size": "0GB"}, ValueError, "increase_size must be a size such as '2GB', got '0GB'"),
        ("set_memory", {"optimize_level": "O3"}, ValueError, "optimize_level must be 'O0' or 'O1', got 'O3'"),
        ("set_cpu_affinity", {"enable_affinity": "x"}, TypeError, "enable_affinity must be a bool, got 'x'"),
        (
            "set_cpu_affinity",
            {"enable_affinity": True, "affinity_cpu_list": 3},
            TypeError,
            "affinity_cpu_list must be a list, got 3",
        ),
        (
            "set_cpu_affinity",
            {"enable_affinity": True, "module_to_cpu_dict": 3},
            TypeError,
            "module_to_cpu_dict must be a dict, got 3",
        ),
        ("dispatch_threads_num", {"threads_num": True}, TypeError, "threads_num must be an int, got True"),
        ("dispatch_threads_num", {"threads_num": 0}, ValueError, "threads_num must be greater than 0, got 0"),
        (
            "set_kernel_launch_group",
            {"kernel_group_num": "x"},
            TypeError,
            "kernel_group_num must be an int, got 'x'",
        ),
        (
            "set_kernel_launch_group",
            {"thread_num": 3},
            ValueError,
            "kernel_group_num must be a multiple of thread_num, got 8 and 3",
        ),
        (
            "set_kernel_launch_capture",
            {"enable_capture_graph": 1},
            TypeError,
            "enable_capture_graph must be a bool, got 1",
        ),
        (
            "set_kernel_launch_capture",
            {"enable_capture_graph": True, "op_capture_skip": "MatMul"},
            TypeError,
            "op_capture_skip must be a list, got 'MatMul'",
        ),
    ],
)
def test_errors(name, given, error, text) -> None:
    with pytest.raises(error, match=f"{name}: {text}"):
        getattr(ms.runtime, name)(**given)

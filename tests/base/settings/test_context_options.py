"""Every option of `set_context` is honoured, or says once why it has no effect."""

from pathlib import Path

import pytest

import sporax as ms
from sporax._src.base import config
from sporax._src.base.settings import context_options

# The options that public programs set, most frequent first.
USED = """mode device_target device_id save_graphs enable_graph_kernel save_graphs_path max_call_depth jit_config
    max_device_memory pynative_synchronize graph_kernel_flags enable_auto_mixed_precision ascend_config
    reserve_class_name_in_scope jit_syntax_level deterministic memory_optimize_level mempool_block_size compile_cache_path
    runtime_num_threads memory_offload variable_memory_max_size enable_reduce_precision enable_compile_cache jit_level
    auto_tune_mode exec_order op_timeout inter_op_parallel_num""".split()


pytestmark = pytest.mark.usefixtures("settings_as_before")


def another(name: str):
    """Return a value of an option that is not its default."""
    option = context_options.OPTIONS[name]
    if name == "jit_config":
        return {"jit_level": "O1"}
    if name == "env_config_path":
        return __file__
    if option.choices:
        return next(c for c in option.choices if c != option.default)
    return {bool: not option.default, int: 7, str: "7", dict: {"key": 1}}[option.kinds[0]]


def test_options_that_programs_set_are_known() -> None:
    assert [name for name in USED if name not in context_options.OPTIONS] == []


@pytest.mark.parametrize("name", sorted(context_options.WITHOUT_EFFECT))
def test_options_without_effect_say_so_once(name: str, told: list[str]) -> None:
    """The line says why, at the place of the call; setting the default says nothing."""
    ms.set_context(**{name: context_options.OPTIONS[name].default})
    assert told == []
    ms.set_context(**{name: another(name)})
    ms.set_context(**{name: another(name)})
    why = context_options.OPTIONS[name].why
    assert len(why) > 10
    assert told == [f"test_context_options.py: set_context({name}={another(name)!r}) has no effect: {why}."]
    assert ms.get_context(name) == another(name)


def test_honoured_options_say_nothing(told: list[str], tmp_path: Path) -> None:
    ms.set_context(
        mode=ms.GRAPH_MODE, device_target="CPU", device_id=0, save_graphs=1, save_graphs_path=str(tmp_path),
        deterministic="ON", pynative_synchronize=True, max_call_depth=2000, enable_compile_cache=True,
        compile_cache_path=str(tmp_path), debug_nans=True,
    )  # fmt: skip
    assert told == []


WRONG = {
    "save_graphs=4": (ValueError, "save_graphs must be one of"),
    "save_graphs='x'": (TypeError, "save_graphs must be a bool or an int, got 'x'"),
    "save_graphs_path=''": (ValueError, "save_graphs_path must not be empty"),
    "save_graphs_path=3": (TypeError, "save_graphs_path must be a str, got 3"),
    "deterministic='on'": (ValueError, r"deterministic must be one of \['ON', 'OFF'\], got 'on'"),
    "deterministic=True": (TypeError, "deterministic must be a str, got True"),
    "pynative_synchronize=1": (TypeError, "pynative_synchronize must be a bool, got 1"),
    "max_call_depth=0": (ValueError, "max_call_depth must be greater than 0, got 0"),
    "max_call_depth=2.5": (TypeError, "max_call_depth must be an int, got 2.5"),
    "enable_compile_cache=1": (TypeError, "enable_compile_cache must be a bool"),
    "jit_config={'jit_level': 'O9'}": (ValueError, "jit_level of jit_config must be one of"),
    "jit_config={'foo': 1}": (ValueError, "jit_config takes jit_level, infer_boost, got 'foo'"),
    "jit_config=3": (TypeError, "jit_config must be a dict, got 3"),
    "enable_graph_kernel=3": (TypeError, "enable_graph_kernel must be a bool, got 3"),
    "max_device_memory=3": (TypeError, "max_device_memory must be a str, got 3"),
    "memory_optimize_level='O5'": (ValueError, "memory_optimize_level must be one of"),
    "memory_offload='yes'": (ValueError, "memory_offload must be one of"),
    "exec_order='foo'": (ValueError, "exec_order must be one of"),
    "jit_syntax_level=5": (ValueError, "jit_syntax_level must be one of"),
    "mode=2": (ValueError, "mode must be one of"),
    "device_id=5000": (ValueError, r"device_id must be an integer in \[0, 4095\], got 5000"),
    "runtime_num_threads=-1": (ValueError, "runtime_num_threads must not be negative, got -1"),
    "op_timeout=-1": (ValueError, "op_timeout must not be negative, got -1"),
    "aoe_tune_mode='x'": (ValueError, r"aoe_tune_mode must be one of \['', 'online', 'offline'\], got 'x'"),
    "env_config_path='none.json'": (ValueError, "env_config_path names no file: none.json"),
    "device_target=1": (TypeError, "device_target must be a str, got 1"),
    "device_target='Foo'": (ValueError, "device_target must be one of CPU"),
    "device_targer='CPU'": (ValueError, "unknown option 'device_targer'; did you mean 'device_target'?"),
    "config_file_path='x'": (ValueError, "unknown option 'config_file_path'"),
}


@pytest.mark.parametrize("call", WRONG)
def test_wrong_values(call: str) -> None:
    """The exception classes are those of MindSpore 2.7."""
    kind, text = WRONG[call]
    before = dict(config._settings)
    with pytest.raises(kind, match=rf"set_context: {text}"):
        eval(f"ms.set_context({call})")
    assert config._settings == before


def test_unknown_options_cannot_be_read() -> None:
    with pytest.raises(ValueError, match="get_context: unknown option 'xyz'; known are aoe_config"):
        ms.get_context("xyz")

"""Every option of `set_context` is honoured, or says once why it has no effect; the compile cache moves and stops."""

import logging
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn, ops
from sporax._src.base import config
from sporax._src.base.settings import context_options

# The options that public programs set, most frequent first.
USED = """mode device_target device_id save_graphs enable_graph_kernel save_graphs_path max_call_depth jit_config
    max_device_memory pynative_synchronize graph_kernel_flags enable_auto_mixed_precision ascend_config
    reserve_class_name_in_scope jit_syntax_level deterministic memory_optimize_level mempool_block_size compile_cache_path
    runtime_num_threads memory_offload variable_memory_max_size enable_reduce_precision enable_compile_cache jit_level
    auto_tune_mode exec_order op_timeout inter_op_parallel_num""".split()


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch):
    """Leave the context as it was, and let every message be new."""
    monkeypatch.setattr(config, "_told", set())
    before, limit = dict(config._settings), sys.getrecursionlimit()
    yield
    for name, value in before.items():
        config._set(name, value)
    sys.setrecursionlimit(limit)


@pytest.fixture
def told():
    """Return what is written to the log."""
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(f"{record.filename}: {record.getMessage()}")
    logging.getLogger("sporax").addHandler(handler)
    yield lines
    logging.getLogger("sporax").removeHandler(handler)


def another(name: str):
    """Return a value of an option that is not its default."""
    option = context_options.OPTIONS[name]
    if name == "jit_config":
        return {"jit_level": "O1"}
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
    assert told == [f"test_context.py: set_context({name}={another(name)!r}) has no effect: {why}."]
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


def test_device_that_is_not_there_is_told_of(told: list[str]) -> None:
    """`device_id=63` of a machine with fewer devices computes on the first."""
    ms.set_context(device_id=63)
    ms.set_context(device_id=63)
    target = ms.get_context("device_target")
    assert told == [f"test_context.py: device_id 63 is not present here: running on {target} 0 of 1."]
    assert next(iter((Tensor([1.0]) + 1)._data.devices())) == jax.local_devices()[0]


def test_device_target_is_the_best_present_until_it_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(config._settings, "device_target", "")
    assert ms.get_context("device_target") == {"cpu": "CPU", "gpu": "GPU", "tpu": "TPU"}[jax.default_backend()]


def test_max_call_depth_lets_functions_call_deeper(mode: int) -> None:
    """A recursion that Python's own limit stops; deeper than some 150 calls, Python 3.12 stops it for its own stack's sake."""
    sys.setrecursionlimit(300)  # whoever ran before may have raised it

    class Down(nn.Cell):
        def construct(self, x, n):
            return x if n == 0 else self(x + 1, n - 1)

    net = Down()
    with pytest.raises(RecursionError):
        net(Tensor(0.0), 150)
    ms.set_context(max_call_depth=10000)
    assert float(net(Tensor(0.0), 150)) == 150.0
    limit = sys.getrecursionlimit()
    ms.set_context(max_call_depth=100)
    assert sys.getrecursionlimit() == limit  # never lowered: Python itself and JAX need their share


def test_deterministic_is_for_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """XLA on a CPU repeats its results in any case; on a GPU every graph is compiled for it."""
    plain = config.compiler_options(False)
    ms.set_deterministic(True)
    assert ms.get_context("deterministic") == "ON"
    assert config.compiler_options(False) == plain or jax.default_backend() == "gpu"
    with monkeypatch.context() as patch:
        patch.setattr(jax, "default_backend", lambda: "gpu")
        given = config.compiler_options(False)
    assert given == {"xla_gpu_deterministic_ops": True}
    assert float(jax.jit(lambda x: x + 1, compiler_options=given)(np.float32(1))) == 2.0  # XLA knows the option


def _precision(fn, *shapes: tuple[int, ...]) -> str:
    """Return what an operator tells XLA of the precision of float32."""
    given = [np.ones(shape, np.float32) for shape in shapes]
    return str(jax.make_jaxpr(lambda *arrays: fn(*map(Tensor, arrays))._data)(*given)).partition("precision=")[2]


@pytest.mark.parametrize("allow", [False, True])
def test_float32_is_rounded_where_that_is_allowed(allow: bool) -> None:
    """TensorFloat-32 is JAX's `HIGH`; gradients are as their operators."""
    product, image = lambda x, w: ops.matmul(x, w), lambda x, w: ops.conv2d(x, w)
    sizes = ((3, 4), (4, 5)) if allow else ((2, 3), (3, 4))
    images = ((1, 2, 4, 4), (3, 2, 2, 2)) if allow else ((1, 2, 3, 3), (3, 2, 2, 2))
    ms.set_context(matmul_allow_tf32=allow, conv_allow_tf32=allow)
    expected = "(Precision.HIGH, Precision.HIGH)" if allow else "(Precision.HIGHEST, Precision.HIGHEST)"
    assert _precision(product, *sizes).startswith(expected)
    assert _precision(ms.grad(product), *sizes).startswith(expected)
    assert _precision(image, *images).startswith(expected)


def test_what_jax_was_told_of_precision_holds() -> None:
    program = """
import jax, numpy as np, sporax as ms
from sporax import ops, Tensor
ms.set_context(matmul_allow_tf32=True, conv_allow_tf32=True)
x, w = np.ones((1, 2, 4, 4), np.float32), np.ones((3, 2, 2, 2), np.float32)
print(jax.config.jax_default_matmul_precision)
print("HIGHEST" in str(jax.make_jaxpr(lambda x, w: ops.conv2d(Tensor(x), Tensor(w))._data)(x, w)))
"""
    env = config.environment({"JAX_DEFAULT_MATMUL_PRECISION": "highest"})
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env)
    assert done.stdout.split() == ["highest", "True"], done.stderr


# --- the compile cache --------------------------------------------------------------------------------------------------


def compile_something() -> None:
    """Compile a graph that no other test has."""
    compile_something.count = getattr(compile_something, "count", 0) + 1
    factor = float(np.random.default_rng().random())
    ms.jit(lambda x: x * factor + 1)(Tensor(np.ones(100 + compile_something.count, np.float32)))


def files(folder: Path) -> set[str]:
    return {p.name for p in folder.glob("*-cache")}


def test_cache_moves_and_stops_at_run_time(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    ms.set_context(enable_compile_cache=True, compile_cache_path=str(first))
    compile_something()
    kept = files(first)
    assert kept and config.cache_dir() == first
    ms.set_context(compile_cache_path=str(second))
    compile_something()
    assert files(first) == kept and files(second)
    kept = files(second)
    ms.set_context(enable_compile_cache=False)
    compile_something()
    assert files(second) == kept and config.cache_dir() is None
    ms.set_context(enable_compile_cache=True)
    compile_something()
    assert files(second) > kept


PROGRAM = """
import sys
import sporax as ms
assert ms.get_context("enable_compile_cache") == (len(sys.argv) < 2)
ms.set_context(mode=ms.GRAPH_MODE)
net = ms.nn.Dense(3, 4)
print(ms.value_and_grad(lambda x: net(x).sum())(ms.Tensor([[1.0, 2.0, 3.0]]))[1].shape)
"""


def run(tmp_path: Path, cache: str, *args: str) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    env = {"PATH": "/usr/bin", "SPORAX_CACHE_DIR": cache, "PYTHONPATH": str(Path(ms.__file__).parents[1])}
    done = subprocess.run([sys.executable, tmp_path / "program.py", *args], capture_output=True, text=True, env=env)
    assert (done.returncode, done.stdout) == (0, "(1, 3)\n"), done.stderr


def test_second_process_compiles_nothing(tmp_path: Path) -> None:
    """Every compilation of the second start is found on disk: nothing is added."""
    folder = tmp_path / "cache"
    run(tmp_path, str(folder))
    kept = files(folder)
    assert kept
    run(tmp_path, str(folder))
    assert files(folder) == kept


def test_cache_off(tmp_path: Path) -> None:
    run(tmp_path, "off", "expect it to be off")
    assert [p.name for p in tmp_path.iterdir()] == ["program.py"]

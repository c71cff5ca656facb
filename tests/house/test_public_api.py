"""The public modules: everything they promise is there, and importing them costs little."""

import importlib
import json
import subprocess
import sys
from types import ModuleType

import pytest
from house import modules, settings

import sporax as ms

FACADES = sorted(m.name for m in modules().values() if m.is_facade)


@pytest.mark.parametrize("name", FACADES)
def test_all_resolves(name):
    module = importlib.import_module(name)
    names = list(module.__all__)
    assert sorted({n for n in names if names.count(n) > 1}) == []
    assert [n for n in names if not hasattr(module, n)] == []


@pytest.mark.parametrize("name", FACADES)
def test_all_says_everything(name):
    """What a facade imports without an underscore is exported."""
    module = importlib.import_module(name)
    bound = {n for n, value in vars(module).items() if not n.startswith("_") and not isinstance(value, ModuleType)}
    assert (
        sorted(
            bound
            - set(module.__all__)
            - {
                "annotations",
                "prepare_process",
                "join_run",
                "complete",
                "serve_paths",
                "serve_public_modules",
                "hold_collections",
                "resume_collections",
            }
        )
        == []
    )


def test_submodules_are_attributes_of_their_parents():
    """`import sporax as ms; ms.nn.Cell` works without importing `sporax.nn`; deep legacy paths may wait."""
    others = ("sporax.migrate",)  # it imports `sporax` itself
    top = [name.split(".")[1] for name in FACADES if name.count(".") == 1 and name not in others]
    assert printed(f"import sporax; print([name for name in {top} if not hasattr(sporax, name)])") == "[]"


def printed(code: str) -> str:
    """Return what a new process prints."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_import_starts_no_device():
    """JAX takes the number of CPU devices until it starts them."""
    assert printed("import sporax, jax; jax.config.update('jax_num_cpu_devices', 2); print(jax.device_count())") == "2"


def test_import_leaves_the_garbage_collector_as_it_is():
    assert (
        printed(
            "import gc; before = gc.get_threshold(); import sporax; print(gc.get_threshold() == before, gc.isenabled())"
        )
        == "True True"
    )
    assert printed("import gc; gc.disable(); import sporax; print(gc.isenabled())") == "False"


def test_import_loads_nothing_heavy():
    loaded = json.loads(
        printed("import sys, json, sporax; print(json.dumps(sorted({n.split('.')[0] for n in sys.modules})))")
    )
    unwanted = {*settings()["imports"]["optional"], "click", "google", "msgpack", "safetensors"}
    assert sorted(unwanted & set(loaded)) == []


# Packages of which a program asks for what it needs, or which only a distributed, migrated or renamed one does.
LATER = "api.primitives api.mint api.numpy checkpoint cli data dist migrate nn optim train.model train.metrics".split()


def test_import_loads_what_every_program_needs():
    """Other packages load when they are asked for; a module costs a third of a millisecond."""
    code = "import jax, sys; before = {*sys.modules}; import sporax; print(*sorted({*sys.modules} - before))"
    names = printed(code).split()
    modules = [name.removeprefix("sporax._src.") for name in names if name.startswith("sporax._src.")]
    assert [name for name in modules if any(f"{name}.".startswith(f"{package}.") for package in LATER)] == []
    public = [name for name in names if name.startswith("sporax.") and not name.startswith("sporax._src")]
    assert public == ["sporax.run_check"]  # if it were loaded later, it would hide the function of its name
    assert [name for name in names if f"{name}.".startswith(("jax.extend.", "jax._src.pallas."))] == []
    assert len(names) <= 325


# What MindSpore 2.7's `mindspore.common.__all__` holds and sporax offers.
COMMON = """
    Generator Int JitConfig Parameter ParameterTuple QuantDtype Tensor TensorType Type _Function _no_grad bfloat16 bool_ byte
    cdouble cfloat complex128 complex64 default_generator double dtype dtype_to_nptype dtype_to_pytype enable_dynamic float16
    float32 float64 float8_e4m3fn float8_e5m2 float_ from_numpy get_py_obj_dtype get_rng_state get_seed half initial_seed int16
    int32 int64 int8 int_ intc intp is_tensor jit jit_class lazy_inline list_ long manual_seed ms_memory_recycle mutable no_inline
    number pytype_to_dtype qint4x2 recompute seed set_recursion_limit set_rng_state set_seed short single string tensor tensor_type
    tuple_ type_none ubyte uint uint16 uint32 uint64 uint8 uintc uintp ushort
"""


@pytest.mark.parametrize("name", COMMON.split())
def test_common_exports(name: str) -> None:
    assert name in ms.common.__all__
    if name != "dtype":
        assert getattr(ms, name) is getattr(ms.common, name)

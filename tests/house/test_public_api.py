"""The public modules: everything they promise is there, and importing them costs little."""

import importlib
import json
import subprocess
import sys
from types import ModuleType

import pytest
from house import modules, settings

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
                "show_public_names",
                "serve_paths",
                "hold_collections",
                "resume_collections",
            }
        )
        == []
    )


def test_submodules_are_attributes_of_their_parents():
    """`import sporax as ms; ms.nn.Cell` works without importing `sporax.nn`; deep legacy paths may wait."""
    import sporax

    top = [name.split(".")[1] for name in FACADES if name.count(".") == 1]
    assert [name for name in top if not hasattr(sporax, name)] == []


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
    unwanted = {*settings()["imports"]["optional"], "click", "google", "safetensors"} - {"scipy"}  # JAX loads SciPy
    assert sorted(unwanted & set(loaded)) == []

"""What every test shares: strict dtype promotion, quick compilation, a fixed seed, the release 2.7, and the mode fixture.

The suite compiles many thousand small programs and runs each a few times, so XLA is told not to spend time on making
them fast, in the processes that tests start as well. `JAX_DISABLE_MOST_OPTIMIZATIONS=0 XLA_FLAGS= pytest` runs it with what
users get.
"""

import gc
import itertools
import os
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

os.environ.setdefault("SPORAX_MINDSPORE", "2.7.0")  # the goldens are its; tests/compat/releases follow all releases
os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")  # JAX reads it when it is imported
if version("jax").startswith("0.10."):  # its second way to make kernels takes half the time; later releases have none
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1")
# torch's threads wait for one another, busy, where workers share the cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import hypothesis
import jax
import pytest

import sporax as ms
from sporax._src.base import config, release
from sporax._src.engine import numpy_fallback, quick_kernels
from sporax._src.transform import jit

# Operators and graphs are compiled at their first run, and made as quickly as may be. How users have it is told in
# tests/engine/test_numpy_fallback.py, tests/engine/test_quick_kernels.py and tests/transform/test_quick_graphs.py.
NEVER = 10**9
numpy_fallback.USUAL = quick_kernels.FEW = quick_kernels.MANY = jit.USUAL = NEVER
jax.config.update("jax_numpy_dtype_promotion", "strict")
# How fast examples are drawn is a matter of the machine's load.
hypothesis.settings.register_profile("sporax", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("sporax")


# Assertions in tables and laws say what was compared.
TABLES = ("data_tables", "layer_tables", "metric_tables", "optimizer_tables", "probability_tables")
pytest.register_assert_rewrite(*TABLES, "dataset_laws", "optimizer_laws")

MAPS = Path("/proc/self/maps")
FILES = 40  # of tests, after which all garbage is collected
_files = itertools.count(1)
MOST_MAPS = 20_000  # Linux gives a process 65,530; each compiled program takes several, and XLA crashes without


# Folders whose tests start processes or read much: `pytest -m quick` leaves them out.
LONG = ("cli", "dist", "docs", "house", "migrate", "processes", "recorded", "startup", "tools")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as quick the first test of each file, but in long folders: enough to see that nothing is broken altogether."""
    first: dict[Path, pytest.Item] = {}
    for item in items:
        if (
            item.get_closest_marker("slow") is None
            and item.path.relative_to(Path(__file__).parent).parts[0] not in LONG
        ):
            first.setdefault(item.path, item)
    for item in first.values():
        item.add_marker("quick")


def pytest_collection_finish() -> None:
    """Leave the tests themselves out of each later collection of garbage: they are millions of objects, and stay."""
    gc.collect()
    gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip the laws of CPUs on other devices."""
    if jax.default_backend() != "cpu" and (mark := item.get_closest_marker("of_cpus")):
        pytest.skip(mark.args[0])


@pytest.fixture(autouse=True, scope="module")
def _few_programs() -> Iterator[None]:
    """Let go of compiled programs when there are many; the cache on disk has them.

    What a file of tests leaves is out of the next collections of garbage, each of which would take seconds in the end.
    """
    yield
    is_full = MAPS.exists() and MAPS.read_bytes().count(b"\n") > MOST_MAPS
    if is_full:
        jax.clear_caches()
    if is_full or next(_files) % FILES == 0:
        gc.unfreeze()
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _fresh_context() -> Iterator[None]:
    """Start each test in PyNative mode with seed 0, and leave no trace open behind it."""
    ms.set_context(mode=ms.PYNATIVE_MODE)
    ms.set_seed(0)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.fixture
def follow(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Return what lets sporax follow another release of MindSpore, until the test ends."""
    before = release.followed()
    monkeypatch.setenv(release.VARIABLE, before)
    yield release.follow
    release.follow(before)


@pytest.fixture(params=["pynative", "graph"])
def mode(request: pytest.FixtureRequest) -> int:
    """Run the test once in each mode."""
    chosen = ms.GRAPH_MODE if request.param == "graph" else ms.PYNATIVE_MODE
    ms.set_context(mode=chosen)
    return chosen


@pytest.fixture(params=["pynative", "graph"])
def run(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Return what calls a function, as it is or as a graph."""
    return (lambda f, *a: f(*a)) if request.param == "pynative" else (lambda f, *a: ms.jit(f, fullgraph=True)(*a))


@pytest.fixture
def not_on_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the test as on a GPU, where it matters for more than speed."""
    monkeypatch.setitem(config._settings, "device_target", "GPU")

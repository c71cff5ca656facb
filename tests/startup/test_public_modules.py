"""Public modules load when they are asked for, and are complete whichever way a program asks."""

import subprocess
import sys

import pytest

import sporax as ms
from sporax._src.startup.public_modules import Later


def printed(code: str) -> list[str]:
    """Return the words that a new process prints."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()


def test_modules_load_when_they_are_asked_for():
    code = (
        "import sys, sporax as ms; has = lambda name: name in sys.modules; print(has('sporax.train'), has('sporax.nn'));"
        "ms.Model; print(has('sporax.train'), 'Model' in vars(ms)); print(ms.nn is sys.modules['sporax.nn'])"
    )
    assert printed(code) == ["False", "False", "True", "True", "True"]


@pytest.mark.parametrize(
    ("asked", "value", "shown"),
    [
        ("import sporax as ms", "ms.Model", "sporax.train.Model"),
        ("from sporax import Model", "Model", "sporax.train.Model"),
        ("from sporax import *", "Model", "sporax.train.Model"),
        ("from sporax.nn import Accuracy", "Accuracy", "sporax.train.Accuracy"),
        ("import sporax.nn as nn", "nn.GraphCell", "sporax.nn.GraphCell"),
        ("import sporax.dataset.vision as V", "V.Resize", "sporax.dataset.vision.Resize"),
        ("from sporax import mint", "mint.abs", "sporax.ops.abs"),
        ("from sporax.parallel import Layout", "Layout", "sporax.parallel.Layout"),
        ("import sporax.nn.optim.sgd", "sporax.nn.optim.sgd.SGD", "sporax.nn.SGD"),
    ],
)
def test_any_way_gives_the_same(asked, value, shown):
    code = f"{asked}\nimport pickle\nv = {value}\nassert pickle.loads(pickle.dumps(v)) is v\n"
    assert printed(code + "print(f'{v.__module__}.{v.__qualname__}')") == [shown]


def test_threads_that_ask_at_once_get_one_module():
    code = (
        "import threading, sporax as ms\n"
        "start, got = threading.Barrier(8), []\n"
        "def ask():\n    start.wait()\n    got.append((ms.dataset.GeneratorDataset, ms.Model, ms.nn.Dense))\n"
        "threads = [threading.Thread(target=ask) for _ in range(8)]\n"
        "[t.start() for t in threads]; [t.join() for t in threads]\n"
        "print(len(got), len(set(got)))"
    )
    assert printed(code) == ["8", "1"]


def test_a_seed_holds_for_datasets_that_load_later():
    assert printed("import sporax as ms; ms.set_seed(7); print(ms.dataset.config.get_seed())") == ["7"]


def test_names_are_listed():
    assert {"Model", "nn", "dataset", "compat"} <= {*dir(ms)} and {"Accuracy", "probability"} <= {*dir(ms.nn)}


def test_missing_names_are_errors():
    with pytest.raises(AttributeError, match="module 'sporax' has no attribute 'nothing'"):
        _ = ms.nothing
    with pytest.raises(AttributeError, match=r"module 'sporax\.nn' has no attribute 'nothing'"):
        Later(ms.nn)("nothing")
    assert "__wrapped__" not in Later(ms.nn)

"""The import alias: `mindspore` is answered by sporax, under every way to import it."""

import importlib
import importlib.metadata
import importlib.util
import multiprocessing
import pickle
import subprocess
import sys

import numpy as np
import pytest

import sporax
from sporax._src.compat import finder, shown


@pytest.fixture(autouse=True)
def installed():
    finder.install()
    yield
    finder.uninstall()


def test_top_module_answers_like_sporax():
    import mindspore
    import mindspore as ms

    assert ms is mindspore
    assert ms.__name__ == "mindspore"
    assert ms.__version__ == "2.7.0"
    assert sporax.__version__ != "2.7.0"
    assert ms.Tensor is sporax.Tensor
    assert {"Tensor", "nn", "__version__"} <= set(dir(ms))
    with pytest.raises(AttributeError, match="module 'mindspore' has no attribute 'nothing'"):
        _ = ms.nothing


def test_submodules_are_the_same_objects():
    import mindspore.common.initializer
    import mindspore.nn as a
    import mindspore.ops as P
    from mindspore import nn as b
    from mindspore.common import initializer

    assert a is b is sporax.nn is importlib.import_module("mindspore.nn")
    assert P is sporax.ops
    assert mindspore.common.initializer is initializer is sporax.common.initializer
    assert sys.modules["mindspore.nn"] is sys.modules["sporax.nn"]


def test_shared_modules_keep_their_identity():
    import mindspore.common.initializer as module

    assert module.__name__ == "sporax.common.initializer"
    assert module.__spec__.name == "sporax.common.initializer"
    assert module.__package__ == "sporax.common"
    assert importlib.reload(module) is module


def test_functions_with_the_name_of_a_module_stay():
    import mindspore.common.seed
    import mindspore.common.tensor
    from mindspore.common.tensor import Tensor

    assert Tensor is sporax.Tensor
    assert mindspore.common.seed is sporax.seed and mindspore.common.tensor is sporax.tensor


def test_import_star():
    scope: dict[str, object] = {}
    exec("from mindspore import *", scope)
    assert scope["Tensor"] is sporax.Tensor


@pytest.mark.parametrize("name", ["mindspore.nothing", "mindspore.nn.nothing", "mindspore._src"])
def test_missing_submodules_are_named(name):
    with pytest.raises(ModuleNotFoundError, match=f"'{name}'") as error:
        importlib.import_module(name)
    assert error.value.name == name
    assert importlib.util.find_spec(name) is None


def test_missing_name():
    with pytest.raises(ImportError, match="cannot import name 'nothing' from 'mindspore'"):
        from mindspore import nothing  # noqa: F401


def test_specs_and_metadata():
    assert importlib.util.find_spec("mindspore") is not None
    assert importlib.util.find_spec("mindspore.nn") is not None
    assert importlib.metadata.version("mindspore") == "2.7.0"
    assert "mindspore" not in {d.name for d in importlib.metadata.distributions()}


def test_attributes_are_set_on_sporax():
    import mindspore as ms

    ms.some_flag = 1
    assert sporax.some_flag == 1
    del ms.some_flag
    assert not hasattr(sporax, "some_flag")


def test_pickles_name_either_module():
    import mindspore as ms

    assert pickle.loads(pickle.dumps(ms.Tensor)) is sporax.Tensor
    assert pickle.loads(b"cmindspore\nTensor\n.") is sporax.Tensor
    assert pickle.loads(b"cmindspore.nn\nCell\n.") is sporax.nn.Cell
    assert pickle.loads(pickle.dumps(ms.nn.Cell)) is sporax.nn.Cell
    x = ms.Tensor([1.0, 2.0])
    assert pickle.loads(pickle.dumps(x)).asnumpy().tolist() == [1.0, 2.0]


def test_classes_that_programs_print_name_the_module_of_mindspore():
    import mindspore as ms

    data = ms.dataset.NumpySlicesDataset([1, 2])
    assert repr(type(ms.Tensor(1))) == "<class 'mindspore.common.tensor.Tensor'>"
    assert repr(type(data)) == "<class 'mindspore.dataset.engine.datasets_user_defined.NumpySlicesDataset'>"
    assert repr(type(data.batch(2))) == "<class 'mindspore.dataset.engine.datasets.BatchDataset'>"
    assert repr(type(ms.nn.Dense(2, 2))) == "<class 'mindspore.nn.layer.basic.Dense'>"
    assert repr(ms.LossMonitor()).startswith("<mindspore.train.callback._loss_monitor.LossMonitor object at ")
    assert repr(ms.dataset.vision.Resize(2)).startswith("<mindspore.dataset.vision.transforms.Resize object at ")
    assert repr(ms.nn.Dense(2, 2)).count("<mindspore") == 0
    initializer = "<class 'mindspore.common.initializer.HeUniform'>"
    assert repr(ms.common.initializer.HeUniform) == initializer and "weight_init=HeUniform(" in repr(
        ms.nn.Conv2d(1, 1, 1)
    )
    public = [sporax, ms.nn, ms.train, ms.amp, ms.dataset, ms.dataset.vision, ms.common.initializer]
    classes = {printed: home for module in public for printed, home in shown.classes(module).items()}
    assert len(classes) > 300
    for printed, home in classes.items():
        assert repr(printed) == f"<class '{home}.{printed.__name__}'>"
        assert getattr(importlib.import_module(home), printed.__name__) is printed
    assert pickle.loads(pickle.dumps(ms.dataset.BatchDataset)) is sporax.dataset.BatchDataset
    finder.uninstall()
    for printed in classes:
        assert printed.__module__.partition(".")[0] == "sporax"
        assert getattr(importlib.import_module(printed.__module__), printed.__name__) is printed
    assert sporax.nn.Cell.__module__ == "sporax.nn"


def test_callbacks_of_sporax_are_known_while_they_name_mindspore():
    """An evaluation between two epochs is told to a program's own callbacks, and not to a LambdaCallback (MindSpore 2.7.0)."""
    import mindspore as ms

    class Own(ms.Callback):
        def on_eval_end(self, run_context):
            told.append("own")

    told = []
    data = ms.dataset.NumpySlicesDataset((np.ones((2, 2), np.float32), np.ones((2, 1), np.float32))).batch(1)
    net = ms.nn.Dense(2, 1)
    model = ms.Model(net, ms.nn.MSELoss(), ms.nn.SGD(net.trainable_params()), metrics={"mae"})
    callbacks = [Own(), ms.LambdaCallback(on_eval_end=lambda run_context: told.append("lambda"))]
    model.fit(1, data, data, callbacks=callbacks, dataset_sink_mode=False)
    assert told == ["own"]


def test_install_is_idempotent_and_uninstall_forgets():
    import mindspore.nn  # noqa: F401

    finder.install()
    assert sum(isinstance(f, finder.AliasFinder) for f in sys.meta_path) == 1
    assert finder.is_installed()
    finder.uninstall()
    assert not finder.is_installed()
    assert not [n for n in sys.modules if n.split(".")[0] == "mindspore"]
    assert importlib.import_module("sporax.nn") is sporax.nn


def test_the_real_mindspore_is_not_mixed(monkeypatch):
    finder.uninstall()
    monkeypatch.setitem(sys.modules, "mindspore", importlib.import_module("types").ModuleType("mindspore"))
    with pytest.raises(RuntimeError, match="already imported"):
        finder.install()


def test_worker_processes_find_it():
    """A spawned process has its parent's `sys.path` and not its import hooks."""
    code = f"import sys; sys.path.insert(1, {finder.WORKER_PATH!r}); import mindspore.nn as nn, sporax; "
    code += "import mindspore; print(nn is sporax.nn, mindspore.__version__)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.split() == ["True", "2.7.0"]
    assert "spawn" in multiprocessing.get_all_start_methods()


def test_what_mindspore_has_loaded_is_loaded():
    """`import PIL` alone binds no `PIL.Image`: programs rely on MindSpore for it."""
    code = (
        "import logging, multiprocessing, sporax.compat\n"
        "sporax.compat.install()\n"
        "import mindspore, PIL, packaging\n"
        "print(PIL.Image.__name__, logging.handlers.__name__, multiprocessing.pool.__name__, packaging.version.__name__)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["PIL.Image", "logging.handlers", "multiprocessing.pool", "packaging.version"]


def test_converted_code_finds_its_helpers_without_its_folder(tmp_path):
    """In a notebook or a text that is executed nobody put the folder of `_from_torch` on the path; one that is there counts."""
    code = (
        "import sporax\n"
        "from _from_torch.training.runtime import _GradScaler\n"
        "from sporax._src.migrate.helpers.training import runtime\n"
        "assert _GradScaler is runtime._GradScaler\n"
        "try:\n"
        "    import _from_torch.training.nothing\n"
        "except ModuleNotFoundError as error:\n"
        "    print(error.name)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert run.stdout.split() == ["_from_torch.training.nothing"]
    (tmp_path / "_from_torch").mkdir()
    (tmp_path / "_from_torch" / "__init__.py").write_text("own = 1\n")
    code = "import sporax, _from_torch; print(_from_torch.own)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert run.stdout.split() == ["1"]

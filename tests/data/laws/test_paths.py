"""Import paths of MindSpore lead to the same names."""

import importlib

from data_tables.converters import TOLD

from sporax import mindrecord
from sporax._src.compat import finder
from sporax.dataset import vision


def test_old_paths_lead_to_the_same_names():
    for path in ("engine.datasets", "engine.samplers", "engine.iterators", "samplers", "core.config",
                 "transforms.transforms", "transforms.c_transforms", "transforms.py_transforms", "vision.transforms",
                 "vision.c_transforms", "vision.py_transforms", "vision.utils"):  # fmt: skip
        module = importlib.import_module(f"sporax.dataset.{path}")
        for name in module.__all__:
            assert getattr(module, name) is not None
    older = importlib.import_module("sporax.dataset.vision.py_transforms")
    assert issubclass(older.Decode, vision.Decode) and older.Resize is vision.Resize
    assert importlib.import_module("sporax.dataset.vision.c_transforms").Resize is vision.Resize


def test_status() -> None:
    assert TOLD["status"] == {"SUCCESS": mindrecord.SUCCESS, "FAILED": mindrecord.FAILED}


def test_paths_of_mindspore() -> None:
    for path, name in (("cifar10", "Cifar10"), ("cifar100", "Cifar100"), ("cifar10_to_mr", "Cifar10ToMR")):
        assert hasattr(importlib.import_module(f"sporax.mindrecord.tools.{path}"), name)
    assert "mindrecord.tools.tfrecord_to_mr" in finder.PATHS

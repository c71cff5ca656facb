"""The module `torch` of a program that runs converted."""

import importlib.util
from importlib.metadata import DistributionFinder

import numpy as np
import pytest
from converted_programs import answering_mindspore

import sporax
from sporax._src.migrate.running.stand_in import TorchFinder, TorchModule, is_there, named, roots
from sporax._src.migrate.running.unconverted import NotConverted


def test_an_attribute_is_what_its_name_is_converted_to() -> None:
    with answering_mindspore():
        torch = named("torch")
        assert torch.float32 is sporax.float32
        assert torch.__version__ == "2.7.0"
        assert isinstance(torch.nn.functional, TorchModule)
        assert torch.nn.functional.relu(sporax.Tensor(np.float32([-1, 2]))).asnumpy().tolist() == [0, 2]
        assert "relu" in dir(torch.nn.functional)


def test_a_name_without_counterpart() -> None:
    torch = named("torch")
    with pytest.raises(
        AttributeError, match="module 'torch' has no attribute 'no_such_name': sporax has no counterpart"
    ):
        torch.no_such_name  # noqa: B018
    assert not hasattr(torch, "__wrapped__")
    with pytest.raises(NotConverted, match=r"torch\.jit\.load: load a MINDIR file"):
        named("torch.jit.load")("file")


def test_what_is_there() -> None:
    assert [is_there(path) for path in ("torch", "torch.nn", "torch.nn.Linear", "torch.gone", "torch.nn.gone")] == [
        True,
        True,
        True,
        False,
        False,
    ]


def test_namespaces_are_found_and_nothing_else_of_torch() -> None:
    finder = TorchFinder()
    assert finder.find_spec("numpy", None) is None
    spec = finder.find_spec("torch.nn", None)
    assert spec is not None
    assert importlib.util.module_from_spec(spec).__name__ == "torch.nn"
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'torch\.gone'"):
        finder.find_spec("torch.gone", None)


def test_torchvision_is_answered_only_if_it_is_not_installed(monkeypatch) -> None:
    for installed, expected in ((None, ("torch", "torchvision")), (object(), ("torch",))):
        monkeypatch.setattr("importlib.machinery.PathFinder.find_spec", lambda name, found=installed: found)
        roots.cache_clear()
        assert roots() == expected
    roots.cache_clear()


def test_packages_that_ask_for_the_version_are_answered() -> None:
    (found,) = TorchFinder().find_distributions(DistributionFinder.Context(name="torch"))
    assert (found.version, found.metadata["Name"]) == ("2.7.0", "torch")
    assert TorchFinder().find_distributions(DistributionFinder.Context(name="numpy")) == []

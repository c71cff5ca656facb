"""Programs of torchvision, which the tests do not have: they run converted."""

import types

import pytest
from converted_programs import execute

import sporax as ms
from sporax._src.migrate.source.convert import convert

HEAD = """import torch
import torchvision.transforms as T
from torchvision import datasets
from torchvision.datasets import ImageFolder
from torchvision.utils import make_grid, save_image
"""


@pytest.fixture
def run():
    """Return a function that runs a converted program and gives its names."""
    ms.compat.install()

    def running(text, **names):
        done = convert(HEAD + text)
        assert not done.todo, done.todo
        module = types.ModuleType("converted")
        vars(module).update(names)
        execute(done, vars(module))
        return vars(module)

    yield running
    ms.compat.uninstall()

"""Public classes and functions say where a user finds them, and what Python derives from that works."""

import dataclasses
import doctest
import importlib
import inspect
import pickle
import typing
from types import FunctionType

import pytest
from house import modules

import sporax as ms
from sporax import nn, ops
from sporax._src.base.public_names import defined_in

_NAMESPACES = [m.name for m in modules().values() if m.is_facade]
PUBLIC = {
    id(value): value
    for namespace in map(importlib.import_module, _NAMESPACES)
    for name in namespace.__all__
    if isinstance(value := getattr(namespace, name), (type, FunctionType))
    and value.__qualname__ == name
    and str(value.__module__).partition(".")[0] == "sporax"
}.values()
CLASSES = [value for value in PUBLIC if isinstance(value, type)]


@pytest.mark.parametrize(
    ("value", "module"),
    [
        (ms.Tensor, "sporax"),
        (ms.Parameter, "sporax"),
        (nn.Cell, "sporax.nn"),
        (nn.Conv2d, "sporax.nn"),
        (nn.Adam, "sporax.nn"),
        (nn.probability.distribution.Normal, "sporax.nn.probability.distribution"),
        (ops.relu, "sporax.ops"),
        (ops.ReLU, "sporax.ops"),
        (ms.grad, "sporax"),
        (ms.mint.nn.Linear, "sporax.mint.nn"),
        (ms.mint.isnan, "sporax.mint"),
        (ms.Model, "sporax.train"),
        (nn.Accuracy, "sporax.train"),
        (ms.dataset.GeneratorDataset, "sporax.dataset"),
        (ms.dataset.vision.Resize, "sporax.dataset.vision"),
        (ms.amp.StaticLossScaler, "sporax.amp"),
    ],
)
def test_module(value, module):
    assert value.__module__ == module


def test_representations():
    assert repr(nn.Dense) == "<class 'sporax.nn.Dense'>"
    assert repr(type(ms.Tensor(1))) == "<class 'sporax.Tensor'>"
    assert repr(nn.ReLU()) == "ReLU()"


def test_no_public_class_is_left_out():
    """But for classes whose own name is another one than their public one."""
    left = {
        f"{namespace}.{name}"
        for namespace in _NAMESPACES
        for name, value in vars(importlib.import_module(namespace)).items()
        if isinstance(value, type) and not name.startswith("_") and value.__module__.startswith("sporax._src")
    }
    assert left == {"sporax.profiler.schedule", "sporax.profiler.tensorboard_trace_handler"}


def test_names_lead_back():
    assert len(CLASSES) > 1000 and len(PUBLIC) > 2000
    lost = [v for v in PUBLIC if getattr(importlib.import_module(v.__module__), v.__qualname__, None) is not v]
    assert lost == []


def test_references_are_pickled():
    wrong = [value for value in PUBLIC if pickle.loads(pickle.dumps(value)) is not value]
    assert wrong == []
    assert b"sporax.nn" in pickle.dumps(nn.Conv2d) and b"_src" not in pickle.dumps(nn.Conv2d)


def test_hints_are_those_of_the_source():
    annotated = [cls for cls in CLASSES if "__annotations__" in vars(cls)]
    assert len(annotated) > 5
    for cls in annotated:
        hints = typing.get_type_hints(cls)
        assert vars(cls)["__annotations__"].keys() <= hints.keys()
        assert not any(isinstance(hint, (str, typing.ForwardRef)) for hint in hints.values())
    assert typing.get_type_hints(nn.Dense)["weight"] is ms.Parameter
    assert typing.get_type_hints(ms.dataset.BatchInfo)["epoch"] is int
    assert int in typing.get_args(typing.get_args(typing.get_type_hints(ms.Tensor)["_node"])[0])  # not `ms.int`


def test_hints_of_a_class_of_the_program():
    class Network(nn.Cell):
        size: "int"

    assert typing.get_type_hints(Network)["size"] is int


def test_dataclasses():
    """Fields are read in the module that defines a class, and `replace` and inheritance go on."""

    @dataclasses.dataclass
    class Options(ms.train.Callback):
        every: int = 3

    assert dataclasses.replace(Options(), every=4).every == 4
    for cls in filter(dataclasses.is_dataclass, CLASSES):
        assert [f.name for f in dataclasses.fields(cls)] == [*cls.__dataclass_fields__]


def test_sources():
    """Of functions and methods; Python looks for that of a class in the file of `__module__`, which has imports only."""
    assert "def construct" in inspect.getsource(nn.Conv2d.construct)
    assert "def grad" in inspect.getsource(ms.grad)
    with pytest.raises(OSError):
        inspect.getsource(nn.Conv2d)

    class Network(nn.Cell):
        pass

    assert "class Network" in inspect.getsource(Network)
    assert "class Conv2d" in inspect.getsource(importlib.import_module(defined_in(nn.Conv2d)))


def test_doctest_finds_examples_where_names_are_public():
    found = {test.name for test in doctest.DocTestFinder(exclude_empty=True).find(nn)}
    assert {"sporax.nn.Dense", "sporax.nn.Conv2d"} <= found

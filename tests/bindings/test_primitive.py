"""Primitive classes made from lines of a table: what a line says, the class does and its text tells."""

import builtins
import dis
import doctest
import inspect
import re

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, ops
from sporax._src.bindings.primitive import PRIMITIVES, Text, primitives, view


def test_primitives_refuse_what_their_kernels_do_not_take():
    x, y = Tensor(np.ones(2)), Tensor([1.0, 2.0])
    with pytest.raises(TypeError, match="float16 or float32, got Float64"):
        ops.SquareSumAll()(x, x)
    states = [ms.Parameter(Tensor(np.ones((2, 2)))) for _ in range(2)]
    with pytest.raises(TypeError, match="var must have dtype float16 or float32, got Float64"):
        ops.SparseApplyAdagrad(0.1)(*states, Tensor(np.ones((2, 2))), Tensor([0, 1]))
    with pytest.raises(ValueError, match="takes 2 Tensors"):
        ops.PSROIPoolingGrad(4, 1.0, 2, 1)(y, y, y)
    with pytest.raises(TypeError):
        ops.PSROIPoolingGrad([2, 2], 1.0, 2, 1)
    with pytest.raises(ValueError, match="For 'FFTWithSize', the last dimension of the input cannot be 1"):
        ops.FFTWithSize(1, True, True)(Tensor(np.ones((2, 1), np.complex64)))
    with pytest.raises(ValueError):
        ops.TruncateMod()(Tensor([1, 2, 3]), Tensor([1, 2]))


LINES = {name: cls for name, cls in PRIMITIVES.items() if isinstance(vars(cls).get("__doc__"), Text)}


def function(cls):
    """Return the function that the line of a class became."""
    return cls.__call__.__globals__["_fn"]


@pytest.fixture
def line(monkeypatch):
    """Make classes from lines, for the time of the test."""
    monkeypatch.setattr("sporax._src.bindings.primitive.PRIMITIVES", made := {})

    def make(lines, **scope):
        primitives(lines, {"__name__": __name__, **scope})
        return [*made.values()]

    return make


def test_names_on_the_right_are_there():
    missing = {
        (name, step.argval)
        for name, fn in [(name, function(cls)) for name, cls in LINES.items()]
        for step in dis.get_instructions(fn)
        if step.opname == "LOAD_GLOBAL" and step.argval not in fn.__globals__ and not hasattr(builtins, step.argval)
    }
    assert missing == set() and len(LINES) > 100


def test_texts_name_the_arguments():
    """All of them, if there is a section `Args` at all, and nothing else."""
    wrong = {}
    for name, cls in LINES.items():
        section = re.search(r"^Args:\n(.*?)(?=^\S|\Z)", inspect.getdoc(cls), re.DOTALL | re.MULTILINE)
        said = re.findall(r"^ {4}(\S.*?):(?: |$)", section[1] if section else "", re.MULTILINE)
        taken = {*inspect.signature(function(cls)).parameters}
        taken |= {*inspect.signature(cls).parameters}
        if section and {n for label in said for n in label.split(", ")} != taken:
            wrong[name] = (said, sorted(taken))
    assert wrong == {}


def test_examples_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    usual = {"ms": ms, "ops": ops, "np": np, "Tensor": Tensor, "Parameter": ms.Parameter}
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for name, cls in LINES.items():
        test = doctest.DocTestParser().get_doctest(inspect.getdoc(cls), dict(usual), name, None, None)
        runner.run(test)
    assert runner.failures == 0 and runner.tries > 100


def test_a_line_says_what_is_made_called_and_returned(line):
    (cls,) = line("Scaled(by: int | None = 2, unread=(1, 2))(x: Tensor) -> mul(x, by)\n    unread: Nothing.\n")
    assert cls.spec == "Scaled(by=2, unread=(1, 2))"
    made = cls(by=3)
    assert (made.by, made.unread) == (3, (1, 2)) and made(Tensor([1, 2])).asnumpy().tolist() == [3, 6]
    assert {n: str(k) for n, k in function(cls).__annotations__.items()} == {
        "x": "Tensor", "by": "int | None", "return": "Array"
    }  # fmt: skip
    assert "\nArgs:\n    x, by: Tensors or numbers;" in cls.__doc__
    assert "    unread: Nothing." in cls.__doc__
    assert made(x=Tensor([1, 2])).asnumpy().tolist() == [3, 6]
    assert str(inspect.signature(cls)) == "(by: 'int | None' = 2, unread=(1, 2)) -> 'None'"
    assert str(inspect.signature(cls.__call__)) == "(self, x: 'Tensor') -> 'Array'"
    with pytest.raises(TypeError, match=re.escape("Scaled.__call__() takes 2 positional arguments but 3 were given")):
        made(Tensor([1, 2]), 4)
    with pytest.raises(TypeError, match=re.escape("Scaled.__init__() got an unexpected keyword argument 'times'")):
        cls(times=3)


def test_a_class_may_call_arguments_by_names_of_its_own(line):
    def power(base, exponent=2, shift=0, *, factor=1):
        return base**exponent * factor + shift

    assert view("Multiple()(x, exponent, factor)", power)()(2, 3, 5) == 40
    cls = view("Raised(shift=0)(x, exponent=3)", power)
    assert str(inspect.signature(cls.__call__)) == "(self, x, exponent=3)"
    assert cls(shift=1)(2) == 9 and cls()(exponent=2, x=3) == 9
    cls = view("Squared()(x)", power)
    assert str(inspect.signature(cls.__call__)) == "(self, x)" and cls()(x=3) == 9
    with pytest.raises(TypeError, match=re.escape("Squared.__call__() got an unexpected keyword argument 'exponent'")):
        cls()(3, exponent=1)


def test_a_class_of_ones_own_reaches_what_it_derives_from(line):
    (cls,) = line("Doubled(by=2)(x) -> mul(x, by)\n")

    class Own(cls):
        def __init__(self, by):
            super().__init__(by=by + 1)

        def __call__(self, x):
            return super().__call__(x=x)

    assert Own(2)(Tensor([2])).asnumpy().tolist() == [6]


def test_several_classes_share_a_line_and_a_table_its_remarks(line):
    def picked(x, axis):
        return x

    first, second = line("    x: A vector.\nOne, Two(axis=0)(x) -> picked(x, axis)\n    Return one of\n", picked=picked)
    assert (first.__name__, second.__name__) == ("One", "Two")
    assert first.__doc__ == second.__doc__ == "Return one of\n\nArgs:\n    x: A vector."


def test_two_lines_of_one_name_are_refused(line):
    with pytest.raises(ValueError, match="two primitives are called 'One'"):
        line("One()(x) -> abs(x)\nOne()(x) -> abs(x)\n")


def test_an_object_that_was_not_made_here_runs(line):
    """Pickle gives an object its attributes without making it."""
    (cls,) = line("Power(exponent=2)(x) -> pow(x, exponent)\n")
    loaded = cls.__new__(cls)
    loaded.__dict__.update(exponent=3)
    assert loaded(Tensor([2])).asnumpy().tolist() == [8]


def test_a_class_with_the_name_of_an_operator_runs_it():
    """MindSpore finds a kernel by its name: a class of one's own may give its constructor other defaults."""

    class Shift(ops.Primitive):
        @ops.prim_attr_register
        def __init__(self, periods=2, axis=0, note="unknown to the operator"):
            pass

    x = Tensor([1, 2, 3])
    for run in (Shift(), ms.jit(Shift(), fullgraph=True)):
        assert run(x, 9).asnumpy().tolist() == [9, 9, 1]
    assert Shift(-1)(x, 0).asnumpy().tolist() == [2, 3, 0]
    with pytest.raises(RuntimeError, match="Primitive 'Mine' has no kernel here"):
        ops.Primitive("Mine")(x)

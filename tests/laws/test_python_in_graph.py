"""Python in graph mode: each form answers as Python does, in one graph, and so does its gradient (`docs/graph_mode.md`)."""

import re
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import python_functions  # noqa: F401  (enters its forms into the table)
from house import ROOT
from python_forms import FORMS

import sporax as ms
from sporax import Tensor, nn, ops
from sporax._src.base.errors import CompileFallback
from sporax._src.transform import capture


@pytest.fixture(autouse=True)
def _no_fallback() -> Iterator[None]:
    """A fallback to PyNative mode fails the test, unless it expects one."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", CompileFallback)
        yield


def tensors(values: tuple[Any, ...]) -> list[Any]:
    """Return arguments with Tensors for the numbers."""
    return [Tensor(v) if isinstance(v, float) else v for v in values]


@pytest.mark.parametrize("name", FORMS)
def test_the_answer_is_that_of_python(name) -> None:
    """Plain numbers, Tensors in PyNative mode, and one graph for all of the values."""
    program, cases = FORMS[name]
    graph = ms.jit(program, fullgraph=True)
    before = capture.compilations
    for case in cases:
        want = program(*case)
        np.testing.assert_allclose(float(program(*tensors(case))), want, rtol=1e-6)
        np.testing.assert_allclose(float(graph(*tensors(case))), want, rtol=1e-6)
    assert capture.compilations - before == len({tuple(v for v in case if isinstance(v, str)) for case in cases})


def slope(program: Any, case: tuple[Any, ...]) -> float:
    """Return the derivative by central differences of what Python computes."""
    x, *rest = case
    return (program(x + 1e-6, *rest) - program(x - 1e-6, *rest)) / 2e-6


@pytest.mark.parametrize("name", FORMS)
def test_the_gradient_is_that_of_the_path_taken(name) -> None:
    """In both modes; the values are none at which a condition changes."""
    program, cases = FORMS[name]
    graph = ms.jit(ms.grad(program), fullgraph=True)
    for x, *rest in cases:
        case = (x + 0.25, *rest)
        want = slope(program, case)
        # 1e-5: float32 against differences of float64, whose error is 1e-9
        np.testing.assert_allclose(float(ms.grad(program)(*tensors(case))), want, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(float(graph(*tensors(case))), want, rtol=1e-5, atol=1e-5)


def test_the_document_names_every_form() -> None:
    """Each row of the table is shown by a program here, and each program is in the table."""
    text = (ROOT / "docs" / "graph_mode.md").read_text()
    named = set(re.findall(r"`(\w+)` \|$", text, re.MULTILINE))
    tests = "".join(p.read_text() for p in (ROOT / "tests").rglob("*.py"))
    assert sorted(set(FORMS) - named) == []
    assert [n for n in sorted(named) if not re.search(rf"(def|class) {n}\(", tests)] == []


# --- forms that only Tensors have ---------------------------------------------------------------------------------------


def both(program: Any, *args: Any) -> list[Any]:
    """Return what PyNative mode and the graph answer, as NumPy arrays."""
    return [fn(*args).asnumpy() for fn in (program, ms.jit(program, fullgraph=True))]


def test_value_in_tensor() -> None:
    """`x in tensor` looks at the elements."""

    def inside(x, y):
        return x * 2 if x in y else -x

    for value in (2.0, 5.0):
        y = np.array([1.0, 2.0, 3.0], np.float32)
        want = value * 2 if value in y else -value
        assert [float(v) for v in both(inside, Tensor(value), Tensor(y))] == [want, want]


def test_for_over_a_tensor() -> None:
    """A loop over a Tensor is unrolled along its first axis."""

    def positive(x):
        s = 0.0
        for row in x:
            for v in row:
                if v > 1:
                    s = s + v
        return s

    x = np.array([[0.5, 2.0], [3.0, 1.0]], np.float32)
    assert [float(v) for v in both(positive, Tensor(x))] == [x[x > 1].sum()] * 2
    for grad in (ms.grad(positive), ms.jit(ms.grad(positive), fullgraph=True)):
        np.testing.assert_array_equal(grad(Tensor(x)).asnumpy(), x > 1)


def test_items_of_items_are_assigned() -> None:
    """`y[i][j] = v` changes y, also where a list holds it, and where the item has a name."""

    def assigned(x):
        y, held = x * 1, [x * 2]
        y[0][0] = 7
        y[1][1:] += x[0, 1:]
        held[0][1][2] = 9
        if x.sum() > 0:
            y[1][0] -= 4
        row = y[0]
        row[1] = 8
        return y, held[0], row

    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for sign in (1, -1):
        y, held = sign * x, sign * x * 2
        y[0, 0], held[1, 2] = 7, 9
        y[1, 1:] += sign * x[0, 1:]
        y[1, 0] -= 4 if sign > 0 else 0
        row = y[0]
        row[1] = 8
        for got, want in zip(ms.jit(assigned)(Tensor(sign * x)), (y, held, row), strict=True):
            np.testing.assert_array_equal(got.asnumpy(), want)


def test_sliced_assignment() -> None:
    """`y[i:j] += v`, `y[i] = v`, with a list of indices, on a path and off it; whoever holds the Tensor sees it."""

    def assigned(x):
        y = x * 1
        z = y
        y[1:3] += x[0:2]
        y[0] = 9
        y[2:] *= 2
        if x.sum() > 0:
            y[0:2] -= 1
            y[1] = x[0]
        return y + z

    for sign in (1, -1):
        x = sign * np.array([1.0, 2.0, 3.0, 4.0], np.float32)
        want = x.copy()
        want[1:3] += x[0:2]
        want[0] = 9
        want[2:] *= 2
        if x.sum() > 0:
            want[0:2] -= 1
            want[1] = x[0]
        for got in both(assigned, Tensor(x)):
            np.testing.assert_array_equal(got, want * 2)


def test_range_of_a_tensor() -> None:
    """`range` takes Tensors in every place, also under `enumerate`; the loop is in the graph."""

    def counted(n):
        s = 0
        for i in range(1, n, 2):
            s += i
        for i in range(n, 0, -1):
            s += i * 10
        for j, i in enumerate(range(n), 1):
            if i == 4:
                break
            s += i * j
        return s + n * 0

    program = ms.jit(counted, fullgraph=True)
    for n in (0, 3, 6):
        assert int(counted(Tensor(n))) == int(program(Tensor(n))) == counted(n)


def test_item_of_a_traced_index() -> None:
    """A list, a tuple or a list of functions takes a traced index; one out of range raises as Python does."""

    def item(i, x):
        steps = [lambda v: v + 1, lambda v: v * 2, lambda v: v * v]
        return [x, x * 10, x * 100][i] + steps[i](x)

    program = ms.jit(item, fullgraph=True)
    for i in (0, 2, -1):
        assert float(program(Tensor(i), Tensor(3.0))) == float(item(Tensor(i), Tensor(3.0))) == item(i, 3.0)
        want = [2.0, 12.0, 106.0][i]
        assert float(ms.jit(ms.grad(item, 1), fullgraph=True)(Tensor(i), Tensor(3.0))) == want
    for fn in (item, program):
        with pytest.raises(IndexError, match="list index out of range"):
            fn(Tensor(3), Tensor(3.0))


def test_item_of_a_list_is_assigned_at_a_traced_index() -> None:
    """`items[i] = v` changes the item that the index turns out to be."""

    def assigned(i, x):
        items = [x, x * 2, x * 3]
        items[i] = x * 100
        items[i] += 1
        return items[0] + items[1] - items[2]

    program = ms.jit(assigned, fullgraph=True)
    for i in (0, 1, -1):
        assert float(program(Tensor(i), Tensor(2.0))) == assigned(i, 2.0)


def test_structured_arguments_and_results() -> None:
    """Dicts, lists and tuples go in and come out; None, numbers and strings come out as they are."""

    def mixed(d, items):
        out = {k: v + items[0] if v > 0 else v for k, v in d.items()}
        return out, [v * 2 for v in items], (None, "text", 3)

    d, items = {"a": Tensor(1.0), "b": Tensor(-1.0)}, [Tensor(1.0), Tensor(2.0)]
    want = mixed({"a": 1.0, "b": -1.0}, [1.0, 2.0])
    for fn in (mixed, ms.jit(mixed, fullgraph=True)):
        out, doubled, rest = fn(d, items)
        assert ({k: float(v) for k, v in out.items()}, [float(v) for v in doubled], rest) == want


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_methods_properties_and_super(mode) -> None:
    """Methods of all kinds, `super`, private names, properties, and the children of a Cell in a loop."""
    ms.set_context(mode=mode)

    class Base(nn.Cell):
        scale = 3.0

        def __init__(self, k: float = 2.0) -> None:
            super().__init__()
            self.k = k
            self.__secret = 5.0

        def construct(self, anything):
            if anything > 0:
                return anything * self.k
            return -anything

        @property
        def gain(self):
            return self.k * self.scale

        @staticmethod
        def static(x):
            return x if x > 1 else x * 2

        @classmethod
        def of_class(cls, x):
            return x * cls.scale if x > 1 else x

        def private(self, x):
            return x * self.__secret if x > 0 else x

    class Net(Base):
        def __init__(self) -> None:
            super().__init__()
            self.parts = nn.CellList([Base(1.0), Base(2.0)])

        def construct(self, x, *args, times=1, **kwargs):
            y = super().construct(x)
            for part in self.parts:
                if y < 10:
                    y = part(y)
            y = y + self.static(x) + self.of_class(x) + self.private(x) + self.gain
            for a in args:
                y = y + a * times
            return y + kwargs["bias"]

    def want(x: float) -> float:
        y = x * 2.0 if x > 0 else -x
        for k in (1.0, 2.0):
            if y < 10:
                y = y * k if y > 0 else -y
        y += (x if x > 1 else x * 2) + (x * 3 if x > 1 else x) + (x * 5 if x > 0 else x) + 6.0
        return y + 3.0 * 2 + 0.5

    net = Net()
    for x in (2.0, 0.5, -3.0, 8.0):
        assert float(net(Tensor(x), Tensor(3.0), times=2, bias=Tensor(0.5))) == want(x)


def test_functions_of_control_flow() -> None:
    """`cond`, `while_loop`, `fori_loop` and `scan`, whose functions may hold conditions of their own."""

    def loops(x):
        a = ops.cond(x > 0, lambda v: v * 2 if v > 2 else v, lambda v: -v, x)
        b = ops.while_loop(lambda v: v[0] < 10, lambda v: [v[0] + 1, v[1] * 1.5], [x, x])[1]
        c = ops.fori_loop(0, 3, lambda i, v: v + i if v > 0 else v, x)
        d, ys = ops.scan(lambda c, v: (c + v if v > 1 else c, c * v), x, Tensor([1.0, 2.0, 3.0]))
        return a + b + c + d + ys.sum()

    def want(x: float) -> float:
        a = (x * 2 if x > 2 else x) if x > 0 else -x
        b, n = x, x
        while n < 10:
            n, b = n + 1, b * 1.5
        c = x
        for i in range(3):
            c = c + i if c > 0 else c
        d, ys = x, []
        for v in (1.0, 2.0, 3.0):
            ys.append(d * v)
            d = d + v if v > 1 else d
        return a + b + c + d + sum(ys)

    for x in (3.25, 1.25, -2.25):
        np.testing.assert_allclose([float(v) for v in both(loops, Tensor(x))], [want(x)] * 2, rtol=1e-6)
        slopes = [float(g(Tensor(x))) for g in (ms.grad(loops), ms.jit(ms.grad(loops), fullgraph=True))]
        np.testing.assert_allclose(slopes, [slope(want, (x,))] * 2, rtol=1e-5)


def test_jit_inside_jit_and_of_methods() -> None:
    """A compiled function or method inside another is part of its graph, conditions included."""

    @ms.jit
    def inner(x):
        return x * 2 if x > 0 else x

    class Tool:
        k = 3.0

        @ms.jit
        def times(self, x):
            if x > 1:
                return x * self.k
            return x

    tool = Tool()
    outer = ms.jit(lambda x: inner(x) + tool.times(x) + ms.jit(lambda v: v + 1)(x), fullgraph=True)
    for x in (2.0, 0.5, -1.0):
        want = (x * 2 if x > 0 else x) + (x * 3 if x > 1 else x) + x + 1
        assert float(outer(Tensor(x))) == want
        assert float(ms.jit(tool.times)(Tensor(x))) == (x * 3 if x > 1 else x)


def test_no_source_is_traced() -> None:
    """Code without source compiles as long as nothing in it asks for the value of a Tensor."""
    names: dict[str, Any] = {"ops": ops}
    exec("def plain(x):\n    return ops.square(x) + [x, x * 2][1]\ndef asks(x):\n    return x if x > 0 else -x", names)
    assert float(ms.jit(names["plain"], fullgraph=True)(Tensor(3.0))) == 15.0
    with pytest.warns(CompileFallback, match="asks runs in PyNative mode"):
        assert float(ms.jit(names["asks"])(Tensor(-3.0))) == 3.0


def test_vmap_of_a_condition() -> None:
    """Each sample takes its own path."""

    def program(x):
        if x > 0:
            while x < 10:
                x = x * 3
            return x
        return -x

    x = np.array([1.0, -2.0, 4.0], np.float32)
    np.testing.assert_array_equal(ms.vmap(program)(Tensor(x)).asnumpy(), [27.0, 2.0, 12.0])
    np.testing.assert_array_equal(ms.vmap(ms.grad(program))(Tensor(x)).asnumpy(), [27.0, -1.0, 3.0])


def test_dicts_have_has_key_in_graphs() -> None:
    """As in MindSpore's graphs; Python's dicts have lost it."""

    @ms.jit(fullgraph=True)
    def f(x):
        found = {"a": x}
        return found.has_key("a"), found.has_key("b")

    assert f(Tensor(1.0)) == (True, False)


def test_what_is_not_callable_is_mindspores_error_and_pythons() -> None:
    """A graph raises ValueError there, Python TypeError: who expects either gets it."""

    @ms.jit(fullgraph=True)
    def f(x, g):
        return g(x)

    for kind in (ValueError, TypeError):
        with pytest.raises(kind, match=r"The object is not callable\. Please check code\. Got 3\."):
            f(Tensor(1.0), 3)
    with pytest.raises(ValueError, match=r"The object is not callable\. Please check code\. Got float32\[\]\."):
        f(Tensor(1.0), Tensor(1.0))


def test_jit_class_takes_no_cells() -> None:
    """A Cell needs no mark, as MindSpore says by TypeError."""
    with pytest.raises(TypeError, match=r"jit_class: expected a class that is no Cell, got <class .*Dense"):
        ms.jit_class(nn.Dense)

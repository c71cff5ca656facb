"""Texts that show Tensors, and `print`, in a graph."""

import re

import numpy as np
import pytest
from graph_outcomes import outcome
from python_errors import shown

import sporax as ms
from sporax import Tensor

pytestmark = pytest.mark.usefixtures("no_fallback")


def test_text_of_a_tensor_as_a_result() -> None:
    """A string that shows Tensors is put together after the run."""

    def text(x):
        return f"<{x * 2}>" + "!", x

    for fn in (text, ms.jit(text, fullgraph=True)):
        assert fn(Tensor(3.0))[0] == "<6.0>!"


def test_print_prints_in_order_whenever_the_graph_runs(capsys) -> None:
    """What Python prints, in its order, for each call; nothing after an error, nothing while the graph is built."""
    graph = ms.jit(shown, fullgraph=True)
    for value in (1.0, 60.0, 200.0, 1.0):
        outcome(shown, value)
        print("after")
        want = re.sub(
            r"^(in|loop) .*$",
            lambda line: line[0].replace(" ", "\n").replace(".0", ""),
            capsys.readouterr().out,
            flags=re.M,
        )
        outcome(graph, value)
        print("after")
        assert capsys.readouterr().out == want
        assert ("end" in want) == (value < 100)


def test_print_of_known_values_prints_at_every_call(capsys) -> None:
    """Also where nothing is traced in the text, and without rewriting; a gradient prints once."""

    def program(x):
        print("shape", x.shape)
        return x * 2

    graph = ms.jit(program, fullgraph=True)
    for _ in range(3):
        graph(Tensor([1.0]))
    assert capsys.readouterr().out == "shape\n(1)\n" * 3
    ms.jit(ms.grad(program), fullgraph=True)(Tensor([1.0]))
    assert capsys.readouterr().out == "shape\n(1)\n"


PRINTED = [  # what graphs of MindSpore 2.7.0 print
    (lambda x: ("x:", x), "x:\nTensor(shape=[1, 2], dtype=Float32, value=\n[[ 1.50000000e+00 -2.00000000e+00]])"),
    (
        lambda x: (x[0], x[0, 0], x[0, 0] > 0),
        "Tensor(shape=[2], dtype=Float32, value=[ 1.50000000e+00 -2.00000000e+00])\n1.5\n1",
    ),
    (lambda x: (x.shape, x.shape[0], x.dtype), "(1, 2)\n1\nFloat32"),
    (lambda x: (1.5, 1e-8, 1234567.0, 3.0, -1, False, None), "1.5\n1e-08\n1.23457e+06\n3\n-1\n0\nNone"),
    (lambda x: ([x[0, 0], 1], {"k": x[0, 1], "j": "s"}), "1.5\n1\n-2\ns"),
    (lambda x: ([1, 2], (4,), [x.shape, 1]), "(1, 2)\n(4)\n1\n2\n1"),
    (
        lambda x: (x[0].astype(ms.int64), x > 0),
        "Tensor(shape=[2], dtype=Int64, value=[ 1 -2])\nTensor(shape=[1, 2], dtype=Bool, value=\n[[ True False]])",
    ),
    (lambda x: ("%s and %d" % ("q", 3), f"{x.shape} {1}", "", "a b"), "q and 3\n(1, 2) 1\n\na b"),  # noqa: UP031
    (lambda x: (f"x={x}",), "x=[[ 1.5 -2. ]]"),
    (lambda x: (str(x), "s", x), "[[ 1.5 -2. ]] s [[ 1.5 -2. ]]"),
    (lambda x: (np.array([1, 2]), x), "[1 2] [[ 1.5 -2. ]]"),
]


@pytest.mark.parametrize(("values", "text"), PRINTED)
def test_what_a_graph_prints_stands_on_lines_of_its_own(values, text, capsys) -> None:
    """Each value on a line, Tensors with their shape; Python's way where an object of Python is among the values."""

    def program(x):
        print(*values(x))
        return x

    ms.jit(program, fullgraph=True)(Tensor([[1.5, -2.0]]))
    assert capsys.readouterr().out == text + "\n"


def test_print_of_nothing_in_a_graph(capsys) -> None:
    def program(x):
        print()
        return x

    ms.jit(program, fullgraph=True)(Tensor([1.0]))
    assert capsys.readouterr().out == ""


def test_the_gradient_of_a_loop_prints_once(capsys) -> None:
    """The iterations that the backward runs again print nothing."""

    def program(x):
        while x < 10:
            x = x * 2
            print(x)
        return x

    assert float(ms.jit(ms.grad(program), fullgraph=True)(Tensor(3.0))) == 4.0
    assert capsys.readouterr().out == "6\n12\n"

"""Index expressions read and write what MindSpore's do (recorded), in both modes, and compile once per form."""

import copy
import json
import pickle
from typing import Any

import numpy as np
import pytest
from house import ROOT

import sporax as ms
from sporax import Parameter, Tensor, ops
from sporax._src.ops.array import indexing

GOLDENS = json.loads((ROOT / "tests" / "goldens" / "indexing.json").read_text())

# Where sporax takes more than MindSpore, or answers otherwise: expression -> why.
LENIENT = {
    "x[np.array([0, 2])]": "NumPy arrays and numbers are taken as indices",
    "x[np.array([True, False, True])]": "NumPy arrays and numbers are taken as indices",
    "x[np.array(1)]": "NumPy arrays and numbers are taken as indices",
    "x[np.int64(1)]": "NumPy arrays and numbers are taken as indices",
    "x[np.array([0, 2])] = 9": "NumPy arrays and numbers are taken as indices",
    "x[0] = np.ones(4)": "NumPy arrays are taken as values",
    "x[Tensor([0, 2], ms.int8)]": "every integer dtype is taken",
    "x[Tensor([0, 2], ms.uint8)]": "every integer dtype is taken",
    "x[Tensor(True)]": "a 0-d bool Tensor reads as True does",
    "x[::-1] = 9": "negative steps write too",
    "x[Tensor([True, False]), Tensor([True, False, True])]": "two masks combine as in NumPy",
    "x0[Tensor(True)]": "a 0-d bool Tensor reads as True does",
    "x0[True]": "a 0-d bool Tensor reads as True does",
    "x[0][1] = 9": "reading makes a new Tensor: writing to it does not reach the first",
    "x[0:2][1] = 9": "reading makes a new Tensor: writing to it does not reach the first",
    "x[[0, 2]][0] = 9": "reading makes a new Tensor: writing to it does not reach the first",
    "x[0] = 1e10": "XLA saturates floats that do not fit an integer",
}


def names(dtype, shape):
    kind = getattr(ms, dtype)
    return {
        "ms": ms,
        "np": np,
        "Tensor": Tensor,
        "v": Tensor(-np.arange(12).reshape(3, 4) - 1, kind),
        "x0": Tensor(5, kind),
        "x1": Tensor(np.arange(6), kind),
        "xb": Tensor([True, False, True]),
        "xe": Tensor(np.zeros((0, 3)), kind),
        "x": Tensor(np.arange(np.prod(shape)).reshape(shape), kind),
    }


WHERE_CPUS_LOOK = pytest.mark.of_cpus("other devices do not look at indices, nor write in order")


def of_cpus(block, text):
    """Mark what other devices do not do: look at an index, and write twice to one place in order."""
    if "Tensor([5])" in text or "Tensor([-5])" in text or (block.startswith("write") and "[0, 0]" in text):
        return pytest.param(block, text, marks=WHERE_CPUS_LOOK)
    return block, text


READ = [
    of_cpus(block, text)
    for block in ("read_2d", "read_3d", "read_other")
    for text in GOLDENS[block]
    if text not in LENIENT
]
WRITE = [
    of_cpus(block, text) for block in ("write_int32", "write_float32") for text in GOLDENS[block] if text not in LENIENT
]
MODES = ("pynative", "graph")


def check(result, golden):
    assert list(result.shape) == golden["shape"]
    assert result.dtype.name.lower() == golden["dtype"]
    np.testing.assert_array_equal(result.asnumpy().ravel(), golden["values"])


def in_mode(mode, fn):
    return fn if mode == "pynative" else ms.jit(fn)


@pytest.mark.filterwarnings("ignore::sporax._src.base.errors.CompileFallback")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("block", "text"), READ)
def test_reads_what_mindspore_reads(block, text, mode):
    scope = names("int32", (2, 3, 4) if block == "read_3d" else (3, 4))
    x = scope.pop("x")
    read = in_mode(mode, lambda x: eval(text, scope | {"x": x}))
    if "error" in GOLDENS[block][text]:
        with pytest.raises((IndexError, ValueError, TypeError, RuntimeError)):
            read(x)
    else:
        check(read(x), GOLDENS[block][text])


@pytest.mark.filterwarnings("ignore::sporax._src.base.errors.CompileFallback")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("block", "text"), WRITE)
def test_writes_what_mindspore_writes(block, text, mode):
    scope = names(block.removeprefix("write_"), (3, 4))

    def write(x):
        inner = scope | {"x": ops.identity(x)}
        exec(text, inner)
        return inner["x"]

    if "error" in GOLDENS[block][text]:
        with pytest.raises((IndexError, ValueError, TypeError, RuntimeError)):
            in_mode(mode, write)(scope["x"])
    else:
        check(in_mode(mode, write)(scope["x"]), GOLDENS[block][text])


def test_lenient_indices():
    scope = names("int32", (3, 4))
    x, host = scope["x"], scope["x"].asnumpy()
    np.testing.assert_array_equal(x[np.array([0, 2])].asnumpy(), host[[0, 2]])
    np.testing.assert_array_equal(x[np.int64(1)].asnumpy(), host[1])
    np.testing.assert_array_equal(x[True, Tensor([0, 2])].asnumpy(), host[[0, 2]])
    x[::-1] = Tensor([[1], [2], [3]])
    np.testing.assert_array_equal(x.asnumpy()[:, 0], [3, 2, 1])


def compiled():
    """How often each kernel of an index expression is compiled; one that was only traced so far is not."""
    kernels = [indexing._row, *indexing._kernels.values()]
    return {k: k.run._cache_size() for k in kernels if hasattr(k.run, "_cache_size")}


def test_positions_are_operands():
    """Reading and writing at other places of one form compiles nothing new."""
    x = Tensor(np.arange(20, dtype=np.float32).reshape(10, 2))
    forms = [
        lambda i: x[i],
        lambda i: x[i : i + 3],
        lambda i: x[i, 1],
        lambda i: x[:, None, i % 2],
        lambda i: x[i + 2 : i : -1],
        lambda i: x[Tensor([i, i + 1])],
    ]
    for form in forms:
        form(1)
        kernels = compiled()
        for i in range(2, 6):
            form(i)
        assert compiled() == kernels
    y = Tensor(np.zeros((10, 2), np.float32))
    y[1] = 1.0
    sizes = compiled()
    for i in range(2, 6):
        y[i] = float(i)
    assert compiled() == sizes
    np.testing.assert_array_equal(y.asnumpy()[:, 0], [0, 1, 2, 3, 4, 5, 0, 0, 0, 0])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "text", ["x[1]", "x[1:, ::2]", "x[::-1]", "x[Tensor([0, 2]), 1]", "x[1, Tensor([0, 0])]", "x[None, -1]"]
)
def test_gradient_of_reading(text, mode):
    x = Tensor(np.arange(12, dtype=np.float32).reshape(3, 4))
    got = in_mode(mode, ms.grad(lambda x: (eval(text, {"x": x, "Tensor": Tensor}) * 2.0).sum()))(x)
    count = np.zeros((3, 4), np.float32)
    plain = {"Tensor": np.array}
    np.add.at(count.reshape(-1), eval(text, plain | {"x": np.arange(12).reshape(3, 4)}).ravel(), 2.0)
    np.testing.assert_array_equal(got.asnumpy(), count)


@pytest.mark.parametrize("mode", MODES)
def test_gradient_of_writing(mode):
    def loss(x, v):
        y = x * 1.0
        y[1] = v
        y[x > 10.0] = 0.0
        return (y * 3.0).sum()

    x, v = Tensor(np.arange(12, dtype=np.float32).reshape(3, 4)), Tensor(np.ones(4, np.float32))
    gx, gv = in_mode(mode, ms.grad(loss, (0, 1)))(x, v)
    np.testing.assert_array_equal(gx.asnumpy(), [[3, 3, 3, 3], [0, 0, 0, 0], [3, 3, 3, 0]])
    np.testing.assert_array_equal(gv.asnumpy(), [3, 3, 3, 3])


@pytest.mark.parametrize("mode", MODES)
def test_parameters_are_written(mode):
    p = Parameter(Tensor(np.zeros((3, 2), np.float32)), name="p")

    def step(i):
        p[i] = 5
        return p.sum()

    assert float(in_mode(mode, step)(Tensor(1))) == 10.0
    np.testing.assert_array_equal(p.asnumpy(), [[0, 0], [5, 5], [0, 0]])


def test_errors_name_axis_size_and_index():
    x = Tensor(np.zeros((2, 3), np.float32))
    for bad, text in [
        (lambda: x[2], "index 2 is out of bounds for dimension with size 2 (axis 0)"),
        (lambda: x[0, -4], "index -4 is out of bounds for dimension with size 3 (axis 1)"),
        (lambda: x[[0, 2]], "index 2 is out of bounds for dimension with size 2 (axis 0)"),
        (lambda: x[:, [0, -4]], "index -4 is out of bounds for dimension with size 3 (axis 1)"),
        (lambda: x[0, 0, 0], "too many indices: the Tensor has 2 axes"),
        (lambda: x[1.5], "indices must be ints"),
    ]:
        with pytest.raises(IndexError) as info:
            bad()
        assert text in str(info.value)
    with pytest.raises(ValueError, match="the mask has size 1 where axis 0 of the Tensor has size 2"):
        x[Tensor([True])]
    with pytest.raises(ValueError, match="the mask has 2 axes, the Tensor has 1"):
        x[0][Tensor(np.ones((2, 3), bool))] = 1.0


def test_items_are_views_while_what_they_were_read_from_is_there() -> None:
    """In PyNative mode; of one that is gone or has another shape by now nothing is written."""
    x = Parameter(Tensor(np.zeros((2, 3), np.float32)), name="x")
    row, gone = x[0], Tensor(np.zeros((2, 2), np.float32))[1]
    gone[0] = 1
    x.set_data(Tensor(np.zeros((4, 5), np.float32)))
    row[2] = 6
    assert gone.asnumpy().tolist() == [1, 0] and row.asnumpy().tolist() == [0, 0, 6] and not x.asnumpy().any()


def test_a_chain_of_items_writes_its_first_tensor() -> None:
    x = Tensor(np.arange(6, dtype=np.float32))
    part = x
    for _ in range(3):
        part = part[1:]
    part[0] = 9
    assert x.asnumpy().tolist() == [0, 1, 2, 9, 4, 5]


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x)), lambda x: x.copy()]
)
def test_copies_of_items_are_no_views(copied: Any) -> None:
    x = Tensor(np.zeros((2, 3), np.float32))
    y = copied(x[0])
    y[0] = 1
    assert not x.asnumpy().any() and y.asnumpy().tolist() == [1, 0, 0]

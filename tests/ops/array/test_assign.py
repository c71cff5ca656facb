"""Operators that write Parameters, and operators that are about the program: depend, stop_gradient, Print, ..."""

import numpy as np
import pytest
from laws.rows import laws_of

import sporax as ms
from sporax import Parameter, Tensor, ops

test_row = laws_of("sporax._src.ops.array.assign")


MODES = ("pynative", "graph")


def in_mode(mode, fn):
    return fn if mode == "pynative" else ms.jit(fn, fullgraph=True)


def parameter(values, dtype=np.float32):
    return Parameter(Tensor(np.asarray(values, dtype)), name="p")


WRITES = {
    "assign": (lambda p, v: ops.assign(p, v), [5, 6, 7]),
    "assign_add": (lambda p, v: ops.assign_add(p, v), [6, 8, 10]),
    "assign_sub": (lambda p, v: ops.assign_sub(p, v), [-4, -4, -4]),
    "Assign": (lambda p, v: ops.Assign()(p, v), [5, 6, 7]),
    "scatter_add": (lambda p, v: ops.scatter_add(p, Tensor([0, 0, 2]), v), [12, 2, 10]),
    "scatter_update": (lambda p, v: ops.scatter_update(p, Tensor([2, 1, 0]), v), [7, 6, 5]),
    "scatter_nd_max": (lambda p, v: ops.scatter_nd_max(p, Tensor([[1], [1], [1]]), v), [1, 7, 3]),
    "ScatterNdUpdate": (lambda p, v: ops.ScatterNdUpdate()(p, Tensor([[1], [0], [2]]), v), [6, 5, 7]),
    "index_add": (lambda p, v: ops.index_add(p, Tensor([0, 1, 1], ms.int32), v, 0), [6, 15, 3]),
    "copy_": (lambda p, v: p.copy_(v), [5, 6, 7]),
    "masked_fill_": (lambda p, v: p.masked_fill_(v > 5.5, 0.0), [1, 0, 0]),
    "put_": (lambda p, v: p.put_(Tensor([0, 1, 2]), v), [5, 6, 7]),
    "assign_value": (lambda p, v: p.assign_value(v), [5, 6, 7]),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", WRITES)
def test_parameter_is_written(name, mode):
    p = parameter([1, 2, 3])
    write, want = WRITES[name]
    result = in_mode(mode, lambda v: write(p, v) * 1.0)(Tensor([5.0, 6.0, 7.0]))
    np.testing.assert_array_equal(p.asnumpy(), want)
    np.testing.assert_array_equal(result.asnumpy(), want)


def test_writes_convert_or_refuse():
    p = parameter([1, 2])
    ops.assign(p, Tensor([3, 4], ms.int32))
    assert p.dtype == ms.float32
    with pytest.raises(TypeError, match="without loss"):
        ops.assign(parameter([1, 2], np.int32), Tensor([1.5, 2.0]))
    with pytest.raises(ValueError, match="shape"):
        ops.assign(p, Tensor([1.0]))


@pytest.mark.parametrize("mode", MODES)
def test_no_gradient_passes_through_an_assigned_value(mode):
    p = parameter([1.0])

    def loss(x):
        return (ops.assign(p, x * 3.0) * x).sum()

    assert float(in_mode(mode, ms.grad(loss))(Tensor([2.0]))) == 6.0
    assert float(p) == 6.0


@pytest.mark.parametrize("mode", MODES)
def test_stop_gradient(mode):
    grad = in_mode(mode, ms.grad(lambda x: (x * ops.stop_gradient((x, 1))[0]).sum()))
    assert float(grad(Tensor([3.0]))) == 3.0


@pytest.mark.parametrize("mode", MODES)
def test_print_shows_values(mode, capfd):
    in_mode(mode, lambda x: [ops.Print()("x:", x), x + x][1])(Tensor([1, 2])).asnumpy()
    elements = "[1 2]" if mode == "graph" else " [1, 2]"
    assert capfd.readouterr().out == f"x:\nTensor(shape=[2], dtype=Int64, value={elements})\n"

"""Methods on the elements of a Tensor: names of their arguments."""

import numpy as np
import pytest
import torch
from small_tensors import check, f

import sporax as ms
from sporax import Tensor, ops


def test_arguments_of_methods_that_have_two_names():
    x, condition = Tensor([2.0, 3.0]), Tensor([True, False])
    check(x.expand_as(x=ops.ones((2, 2))), "float32", [[2, 3], [2, 3]])
    check(f().index_select(dim=1, index=Tensor([2])), "float32", [[2], [3]])
    check(x.select(condition, Tensor([7.0, 8.0])), "float32", [2, 8])
    check(x.select(condition=condition, y=9.0), "float32", [2, 9])
    check(Tensor([2, 3], ms.int32).select(condition, 1), "int32", [2, 1])
    check(f().select(dim=1, index=2), "float32", [2, 3])


_FLOATS = [[0.5, -1.0, 2.0], [3.0, -0.25, 1.5]]
_IN_PLACE = {
    "index_copy_": ((1, np.array([2, 0]), np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)), 2),
    "index_fill_": ((-1, np.array([0, 2]), 7.0), None),
    "index_fill_ by a Tensor": ((0, np.array(1), np.array(7.0, np.float32)), 2),
    "masked_scatter_": ((np.array([True, False, True]), np.arange(4, dtype=np.float32)), 1),
    "sigmoid_": ((), None),
    "sign_": ((), None),
}


@pytest.mark.parametrize("case", _IN_PLACE)
@pytest.mark.parametrize("graph", [False, True])
def test_methods_in_place_and_their_gradients_are_those_of_torch(case, graph):
    name, (arguments, by) = case.split()[0], _IN_PLACE[case]
    operands = [np.array(_FLOATS, np.float32), *([] if by is None else [arguments[by]])]
    weights = np.arange(6, dtype=np.float32).reshape(2, 3)

    def answer(library, x, *given):
        make = Tensor if library is ms else torch.from_numpy
        rest = [make(a) if isinstance(a, np.ndarray) else a for a in arguments]
        if given:
            rest[by] = given[0]
        y = x * 1
        row = y[1]
        getattr(y, name)(*rest)
        return (y * make(weights)).sum() + (row * row).sum()

    leaves = [torch.from_numpy(a.copy()).requires_grad_() for a in operands]
    expected = answer(torch, *leaves)
    expected.backward()

    def program(*xs):
        return answer(ms, *xs)

    positions = tuple(range(len(operands)))
    value, grads = ms.value_and_grad(ms.jit(program) if graph else program, positions)(*map(Tensor, operands))
    assert np.allclose(value.asnumpy(), expected.item(), rtol=1e-6)
    for grad, leaf in zip(grads if by is not None else [grads], leaves, strict=True):
        assert np.allclose(grad.asnumpy(), leaf.grad.numpy(), rtol=1e-6)


def test_elements_at_index_tensors():
    x = f()
    for graph in (lambda fn: fn, ms.jit):
        picked = graph(lambda a: a.index((Tensor([0, 1]), Tensor([2, 0]))))(x)
        check(picked, "float32", [x.asnumpy()[0, 2], x.asnumpy()[1, 0]])
    row = x.index([Tensor(0)])
    row[0] = 100.0  # a copy
    assert x.asnumpy()[0, 0] != 100
    mask = Tensor(x.asnumpy() > 2)
    assert x.index((mask,)).asnumpy().tolist() == x.asnumpy()[x.asnumpy() > 2].tolist()
    grad = ms.grad(lambda a: a.index((Tensor([0, 0]), Tensor([1, 1]))).sum())(x)
    assert grad.asnumpy()[0, 1] == 2 and grad.asnumpy().sum() == 2


def test_wrong_indices():
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    for wrong in (Tensor([0]), 1, (1, 2)):
        with pytest.raises(TypeError, match=r"Tensor\.index: indices must be a tuple of Tensors"):
            x.index(wrong)
    with pytest.raises(TypeError, match=r"Tensor\.index_copy_: tensor must have the dtype Float32, got Int64"):
        x.index_copy_(0, Tensor([0]), Tensor([[1, 2]]))
    with pytest.raises(ValueError, match=r"tensor must have shape \[1, 2\], got \[2\]"):
        x.index_copy_(0, Tensor([0]), Tensor([1.0, 2.0]))
    with pytest.raises(ValueError, match=r"Tensor\.index_fill_: index must have at most 1 axes, got int64\[1, 1\]"):
        x.index_fill_(0, Tensor([[0]]), 1.0)
    with pytest.raises(ValueError, match=r"Tensor\.index_fill_: value must have at most 0 axes, got float32\[1\]"):
        x.index_fill_(0, Tensor([0]), Tensor([1.0]))
    with pytest.raises(TypeError, match="integer"):
        x.index_fill_(0, Tensor([0.0]), 1.0)
    for name, rest in (("index_copy_", Tensor([[1.0, 2.0]])), ("index_fill_", 1.0)):
        with pytest.raises(IndexError, match="index"):
            getattr(x, name)(0, Tensor([2]), rest)
        with pytest.raises(ValueError, match=r"\[-2, 2\)"):
            getattr(x, name)(2, Tensor([0]), rest)
    assert x.asnumpy().tolist() == [[1.0, 2.0], [3.0, 4.0]]

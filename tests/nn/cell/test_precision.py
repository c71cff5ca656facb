"""The precision of a Cell: floats among its inputs take the dtype of `to_float`, other values stay."""

import numpy as np

import sporax as ms
from sporax import Tensor, nn
from sporax._src.nn.cell.precision import casting, entering, in_dtype


def test_floats_of_nested_inputs_are_cast() -> None:
    half, whole = Tensor([1.0], ms.float16), Tensor([1], ms.int32)
    first, (second, third), number = in_dtype((Tensor([1.0]), [half, whole], 3), ms.float16)
    assert first.dtype == ms.float16 and second is half and third is whole and number == 3


def test_inputs_of_pynative_calls_are_cast_by_each_operator() -> None:
    x = Tensor([1.5])
    assert entering(lambda v: v, (x,), np.dtype(np.float16)) == (x,)
    with casting(np.dtype(np.float16)):
        assert (x @ x).dtype == ms.float16
    assert (x @ x).dtype == ms.float32


def test_a_cell_computes_in_its_dtype(mode: int) -> None:
    net = nn.Dense(2, 1, weight_init="ones", has_bias=False).to_float(ms.float16)
    out = net(Tensor([[1.0, 2.0]]))
    assert out.dtype == ms.float16 and out.item() == 3 and net.weight.dtype == ms.float32

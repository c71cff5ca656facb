"""The base under both families of optimizers: slots, checks of gradients, the dtype that a step is computed in."""

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn
from sporax._src.optim.update_rule import distinct, float32, numbers


class Counting(nn.Optimizer):
    """w - lr · g, and how many steps there were."""

    slots = {"count": 0.0}
    attributes = {"steps": "count"}

    def __init__(self, rate: float, params: list[Parameter]) -> None:
        super().__init__(rate, params)
        self._make_slots()

    def update(self, w, g, lr, s, shared, decay):
        return w - lr * g, {"count": s["count"] + 1}


def test_slots_are_made_and_updated(mode: int) -> None:
    w = Parameter(Tensor([1.0, 2.0]), name="w")
    optimizer = Counting(0.5, [w])
    for _ in range(2):
        optimizer((Tensor([1.0, -1.0]),))
    assert w.asnumpy().tolist() == [0, 3]
    assert optimizer.steps[0] is optimizer.count[0] and optimizer.count[0].name == "count.w"
    assert optimizer.count[0].asnumpy().tolist() == [2, 2]


class Fine(nn.Optimizer):
    """Takes a step that half precision cannot tell from none."""

    def update(self, w, g, lr, s, shared, decay):
        return (w + 2**-12 - w) * 2**12, {}


def test_half_precision_is_computed_in_single() -> None:
    w = Parameter(Tensor([1.0], ms.float16), name="w")
    Fine(0.5, [w])((Tensor([1.0], ms.float16),))
    assert w.dtype == ms.float16 and w.item() == 1


def test_gradients_that_do_not_fit() -> None:
    optimizer = Counting(0.5, [Parameter(Tensor([1.0]), name="w")])
    with pytest.raises(ValueError, match=r"^Counting: expected a tuple of 1 gradients, got 2"):
        optimizer((Tensor([1.0]), Tensor([1.0])))
    with pytest.raises(ValueError, match=r"^Counting: expected a tuple of 1 gradients, got 3"):
        optimizer(3)
    with pytest.raises(ValueError, match=r"the gradient of 'w' must be a Tensor of shape \[1\], got float32\[2\]"):
        optimizer((Tensor([1.0, 2.0]),))


def test_numbers_take_the_dtype_of_the_parameter() -> None:
    half, third = numbers(np.zeros(1, np.float16), 0.5, Tensor([0.25]))
    assert half.dtype == third.dtype == np.float16 and (half, third) == (0.5, 0.25) and third.shape == ()
    assert float32(Tensor([0.5])) == float32(0.5) == np.float32(0.5)
    first, second = [1], [1]
    assert [id(x) for x in distinct([first, second, first])] == [id(first), id(second)]

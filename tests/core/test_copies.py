"""Copies of Tensors, as `copy.deepcopy` makes them and as programs ask for them by the method's name."""

import copy

from sporax import Tensor

T = Tensor([1.0, 2.0])


def test_one_tensor_of_a_structure_is_one_in_its_copy() -> None:
    first, second, named = copy.deepcopy([T, T, {"t": T}])
    assert first is second is named["t"] and first is not T  # type: ignore[index]


def test_the_method_takes_anything_as_its_memory() -> None:
    """As in MindSpore 2.7.0, which does not look at it."""
    for memory in (T, None, {}):
        assert T.__deepcopy__(memodict=memory).asnumpy().tolist() == [1.0, 2.0]

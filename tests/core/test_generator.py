"""Generators: the seeds and steps from which numbers are drawn."""

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, ops


def test_a_generator_of_its_own_leaves_the_default_one_alone():
    ms.set_seed(1)
    want = ops.rand(3).asnumpy()
    ms.set_seed(1)
    own = ms.Generator().manual_seed(9)
    first = ops.zeros((3,), ms.float32).normal_(generator=own).asnumpy()
    assert np.array_equal(ops.rand(3).asnumpy(), want)
    assert np.array_equal(ops.zeros((3,), ms.float32).normal_(generator=own.manual_seed(9)).asnumpy(), first)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_steps_of_a_generator(mode: int) -> None:
    """`_step` returns seed and place of the sequence, and moves on; a state that is set again leads to the same place."""
    ms.set_context(mode=mode)

    class Step(ms.nn.Cell):
        def construct(self, generator: ms.Generator) -> tuple:
            return generator._step(Tensor(3))

    generator = ms.Generator().manual_seed(5 << 32 | 7)
    assert [[int(t) for t in Step()(generator)] for _ in range(2)] == [[5 << 32 | 7, 0], [5 << 32 | 7, 3]]
    other = ms.Generator()
    other.set_state(generator.get_state())
    assert [int(t) for t in Step()(other)] == [int(t) for t in Step()(generator)] == [5 << 32 | 7, 6]


def test_a_layer_keeps_the_step_of_a_generator_as_parameters() -> None:
    class Dropout(ms.nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.seed, self.offset = ms.Generator().manual_seed(7)._step(Tensor(3))

    found = {p.name: (p.item(), p.dtype, p.requires_grad) for p in Dropout().get_parameters()}
    assert found == {"seed": (7, ms.int64, False), "offset": (0, ms.int64, False)}


@pytest.mark.parametrize("seed", [2**32, 2**40])
def test_a_seed_that_numpy_does_not_take_changes_nothing(seed):
    """As in MindSpore, which passes the seed on to NumPy."""
    ms.set_seed(7)
    expected = ops.rand(3).asnumpy()
    ms.set_seed(7)
    with pytest.raises(ValueError, match=rf"seed must be in \[0, 2\*\*32\), got {seed}"):
        ms.set_seed(seed)
    assert ms.get_seed() == 7
    np.testing.assert_array_equal(ops.rand(3).asnumpy(), expected)


def test_negative_seeds():
    """A seed is shown as an int64, as in MindSpore."""
    for given, shown in ((-3, -3), (2**64 - 3, -3), (2**63, -(2**63)), (2**63 - 1, 2**63 - 1)):
        generator = ms.Generator().manual_seed(given)
        assert generator.initial_seed() == shown
        again = ms.Generator()
        again.set_state(generator.get_state())
        assert again.initial_seed() == shown
    same = [ms.mint.rand(3, generator=ms.Generator().manual_seed(seed)).tolist() for seed in (-3, 2**64 - 3, 3)]
    assert same[0] == same[1] != same[2]
    with pytest.raises(ValueError, match=r"seed must be in \[-2\*\*63, 2\*\*64\), got 18446744073709551616"):
        ms.Generator().manual_seed(2**64)

"""The sequence of random numbers that `mindtorch` makes its generators of; the answers are those of MindSpore 2.10."""

import pytest

import sporax as ms
from sporax import Tensor
from sporax._src.compat.shims.ops.operations.inner_ops import Generator

STEP, SEED, GET_STATE, SET_STATE, MANUAL_SEED, INITIAL_SEED = range(6)


def test_commands() -> None:
    seed, offset = Tensor(0), Tensor(0)
    generator = Generator(seed, offset)

    def call(command, *given):
        return generator(command, (seed, offset, *[Tensor(value, ms.int64) for value in given]))

    assert call(MANUAL_SEED, 7) is None and (int(seed), int(offset)) == (7, 0)
    assert [int(x) for x in call(STEP, 3)[:2]] == [7, 0]
    assert [int(x) for x in call(STEP, 13)[:2]] == [7, 3] and int(offset) == 16
    nothing, nor, state = call(GET_STATE)
    assert nothing is nor is None and state.dtype == ms.uint8
    assert state.tolist() == [7, *[0] * 7, 16, *[0] * 7]
    call(MANUAL_SEED, 9)
    assert int(call(INITIAL_SEED)[0]) == 9
    assert generator(SET_STATE, (seed, offset, state)) is None and (int(seed), int(offset)) == (7, 16)
    assert int(call(SEED)[0]) == int(seed) and int(offset) == 0


def test_errors() -> None:
    seed, offset = Tensor(0), Tensor(0)
    generator = Generator(seed, offset)
    with pytest.raises(RuntimeError, match="Generator: there is no command 9"):
        generator(9, (seed, offset))
    with pytest.raises(RuntimeError, match="Generator: STEP expects 3 inputs, got 2"):
        generator(STEP, (seed, offset))

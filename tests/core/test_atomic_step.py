"""Steps that happen or do not: states that a failed one has written are what they were."""

import pytest

from sporax import Parameter, Tensor
from sporax._src.core.atomic_step import run_whole


def step(weight: Parameter, fails: bool) -> str:
    weight.set_data(weight * 2)
    weight.set_data(weight + 1)
    if fails:
        raise KeyError("late")
    return "done"


def test_a_step_that_succeeds_is_kept() -> None:
    weight = Parameter(Tensor([1.0]))
    assert run_whole(step, lambda: True, weight, False) == "done"
    assert weight.tolist() == [3.0]


@pytest.mark.parametrize(("is_done", "want"), [(False, [1.0]), (True, [3.0])])
def test_a_step_that_fails_is_undone_before_its_last_change(is_done: bool, want: list[float]) -> None:
    weight = Parameter(Tensor([1.0]))
    with pytest.raises(KeyError, match="late"):
        run_whole(step, lambda: is_done, weight, True)
    assert weight.tolist() == want

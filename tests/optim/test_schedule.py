"""Learning rates as Cells and as lists: MindSpore's values and errors."""

import numpy as np
import pytest
from optimizer_tables.schedulers import LR

import sporax as ms
from sporax import Tensor


def test_schedules_and_lists() -> None:
    """Learning rates as Cells and as lists."""
    for text, want in LR["lists"].items():
        if not isinstance(want, dict):
            np.testing.assert_allclose(eval(text, {"nn": ms.nn}), want, rtol=1e-6)
    for text, want in LR["schedules"].items():
        if not isinstance(want, dict):
            cell = eval(text, {"nn": ms.nn})
            got = [float(cell(Tensor(step, ms.int32)).asnumpy()) for step in range(len(want))]
            np.testing.assert_allclose(got, want, rtol=2e-5, atol=1e-8, err_msg=text)


@pytest.mark.parametrize("kind", ["lists", "schedules"])
def test_errors_of_mindspore(kind: str) -> None:
    for text, want in LR[kind].items():
        if isinstance(want, dict):
            with pytest.raises((ValueError, TypeError)) as error:
                eval(text, {"nn": ms.nn})
            assert type(error.value).__name__ == want["error"].split(":")[0], text

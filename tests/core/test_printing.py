"""Tensors, Parameters and dtypes print as MindSpore 2.7.0 prints them."""

import json
from pathlib import Path

import numpy as np
import pytest

import sporax as ms

RECORDED = json.loads((Path(__file__).parent.parent / "goldens" / "repr.json").read_text())
NAMES = {"ms": ms, "ops": ms.ops, "np": np, "Tensor": ms.Tensor, "Parameter": ms.Parameter}
CASES = [
    (e, c) for group in ("tensors", "parameters", "dtypes") for e, c in RECORDED[group].items() if e != "ms.Tensor"
]


@pytest.mark.parametrize(("expression", "case"), CASES, ids=[e for e, _ in CASES])
def test_text(expression: str, case: dict[str, str]) -> None:
    """`str` and `repr` equal the recorded text; what MindSpore refuses is refused with the same exception class."""
    if "error" in case:
        with pytest.raises((TypeError, ValueError, RuntimeError)) as error:
            eval(expression, dict(NAMES))
        assert type(error.value).__name__ == case["error"].split(":")[0]
        return
    value = eval(expression, dict(NAMES))
    for show in (str, repr):
        if show.__name__ in case:
            assert show(value) == case[show.__name__]

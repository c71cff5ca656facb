"""Every layer given an empty batch returns a result that holds nothing of a batch, or raises one clear error."""

import traceback
from collections import OrderedDict
from pathlib import Path
from typing import Any

import layer_cases
import numpy as np
import pytest
from laws.operators import leaves
from laws.samples import parse, to_tensors

import sporax as ms
from sporax import nn
from sporax._src.core import tree

SCOPE = {"nn": nn, "ms": ms, "OrderedDict": OrderedDict}
SOURCE = str(Path(ms.__file__).parent)
CASES = [(constructor, inputs) for constructor, inputs in layer_cases.ALL if inputs]


def emptied(value: Any) -> Any:
    """Return an array without its elements along the first axis."""
    return value[:0] if isinstance(value, np.ndarray) and value.ndim else value


@pytest.mark.parametrize(("constructor", "inputs"), CASES, ids=lambda v: v[:60])
def test_empty_batch(constructor: str, inputs: str) -> None:
    """In training and not; what an error says comes from sporax, not from below."""
    arrays = tree.map_leaves(emptied, parse(inputs)[0], lambda v: isinstance(v, np.ndarray))
    for training in (False, True):
        cell = eval(f"nn.{constructor}", SCOPE).set_train(training)
        try:
            results = leaves(cell(*to_tensors(arrays)))
        except (ValueError, TypeError) as error:
            raised = traceback.extract_tb(error.__traceback__)[-1]
            assert raised.filename.startswith(SOURCE), f"{raised.filename}: {error}"
            assert str(error).startswith(("nn.", "ops.")), error
        else:
            assert results
            for result in results:
                values = result.asnumpy()  # a reduction of no element is 0, or not finite
                assert 0 in result.shape or values.size == 1 or not np.isfinite(values).any() or not values.any()

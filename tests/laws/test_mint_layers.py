"""Layers of `mint.nn` agree with torch, given the same Parameters."""

import numpy as np
import pytest
import torch
from laws.operators import assert_equal
from laws.samples import to_tensors
from mint_calls import LAYERS, calls
from mint_laws import numpy_arguments, plain, to_torch

import sporax as ms
from sporax import mint


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", calls(LAYERS))
def test_layer(case: str) -> None:
    """A layer has the Parameters of torch's, and agrees with it given the same values, training and not."""
    call, inputs = case.split("|")
    name, arguments = call.split("(", 1)
    args, kwargs = numpy_arguments(arguments[:-1])
    data, _ = numpy_arguments(inputs)
    ours = getattr(mint.nn, name)(*to_tensors(args), **to_tensors(kwargs))
    theirs = getattr(torch.nn, name)(*to_torch(args), **to_torch(kwargs))
    state = dict(theirs.state_dict())
    params = {p.name: p for p in ours.get_parameters()}
    assert {k: tuple(v.shape) for k, v in state.items()} == {k: p.shape for k, p in params.items()}
    for key, param in params.items():
        param.set_data(ms.Tensor(state[key].numpy().astype(param.asnumpy().dtype)))
    for training in (True, False):
        ours.set_train(training)
        theirs.train(training)
        assert_equal(ours(*to_tensors(data)), plain(theirs(*to_torch(data))), rtol=2e-5, label=case)
    for key, value in theirs.state_dict().items():
        np.testing.assert_allclose(params[key].asnumpy(), value.numpy(), rtol=1e-5, atol=1e-6, err_msg=f"{case}: {key}")

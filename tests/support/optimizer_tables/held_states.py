"""States have the attributes that they have in MindSpore, and gradients are centralized where MindSpore's are."""

import numpy as np
import pytest

from sporax import Parameter, Tensor, nn


@pytest.mark.parametrize(
    ("call", "shape", "centred"),
    [
        ("nn.Momentum(group, 1.0, 0.0)", (2, 3), False),  # recorded: as it is
        ("nn.Momentum(group, 1.0, 0.0)", (16,), False),  # recorded: as it is
        ("nn.Momentum(group, 1.0, 0.0)", (2, 16), True),  # from here on MindSpore's CPU has no kernel
        ("nn.Momentum(group, 1.0, 0.0)", (2, 32, 3), True),
        ("nn.SGD(group, 1.0)", (2, 16), True),
        ("nn.Adam(group, 1.0)", (2, 16), True),
        ("nn.Adam(group, 1.0, use_offload=True)", (2, 16), False),
        ("nn.AdamWeightDecay(group, 1.0)", (2, 16), False),  # recorded: as it is
        ("nn.AdamOffload(group, 1.0)", (2, 16), False),  # recorded: as it is
    ],
)
def test_where_gradients_are_centralized(call: str, shape: tuple[int, ...], centred: bool) -> None:
    """Where the second axis is a multiple of 16, unless the optimizer leaves it out: steps then have both signs."""
    w = Parameter(Tensor(np.zeros(shape, np.float32)), name="w")
    group = [{"params": [w], "grad_centralization": True}]
    gradient = np.arange(1, np.prod(shape) + 1, dtype=np.float32).reshape(shape)
    eval(call, {"nn": nn, "group": group})((Tensor(gradient),))
    assert (w.asnumpy() > 0).any() == centred
    with pytest.raises(TypeError, match="grad_centralization must be a bool, got 1"):
        nn.SGD([{"params": [w], "grad_centralization": 1}])


@pytest.mark.parametrize(
    ("call", "states"),
    [
        ("nn.AdamWeightDecay([w])", {"moments1": "adam_m.w", "moments2": "adam_v.w"}),
        ("nn.RMSProp([w])", {"ms": "mean_square.w", "moment": "moment.w"}),
        ("nn.RMSProp([w], centered=True)", {"ms": "mean_square.w", "mg": "mean_grad.w", "moment": "moment.w"}),
    ],
)
def test_states_have_the_attributes_that_they_have_in_mindspore(call: str, states: dict[str, str]) -> None:
    """Some are called otherwise than their Parameters, which are in the optimizer once."""
    optimizer = eval(call, {"nn": nn, "w": Parameter(Tensor([1.0, 2.0]), name="w")})
    assert {name: getattr(optimizer, name)[0].name for name in states} == states
    names = [param.name for param in optimizer.get_parameters()]
    assert sorted(names) == sorted(["global_step", "learning_rate", "w", *states.values()])

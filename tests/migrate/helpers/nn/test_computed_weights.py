"""Norms of weights and masks: the rows of the torch map that use these helpers, and what a hook of one's own computes."""

import numpy as np
import pytest
import torch
from torch_map_rows import check, rows_of

from sporax import Tensor, nn
from sporax._src.migrate.helpers.nn.computed_weights import _parametrized, _remove_computed

TestRows = rows_of("sporax._src.migrate.helpers.nn.computed_weights")


PRUNED = "import torch.nn.utils.prune as P; L = torch.nn.Linear(3, 2); A = P.is_pruned(L); P.l1_unstructured(L, 'weight', 2); "


@pytest.mark.parametrize(
    "last",
    [
        "[A, P.is_pruned(L)]",
        "P.remove(L, 'weight'); P.is_pruned(L)",
        "torch.nn.utils.weight_norm(L, 'bias'); P.remove(L, 'weight'); P.is_pruned(L)",
        "M = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(3, 2)); P.is_pruned(torch.nn.Sequential(M))",
        "[P.is_pruned(torch.nn.Sequential(torch.nn.ReLU(), layer)) for layer in (torch.nn.Linear(3, 2), L)]",
    ],
)
def test_a_net_tells_whether_it_is_pruned(last):
    check("torch.nn.utils.prune.is_pruned", PRUNED + last, "mint")


def test_a_weight_is_what_a_cell_makes_of_a_parameter():
    """The weight is computed anew before each call, and stays as it is when that is taken away."""
    data, x = np.array([[0.5, -1.25, 2.0]], np.float32), np.array([[1.0, 2.0, -0.5]], np.float32)
    ours, theirs = nn.Dense(3, 1, has_bias=False), torch.nn.Linear(3, 1, bias=False)
    ours.weight.set_data(Tensor(data))
    theirs.weight.data = torch.from_numpy(data)
    _parametrized(ours, "weight", nn.ReLU())
    torch.nn.utils.parametrize.register_parametrization(theirs, "weight", torch.nn.ReLU())

    def assert_same():
        np.testing.assert_allclose(ours(Tensor(x)).asnumpy(), theirs(torch.from_numpy(x)).detach().numpy(), rtol=1e-6)

    assert_same()
    ours.weight_orig.set_data(Tensor(-data))
    theirs.parametrizations.weight.original.data = torch.from_numpy(-data)
    assert_same()
    _remove_computed(ours)
    torch.nn.utils.parametrize.remove_parametrizations(theirs, "weight")
    assert_same()
    assert [p.name for p in ours.trainable_params()] == ["weight"]

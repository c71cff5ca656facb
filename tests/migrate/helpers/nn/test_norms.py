"""Norms and dropout: the rows of the torch map that use these helpers, and batch norm that is frozen."""

import numpy as np
import torch
from torch_map_rows import rows_of

from sporax import Tensor
from sporax._src.migrate.helpers.nn.norms import _FrozenBatchNorm2d

TestRows = rows_of("sporax._src.migrate.helpers.nn.norms")


def test_frozen_batch_norm_is_torchs_in_evaluation():
    given = {"weight": [0.5, -2.0], "bias": [1.0, 0.25], "running_mean": [0.1, -0.3], "running_var": [0.5, 2.0]}
    cell, x = _FrozenBatchNorm2d(2, eps=1e-3), np.sin(np.arange(24, dtype=np.float32)).reshape(2, 2, 3, 2)
    for name, values in given.items():
        setattr(cell, name, Tensor(values))
    expected = torch.nn.functional.batch_norm(
        torch.from_numpy(x), **{name: torch.tensor(values) for name, values in given.items()}, eps=1e-3
    )
    assert list(cell.trainable_params()) == []
    for training in (False, True):
        np.testing.assert_allclose(
            cell.set_train(training)(Tensor(x)).asnumpy(), expected.numpy(), rtol=1e-5, atol=1e-6
        )

"""SGD: the rows of the tables, decay and rates of groups."""

import numpy as np
from optimizer_tables import optimizers_of

from sporax import Parameter, Tensor, nn

TestRows = optimizers_of("sporax._src.optim.sgd")


def test_weight_decay_of_sgd_is_not_scaled(mode: int) -> None:
    """Under a loss scale the decay is the one that was asked for (recorded: 0.89 and 1.88)."""
    w = Parameter(Tensor([1.0, 2.0]), name="w")
    nn.SGD([w], 0.1, weight_decay=0.1, loss_scale=8.0)((Tensor([8.0, 8.0]),))
    np.testing.assert_allclose(w.asnumpy(), [0.89, 1.88], rtol=1e-6)

"""AdaFactor: the rows of the tables, and its variants."""

import numpy as np
from optimizer_tables import optimizers_of
from optimizer_tables.steps import DATA, build, stepped

from sporax import Tensor

TestRows = optimizers_of("sporax._src.optim.adafactor")


def test_adafactor_variants() -> None:
    """Without first moment, with decay, with averages of vectors in float16."""
    got, grads = stepped(
        "nn.AdaFactor(params, 0.1, scale_parameter=False, relative_step=False, beta1=None, weight_decay=0.1)"
    )
    w, rows, columns = DATA["fc.weight"].astype(np.float64), 0.0, 0.0
    for t, g in enumerate(grads, 1):
        b = 1 - t**-0.8
        rows = b * rows + (1 - b) * (g * g).mean(1)
        columns = b * columns + (1 - b) * (g * g).mean(0)
        u = g / np.sqrt(np.outer(rows, columns) / rows.mean())
        u = u / max(1, np.sqrt((u * u).mean()))
        w = w - 0.1 * u - 0.1 * 0.1 * w
    np.testing.assert_allclose(got, w, rtol=1e-5, atol=1e-6)
    small = build("nn.AdaFactor(params, compression=True, warmup_init=True)").opt
    assert [str(p.dtype) for p in small.exp_avg_sq] == ["Float32", "Float16"]
    small((Tensor(grads[0].astype(np.float32)), Tensor(np.ones(4, np.float32))))

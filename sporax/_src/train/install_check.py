"""run_check: whether the installation computes."""

from __future__ import annotations

import numpy as np

from sporax._src.base.config import get_context
from sporax._src.core.tensor import Tensor
from sporax._src.ops.math.arithmetic import mul


def run_check() -> None:
    """Multiply two Tensors on the device of the context, and print whether the product is right.

    Raises:
        RuntimeError: If it is not.
    """
    x, y = np.arange(6, dtype=np.float32).reshape(2, 3), np.full((2, 3), 2, np.float32)
    product, device = mul(Tensor(x), Tensor(y)).asnumpy(), get_context("device_target")
    if not np.array_equal(product, x * y):
        raise RuntimeError(f"run_check: {device} computes {product.tolist()}, not {(x * y).tolist()}.")
    print(f"The result of multiplication calculation is correct, sporax computes on platform [{device}] successfully!")

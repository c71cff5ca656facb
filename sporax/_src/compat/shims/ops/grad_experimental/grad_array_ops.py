"""What gradients of operators on arrays ask of axes, in `mindspore.ops._grad_experimental.grad_array_ops`.

MindSpore's own tests use it.
"""

from __future__ import annotations


def _generate_inverse_index(x_shape: tuple[int, ...], axis: int, batch_dims: int = 0) -> tuple[int, ...]:
    """Return the order of axes that moves the axis `batch_dims` back to `axis`.

    Args:
        x_shape: The shape of the Tensor.
        axis: Where the axis came from; negative ones count from the end.
        batch_dims: Where it is.
    """
    order = [n for n in range(len(x_shape)) if n != batch_dims]
    order.insert(axis % len(x_shape), batch_dims)
    return tuple(order)

"""What gradients of operators on arrays ask of axes; the values are those of MindSpore 2.7."""

from sporax._src.compat.shims.ops.grad_experimental.grad_array_ops import _generate_inverse_index as order


def test_order_of_axes() -> None:
    assert order((3, 2, 3), 2) == (1, 2, 0)
    assert order((3, 2, 3), -3) == (0, 1, 2)
    assert order((3, 2, 3, 4), 3, 1) == (0, 2, 3, 1)

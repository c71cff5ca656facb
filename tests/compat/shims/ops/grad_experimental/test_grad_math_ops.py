"""What gradients of Fourier transforms ask of shapes; the values are those of MindSpore 2.7."""

from sporax._src.compat.shims.ops.grad_experimental import grad_math_ops


def test_shapes_of_transforms() -> None:
    assert grad_math_ops._fft_rank_offset((1, 2, 4, 5), 2) == 20
    assert grad_math_ops._rfft_reshape((1, 2, 3), (4, 5)) == (1, 4, 5)
    assert grad_math_ops._rfft_tile_reshape((2, 3, 4)) == (2, 1, 1)
    assert grad_math_ops._rfft_last_term_shape((1, 2, 3), (4, 5)) == (1, 1, 4, 5)

"""Elementwise functions, reductions, sorting and products, in place of those of `mint`."""

import math

import sporax as mindspore
from sporax import ops


def _mint_exp2(input):
    """Return 2 to the power of each element."""
    return ops.exp(input * math.log(2.0))


def _mint_log2(input):
    """Return logarithms to the base 2."""
    return ops.log(input) / math.log(2.0)


def _mint_log10(input):
    """Return logarithms to the base 10."""
    return ops.log(input) / math.log(10.0)


def _mint_frac(input):
    """Return the fractional part."""
    return input - ops.trunc(input)


def _mint_logaddexp(input, other):
    """Return the logarithm of the sum of two exponentials."""
    high = ops.stop_gradient(ops.maximum(input, other))
    return high + ops.log(ops.exp(input - high) + ops.exp(other - high))


def _mint_asin(input):
    """Return arc sines."""
    return ops.asin(input)


def _mint_acos(input):
    """Return arc cosines."""
    return ops.acos(input)


def _mint_atan(input):
    """Return arc tangents."""
    return ops.atan(input)


def _mint_asinh(input):
    """Return inverse hyperbolic sines."""
    return ops.asinh(input)


def _mint_acosh(input):
    """Return inverse hyperbolic cosines."""
    return ops.acosh(input)


def _mint_atan2(input, other):
    """Return the angles of the points (x, y)."""
    return ops.atan2(input, other)


def _mint_isneginf(input):
    """Tell which elements are -inf."""
    return input == -math.inf


def _mint_cumsum(input, dim, dtype=None):
    """Return cumulative sums."""
    return ops.cumsum(input, dim, dtype)


def _axes(input, dim):
    """Return the axes of a reduction."""
    return tuple(range(input.ndim)) if dim is None or dim == () else (dim,) if isinstance(dim, int) else tuple(dim)


def _mint_var(input, dim=None, *, correction=1, keepdim=False):
    """Return variances."""
    axes = _axes(input, dim)
    count = math.prod(input.shape[axis] for axis in axes)
    centered = input - input.mean(axes, keep_dims=True)
    left = count - correction
    return (centered * centered).sum(axes, keepdims=keepdim) / left if left > 0 else (centered * math.nan).sum(axes)


def _mint_std(input, dim=None, *, correction=1, keepdim=False):
    """Return standard deviations."""
    return ops.sqrt(_mint_var(input, dim, correction=correction, keepdim=keepdim))


def _mint_var_mean(input, dim=None, *, correction=1, keepdim=False):
    """Return variances and means."""
    mean = input.mean(_axes(input, dim), keep_dims=keepdim)
    return _mint_var(input, dim, correction=correction, keepdim=keepdim), mean


def _mint_std_mean(input, dim=None, *, correction=1, keepdim=False):
    """Return standard deviations and means."""
    variance, mean = _mint_var_mean(input, dim, correction=correction, keepdim=keepdim)
    return ops.sqrt(variance), mean


def _mint_logsumexp(input, dim, keepdim=False):
    """Return the logarithms of sums of exponentials."""
    return ops.logsumexp(input, dim, keepdim)


def _mint_count_nonzero(input, dim=None):
    """Count the elements that are not 0."""
    return (input != 0).astype(mindspore.int64).sum(_axes(input, dim))


def _mint_linalg_vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None):
    """Return the norms of vectors."""
    x = ops.abs(x if dtype is None else x.astype(dtype))
    axes = _axes(x, dim)
    if ord in (math.inf, -math.inf):
        return x.max(axes, keepdims=keepdim) if ord > 0 else x.min(axes, keepdims=keepdim)
    if ord == 0:
        return (x != 0).astype(x.dtype).sum(axes, keepdims=keepdim)
    if ord == 1:
        return x.sum(axes, keepdims=keepdim)
    sums = (x**ord).sum(axes, keepdims=keepdim)
    return ops.sqrt(sums) if ord == 2 else sums ** (1 / ord)


def _mint_norm(input, p="fro", dim=None, keepdim=False, *, dtype=None):
    """Return the norms of vectors, or of all elements; "nuc" is the sum of the singular values."""
    if p == "nuc":
        return ops.svd(input, compute_uv=False).sum(-1)
    return _mint_linalg_vector_norm(input, 2 if p == "fro" else p, dim, keepdim, dtype=dtype)


def _mint_argmax(input, dim=None, keepdim=False):
    """Return the indices of the largest elements."""
    index = ops.argmax(input.reshape(-1) if dim is None else input, 0 if dim is None else dim, keepdim)
    return index.reshape((1,) * input.ndim if keepdim and dim is None else index.shape).astype(mindspore.int64)


def _mint_argmin(input, dim=None, keepdim=False):
    """Return the indices of the smallest elements."""
    return _mint_argmax(-input, dim, keepdim)


def _mint_sort(input, *, dim=-1, descending=False, stable=False):
    """Return the sorted elements and their indices."""
    values, indices = ops.sort(input, dim, descending)
    return values, indices.astype(mindspore.int64)


def _mint_argsort(input, dim=-1, descending=False, stable=False):
    """Return the indices that sort the elements."""
    return _mint_sort(input, dim=dim, descending=descending)[1]


def _mint_topk(input, k, dim=-1, largest=True, sorted=True):
    """Return the largest elements and their indices."""
    values, indices = ops.topk(input, k, dim, largest, sorted)
    return values, indices.astype(mindspore.int64)


def _mint_mm(input, mat2):
    """Return the product of matrices."""
    return ops.matmul(input, mat2)


def _mint_mv(input, vec):
    """Return the product of a matrix and a vector."""
    return ops.matmul(input, vec)


def _mint_dot(input, other):
    """Return the product of vectors."""
    return (input * other).sum()


def _mint_outer(input, vec2):
    """Return the outer product of two vectors."""
    return ops.expand_dims(input, 1) * vec2


def _mint_addmm(input, mat1, mat2, *, beta=1, alpha=1):
    """Return the sum of a matrix and a product of matrices."""
    return beta * input + alpha * ops.matmul(mat1, mat2)


def _mint_addmv(input, mat, vec, *, beta=1, alpha=1):
    """Return the sum of a vector and a product of a matrix and a vector."""
    return beta * input + alpha * ops.matmul(mat, vec)


def _mint_baddbmm(input, batch1, batch2, *, beta=1, alpha=1):
    """Return the sums of matrices and products of matrices, batch by batch."""
    return beta * input + alpha * ops.bmm(batch1, batch2)


def _mint_addbmm(input, batch1, batch2, *, beta=1, alpha=1):
    """Return the sum of a matrix and all products of a batch."""
    return beta * input + alpha * ops.bmm(batch1, batch2).sum(0)


def _mint_mul(input, other):
    """Return products, element by element."""
    return input * other


def _mint_addcdiv(input, tensor1, tensor2, *, value=1):
    """Return the sum of a Tensor and a scaled quotient."""
    return input + value * (tensor1 / tensor2)


def _mint_trace(input):
    """Return the sum of a diagonal."""
    return ops.diagonal(input).sum()

"""Reductions of torch that MindSpore lacks."""

from sporax import mint, ops


def _aminmax(x, dim=None, keepdim=False):
    """Return the smallest and the largest elements."""
    dim = () if dim is None else dim
    return mint.amin(x, dim, keepdim), mint.amax(x, dim, keepdim)


def _mode(x, dim=-1, keepdim=False):
    """Return the most frequent values along an axis (the smallest of several), and the last index of each."""
    rows = ops.movedim(x, dim, -1)
    count = mint.sum(mint.eq(mint.unsqueeze(rows, -1), mint.unsqueeze(rows, -2)), -1)
    frequent = mint.eq(count, mint.amax(count, -1, True))
    values = mint.amin(mint.where(frequent, rows, mint.amax(rows, -1, True)), -1, True)
    positions = mint.arange(rows.shape[-1])
    indices = mint.amax(mint.where(mint.eq(rows, values), positions, -1), -1, True)
    values, indices = ops.movedim(values, -1, dim), ops.movedim(indices, -1, dim)
    return (values, indices) if keepdim else (mint.squeeze(values, dim), mint.squeeze(indices, dim))


def _corrcoef(x):
    """Return Pearson's correlation of the rows of a Tensor."""
    covariance = ops.cov(x)
    if covariance.ndim == 0:
        return covariance / covariance
    deviation = mint.sqrt(mint.diag(covariance))
    return mint.clamp(covariance / mint.unsqueeze(deviation, 1) / mint.unsqueeze(deviation, 0), -1, 1)


def _svd(x, some=True, compute_uv=True):
    """Return the singular vectors and values of matrices as U, S, V."""
    if not compute_uv:
        rows, columns = x.shape[-2:]
        shape = x.shape[:-2]
        left, right = (
            mint.zeros((*shape, rows, rows), dtype=x.dtype),
            mint.zeros((*shape, columns, columns), dtype=x.dtype),
        )
        return left, ops.svd(x, compute_uv=False), right
    values, left, right = ops.svd(x, full_matrices=not some)
    return left, values, right

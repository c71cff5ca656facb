"""Functions that move elements of Tensors, in place of those of `mint`."""

import sporax as mindspore
from sporax import ops


def _mint_stack(tensors, dim=0):
    """Join Tensors along a new axis."""
    return ops.stack(list(tensors), dim)


def _mint_flatten(input, start_dim=0, end_dim=-1):
    """Flatten several axes into one."""
    if input.ndim == 0:
        return input.reshape((1,))
    start, end = start_dim % input.ndim, end_dim % input.ndim
    return input.reshape((*input.shape[:start], -1, *input.shape[end + 1 :]))


def _mint_unbind(input, dim=0):
    """Return the parts of a Tensor along an axis."""
    return ops.unstack(input, dim)


def _mint_narrow(input, dim, start, length):
    """Return a range of an axis."""
    return input[(*[slice(None)] * (dim % input.ndim), slice(start, start + length))]


def _mint_split(tensor, split_size_or_sections, dim=0):
    """Split a Tensor along an axis into chunks."""
    return ops.split(tensor, split_size_or_sections, dim)


def _mint_t(input):
    """Return the transpose of a matrix."""
    return input if input.ndim < 2 else ops.swapaxes(input, 0, 1)


def _mint_roll(input, shifts, dims=None):
    """Shift elements along axes; those shifted off one end come back at the other."""
    if dims is None:
        return _mint_roll(input.reshape(-1), shifts, 0).reshape(input.shape)
    pairs = [(shifts, dims)] if isinstance(dims, int) else zip(shifts, dims, strict=True)
    for shift, dim in pairs:
        at = -shift % max(input.shape[dim], 1)
        if at:
            head, tail = _mint_narrow(input, dim, 0, at), _mint_narrow(input, dim, at, input.shape[dim] - at)
            input = ops.cat((tail, head), dim)
    return input


def _mint_tril(input, diagonal=0):
    """Return the elements on and below a diagonal."""
    rows, columns = ops.arange(input.shape[-2]).reshape(-1, 1), ops.arange(input.shape[-1])
    return ops.where(columns - rows <= diagonal, input, ops.zeros_like(input))


def _mint_diag(input, diagonal=0):
    """Return the diagonal of a matrix, or the matrix with a vector as its diagonal."""
    return ops.diagonal(input, diagonal) if input.ndim == 2 else ops.diag_embed(input, diagonal)


def _mint_index_select(input, dim, index):
    """Return the slices at some indices of an axis."""
    return ops.gather(input, index.reshape(-1), dim)


def _mint_take(input, index):
    """Return elements by their index in the flattened Tensor."""
    return ops.gather(input.reshape(-1), index, 0)


def _mint_scatter_add(input, dim, index, src):
    """Add elements at the indices along an axis."""
    src = src[tuple(slice(0, n) for n in index.shape)]
    return ops.tensor_scatter_elements(input, index, src, dim, "add")


def _mint_nn_functional_embedding(
    input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False
):
    """Return rows of a table; the row padding_idx gets no gradient."""
    if max_norm is not None or scale_grad_by_freq:
        raise NotImplementedError("embedding takes no max_norm and no scale_grad_by_freq here")
    rows = ops.gather(weight, input, 0)
    if padding_idx is None:
        return rows
    is_padding = ops.expand_dims(input == padding_idx % weight.shape[0], -1)
    return ops.where(is_padding, ops.stop_gradient(rows), rows)


def _mint_repeat_interleave(input, repeats, dim=None, *, output_size=None):
    """Repeat each element of an axis."""
    input, dim = (input.reshape(-1), 0) if dim is None else (input, dim)
    repeats = repeats.tolist() if isinstance(repeats, mindspore.Tensor) else repeats
    return ops.repeat_interleave(input, repeats, dim)


def _mint_nonzero(input, *, as_tuple=False):
    """Return the indices of the elements that are not 0."""
    indices = ops.nonzero(input)
    return ops.unstack(indices, 1) if as_tuple else indices


def _mint_bitwise_not(input):
    """Invert each bit."""
    return ops.logical_not(input) if input.dtype == mindspore.bool_ else -input - 1


def _mint_equal(input, other):
    """Return whether two Tensors are equal."""
    return input.shape == other.shape and bool((input == other).all())


def _mint_scatter(input, dim, index, src):
    """Write elements at the indices along an axis."""
    if not isinstance(src, mindspore.Tensor):
        src = ops.full(index.shape, src, dtype=input.dtype)
    return ops.tensor_scatter_elements(
        input, index, src[tuple(slice(0, n) for n in index.shape)].astype(input.dtype), dim
    )


def _mint_index_add(input, dim, index, source, *, alpha=1):
    """Add slices at the indices of an axis."""
    return ops.index_add(input.copy(), index.astype(mindspore.int32), source.astype(input.dtype) * alpha, dim)

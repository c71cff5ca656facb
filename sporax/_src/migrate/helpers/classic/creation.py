"""Functions that create Tensors, filled or random, in place of those of `mint`."""

import numpy as np

import sporax as mindspore
from sporax import ops


def _mint_arange(start=0, end=None, step=1, *, dtype=None):
    """Return evenly spaced numbers with a given step."""
    start, end = (0, start) if end is None else (start, end)
    return ops.arange(start, end, step, dtype=dtype)


def _mint_linspace(start, end, steps, *, dtype=None):
    """Return a given number of evenly spaced numbers."""
    return mindspore.tensor(np.linspace(start, end, steps), dtype=dtype or mindspore.float32)


def _mint_full(size, fill_value, *, dtype=None):
    """Return a Tensor filled with a number."""
    kind = {bool: mindspore.bool_, int: mindspore.int64}.get(type(fill_value), mindspore.float32)
    return ops.full(tuple(size), fill_value, dtype=dtype or kind)


def _mint_full_like(input, fill_value, *, dtype=None):
    """Return a Tensor filled with a number, in the shape of another."""
    return ops.full_like(input, fill_value, dtype=dtype or input.dtype)


def _mint_zeros_like(input, *, dtype=None):
    """Return zeros in the shape of a Tensor."""
    return ops.zeros_like(input, dtype=dtype)


def _mint_ones_like(input, *, dtype=None):
    """Return ones in the shape of a Tensor."""
    return ops.ones_like(input, dtype=dtype)


def _mint_rand(*size, generator=None, dtype=None):
    """Draw uniform numbers from [0, 1)."""
    if generator is not None:  # ops draws without
        return mindspore.mint.rand(*size, generator=generator, dtype=dtype)
    size = tuple(size[0]) if size and isinstance(size[0], (tuple, list)) else size
    return ops.rand(*size, dtype=dtype)


def _mint_randn(*size, generator=None, dtype=None):
    """Draw numbers from the standard normal distribution."""
    if generator is not None:  # ops draws without
        return mindspore.mint.randn(*size, generator=generator, dtype=dtype)
    size = tuple(size[0]) if size and isinstance(size[0], (tuple, list)) else size
    return ops.randn(*size, dtype=dtype)


def _mint_rand_like(input, *, dtype=None):
    """Draw uniform numbers from [0, 1), in the shape of a Tensor."""
    return ops.rand_like(input, dtype=dtype)


def _mint_randn_like(input, *, dtype=None):
    """Draw numbers from the standard normal distribution, in the shape of a Tensor."""
    return ops.randn_like(input, dtype=dtype)


def _mint_randint(low, high=None, size=None, *, generator=None, dtype=None):
    """Draw integers from [low, high)."""
    if generator is not None:  # ops draws without
        return mindspore.mint.randint(
            *[n for n in (low, high, size) if n is not None], generator=generator, dtype=dtype or mindspore.int64
        )
    if size is None:
        low, high, size = 0, low, high
    return ops.randint(low, high, tuple(size), dtype=dtype or mindspore.int64)


def _mint_randperm(n, *, generator=None, dtype=None):
    """Return the integers of [0, n) in random order."""
    if generator is not None:  # ops draws without
        return mindspore.mint.randperm(n, generator=generator, dtype=dtype or mindspore.int64)
    return ops.argsort(ops.rand(n)).astype(dtype or mindspore.int64)


def _mint_normal(mean=0.0, std=1.0, size=None, generator=None):
    """Draw numbers from normal distributions."""
    if generator is not None:  # ops draws without
        return mindspore.mint.normal(mean, std, size, generator)
    shape = size or next(x.shape for x in (mean, std) if isinstance(x, mindspore.Tensor))
    return mean + std * ops.randn(*shape)


def _mint_bernoulli(input, *, generator=None):
    """Draw 1 with each probability, else 0."""
    if generator is not None:  # ops draws without
        return mindspore.mint.bernoulli(input, generator=generator)
    return (ops.rand(*input.shape) < input).astype(input.dtype)


def _mint_multinomial(input, num_samples, replacement=False, *, generator=None):
    """Draw indices of the last axis in proportion to weights."""
    if generator is not None:  # ops draws without
        return mindspore.mint.multinomial(input, num_samples, replacement, generator=generator)
    return ops.multinomial(input, num_samples, replacement).astype(mindspore.int64)


def _mint_clone(input):
    """Return a Tensor with the same elements that shares no memory."""
    return input.copy()


def _mint_empty(*size, dtype=None, device=None):
    """Return a Tensor whose elements are not specified; they are 0."""
    size = tuple(size[0]) if size and isinstance(size[0], (tuple, list)) else size
    return ops.zeros(size, dtype or mindspore.float32)


def _mint_empty_like(input, *, dtype=None, device=None):
    """Return a Tensor in the shape of another, whose elements are not specified; they are 0."""
    return ops.zeros_like(input, dtype=dtype)


def _mint_randint_like(input, low, high=None, *, dtype=None):
    """Draw integers from [low, high), in the shape of a Tensor."""
    low, high = (0, low) if high is None else (low, high)
    return ops.randint(low, high, input.shape).astype(dtype or input.dtype)

"""Random Tensor methods: each draws in the shape of the Tensor; those that end in an underscore fill the Tensor."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.api.tensor.operators import assign
from sporax._src.base.typing import Array, Key, Static
from sporax._src.bindings.tensor_methods import methods
from sporax._src.core import dtype as mstype
from sporax._src.core.dtype import to_numpy
from sporax._src.engine.table import internal


def largest(dtype: mstype.Type) -> int:
    """Return the bound below which a dtype represents every integer."""
    kind = to_numpy(dtype)
    return 2 if kind.kind == "b" else int(np.iinfo(kind).max) if kind.kind in "iu" else 2 ** (jnp.finfo(kind).nmant + 1)


@internal("Tensor.normal_")
def normal_like(key: Key, input: Array, mean: Array, std: Array, generator: Static = None) -> Array:
    """Draw from the normal distribution in the shape and dtype of the Tensor.

    Args:
        input: A Tensor.
        mean: The mean.
        std: The standard deviation.
        generator: The Generator to draw from; None is the default one.

    Examples:
        >>> Tensor([1.0, 2.0]).normal_().shape
        (2,)
    """
    mean, std = (jnp.asarray(v).astype(input.dtype) for v in (mean, std))
    return mean + std * jax.random.normal(key, input.shape, input.dtype)


@internal("Tensor.uniform_")
def uniform_like(key: Key, input: Array, low: Array, high: Array, generator: Static = None) -> Array:
    """Draw from the uniform distribution over [`low`, `high`) in the shape and dtype of the Tensor.

    Args:
        input: A Tensor.
        low: The least number.
        high: The bound above.
        generator: The Generator to draw from; None is the default one.

    Examples:
        >>> Tensor([1.0, 2.0]).uniform_().shape
        (2,)
    """
    low, high = (jnp.asarray(v).astype(input.dtype) for v in (low, high))
    return low + (high - low) * jax.random.uniform(key, input.shape, input.dtype)


@internal("Tensor.exponential_")
def exponential_like(key: Key, input: Array, lambd: Array, generator: Static = None) -> Array:
    """Draw from the exponential distribution of rate `lambd` in the shape and dtype of the Tensor.

    Args:
        input: A Tensor.
        lambd: The rate, positive.
        generator: The Generator to draw from; None is the default one.

    Examples:
        >>> bool((Tensor([1.0, 2.0]).exponential_() >= 0).all())
        True
    """
    return jax.random.exponential(key, input.shape, input.dtype) / jnp.asarray(lambd).astype(input.dtype)


@internal("Tensor.random_")
def integers_like(key: Key, input: Array, low: Array, high: Array, generator: Static = None) -> Array:
    """Draw integers from [`low`, `high`) in the shape and dtype of the Tensor.

    Args:
        input: A Tensor.
        low: The least integer.
        high: The bound above.
        generator: The Generator to draw from; None is the default one.

    Examples:
        >>> Tensor([1, 2]).random_(0, 1).asnumpy()
        array([0, 0])
    """
    return jax.random.randint(key, input.shape, jnp.asarray(low), jnp.asarray(high), np.int64).astype(input.dtype)


@internal("Tensor.bernoulli")
def bernoulli_like(key: Key, input: Array, p: Array, generator: Static = None) -> Array:
    """Draw 1 with probability `p`, else 0, in the shape and dtype of the Tensor.

    Args:
        input: A Tensor.
        p: A number, or a Tensor that broadcasts to the shape.
        generator: The Generator to draw from; None is the default one.

    Examples:
        >>> Tensor([5.0, 5.0]).bernoulli_(1.0).asnumpy()
        array([1., 1.], dtype=float32)
    """
    return (jax.random.uniform(key, input.shape, np.float32) < jnp.asarray(p).astype(np.float32)).astype(input.dtype)


@internal("Tensor.cauchy")
def cauchy_like(key: Key, input: Array, median: Array, sigma: Array) -> Array:
    """Draw from the Cauchy distribution in the shape of the Tensor, as float32.

    Args:
        input: A Tensor.
        median: The median.
        sigma: The scale.

    Examples:
        >>> Tensor([1.0, 2.0]).cauchy().shape
        (2,)
    """
    median, sigma = (jnp.asarray(v).astype(np.float32) for v in (median, sigma))
    return median + sigma * jax.random.cauchy(key, input.shape, np.float32)


methods(
    """
normal_(mean: float = 0, std: float = 1, *, generator: Any = None) -> \
assign(self, normal_like(self, mean, std, generator), "normal_")
    Fill the Tensor with draws from the normal distribution, and return it.
uniform_(from_: float = 0, to: float = 1, *, generator: Any = None) -> \
assign(self, uniform_like(self, from_, to, generator), "uniform_")
    Fill the Tensor with draws from the uniform distribution over [from_, to), and return it.
exponential_(lambd: float = 1, *, generator: Any = None) -> \
assign(self, exponential_like(self, lambd, generator), "exponential_")
    Fill the Tensor with draws from the exponential distribution of rate lambd, and return it.
random_(from_: int = 0, to: int | None = None, *, generator: Any = None) -> \
assign(self, integers_like(self, from_, largest(self.dtype) if to is None else to, generator), "random_")
    Fill the Tensor with integers from [from_, to), and return it.
    to: The bound above; None: as far as the dtype reaches.
bernoulli_(p: float | Tensor = 0.5, *, generator: Any = None) -> \
assign(self, bernoulli_like(self, p, generator), "bernoulli_")
    Fill the Tensor with 1 with probability p, else 0, and return it.
bernoulli(*, generator: Any = None) -> bernoulli_like(self, self, generator)
    Draw 1 with the probability that each element is, else 0.
uniform(from_: float = 0.0, to: float = 1.0, generator: Any = None) -> uniform_like(self, from_, to, generator)
cauchy(median: float = 0.0, sigma: float = 1.0) -> cauchy_like(self, median, sigma)
log_normal(mean: float = 1.0, std: float = 2.0) -> normal_like(self, mean, std).exp()
    Draw from the log-normal distribution in the shape and dtype of the Tensor.
    mean, std: Mean and standard deviation of the logarithm.
""",
    {
        fn.__name__: fn
        for fn in (normal_like, uniform_like, exponential_like, integers_like, bernoulli_like, cauchy_like)
    },
    assign=assign,
    largest=largest,
)

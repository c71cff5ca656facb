"""Initializers, which draw the first values of a Parameter; the numbers equal MindSpore's."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, cast

import numpy as np

from sporax._src.core import dtype as mstype
from sporax._src.core import initial_draws
from sporax._src.core.tensor import Tensor


class Initializer:
    """The base of initializers; a subclass fills the NumPy array it is given in `_initialize(arr)`."""

    # On how many seeds of `initial_draws` the values depend, and on nothing else. None: this is not known.
    _seeds: int | None = None

    def __init__(self, **kwargs: object) -> None:
        self._kwargs = kwargs

    def _initialize(self, arr: np.ndarray) -> None:
        raise NotImplementedError(f"{type(self).__name__} must implement _initialize(arr).")

    def __call__(self, arr: np.ndarray) -> None:
        self._initialize(arr)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._kwargs.items())})"


# What draws first values: an initializer, its name, or a function that fills an array; a number, or the values themselves.
InitializerLike: TypeAlias = Initializer | type[Initializer] | Callable[[np.ndarray], None] | str | float | Tensor

_aliases: dict[str, type[Initializer]] = {}


def _named(*names: str) -> Any:
    """Return a decorator that lets `initializer` find a class by these names, and by its own in lower case."""

    def register(cls: type[Initializer]) -> type[Initializer]:
        _aliases.update(dict.fromkeys((cls.__name__.lower(), *names), cls))
        return cls

    return register


def _fans(shape: Sequence[int]) -> tuple[int, int]:
    """Return (fan in, fan out): axis 1 times, and axis 0 times, the sizes of the kernel axes."""
    if len(shape) < 2:
        raise ValueError(f"initializer: fan in and fan out need at least 2 axes, got shape {tuple(shape)}.")
    kernel = math.prod(shape[2:])
    return shape[1] * kernel, shape[0] * kernel


def _gain(nonlinearity: str, a: float) -> float:
    if nonlinearity in ("sigmoid", "linear", "conv1d", "conv2d", "conv3d"):
        return 1.0
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + a**2))
    raise ValueError(
        f"initializer: nonlinearity must be 'relu', 'leaky_relu', 'tanh' or 'sigmoid', got {nonlinearity!r}."
    )


def _fan(shape: Sequence[int], mode: str) -> int:
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"initializer: mode must be 'fan_in' or 'fan_out', got {mode!r}.")
    return _fans(shape)[mode == "fan_out"]


@_named("zeros")
class Zero(Initializer):
    """Fill with zeros."""

    _seeds = 0

    def _initialize(self, arr: np.ndarray) -> None:
        arr.fill(0)


@_named("ones")
class One(Initializer):
    """Fill with ones."""

    _seeds = 0

    def _initialize(self, arr: np.ndarray) -> None:
        arr.fill(1)


@_named()
class Constant(Initializer):
    """Fill with `value`, a number or an array of the same shape."""

    _seeds = 0

    def __init__(self, value: float) -> None:
        super().__init__(value=value)
        self.value = value
        if np.ndim(value) > 0:
            self._seeds = None  # a program may change the array

    def _initialize(self, arr: np.ndarray) -> None:
        arr[...] = np.asarray(self.value)


@_named()
class Normal(Initializer):
    """Draw from N(mean, sigma²)."""

    _seeds = 1

    def __init__(self, sigma: float = 0.01, mean: float = 0.0) -> None:
        super().__init__(sigma=sigma, mean=mean)
        self.sigma, self.mean = sigma, mean

    def _initialize(self, arr: np.ndarray) -> None:
        initial_draws.normal(arr, self.mean, self.sigma)


@_named()
class Uniform(Initializer):
    """Draw from U(-scale, scale)."""

    _seeds = 1

    def __init__(self, scale: float = 0.07) -> None:
        super().__init__(scale=scale)
        self.scale = scale

    def _initialize(self, arr: np.ndarray) -> None:
        initial_draws.uniform(arr, -self.scale, self.scale)


@_named("truncated_normal")
class TruncatedNormal(Initializer):
    """Draw from N(mean, sigma²) restricted to values (not standard deviations) in [a, b]."""

    _seeds = 1

    def __init__(self, sigma: float = 0.01, mean: float = 0.0, a: float = -2.0, b: float = 2.0) -> None:
        if sigma <= 0:
            raise ValueError(f"initializer: TruncatedNormal: sigma must be positive, got {sigma}.")
        super().__init__(sigma=sigma, mean=mean, a=a, b=b)
        self.sigma, self.mean, self.a, self.b = sigma, mean, a, b

    def _initialize(self, arr: np.ndarray) -> None:
        initial_draws.truncated_normal(arr, self.mean, self.sigma, self.a, self.b)


@_named("xavier_uniform")
class XavierUniform(Initializer):
    """Draw from U(-b, b), b = gain·√(6 / (fan_in + fan_out)) (Glorot and Bengio, 2010)."""

    _seeds = 1

    def __init__(self, gain: float = 1) -> None:
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr: np.ndarray) -> None:
        bound = self.gain * math.sqrt(6.0 / sum(_fans(arr.shape)))
        initial_draws.uniform(arr, -bound, bound)


@_named("xavier_normal")
class XavierNormal(Initializer):
    """Draw from N(0, s²), s = gain·√(2 / (fan_in + fan_out)) (Glorot and Bengio, 2010)."""

    _seeds = 1

    def __init__(self, gain: float = 1) -> None:
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr: np.ndarray) -> None:
        initial_draws.normal(arr, 0, self.gain * math.sqrt(2.0 / sum(_fans(arr.shape))))


@_named("he_uniform")
class HeUniform(Initializer):
    """Draw from U(-b, b), b = gain·√(3 / fan) (He et al., 2015)."""

    _seeds = 1

    def __init__(self, negative_slope: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu") -> None:
        super().__init__(negative_slope=negative_slope, mode=mode, nonlinearity=nonlinearity)
        self.negative_slope, self.mode, self.nonlinearity = negative_slope, mode, nonlinearity

    def _initialize(self, arr: np.ndarray) -> None:
        sigma = _gain(self.nonlinearity, self.negative_slope) / math.sqrt(_fan(arr.shape, self.mode))
        bound = math.sqrt(3.0) * sigma
        initial_draws.uniform(arr, -bound, bound)


@_named("he_normal")
class HeNormal(Initializer):
    """Draw from N(0, s²), s = gain / √fan (He et al., 2015)."""

    _seeds = 1

    def __init__(self, negative_slope: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu") -> None:
        super().__init__(negative_slope=negative_slope, mode=mode, nonlinearity=nonlinearity)
        self.negative_slope, self.mode, self.nonlinearity = negative_slope, mode, nonlinearity

    def _initialize(self, arr: np.ndarray) -> None:
        sigma = _gain(self.nonlinearity, self.negative_slope) / math.sqrt(_fan(arr.shape, self.mode))
        initial_draws.normal(arr, 0, sigma)


@_named()
class Identity(Initializer):
    """Fill a matrix with ones on the diagonal and zeros elsewhere."""

    _seeds = 0

    def _initialize(self, arr: np.ndarray) -> None:
        if arr.ndim != 2:
            raise ValueError(f"initializer: Identity needs a 2-D shape, got {list(arr.shape)}.")
        arr[...] = np.eye(*arr.shape)


@_named()
class Sparse(Initializer):
    """Draw a matrix from N(0, sigma²) with the fraction `sparsity` of each column set to zero."""

    def __init__(self, sparsity: float, sigma: float = 0.01) -> None:
        super().__init__(sparsity=sparsity, sigma=sigma)
        self.sparsity, self.sigma = sparsity, sigma

    def _initialize(self, arr: np.ndarray) -> None:
        if arr.ndim != 2:
            raise ValueError(f"initializer: Sparse needs a 2-D shape, got {list(arr.shape)}.")
        rows = arr.shape[0]
        initial_draws.normal(arr, 0, self.sigma)
        for column in range(arr.shape[1]):
            arr[np.random.permutation(rows)[: math.ceil(self.sparsity * rows)], column] = 0


@_named()
class Dirac(Initializer):
    """Fill a 3-D, 4-D or 5-D convolution weight so that it passes its input channels through."""

    _seeds = 0

    def __init__(self, groups: int = 1) -> None:
        super().__init__(groups=groups)
        self.groups = groups

    def _initialize(self, arr: np.ndarray) -> None:
        if arr.ndim not in (3, 4, 5):
            raise ValueError(f"initializer: Dirac needs a 3-D, 4-D or 5-D shape, got {list(arr.shape)}.")
        if arr.shape[0] % self.groups:
            raise ValueError(f"initializer: Dirac: axis 0 must divide by groups={self.groups}, got {arr.shape[0]}.")
        per = arr.shape[0] // self.groups
        arr.fill(0)
        middle = tuple(size // 2 for size in arr.shape[2:])
        for group in range(self.groups):
            for channel in range(min(per, arr.shape[1])):
                arr[(group * per + channel, channel, *middle)] = 1


@_named()
class Orthogonal(Initializer):
    """Draw a (semi-)orthogonal matrix, `gain` times (Saxe et al., 2013)."""

    def __init__(self, gain: float = 1.0) -> None:
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr: np.ndarray) -> None:
        if arr.ndim < 2:
            raise ValueError(f"initializer: Orthogonal needs at least 2 axes, got shape {list(arr.shape)}.")
        rows, columns = arr.shape[0], arr.size // arr.shape[0]
        drawn = np.empty((rows, columns), np.float32)
        initial_draws.normal(drawn, 0, 1)
        q, r = np.linalg.qr(drawn.T if rows < columns else drawn)
        q *= np.sign(np.diag(r))
        arr[...] = self.gain * (q.T if rows < columns else q).reshape(arr.shape)


@_named("variance_scaling")
class VarianceScaling(Initializer):
    """Draw with variance scale / n, n the fan in, the fan out or their mean; from a normal distribution or a uniform one.

    For its default `"truncated_normal"`, MindSpore 2.7 also draws from the uniform distribution; sporax does the same,
    for equal weights.
    """

    _seeds = 1

    def __init__(self, scale: float = 1.0, mode: str = "fan_in", distribution: str = "truncated_normal") -> None:
        super().__init__(scale=scale, mode=mode, distribution=distribution)
        if scale <= 0:
            raise ValueError(f"initializer: VarianceScaling: scale must be positive, got {scale}.")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"initializer: VarianceScaling: mode must be fan_in, fan_out or fan_avg, got {mode!r}.")
        if distribution not in ("uniform", "untruncated_normal", "truncated_normal"):
            raise ValueError(f"initializer: VarianceScaling: unknown distribution {distribution!r}.")
        self.scale, self.mode, self.distribution = scale, mode, distribution

    def _initialize(self, arr: np.ndarray) -> None:
        fan_in, fan_out = _fans(arr.shape)
        fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        scale = self.scale / max(1.0, fan)
        if self.distribution == "untruncated_normal":
            initial_draws.normal(arr, 0, math.sqrt(scale))
        else:
            bound = math.sqrt(3 * scale)
            initial_draws.uniform(arr, -bound, bound)


def initializer(
    init: InitializerLike, shape: int | Sequence[int] | None = None, dtype: mstype.TypeLike = mstype.float32
) -> Tensor:
    """Return a Tensor whose values `init` draws when `init_data()` is called (or the Tensor is read on the host).

    Args:
        init: An Initializer, its name (`"normal"`, `"ones"`, ...), a number to fill with, or a Tensor (returned as is).
        shape: The shape, a tuple, list or integer.
        dtype: The dtype.

    Raises:
        TypeError: If `init` or `shape` has an unexpected type.
        ValueError: If `init` names no initializer, or a size is not positive.

    Examples:
        >>> from sporax.common.initializer import initializer
        >>> initializer("ones", (2,)).init_data()
        Tensor(shape=[2], dtype=Float32, value= [ 1.00000000e+00,  1.00000000e+00])
    """
    if isinstance(init, Tensor):
        return _checked_tensor(init, shape)
    dims = _check_shape(shape)
    return Tensor(shape=dims, dtype=dtype, init=_resolve(init))


def seeds_of(init: object) -> int | None:
    """Return how many seeds the values of an initializer depend on; None for one that a program has written."""
    return init._seeds if isinstance(init, Initializer) and "_seeds" in vars(type(init)) else None


def _checked_tensor(init: Tensor, shape: int | Sequence[int] | None) -> Tensor:
    if shape is not None and tuple(init.shape) != _check_shape(shape):
        raise ValueError(
            f"initializer: the Tensor given has shape {list(init.shape)}, but shape={shape} was asked for."
        )
    return init


def _check_shape(shape: object) -> tuple[int, ...]:
    if isinstance(shape, (int, np.integer)):
        shape = (shape,)
    if not isinstance(shape, (tuple, list)):
        raise TypeError(f"initializer: shape must be a tuple, list or int, got {type(shape).__name__}.")
    for size in shape:
        if not isinstance(size, (int, np.integer)) or isinstance(size, bool) or size < 0:
            raise ValueError(f"initializer: sizes of shape must be non-negative integers, got {tuple(shape)}.")
    return tuple(int(s) for s in shape)


def _resolve(init: object) -> Initializer:
    if isinstance(init, str):
        if init.lower() not in _aliases:
            raise ValueError(f"initializer: unknown initializer '{init}'; known are {', '.join(sorted(_aliases))}.")
        return _aliases[init.lower()]()
    if isinstance(init, (int, float, np.integer, np.floating)):
        return Constant(init)
    if isinstance(init, type) and issubclass(init, Initializer):
        return init()
    if isinstance(init, Initializer) or callable(init):
        return cast(Initializer, init)  # or a function that fills an array, as an Initializer does
    raise TypeError(f"initializer: init must be an Initializer, its name, a number or a Tensor, got {init!r:.60}.")


_INITIALIZER_ALIAS = _aliases

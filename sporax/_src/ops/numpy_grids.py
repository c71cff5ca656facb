"""Grids and windows of `numpy`."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Arrays
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.ops import shape
from sporax._src.ops.conversion import cast
from sporax._src.ops.numpy_base import NUMPY, asarray, public
from sporax._src.ops.numpy_creation import arange, linspace
from sporax._src.ops.table import internal

# --- grids ----------------------------------------------------------------------------------------------------------


@internal("numpy.meshgrid")
def _meshgrid(xi: Arrays, sparse: bool, indexing: str) -> tuple[Array, ...]:
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing must be 'xy' or 'ij', got {indexing!r}.")
    return tuple(jnp.meshgrid(*[jnp.ravel(x) for x in xi], sparse=sparse, indexing=indexing))


@public()
def meshgrid(*xi: Any, sparse: bool = False, indexing: str = "xy") -> tuple[Tensor, ...]:
    """Return the coordinates of a grid, one Tensor for each vector of coordinates.

    Args:
        xi: Vectors of coordinates.
        sparse: Whether axes that repeat keep size 1.
        indexing: "xy" (the first vector runs along axis 1) or "ij" (along axis 0).

    Raises:
        ValueError: If `indexing` is unknown.

    Examples:
        >>> [t.tolist() for t in ms.numpy.meshgrid([1, 2], [3])]
        [[[1, 2]], [[3, 3]]]
    """
    return tuple(_meshgrid([asarray(x) for x in xi], sparse, indexing)) if xi else ()


@public()
def indices(dimensions: Any, dtype: Any = mstype.int32, sparse: bool = False) -> list[Tensor]:
    """Return the indices of a grid of the given sizes: one Tensor for each axis.

    Args:
        dimensions: The sizes, a tuple or list.
        dtype: The dtype; int32 by default.
        sparse: Whether axes that repeat keep size 1.

    Raises:
        TypeError: If `dimensions` is neither tuple nor list.

    Examples:
        >>> [t.tolist() for t in ms.numpy.indices((2, 2))]
        [[[0, 0], [1, 1]], [[0, 1], [0, 1]]]
    """
    if not isinstance(dimensions, (tuple, list)):
        raise TypeError(f"numpy.indices: dimensions must be a tuple or list, got {type(dimensions).__name__}.")
    return list(meshgrid(*[arange(d, dtype=dtype) for d in dimensions], sparse=sparse, indexing="ij"))


@public()
def ix_(*args: Any) -> tuple[Tensor, ...]:
    """Return vectors of indices shaped so that indexing with them selects the cross product.

    Args:
        args: Vectors of indices.

    Raises:
        ValueError: If one is no vector.

    Examples:
        >>> [t.shape for t in ms.numpy.ix_([0, 1], [1, 2, 3])]
        [(2, 1), (1, 3)]
    """
    vectors = [asarray(a) for a in args]
    if any(v.ndim != 1 for v in vectors):
        raise ValueError("numpy.ix_: every argument must have 1 axis.")
    n = len(vectors)
    return tuple(shape.reshape(v, (1,) * i + (v.size,) + (1,) * (n - 1 - i)) for i, v in enumerate(vectors))


class Grid:
    """An object whose index expression `[a:b:c, ...]` makes a grid; a complex step `nj` asks for n points.

    Args:
        sparse: Whether the coordinates come apart, one Tensor for each axis, and not stacked in one.

    Examples:
        >>> ms.numpy.mgrid[0:2, 0:3].shape
        (2, 2, 3)
    """

    def __init__(self, sparse: bool) -> None:
        self.sparse = sparse

    def __getitem__(self, keys: Any) -> Any:
        if isinstance(keys, slice):
            return self._axis(keys)
        lines = [self._axis(k) for k in keys]
        if self.sparse:
            return list(meshgrid(*lines, sparse=True, indexing="ij"))
        kind = mstype.float32 if any(v.dtype == mstype.float32 for v in lines) else lines[0].dtype
        return NUMPY["stack"](meshgrid(*[cast(v, kind) for v in lines], indexing="ij"))

    @staticmethod
    def _axis(key: slice) -> Tensor:
        start, step = key.start or 0, key.step or 1
        if isinstance(step, complex):
            return linspace(start, key.stop, int(abs(step)))
        return arange(start, key.stop, step)


NUMPY.update(mgrid=Grid(sparse=False), ogrid=Grid(sparse=True))


# --- windows --------------------------------------------------------------------------------------------------------


def _window(name: str, text: str) -> None:
    def window(M: int) -> Tensor:
        if isinstance(M, bool) or not isinstance(M, int):
            raise TypeError(f"numpy.{name}: M must be an int, got {type(M).__name__}.")
        return Tensor(getattr(np, name)(M).astype(np.float32))

    window.__name__, window.__doc__ = name, _WINDOW.format(name=name, text=text)
    NUMPY[name] = window


_WINDOW = """{text}

    Args:
        M: The number of points.

    Returns:
        A float32 vector.

    Raises:
        TypeError: If `M` is no int.

    Examples:
        >>> float(ms.numpy.{name}(3).max())
        1.0
    """

_window("bartlett", "Return the triangular window of M points, zero at both ends.")
_window("blackman", "Return the Blackman window of M points: 0.42 - 0.5 cos(2πn / (M - 1)) + 0.08 cos(4πn / (M - 1)).")
_window("hamming", "Return the Hamming window of M points: 0.54 - 0.46 cos(2πn / (M - 1)).")
_window("hanning", "Return the Hann window of M points: 0.5 - 0.5 cos(2πn / (M - 1)).")

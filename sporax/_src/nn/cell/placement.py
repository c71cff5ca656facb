"""The dtype and memory of a Cell's Parameters and buffers: `to` and `to_empty`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from sporax._src.base.config import check_device_name
from sporax._src.base.errors import describe
from sporax._src.base.jax_compat import full
from sporax._src.core.dtype import Type
from sporax._src.core.parameter import Parameter
from sporax._src.core.scope import tracing
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.ops.array.cast import cast

_WAYS = {
    "device": ("device", "dtype", "non_blocking"),
    "dtype": ("dtype", "non_blocking"),
    "other": ("other", "non_blocking"),
}
_KINDS: dict[str, tuple[type, ...]] = {
    "device": (str, type(None)),
    "dtype": (Type, type(None)),
    "other": (Tensor,),
    "non_blocking": (bool,),
}


class Placement:
    """The part of a Cell that changes the dtype or the memory of its Parameters and buffers."""

    if TYPE_CHECKING:  # of `Cell`
        cells_and_names: Callable[..., Iterator[tuple[str, Any]]]

    def to(self, *args: object, **kwargs: object) -> Any:
        """Convert the Parameters and buffers of floats or complex numbers, here and below, and return the Cell.

        `to(device=None, dtype=None, non_blocking=False)`, `to(dtype, non_blocking=False)` or `to(other, non_blocking=False)`. The
        Parameters keep their identity, so optimizers go on with them; buffers are replaced.

        Args:
            *args, **kwargs: `dtype`: a dtype of floats or complex numbers. `other`: a Tensor, whose dtype counts. `device`:
                a name as for `Tensor.to`, accepted: all Tensors live on the device of the context. `non_blocking`: accepted.

        Raises:
            TypeError: If the arguments are others, or the dtype is one of integers or booleans.
            ValueError: If there is no such device.
            RuntimeError: If it is called within a graph.

        Examples:
            >>> import sporax as ms
            >>> ms.nn.Dense(2, 1).to(ms.float16).weight.dtype
            mindspore.float16
        """
        device, dtype = _target(args, kwargs)
        check_device_name("Cell.to", device)
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(f"Cell.to only accepts floating point or complex dtypes, but got desired dtype={dtype}.")
        if dtype is not None and dtype.is_complex:
            warnings.warn("Cell.to: few layers compute with complex Parameters.", stacklevel=2)

        def converted(tensor: Tensor) -> Tensor:
            if dtype is None or dtype == tensor.dtype or tensor._data.dtype.kind not in "fcV":
                return tensor
            return cast(tensor.init_data() if tensor.has_init else tensor, dtype)

        self._replace_tensors(converted, True, "to")
        return self

    def to_empty(self, *, device: str | None = None, recurse: bool = True) -> Any:
        """Give every Parameter and buffer new memory of its shape and dtype, with zeros, and return the Cell.

        Args:
            device: Accepted, as for `to`.
            recurse: Whether to include the Cells below this one.

        Raises:
            ValueError: If there is no such device.
            RuntimeError: If it is called within a graph.

        Examples:
            >>> import sporax as ms
            >>> ms.nn.Dense(2, 1).to_empty().weight.asnumpy()
            array([[0., 0.]], dtype=float32)
        """
        check_device_name("Cell.to_empty", device)
        self._replace_tensors(lambda tensor: wrap(full(tensor.shape, 0, tensor._data.dtype)), recurse, "to_empty")
        return self

    def _replace_tensors(self, fn: Callable[[Tensor], Tensor], recurse: bool, name: str) -> None:
        """Give Parameters the memory of another Tensor, and replace buffers."""
        if tracing():
            raise RuntimeError(f"Cell.{name} must be called outside of a graph.")
        seen: set[int] = set()
        cells: list[Any] = [cell for _, cell in self.cells_and_names()] if recurse else [self]
        for cell in cells:
            for param in cell._params.values():
                if isinstance(param, Parameter) and id(param) not in seen:
                    seen.add(id(param))
                    new = fn(param)
                    if new is not param:
                        param.data = new
            for key, buffer in cell._buffers.items():
                if buffer is not None:
                    cell.assign_buffer(key, fn(buffer))


def _target(args: tuple[object, ...], kwargs: dict[str, object]) -> tuple[Any, Any]:
    """Return the device and the dtype that the arguments of `Cell.to` name, each may be None."""
    first = args[0] if args else None
    way = (
        "other" if isinstance(first, Tensor) or "other" in kwargs else "dtype" if isinstance(first, Type) else "device"
    )
    given = dict(zip(_WAYS[way], args, strict=False))
    fits = len(args) <= len(_WAYS[way]) and not given.keys() & kwargs.keys()
    given |= kwargs
    if not fits or any(name not in _WAYS[way] or not isinstance(value, _KINDS[name]) for name, value in given.items()):
        shown = [*map(describe, args), *[f"{name}={describe(value)}" for name, value in kwargs.items()]]
        ways = [
            "to(device=None, dtype=None, non_blocking=False)",
            "to(dtype, non_blocking=False)",
            "to(other, non_blocking=False)",
        ]
        raise TypeError(f"Cell.to is called as {', '.join(ways[:2])} or {ways[2]}, got ({', '.join(shown)}).")
    other = given.get("other")
    return given.get("device"), other.dtype if isinstance(other, Tensor) else given.get("dtype")

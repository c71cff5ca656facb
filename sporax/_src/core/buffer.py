"""Buffer: a Tensor that becomes part of a Cell's state when it is assigned to an attribute."""

from __future__ import annotations

from sporax._src.base.errors import describe
from sporax._src.core.tensor import Tensor


class Buffer(Tensor):
    """A Tensor that becomes a buffer of the Cell it is assigned to, as `Cell.register_buffer` makes one.

    Args:
        data: The Tensor with the values; no gradient flows to it.
        persistent: Whether `Cell.state_dict` includes it.

    Raises:
        ValueError: If `data` is None.
        TypeError: If `data` is not a Tensor.

    Examples:
        >>> import sporax as ms
        >>> from sporax.common.parameter import _Buffer
        >>> net = ms.nn.Cell()
        >>> net.count = _Buffer(ms.Tensor([0]))
        >>> [name for name, _ in net.named_buffers()]
        ['count']
    """

    def __init__(self, data: object, *, persistent: bool = True) -> None:
        if data is None:
            raise ValueError("Buffer: data must be a Tensor, got None.")
        if not isinstance(data, Tensor):
            raise TypeError(f"Buffer: data must be a Tensor, got {describe(data)}.")
        self._data = data._data
        self.persistent = persistent

"""The memory of Tensors: `data`, `set_` and storages, through which Tensors share it; `swap_tensors`.

JAX's arrays are immutable, so the memory that Tensors share is a Tensor: the root of their views (see `core.views`).
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np

from sporax._src.base.errors import describe
from sporax._src.base.jax_compat import full
from sporax._src.base.typing import Array, Shape
from sporax._src.bindings.call_errors import forms
from sporax._src.bindings.tensor_methods import method, prop
from sporax._src.core import dtype as mstype
from sporax._src.core import views
from sporax._src.core.derivative import written
from sporax._src.core.execution import current
from sporax._src.core.parameter import Parameter
from sporax._src.core.scope import tracing
from sporax._src.core.stateful import graph_version
from sporax._src.core.tape import watched
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.engine.lenses import Lens, put_at
from sporax._src.engine.table import internal
from sporax._src.ops.array.assign import stop_gradient, value_of
from sporax._src.transform.controlflow.failures import NeedsValue

# --- Tensors that share memory ----------------------------------------------------------------------------------------


def _flat_indices(size: Sequence[int], stride: Sequence[int], offset: int) -> np.ndarray:
    """Return the index in memory of each element of a Tensor with these strides."""
    places = np.indices(tuple(size), sparse=True)
    return np.broadcast_to(sum([p * s for p, s in zip(places, stride, strict=True)], np.array(offset)), tuple(size))


def _put_strided(value: Array, memory: Array, size: Shape, stride: Shape, offset: int) -> Array:
    return put_at(memory, jnp.asarray(_flat_indices(size, stride, offset)), value)


def _strides_of(memory: np.ndarray, size: Shape, stride: Shape, offset: int) -> np.ndarray:
    return np.lib.stride_tricks.as_strided(memory, tuple(size), [s * memory.itemsize for s in stride])


@internal("Tensor.set_", view=Lens(_put_strided, _strides_of))
def _strided(memory: Array, size: Shape, stride: Shape, offset: int) -> Array:
    return memory.reshape(-1)[_flat_indices(size, stride, offset)]


@internal("Tensor.data", view=Lens(lambda value, source, before: written(value, source), lambda memory: memory))
def _with_history(source: Array, before: Array) -> Array:
    """Return the elements of the source, with the derivative of the value before if that had the same shape and dtype."""
    return written(source, before)


def _share(tensor: Tensor, source: Tensor) -> None:
    """Give a Tensor the memory of another one: its shape, dtype and elements.

    Its gradient does not change, and its views keep its former memory.
    """
    before = _leave(tensor)
    if isinstance(tensor, Parameter):  # no view: graphs and optimizers write its value
        graph_version.advance()
        tensor.adopt(tensor._undifferentiated(source._data))
        is_own = source._view is None and not isinstance(source, Parameter) and not watched(source) and not tracing()
        if is_own:
            seen = stop_gradient(tensor)
            views.link(source, *seen._view[:2])
        return
    keeps_history = tracing() or watched(before)
    seen = _with_history(source, before) if keeps_history else stop_gradient(source)
    _assign(tensor, seen)
    views.link(tensor, *seen._view[:2])


def _leave(tensor: Tensor) -> Tensor:
    """Return a Tensor that takes over the memory of another one, with its views."""
    memory = tensor.value() if isinstance(tensor, Parameter) else wrap(tensor._data)
    memory._node = tensor._node
    views.leave(tensor, memory)
    return memory


def _assign(tensor: Tensor, value: Tensor) -> None:
    """Set the array and the history of a Tensor that has no views and is none."""
    if (scope := current.get().scope) is not None:
        scope.tensors.note_assigned(tensor, tensor._data)
    tensor._fill(value)


def _set_data(self: Tensor, value: object) -> None:
    if not isinstance(value, Tensor):
        raise TypeError(f"Tensor.data: only a Tensor can be assigned, got {describe(value)}.")
    if value is not self:
        _share(self, value)


@prop("data", write=_set_data)
def _data(self: Tensor) -> Tensor:
    """The elements as a Tensor without history: a view, through which no gradient passes.

    A Tensor that is assigned to it takes the place of shape, dtype and elements; name, hooks and gradient stay. Both then
    share their elements. Views keep the former ones. A Parameter shares with a Tensor that is neither a Parameter nor a view;
    it copies the elements of others.

    Examples:
        >>> x = Tensor([1.0, 2.0])
        >>> x.data[0] = 5.0
        >>> x.asnumpy()
        array([5., 2.], dtype=float32)
        >>> x.data = Tensor([7, 8, 9])
        >>> x.asnumpy()
        array([7, 8, 9])
    """
    return stop_gradient(self)


@method("set_")
def _set(
    self: Tensor,
    source: object = None,
    storage_offset: int = 0,
    size: Sequence[int] | None = None,
    stride: Sequence[int] | None = None,
) -> Tensor:
    """Give this Tensor the memory of another one, or of a storage, and return it; it has no elements if there is no source.

    Its gradient does not change, and its views keep its former memory. A Parameter copies the elements of a Parameter or view.

    Args:
        source: A Tensor or `UntypedStorage` of the same dtype.
        storage_offset: The index of the first element, from the first one of `source`.
        size: The shape; None for the elements of `source` as they are, those of a storage as a vector.
        stride: How many elements lie from one element to the next along each axis; None if `size` is in row-major order.

    Raises:
        TypeError: If `source` is something else, or other arguments are given without `size`.
        RuntimeError: If the dtypes differ, or elements would lie outside of the memory.

    Examples:
        >>> x = Tensor([0])
        >>> x.set_(Tensor([[1, 2], [3, 4]]), 1, (2,), (2,)).asnumpy()
        array([2, 4])
    """
    if size is None and (storage_offset != 0 or stride is not None):
        raise TypeError("size is missing")  # the error shows how to call it
    if source is None:
        _share(self, wrap(full((0,), 0, self._data.dtype)))
        return self
    if isinstance(source, UntypedStorage):
        memory, start, shown = source._root, 0, (source._root.size,)
    elif isinstance(source, Tensor):
        memory, start, shown = views.root_of(source), views.offset(source), None
    else:
        raise TypeError(f"Tensor.set_: source must be a Tensor or an UntypedStorage, got {describe(source)}.")
    if source.dtype != self.dtype:
        raise RuntimeError(f"Tensor.set_: source must have the dtype {self.dtype}, got {source.dtype}.")
    if size is None and isinstance(source, Tensor):
        _share(self, source)
        return self
    shape = [int(n) for n in (size if size is not None else shown or ())]
    steps = _row_major(shape) if stride is None else [int(n) for n in stride]
    _check_inside(shape, steps, storage_offset, start, memory.size)
    _share(self, _strided(memory, tuple(shape), tuple(steps), start + int(storage_offset)))
    return self


forms(
    "set_",
    of=("", "source: TensorArray", "source: TensorArray, storage_offset: int, size: Shape, stride: Shape = None"),
)


def _row_major(shape: Sequence[int]) -> list[int]:
    return [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]


def _check_inside(shape: Sequence[int], steps: Sequence[int], offset: int, start: int, count: int) -> None:
    """Raise a RuntimeError unless all elements of a Tensor with these strides lie in memory of `count` elements."""
    if len(shape) != len(steps):
        raise RuntimeError(f"Tensor.set_: size has {len(shape)} axes and stride {len(steps)}; they must have as many.")
    if offset < 0 or min((*shape, *steps), default=0) < 0:
        raise RuntimeError(
            f"Tensor.set_: storage_offset, size and stride must not be negative, got {offset}, {list(shape)}, {list(steps)}."
        )
    last = start + offset + sum((n - 1) * s for n, s in zip(shape, steps, strict=True))
    if 0 not in shape and last >= count:
        raise RuntimeError(
            f"Tensor.set_: size {list(shape)} and stride {list(steps)} from element {start + offset} need a storage of "
            f"{last + 1} elements, got one of {count}."
        )


# --- storages ---------------------------------------------------------------------------------------------------------


class UntypedStorage:
    """The memory of a Tensor and its views; `Tensor.untyped_storage()` returns it. Sizes are counted in bytes.

    Raises:
        TypeError: If a program creates one.

    Examples:
        >>> storage = Tensor([1.0, 2.0, 3.0]).untyped_storage()
        >>> storage.nbytes(), storage.device
        (12, 'CPU')
    """

    _root: Tensor

    def __init__(self, *args: object) -> None:
        raise TypeError("cannot create 'UntypedStorage' instances; Tensor.untyped_storage() returns one.")

    @staticmethod
    def of(tensor: Tensor) -> UntypedStorage:
        """Return the storage of a Tensor."""
        storage = object.__new__(UntypedStorage)
        storage._root = views.root_of(tensor)
        return storage

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and other._root is self._root

    def __hash__(self) -> int:
        return id(self._root)

    def __len__(self) -> int:
        return self.nbytes()

    def nbytes(self) -> int:
        """Return the number of bytes; 0 if the memory was released."""
        return 0 if _is_released(self._root) else self._root.nbytes

    size = nbytes

    def element_size(self) -> int:
        """Return the bytes of an element: 1."""
        return 1

    @property
    def dtype(self) -> mstype.Type:
        """The dtype of the Tensor."""
        return self._root.dtype

    @property
    def device(self) -> str:
        """The device that holds the memory."""
        return self._root.device

    def data_ptr(self) -> int:
        """Return the address of the memory."""
        return self._root.data_ptr()

    def is_shared(self) -> bool:
        """Return False: processes do not share memory."""
        return False

    def copy_(self, source: UntypedStorage, non_blocking: bool = False) -> UntypedStorage:
        """Copy the bytes of another storage to this one and return it.

        Args:
            source: A storage of as many bytes.
            non_blocking: Accepted.

        Raises:
            TypeError: If `source` is no storage.
            RuntimeError: If it has another size.
        """
        if not isinstance(source, UntypedStorage):
            raise TypeError(f"UntypedStorage.copy_: source must be an UntypedStorage, got {describe(source)}.")
        if source.nbytes() != self.nbytes():
            raise RuntimeError(
                f"UntypedStorage.copy_: Size does not match, self was {self.nbytes()} bytes but src was {source.nbytes()} bytes."
            )
        if source != self:
            elements = np.frombuffer(source._root.get_bytes(), self._root._data.dtype)
            value = Tensor(elements.reshape(self._root.shape))
            views.write_in_place(self._root, value, "UntypedStorage.copy_")
        return self

    def resize_(self, size: int) -> UntypedStorage:
        """Release the memory (size 0), or allocate it again, with zeros; return the storage.

        The Tensor keeps its shape. Without memory it reads as zeros.

        Args:
            size: 0, or the bytes that the elements of the Tensor take: JAX's arrays have no other size.

        Raises:
            ValueError: If it is another size.
        """
        if size not in (0, self._root.nbytes):
            raise ValueError(
                f"UntypedStorage.resize_: size must be 0 or the {self._root.nbytes} bytes of the Tensor, got {size}."
            )
        if size == 0:
            _release(self._root)
        elif _is_released(self._root):
            self._root.adopt(full(self._root.shape, 0, self._root._data.dtype))
        return self


@method("untyped_storage", "storage")
def _untyped_storage(self: Tensor) -> UntypedStorage:
    """Return the memory of the Tensor, which it shares with its views.

    Examples:
        >>> x = Tensor([1.0, 2.0])
        >>> x.untyped_storage().nbytes(), x[1:].untyped_storage() == x.untyped_storage()
        (8, True)
    """
    return UntypedStorage.of(self)


def _is_released(tensor: Tensor) -> bool:
    """Return whether the elements of a Tensor take no memory (see `_release`)."""
    return isinstance(tensor._data, np.ndarray) and tensor.dtype is not mstype.string


def _release(tensor: Tensor) -> None:
    """Let one zero stand for all elements of a Tensor, like those of a Parameter that is not drawn yet."""
    if tracing():
        raise NeedsValue("the memory of a Tensor is released")
    tensor.adopt(np.broadcast_to(np.zeros((), tensor._data.dtype), tensor.shape))


@method("delete_")
def _delete(self: Tensor, non_blocking: object = False) -> Tensor:
    """Release the memory of the Tensor and return it; it keeps its shape and reads as zeros until it is written.

    Views share the memory, so they read as zeros, too; the Tensor of which this one is a view keeps its memory.

    Args:
        non_blocking: Accepted: JAX releases memory as soon as no operation reads it.

    Raises:
        ValueError: If `non_blocking` is no bool.

    Examples:
        >>> Tensor([1, 2]).delete_().asnumpy()
        array([0, 0])
    """
    if not isinstance(non_blocking, bool):
        raise ValueError(f"Tensor.delete_: non_blocking must be a bool, got {describe(non_blocking)}.")
    if self._view is not None:
        views.detach(self)
    _release(self)
    return self


@method("data_ptr")
def _data_ptr(self: Tensor) -> int:
    """Return the address of the elements on their device; that of a view lies in the memory of its Tensor.

    Examples:
        >>> x = Tensor([1, 2])
        >>> x[1:].data_ptr() - x.data_ptr()
        8
    """
    root = views.root_of(self)
    if _is_released(root):
        return 0
    return root._data.unsafe_buffer_pointer() + views.offset(self) * root.itemsize


# --- where the memory is ------------------------------------------------------------------------------------------------


@prop("is_meta")
def _is_meta(self: Tensor) -> bool:
    """Always False: all Tensors have elements.

    Examples:
        >>> Tensor([1, 2]).is_meta
        False
    """
    return False


@method("is_pinned")
def _is_pinned(self: Tensor) -> bool:
    """Return False: JAX transfers elements to the device without pinned memory of the program.

    Examples:
        >>> Tensor([1, 2]).is_pinned()
        False
    """
    return False


@method("is_shared")
def _is_shared(self: Tensor) -> bool:
    """Return False: processes do not share the memory of Tensors.

    Examples:
        >>> Tensor([1, 2]).is_shared()
        False
    """
    return False


@method("pin_memory")
def _pin_memory(self: Tensor) -> Tensor:
    """Return a Tensor with the same elements; JAX transfers them without pinned memory of the program.

    Examples:
        >>> Tensor([1, 2]).pin_memory().asnumpy()
        array([1, 2])
    """
    return value_of(self)


@method("to_")
def _to(self: Tensor, device: object = None, non_blocking: object = False) -> Tensor:
    """Return the Tensor: all Tensors live on the device of the context.

    Args:
        device: `"Ascend"`, `"GPU"` or `"CPU"`.
        non_blocking: Accepted.

    Raises:
        ValueError: If `device` is another, or `non_blocking` no bool.

    Examples:
        >>> Tensor([1, 2]).to_("CPU").asnumpy()
        array([1, 2])
    """
    if not isinstance(non_blocking, bool):
        raise ValueError(f"Tensor.to_: non_blocking must be a bool, got {describe(non_blocking)}.")
    if device not in ("Ascend", "GPU", "CPU"):
        raise ValueError(f"Tensor.to_: device must be 'Ascend', 'GPU' or 'CPU', got {device!r}.")
    return self


@method("requires_grad_")
def _requires_grad(self: Tensor, requires_grad: bool = True) -> None:
    """Set whether optimizers and gradients include a Parameter; for other Tensors the call of `grad` decides.

    It returns None, as in MindSpore.

    Args:
        requires_grad: Whether they do.

    Examples:
        >>> p = ms.Parameter(Tensor([1.0]))
        >>> p.requires_grad_(False)
        >>> p.requires_grad
        False
    """
    if isinstance(self, Parameter):
        self.requires_grad = bool(requires_grad)


# --- swapping -----------------------------------------------------------------------------------------------------------


def swap_tensors(t1: Tensor, t2: Tensor) -> None:
    """Exchange everything of two Tensors but their identity: class, elements, views, names, gradients and attributes.

    Cells and optimizers refer to Parameters by identity, so they go on with what the object has become.

    Args:
        t1, t2: Tensors or Parameters.

    Raises:
        TypeError: If one of them is no Tensor.
        RuntimeError: If the program has a weak reference to one of them.

    Examples:
        >>> import sporax as ms
        >>> x, y = ms.Tensor([1]), ms.Tensor([2.0, 3.0])
        >>> ms.swap_tensors(x, y)
        >>> x.shape, y.shape
        ((2,), (1,))
    """
    if tracing():
        raise NeedsValue("Tensors are swapped")
    for name, tensor in (("t1", t1), ("t2", t2)):
        _check_swaps(name, tensor)
    nodes = t1._node, t2._node
    views.exchange(t1, t2, lambda: _swap_attributes(t1, t2))
    for tensor, node in zip((t2, t1), nodes, strict=True):
        if isinstance(tensor, Parameter) or node is not None:
            tensor._node = node
    graph_version.advance()


def _check_swaps(name: str, tensor: object) -> None:
    if not isinstance(tensor, Tensor):
        raise TypeError(f"swap_tensors: {name} must be a Tensor, got {describe(tensor)}.")
    if isinstance(tensor, Parameter):
        tensor.init_data()
    of_sporax = tensor._view is not None or tensor._node is not None  # of views and inputs of gradients
    if not of_sporax and weakref.getweakrefcount(tensor):
        raise RuntimeError(f"Cannot swap {name} because it has weakref associated with it.")


def _swap_attributes(one: Tensor, other: Tensor) -> None:
    one.__class__, other.__class__ = other.__class__, one.__class__
    one.__dict__, other.__dict__ = other.__dict__, one.__dict__

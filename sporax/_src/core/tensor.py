"""Tensor: MindSpore's array object over a `jax.Array` (or, inside a trace, over the value that stands for one)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self, SupportsIndex

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.config import check_device_name
from sporax._src.base.errors import describe
from sporax._src.base.jax_compat import MOST_ELEMENTS, Tracer, aligned, remove_weak_type, to_device
from sporax._src.base.numpy_integers import as_served
from sporax._src.base.pieces import piece_here
from sporax._src.base.typing import Array
from sporax._src.core import dtype as mstype
from sporax._src.core import printing, views
from sporax._src.core.conversion import converted, converted_by_numpy
from sporax._src.core.execution import current
from sporax._src.core.symbol import Symbol
from sporax._src.core.tape import Node, is_recording
from sporax._src.processes import dry_run

if TYPE_CHECKING:  # sporax._src.bindings.tensor_methods binds the methods of the operator table to Tensor
    from numpy.typing import DTypeLike

    from sporax._src.core.tensor_methods import TensorMethods as _Methods
else:
    _Methods = object


class Tensor(_Methods):
    """A multi-dimensional array of one dtype.

    Args:
        input_data: A number, nested sequence, NumPy array, JAX array or Tensor. Python floats become float32,
            Python integers int64; arrays keep their dtype. A NumPy array of text makes a Tensor of `string`, which
            can be looked at, printed and turned back into the array.
        dtype: The dtype of the elements; taken from `input_data` if None.
        shape: The shape, together with `init`.
        init: An initializer; the Tensor reads as zeros until `init_data()` draws it.
        const_arg, internal: Accepted for MindSpore programs.
        device: None or "CPU": the device of the elements in MindSpore. In sporax they are on JAX's device.

    Raises:
        TypeError: If `input_data` is no array of numbers, or `dtype` is no dtype.
        ValueError: If `shape`, `dtype` and `init` are not given together when there is no `input_data`, or for
            another `device`.

    Examples:
        >>> import sporax as ms
        >>> ms.Tensor([[1.0, 2.0]]).shape
        (1, 2)
    """

    _data: Any
    _node: tuple[Node, int] | None = None
    _hooks: tuple[Callable[[Tensor], Any], ...] = ()  # the hooks through which its gradient passes
    _known_scalar: Any = None  # how it was computed from constants of the graph, if it was (see `engine.known_scalars`)
    _view: Any = None  # the operator and operands that created it, if it is a view (see `core.views`)
    _views: Any = None  # its views
    _picked: Any = None  # the Tensor that it was gathered from, and the index Tensors (see `ops.array.indexing`)
    _of_numpy = False  # it was created by `from_numpy`, and prints as NumPy does
    _is_sparse_index = False  # it is an index of a sparse Tensor, which has no gradient
    init: Any = None
    has_init = False
    param_info: Any = None
    _open_shape: tuple[Any, ...] | None = (
        None  # of a Tensor that describes an input: None and Symbols are unknown sizes
    )
    __array_priority__ = 1000

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        return object.__new__(cls)

    def __init__(
        self,
        input_data: object = None,
        dtype: mstype.TypeLike | None = None,
        shape: Sequence[int] | int | None = None,
        init: Callable[[np.ndarray], None] | None = None,
        const_arg: bool = False,
        device: str | None = None,
        *,
        internal: bool = False,
    ) -> None:
        if not isinstance(const_arg, bool):
            raise TypeError(f"Tensor: const_arg must be a bool, got {const_arg!r}.")
        if device not in (None, "CPU"):
            raise ValueError(f"Tensor: only 'CPU' is supported for device, got {device!r}.")
        if init is not None:
            if input_data is not None:
                raise ValueError("Tensor: give either input_data or init (with shape and dtype), not both.")
            if shape is None or dtype is None:
                raise ValueError(f"Tensor: init needs shape and dtype, got shape={shape!r}, dtype={dtype!r}.")
            self._defer(init, shape, dtype)
            return
        if input_data is None:
            if dtype is None:
                raise TypeError("Tensor: input_data is missing; give it, or shape and dtype with init.")
            dims = (shape,) if isinstance(shape, int) or shape is None else tuple(shape)
            sizes = tuple(0 if d is None or isinstance(d, Symbol) else d for d in dims)
            if shape is not None and sizes != dims:
                self._open_shape = dims
            input_data = np.zeros(sizes, mstype.to_numpy(dtype))
        self._data = to_array(input_data, dtype)
        if (scope := current.get().scope) is not None:
            scope.tensors.note_created(self)
        if isinstance(input_data, Tensor) and dtype is None:
            self._node = input_data._node
            self._of_numpy = input_data._of_numpy

    # --- lazily initialised -------------------------------------------------------------------------------------------

    def _defer(self, init: Callable[[np.ndarray], None], shape: Sequence[int] | int, dtype: mstype.TypeLike) -> None:
        dims = (shape,) if isinstance(shape, int) else tuple(int(d) for d in shape)
        if any(d < 0 for d in dims):
            raise ValueError(f"Tensor: shape must not have negative sizes, got {dims}.")
        if math.prod(dims) >= MOST_ELEMENTS:
            raise ValueError(f"Tensor: shape has more elements than can be counted, got {dims}.")
        self.init, self.has_init = init, True
        self._data = dry_run.zeros(dims, mstype.to_numpy(dtype))

    def init_data(
        self, slice_index: int | None = None, shape: Sequence[int] | None = None, opt_shard_group: object = None
    ) -> Tensor:
        """Draw the values of a lazily initialised Tensor, once, and return it.

        Raises:
            TypeError: If the Tensor is not lazily initialised, or was drawn before.
        """
        if self.init is None:
            raise TypeError("init_data must be set Tensor.init, init can't be None")
        dims = self.shape if shape is None else tuple(shape)
        self._data = as_jax(drawn(self.init, dims, self._data.dtype))
        self.init, self.has_init = None, False
        return self

    # --- what a trace needs -------------------------------------------------------------------------------------------

    def concrete(self) -> Any:
        """Return the stored array, independent of any trace."""
        return self._data

    def commit(self, value: Array) -> None:
        """Set the array that a trace computed."""
        if self._views is not None:
            views.before_write(self, value)
        self._view = None
        self._data = value

    def adopt(self, value: Array) -> None:
        """Set the array within the running trace, or without one."""
        self._rebind(wrap(value))

    def _rebind(self, value: Tensor) -> Tensor:
        """Set the value and the history to those of another Tensor: the last step of every in-place operation."""
        if self._view is not None:
            views.write(self, value)
            return self
        if self._views is not None:
            views.before_write(self, value._data)
        scope = current.get().scope
        if scope is not None:
            scope.tensors.note_assigned(self, self._data)
        self._fill(value)
        return self

    def _fill(self, value: Tensor) -> None:
        self._data = value._data
        self._node = value._node

    def _forget(self) -> None:
        """Become a stale view."""
        self.__class__ = _Stale  # type: ignore[assignment]
        self.__dict__.pop("_data", None)

    # --- what it is ---------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes along each axis."""
        return self._data.shape

    @property
    def dtype(self) -> mstype.Type:
        """The MindSpore dtype of the elements."""
        return mstype.from_numpy(self._data.dtype)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        """Bytes an element takes."""
        return self._data.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes all elements take."""
        return self.size * self.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes to step along each axis of the (contiguous) storage."""
        steps = [self.itemsize]
        for d in reversed(self.shape[1:]):
            steps.insert(0, steps[0] * d)
        return tuple(steps) if self.ndim else ()

    @property
    def device(self) -> str:
        """The device that holds the elements: "CPU", or the kind and index of an accelerator, as in "GPU:0"."""
        if isinstance(self._data, Tracer):
            return "traced"
        if isinstance(self._data, np.ndarray):  # text, or elements that take no memory
            return "CPU"
        location = next(iter(self._data.devices()))
        return "CPU" if location.platform == "cpu" else f"{location.platform.upper()}:{location.id}"

    @property
    def virtual_flag(self) -> bool:
        """Always False; for programs that read it."""
        return False

    def is_init(self) -> bool:
        """Return whether the Tensor holds drawn values."""
        return not self.has_init

    # --- on the host --------------------------------------------------------------------------------------------------

    def asnumpy(self) -> np.ndarray:
        """Return the elements as a NumPy array of its own memory."""
        if self.has_init:
            self.init_data()
        return as_served(np.array(self._known()))

    def _known(self) -> Any:
        """Return the array when its values are needed; raise the reason if it could not be computed."""
        if not isinstance(self._data, Tracer):
            return self._data if isinstance(self._data, np.ndarray) else piece_here(self._data).block_until_ready()
        if (scope := current.get().scope) is not None:
            scope.request_value()
        return self._data

    def numpy(self) -> np.ndarray:
        """Return the elements as a NumPy array of its own memory."""
        return self.asnumpy()

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        array = self.asnumpy()
        return array if dtype is None else array.astype(dtype)

    def tolist(self) -> Any:
        """Return the elements as nested Python lists (a number for a 0-d Tensor)."""
        return self.asnumpy().tolist()

    def item(self, *index: object) -> Any:
        """Return the only element as a Python number.

        Raises:
            ValueError: If there is more than one element.
        """
        if index:
            raise TypeError(f"Tensor.item takes no arguments, got {index}.")
        if self.size != 1:
            raise ValueError(f"Tensor.item: the Tensor must have exactly one element, got shape {list(self.shape)}.")
        return self.asnumpy().item()

    @staticmethod
    def from_numpy(array: np.ndarray) -> Tensor:
        """Return a Tensor with the elements of a NumPy array."""
        if not isinstance(array, np.ndarray):
            raise TypeError(f"Tensor.from_numpy: expected a numpy.ndarray, got {type(array).__name__}.")
        # The device adopts an aligned copy as its own memory; a smaller array is copied once more instead.
        tensor = wrap(to_array(array, copy=np.array if array.nbytes < _LARGE else aligned))
        tensor._of_numpy = True
        return tensor

    @property
    def __jax_array__(self) -> Callable[[], Array]:
        """Return what functions of JAX ask for the array; there is none while a gradient or a graph records."""
        if reason := _stays_here():
            raise AttributeError(reason)
        return lambda: self._data

    def __dlpack__(self, **kwargs: object) -> Any:
        return self._data.__dlpack__(**kwargs)

    def __dlpack_device__(self) -> Any:
        return self._data.__dlpack_device__()

    def __bool__(self) -> bool:
        if self.size > 1 and isinstance(self._data, Tracer):
            return bool(self._data.any())  # cannot be traced; rewritten code may not need it (`tensor in a_list`)
        if self.size != 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous: "
                f"got Tensor {describe(self)}; use ops.all or ops.any."
                if self.size
                else f"The truth value of an empty Tensor is ambiguous: got {describe(self)}."
            )
        return bool(self._known().reshape(()))

    def _scalar(self, kind: type) -> Any:
        if self.size != 1:
            raise ValueError(f"Only one element tensors can be converted to Python scalars, got {describe(self)}.")
        return kind(self._known().reshape(()))

    def __int__(self) -> int:
        return self._scalar(int)

    def __float__(self) -> float:
        return self._scalar(float)

    def __complex__(self) -> complex:
        return self._scalar(complex)

    def __index__(self) -> int:
        if self._data.dtype.kind not in "iub":
            raise ValueError(
                f"Only integer tensors of a single element can be converted to an index, got {describe(self)}."
            )
        return self._scalar(int)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("Not support len of a 0-D tensor")
        return self.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        if not self.shape:
            raise TypeError("Cannot iterate over a scalar tensor.")
        return (self[i] for i in range(self.shape[0]))

    def __contains__(self, item: object) -> bool:
        same: Any = self == item
        return isinstance(same, Tensor) and bool(same._data.any())

    def __hash__(self) -> int:
        return id(self)

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if spec else str(self)

    def __str__(self) -> str:
        return printing.tensor_str(self)

    def __repr__(self) -> str:
        return printing.tensor_repr(self)

    def _repr_html_(self) -> str:
        return printing.tensor_html(self)

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        return (_restore, (self.asnumpy(), self._data.dtype.name))

    def __deepcopy__(self, memodict: dict[int, Any]) -> Tensor:
        new = wrap(self._data)
        new._of_numpy = self._of_numpy
        return new

    def __getitem__(self, index: object) -> Tensor:
        raise AssertionError("bound by sporax._src.bindings.tensor_methods")


class _Stale(Tensor):
    """A view whose source has changed since it was read; the next read turns it into a plain Tensor."""

    @property
    def _data(self) -> Any:
        return self._refresh()._data

    @_data.setter
    def _data(self, value: Array) -> None:
        self.__class__ = Tensor  # type: ignore[assignment]
        self._data = value

    @property
    def _node(self) -> tuple[Node, int] | None:
        return self._refresh()._node

    @_node.setter
    def _node(self, edge: tuple[Node, int] | None) -> None:
        raise AssertionError("the operator of a view is set after its value")

    def _forget(self) -> None:
        """Stay a stale view."""

    def _refresh(self) -> Tensor:
        now = views.read(self)
        if not views.stays(self):
            return now
        self.__class__ = Tensor  # type: ignore[assignment]
        self._fill(now)
        return self


_Stale.__name__ = _Stale.__qualname__ = "Tensor"


def wrap(array: Array) -> Tensor:
    """Return a Tensor around an array, without any conversion."""
    tensor = object.__new__(Tensor)
    tensor._data = array
    return tensor


def _stays_here() -> str:
    """Return why functions of JAX get no Tensor now; empty if they do."""
    if not is_recording() and current.get().scope is None:
        return ""
    return (
        "A function of JAX takes no Tensor within a gradient or a graph of sporax: its result would be no part of them. Use "
        "functions of ops or mint there, or jax.grad of Cell.functional()."
    )


def array_for_jax(tensor: Tensor) -> Array:
    """Return the array of a Tensor for a function of JAX.

    Raises:
        TypeError: While a gradient or a graph records.
    """
    if reason := _stays_here():
        raise TypeError(reason)
    return tensor._data


# `jax.jit(f)(t)` and `jax.tree.map(f, t)` see the array of a Tensor, and return a Tensor.
jax.tree_util.register_pytree_node(Tensor, lambda t: ((array_for_jax(t),), None), lambda _, children: wrap(children[0]))


def tensor(
    input_data: object = None,
    dtype: mstype.TypeLike | None = None,
    shape: Sequence[int] | int | None = None,
    init: Callable[[np.ndarray], None] | None = None,
    const_arg: bool = False,
    device: str | None = None,
) -> Tensor:
    """Return a Tensor of the arguments, see `Tensor`.

    Args:
        input_data, dtype, shape, init, const_arg: As for `Tensor`.
        device: The name of a device; a process has one, where all Tensors stay.

    Raises:
        ValueError: If there is no such device.

    Examples:
        >>> import sporax as ms
        >>> ms.tensor([1.0, 2.0]).shape
        (2,)
    """
    check_device_name("tensor", device)
    return Tensor(input_data, dtype, shape, init, const_arg=const_arg)


from_numpy = Tensor.from_numpy


def is_tensor(obj: object) -> bool:
    """Return whether `obj` is a Tensor or a Parameter."""
    return isinstance(obj, Tensor)


def drawn(init: Callable[[np.ndarray], None], shape: Sequence[int], dtype: np.dtype) -> Any:
    """Return the array that an initializer draws; in a plan, zeros for a large one."""
    if dry_run.leaves_out(shape, dtype):
        return dry_run.zeros(shape, dtype)
    values = np.zeros(shape, np.float32 if dtype.name == "bfloat16" else dtype)
    init(values)
    return values.astype(dtype, copy=False)


def as_jax(values: Any) -> Array:
    """Return an array of JAX with the values; with their dtype, because `jnp.asarray` alone compiles a copy for each shape."""
    return jnp.asarray(values, values.dtype)


def _restore(array: np.ndarray, dtype_name: str) -> Tensor:
    return Tensor(array)


_LARGE = 1 << 16  # bytes of an array; aligning a smaller one costs more than a second copy

# The dtypes of Python numbers, and of lists and tuples of anything, NumPy arrays included.
_OF_PYTHON = {np.dtype(np.float64): np.dtype(np.float32), np.dtype(np.int32): np.dtype(np.int64)}


def to_array(value: object, dtype: mstype.TypeLike | None = None, copy: Callable[..., np.ndarray] = np.array) -> Any:
    """Return the `jax.Array` of a Tensor of `value`; `copy(array, dtype)` puts host arrays on the device."""
    np_dtype = None if dtype is None else mstype.to_numpy(_check_dtype(dtype))
    if isinstance(value, Tensor):
        value = value._data
    if isinstance(value, (jax.Array, Tracer)):
        if np_dtype is None and getattr(value.aval, "weak_type", False):
            np_dtype = _OF_PYTHON.get(value.dtype)
        array = remove_weak_type(value)
        return array if np_dtype is None or array.dtype == np_dtype else converted(array, np_dtype)
    if isinstance(value, (np.ndarray, np.str_, np.bytes_)) and value.dtype.kind in "US" and np_dtype is None:
        return np.array(value)  # text stays a NumPy array: no operator takes it
    array = _host_array(value)
    if np_dtype is None and isinstance(value, (list, tuple, bool, int, float)) and not isinstance(value, np.generic):
        np_dtype = _OF_PYTHON.get(array.dtype)
    mstype.from_numpy(np_dtype or array.dtype)
    if np_dtype is not None and np_dtype.kind in "iu" and array.dtype.kind not in "biu":
        array = converted_by_numpy(array, np_dtype)
    return to_device(copy(array, np_dtype))


def copied(array: Array) -> Array:
    """Return a copy of an array; a traced value is returned as is. Unlike `jnp.array`, this compiles nothing for the shape."""
    return array if isinstance(array, Tracer) else jax.device_put(array, may_alias=False)


def _check_dtype(dtype: mstype.TypeLike) -> Any:
    try:
        return mstype.as_type(dtype)
    except TypeError as error:
        raise TypeError(f"Tensor: dtype: {error}") from None


def _host_array(value: object) -> np.ndarray:
    if isinstance(value, (np.ndarray, np.generic, bool, int, float, complex, range)):
        array = np.asarray(value)
    elif isinstance(value, (list, tuple)):
        array = _from_sequence(value)
    elif hasattr(value, "__array__"):
        array = np.asarray(value)
    else:
        raise TypeError(
            "Tensor: input_data must be a number, bool, list, tuple, numpy.ndarray or Tensor, "
            f"got {type(value).__name__}: {value!r:.60}."
        )
    if array.dtype.kind == "O" and isinstance(value, int):
        raise RuntimeError(f"Tensor: the integer {value} takes more than 64 bits.")
    if array.dtype.kind in "OSUMm":
        raise TypeError(f"Tensor: elements of NumPy dtype {array.dtype} ({type(value).__name__}) are not numbers.")
    return array


class UnequalLengths(TypeError):
    """A nested sequence is no array: its parts have different lengths."""


def _from_sequence(value: Sequence[Any]) -> np.ndarray:
    def plain(v: object) -> Any:
        if isinstance(v, Tensor):
            return v.asnumpy()
        return [plain(u) for u in v] if isinstance(v, (list, tuple)) else v

    try:
        return np.asarray(plain(value))
    except ValueError:
        raise UnequalLengths(f"Tensor: nested sequences must have equal lengths, got {value!r:.80}.") from None

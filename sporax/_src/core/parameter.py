"""Parameter and ParameterTuple: named state that keeps its identity while traces supply its value."""

from __future__ import annotations

import copy
import inspect
import itertools
import math
import weakref
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, SupportsIndex

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.config import draws_late
from sporax._src.base.errors import shown
from sporax._src.base.jax_compat import is_tracer
from sporax._src.base.typing import Array
from sporax._src.core import dtype as mstype
from sporax._src.core import initial_draws, tree, views
from sporax._src.core import initializer as init_
from sporax._src.core.derivative import written
from sporax._src.core.execution import CONSUMED, capturing, committing, current, returned, running
from sporax._src.core.hints import PlacementHints
from sporax._src.core.param_info import ParamInfo
from sporax._src.core.scope import tracing
from sporax._src.core.stateful import graph_version
from sporax._src.core.tape import Node
from sporax._src.core.tensor import Tensor, array_for_jax, as_jax, copied, drawn, to_array

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_numbers = itertools.count(1)
_GENERATED = "Parameter#"
_MANY = 1 << 16  # elements from which a value waits where the mode asks for it
# Parameters of `no_init_parameters` that are not drawn yet
waiting: weakref.WeakValueDictionary[int, Parameter] = weakref.WeakValueDictionary()


class Parameter(PlacementHints, Tensor):
    """A Tensor with a name that Cells own, optimizers update and checkpoints keep.

    Args:
        default_input: A Tensor, an initializer Tensor, a number, a NumPy array, a list or another Parameter.
        name: The name; if it is None, a Cell sets it to the dotted path of the attribute.
        requires_grad: Whether optimizers and `trainable_params` include it.
        layerwise_parallel, parallel_optimizer, storage_format, device: Accepted for MindSpore programs.

    Raises:
        TypeError: If a value has an unexpected type.

    Examples:
        >>> import sporax as ms
        >>> ms.Parameter(ms.Tensor([1.0]), name="w")
        Parameter (name=w, shape=(1,), dtype=Float32, requires_grad=True)
    """

    _value: Any
    is_consumed = True
    # for programs that read or set them
    unique = False  # type: ignore[assignment]  # the operator of that name is `ops.unique`
    key = -1
    _forward_hook: Any = (
        None  # what graphs compute with in place of its value (see `Cell.register_parameter_forward_hook`)
    )
    inited_param: Parameter | None = None  # MindSpore's, for a Parameter whose initialisation was deferred
    # of one that is not drawn yet
    _seed: int | None = None
    _blank: Any = None  # zeros that take no memory, for its shape and dtype

    def __init__(
        self,
        default_input: Tensor | ArrayLike,
        name: str | None = None,
        requires_grad: bool = True,
        layerwise_parallel: bool = False,
        parallel_optimizer: bool = True,
        storage_format: str = "",
        device: str | None = None,
    ) -> None:
        if name is not None and not isinstance(name, str):
            raise ValueError(f"Parameter: name must be a string or None, got {type(name).__name__}: {name!r}.")
        known = f"{_GENERATED}{next(_numbers)}" if name is None else name
        self.param_info = ParamInfo(known, name is not None, requires_grad, layerwise_parallel, parallel_optimizer)
        self.is_in_parallel = False
        if not self._defer_draws(default_input):
            self._value = _initial(default_input)
        self._belongs()

    # --- values that are drawn when they are needed -------------------------------------------------------------------

    def _defer_draws(self, source: object) -> bool:
        """Let the value be drawn later, where the program or the mode asks for it; return whether it is.

        Where the mode asks, only large values wait that a seed gives: it is taken now, as by a program that draws at once.
        """
        now = current.get()
        if not (isinstance(source, Tensor) and source.has_init) or now.scope is not None:
            return False
        seeds = init_.seeds_of(source.init)
        is_late = draws_late[0] and seeds is not None and math.prod(source.shape) >= _MANY
        if not (now.draws_lazily or is_late) or (isinstance(source, Parameter) and seeds is None):
            return False
        if isinstance(source, Parameter):
            source.fix_seed()
            self._seed = source._seed
        elif seeds and not now.draws_lazily:
            self._seed = initial_draws.new_seed()
        init = source.init if seeds is None else copy.copy(source.init)  # the program may change it
        self._wait(init, np.broadcast_to(np.zeros((), mstype.to_numpy(source.dtype)), source.shape), now.draws_lazily)
        return True

    def _wait(self, init: Any, blank: np.ndarray, is_asked_for: bool) -> None:
        self.init, self.has_init, self._blank, self._value = init, True, blank, CONSUMED
        if is_asked_for:
            waiting[id(self)] = self

    @property
    def is_repeatable(self) -> bool:
        """Whether values that wait depend on the seed alone."""
        return init_.seeds_of(self.init) is not None

    def fix_seed(self) -> None:
        """Choose the seed of values that wait, so that they depend neither on the order nor on the place of drawing."""
        if self.has_init and self._seed is None and init_.seeds_of(self.init):
            self._seed = initial_draws.new_seed()

    def draw(self, place: Callable[[Any], Any] = as_jax) -> None:
        """Draw a value that waits.

        Args:
            place: Makes the value of the array that was drawn.

        Raises:
            ValueError: If the initializer cannot draw values of this shape.
        """
        try:
            with initial_draws.seeded(self._seed):
                values = drawn(self.init, self._blank.shape, self._blank.dtype)
        except ValueError as error:
            raise ValueError(f"Parameter '{shown(self.name)}': {error}") from error
        with jax.ensure_compile_time_eval():
            self._value = place(values)
        self._has_value()

    def _has_value(self) -> None:
        self.has_init = False
        waiting.pop(id(self), None)

    def _arrived(self) -> Any:
        """Return the value after it was drawn, or written by a run of another thread."""
        if not self.has_init:
            return returned(self)
        with capturing, committing:  # an initializer may run a graph
            if self.has_init:
                self.draw()
            return self._value

    def outline(self) -> Any:
        """Return an array of the shape and dtype of the value: the value, unless it is not drawn yet."""
        return self._blank if self.has_init else self.concrete()

    def _belongs(self) -> None:
        """Register a Parameter created within a trace with that trace."""
        if (scope := current.get().scope) is not None:
            scope.declare_created(self, self._value)
        else:
            graph_version.advance()

    # --- what graphs built with it depend on (see `Stateful`) ------------------------------------------------------------

    @property
    def requires_grad(self) -> bool:
        """Whether optimizers, `trainable_params` and gradients include it."""
        return self.param_info.requires_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self.param_info.requires_grad = value

    def _sporax_fingerprint(self) -> Any:
        """Return a value that is equal while a graph built with the flags and hooks of the Parameter stays valid."""
        value = self.outline()
        return (self.requires_grad, self._hooks, value.shape, value.dtype)

    def _sporax_changed_since(self, fingerprint: tuple[Any, ...]) -> str:
        """Describe what changed since `fingerprint` was computed; empty if nothing did."""
        if fingerprint[0] != self.requires_grad:
            return f"Parameter '{shown(self.name)}'.requires_grad = {self.requires_grad}"
        value = self.outline()
        if fingerprint[2] != value.shape:
            return f"Parameter '{shown(self.name)}': its shape"
        if fingerprint[3] != value.dtype:
            return f"Parameter '{shown(self.name)}': its dtype"
        return "" if fingerprint[1] == self._hooks else f"Parameter '{shown(self.name)}': its hooks"

    # --- what it is, without the value --------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes along each axis."""
        return self._known_as().shape

    @property
    def dtype(self) -> mstype.Type:
        """The MindSpore dtype of the elements."""
        return mstype.from_numpy(self._known_as().dtype)

    @property
    def itemsize(self) -> int:
        """Bytes an element takes."""
        return self._known_as().dtype.itemsize

    def _known_as(self) -> Any:
        return self._blank if self.has_init and current.get().scope is None else self._data

    # --- the value, by scope -----------------------------------------------------------------------------------------

    @property
    def _data(self) -> Any:
        scope = current.get().scope
        if scope is not None:
            return scope.read(self)
        value = self._value
        return value if value is not CONSUMED else self._arrived()

    @_data.setter
    def _data(self, value: Array) -> None:
        if self._views is not None:
            views.before_write(self, value)
        now = current.get()
        if now.scope is not None:
            now.scope.write(self, value)
        elif is_tracer(value):
            raise RuntimeError(
                f"Parameter '{shown(self.name)}' was assigned a traced value outside of any sporax transform. "
                "Return the value from the traced function and assign it there."
            )
        else:
            if self.has_init:
                self._write_first(value, now.journal)
                return
            if now.journal is not None:
                now.journal.append((self, self._value))
            self._value = value

    def _write_first(self, value: Array, journal: list[tuple[Any, Any]] | None) -> None:
        """Write a Parameter that is not drawn yet; it is drawn if the write may have to be undone."""
        with capturing, committing:
            if journal is not None:
                journal.append((self, self.concrete()))
            self._value = value
            self._has_value()

    @property
    def _node(self) -> tuple[Node, int] | None:
        session = current.get().session
        known = None if session is None else session.edges.get(id(self))
        return None if known is None else known[1]

    @_node.setter
    def _node(self, edge: tuple[Node, int] | None) -> None:
        session = current.get().session
        if session is None:  # no gradient in progress depends on it
            return
        if edge is None:
            session.edges.pop(id(self), None)
        else:
            session.edges[id(self)] = (self, edge)

    def concrete(self) -> Any:
        """Return the value held outside any trace."""
        value = self._value
        return value if value is not CONSUMED else self._arrived()

    def commit(self, value: Array) -> None:
        """Take over a value that a trace computed."""
        was_consumed = self._value is CONSUMED  # by a run, whose new value has the same shape and dtype
        if self._views is not None and not was_consumed:
            views.before_write(self, value)
        self._value = value
        if self.has_init:
            self._has_value()
        if self._views is not None and was_consumed:
            views.make_stale(self)

    def adopt(self, value: Array) -> None:
        """Take over a value within the running trace, or outside of any."""
        self._data = value

    def _rebind(self, value: Tensor) -> Tensor:
        data = value._data
        dtype = self.outline().dtype
        if data.dtype != dtype:
            data = data.astype(dtype)
        self._data = self._undifferentiated(data)
        return self

    def _undifferentiated(self, data: Array) -> Any:
        """Return a value to be written: as in MindSpore, no gradient passes through a write, and the Parameter stays a leaf."""
        scope = current.get().scope
        return data if scope is None or not scope.differentiates else written(data, self._data)

    # --- name and flags ----------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name under which checkpoints and optimizers know the Parameter."""
        return self.param_info.name

    @name.setter
    def name(self, value: str) -> None:
        self.param_info.name = value

    @property
    def named(self) -> bool:
        """Whether a program gave the name."""
        return self.param_info.named

    # --- changing it -------------------------------------------------------------------------------------------------

    @property
    def data(self) -> Tensor:
        """The Parameter itself, as in MindSpore 2.7; since 2.8 it is what `Tensor.data` is."""
        return self

    @data.setter
    def data(self, value: Tensor) -> None:
        inspect.getattr_static(Tensor, "data").__set__(self, value)

    def set_data(self, data: Tensor | float | np.ndarray, slice_shape: bool = False) -> Parameter:
        """Replace the value; views of the Parameter keep the former one, as in MindSpore.

        Args:
            data: A Tensor, Parameter or initializer Tensor; its values are converted to the Parameter's dtype, and the
                Parameter gets its shape. Or a number for all elements.
            slice_shape: Accepted for MindSpore programs.

        Raises:
            TypeError: If `data` is not a Tensor.
            ValueError: In a graph, if the shapes differ.
        """
        if isinstance(data, Tensor) and data.has_init:
            data.init_data()
        if not isinstance(data, (Tensor, int, float, np.ndarray)):
            raise TypeError(f"Parameter '{shown(self.name)}': set_data takes a Tensor, got {type(data).__name__}.")
        value = to_array(data)
        old = self.outline()
        if not isinstance(data, Tensor):
            value = jnp.broadcast_to(value, old.shape)
        if value.shape != old.shape:
            if tracing():
                raise ValueError(
                    f"Parameter '{shown(self.name)}': can not change the shape of a Parameter in a graph: "
                    f"current shape is {list(old.shape)}, got {list(value.shape)}."
                )
            graph_version.advance()
        if self._views is not None:
            views.release(self)
        self.adopt(self._undifferentiated(value.astype(old.dtype)))
        return self

    def init_data(self, layout: object = None, set_sliced: bool = False) -> Parameter:
        """Return the Parameter, which is drawn if it has no value yet."""
        self.concrete()
        return self

    def clone(self, init: init_.InitializerLike = "same") -> Parameter:
        """Return a new Parameter of the same name, shape and dtype.

        Args:
            init: `"same"` copies the value; otherwise an initializer, its name or a number.
        """
        value = self if isinstance(init, str) and init == "same" else init_.initializer(init, self.shape, self.dtype)
        new = Parameter(value, self.name)
        new.param_info = self.param_info.clone()
        self.param_info.cloned_obj.append(new)
        return new

    def value(self) -> Tensor:
        """Return the value as a Tensor of its own."""
        new = object.__new__(Tensor)
        new._data, new._node = self._data, self._node
        return new

    def copy(self) -> Parameter:
        """Return a Parameter with the same value."""
        return self.clone()

    def __deepcopy__(self, memodict: dict[int, Any]) -> Parameter:
        new = object.__new__(Parameter)
        memodict[id(self)] = new
        if self.has_init and (current.get().scope is not None or not self.is_repeatable):
            self.concrete()
        self.fix_seed()
        for key, item in self.__dict__.items():
            if key not in ("param_info", "_value", "_blank"):
                new.__dict__[key] = copy.deepcopy(item, memodict)
        if self.has_init:
            new._wait(new.init, self._blank, id(self) in waiting)
        else:
            new._value = copied(self._data)
        new.param_info = self.param_info.clone()
        new._belongs()
        return new

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        return (_restore, (self.asnumpy(), self.name, self.requires_grad, self.named))

    def __str__(self) -> str:
        shape = tuple(self.shape)
        return f"Parameter (name={shown(self.name)}, shape={shape}, dtype={self.dtype}, requires_grad={self.requires_grad})"

    __repr__ = __str__


def draw_waiting(params: Iterable[Any], *, now: bool = True) -> None:
    """Draw the Parameters among the states that have no value yet, in their order.

    Args:
        params: The states.
        now: If not, those that depend on a seed alone only get it, and are drawn later.
    """
    for param in params:
        if isinstance(param, Parameter) and param.has_init:
            param.init_data() if now or not param.is_repeatable else param.fix_seed()


def no_init_parameters() -> running:
    """Defer the initialisation of Parameters created in the block, which take no memory until values are loaded.

    Parameters that are not loaded are drawn when they are first read: by the first call of a Cell or graph that has them, by
    `Parameter.init_data()`, or by `Cell.init_parameters_data()`. A graph that is cut over devices draws one after the other, and
    keeps the pieces of this process.

    Examples:
        >>> import sporax as ms
        >>> with ms.nn.no_init_parameters():
        ...     net = ms.nn.Dense(2, 1)
        >>> net.weight.has_init
        True
    """
    return running(draws_lazily=True)


def _restore(array: np.ndarray, name: str, requires_grad: bool, named: bool) -> Parameter:
    new = Parameter(Tensor(array), name, requires_grad)
    new.param_info.named = named
    return new


def is_generated(name: object) -> bool:
    """Return whether a name was generated for a Parameter without a name."""
    return isinstance(name, str) and name.startswith(_GENERATED)


def _initial(value: object) -> Any:
    if isinstance(value, Tensor) and value.has_init and not isinstance(value, Parameter):
        return Tensor(shape=value.shape, dtype=value.dtype, init=value.init).init_data()._data
    if isinstance(value, bool):
        raise ValueError(f"Parameter: default_input must not be a bool, got {value}; give a Tensor of it.")
    if isinstance(value, (Tensor, int, float, list, tuple, np.ndarray, np.generic)):
        array = to_array(value, mstype.int32 if type(value) is int else None)
        # A Parameter owns its memory: a compiled step that updates it in place must not change another Tensor.
        return copied(array) if isinstance(value, Tensor) else array
    raise TypeError(
        "Parameter: default_input must be a Tensor, number, numpy.ndarray or list, "
        f"got {type(value).__name__}: {value!r:.60}."
    )


def _of_tree(info: ParamInfo, children: tuple[Any]) -> Parameter:
    """Return a Parameter of the same name for a value that a function of JAX computed: it stands outside of networks."""
    param = object.__new__(Parameter)
    param.param_info, param.is_in_parallel, param._value = info, False, children[0]
    return param


jax.tree_util.register_pytree_node(Parameter, lambda p: ((array_for_jax(p),), p.param_info), _of_tree)


class ParameterTuple(tuple):
    """A tuple of Parameters that a Cell registers as its own.

    Args:
        iterable: The Parameters, of different names.

    Raises:
        TypeError: If an element is no Parameter.
        ValueError: If two different Parameters have one name.
    """

    kind_with_other_leaves = tuple  # a graph returns a tuple of Tensors instead

    def __new__(cls, iterable: Iterable[Parameter]) -> ParameterTuple:
        params = tuple(iterable)
        seen: dict[str, Parameter] = {}
        for p in params:
            if not isinstance(p, Parameter):
                raise TypeError(f"ParameterTuple: elements must be Parameters, got {type(p).__name__}.")
            if seen.setdefault(p.name, p) is not p:
                raise ValueError(
                    f"ParameterTuple: two Parameters have the name '{shown(p.name)}'; give each its own name."
                )
        return tuple.__new__(cls, params)

    def clone(self, prefix: str = "", init: init_.InitializerLike = "same") -> ParameterTuple:
        """Return a tuple of clones whose names begin with `prefix`."""
        cloned = []
        for p in self:
            new = p.clone(init)
            new.name = tree.path(prefix, p.name)
            cloned.append(new)
        return ParameterTuple(cloned)

    def __reduce__(self) -> tuple[Any, ...]:
        return (ParameterTuple, (list(self),))

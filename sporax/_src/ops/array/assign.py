"""Operators that write Parameters, and operators that control the program: depend, stop_gradient, Print, ..."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from sporax._src.base.typing import Array, TensorArray
from sporax._src.bindings.primitive import primitives
from sporax._src.core import printing, tree, views
from sporax._src.core.execution import current
from sporax._src.core.parameter import Parameter
from sporax._src.core.scope import tracing
from sporax._src.core.tensor import Tensor, is_tensor, wrap
from sporax._src.engine.arguments import shaped
from sporax._src.engine.table import composite, internal
from sporax._src.ops.array import scatter
from sporax._src.ops.array.cast import cast
from sporax._src.ops.array.gather import integers
from sporax._src.ops.math.arithmetic import add, sub
from sporax._src.ops.math.float_status import FloatStatus

# The laws call twice with the same operands, which these operators change: they have tests of their own.
writes = functools.partial(composite, grad=0, jit=False)

# --- a Parameter takes a value ---------------------------------------------------------------------------------------


def value_of(variable: Tensor) -> Tensor:
    """Return the value of a Tensor or Parameter as a Tensor of its own."""
    new = wrap(variable._data)
    new._node = variable._node
    scope = current.get().scope
    if scope is not None:
        scope.tensors.note_created(new)
    return new


def write(name: str, variable: object, value: Tensor) -> Tensor:
    """Write a value of the same shape into a Parameter or Tensor, in its dtype, and return that value.

    Raises:
        RuntimeError: If several elements of the Tensor are one element of memory.
        TypeError: If `variable` is not a Tensor.
        ValueError: If the shapes differ.
    """
    if not isinstance(variable, Tensor):
        raise TypeError(f"ops.{name}: variable must be a Parameter, got {type(variable).__name__}.")
    if value.shape != variable.shape:
        raise ValueError(
            f"ops.{name}: value must have the variable's shape {list(variable.shape)}, got {list(value.shape)}."
        )
    views.check_overlap(variable, f"ops.{name}")
    variable._rebind(cast(value, variable.dtype))
    return value_of(variable)


def _write_sum(name: str, variable: Tensor, total: Tensor) -> Tensor:
    """Write a sum into a Parameter and return it; gradients pass through what is returned, not through what is written."""
    total = cast(total, variable.dtype) if isinstance(variable, Tensor) else total
    write(name, variable, total)
    return total


def _fits(name: str, variable: Tensor, value: object) -> Tensor:
    value = value if isinstance(value, Tensor) else Tensor(value)
    if isinstance(variable, Tensor) and _RANK[value._data.dtype.kind] > _RANK[variable._data.dtype.kind]:
        raise TypeError(f"ops.{name}: a {variable.dtype} Parameter does not take {value.dtype} values without loss.")
    return value


_RANK = {"b": 0, "u": 1, "i": 1, "V": 2, "f": 2, "c": 3}


@writes(
    cases=("T(2, 3), T(2, 3)", "T(2), I(2)"),
    errors=(("T(2), T(3)", "shape"), ("I(2), T(2)", "without loss"), ("3, T(2)", "Parameter")),
    primitive="Assign()",
)
def assign(variable: Parameter, value: object) -> Tensor:
    """Assign a value to a Parameter and return the value.

    Args:
        variable: The Parameter.
        value: A Tensor of its shape; it is converted to the Parameter's dtype.

    Raises:
        TypeError: If `variable` is not a Tensor, or would lose what `value` holds (floats in an integer Parameter).
        ValueError: If the shapes differ.

    Examples:
        >>> p = ms.Parameter(Tensor([1.0]))
        >>> ops.assign(p, Tensor([2.0])).asnumpy()
        array([2.], dtype=float32)
    """
    return write("assign", variable, _fits("assign", variable, value))


@writes(
    cases=("T(2, 3), T(2, 3)", "T(2), 1.5"),
    errors=(("T(2), T(3)", "ops."), ("I(2), T(2)", "without loss")),
    primitive="AssignAdd()",
)
def assign_add(variable: Parameter, value: object) -> Tensor:
    """Add a value to a Parameter and return the sum.

    Args:
        variable: The Parameter.
        value: A Tensor or number that broadcasts to its shape; it is converted to the Parameter's dtype.

    Raises:
        TypeError: If the Parameter would lose what `value` holds (floats in an integer Parameter).
        ValueError: If the sum has another shape than the Parameter.

    Examples:
        >>> p = ms.Parameter(Tensor([1.0]))
        >>> ops.assign_add(p, Tensor([2.0])).asnumpy(), p.asnumpy()
        (array([3.], dtype=float32), array([3.], dtype=float32))
    """
    return _write_sum("assign_add", variable, add(variable, _fits("assign_add", variable, value)))


@writes(
    cases=("T(2, 3), T(2, 3)", "T(2), 1.5"),
    errors=(("T(2), T(3)", "ops."), ("I(2), T(2)", "without loss")),
    primitive="AssignSub()",
)
def assign_sub(variable: Parameter, value: object) -> Tensor:
    """Subtract a value from a Parameter and return the difference.

    Args:
        variable: The Parameter.
        value: A Tensor or number that broadcasts to its shape; it is converted to the Parameter's dtype.

    Raises:
        TypeError: If the Parameter would lose what `value` holds (floats in an integer Parameter).
        ValueError: If the difference has another shape than the Parameter.

    Examples:
        >>> p = ms.Parameter(Tensor([1.0]))
        >>> ops.assign_sub(p, Tensor([2.0])).asnumpy(), p.asnumpy()
        (array([-1.], dtype=float32), array([-1.], dtype=float32))
    """
    return _write_sum("assign_sub", variable, sub(variable, _fits("assign_sub", variable, value)))


# --- parts of a Parameter take values --------------------------------------------------------------------------------

_WHAT = {
    "update": "Put `updates` into the slices of a Parameter at `indices`",
    "add": "Add `updates` to the slices of a Parameter at `indices`",
    "sub": "Subtract `updates` from the slices of a Parameter at `indices`",
    "mul": "Multiply the slices of a Parameter at `indices` by `updates`",
    "div": "Divide the slices of a Parameter at `indices` by `updates`",
    "max": "Let the slices of a Parameter at `indices` be at least `updates`",
    "min": "Let the slices of a Parameter at `indices` be at most `updates`",
}
_TEXT = """{what}, {index_rule}, and return the Parameter's new value.

Args:
    input_x: The Parameter.
    indices: {indices}
    updates: {updates}{more}

Raises:
    TypeError: If `indices` holds no integers.
    ValueError: If the shapes do not fit.

Examples:
    >>> p = ms.Parameter(Tensor([1.0, 2.0, 3.0]))
    >>> ops.{name}(p, Tensor({example}), Tensor([2.0, 4.0])).asnumpy()
    array([{result}], dtype=float32)
"""
_RESULTS = {
    "update": "2., 2., 4.", "add": "3., 2., 7.", "sub": "-1.,  2., -1.", "mul": " 2.,  2., 12.", "div": "0.5 , 2.  , 0.75",
    "max": "2., 2., 4.", "min": "1., 2., 3.",
}  # fmt: skip
_METHODS = {"update": "set", "sub": "subtract", "mul": "multiply", "div": "divide"}


@internal("scatter", bounds=lambda input_x, indices, updates, how: [("indices", indices, input_x.shape[0])])
def _scattered(input_x: TensorArray, indices: Array, updates: Array, how: str) -> Array:
    indices = integers(indices)
    values = shaped(updates, (*indices.shape, *input_x.shape[1:]), "updates").astype(input_x.dtype)
    return getattr(input_x.at[indices], _METHODS.get(how, how))(values)


def _slices(how: str) -> Callable[..., Tensor]:
    """Make `scatter_<how>`: the indices count along axis 0."""

    def fn(input_x: Parameter, indices: Tensor, updates: Tensor) -> Tensor:
        return write(fn.__name__, input_x, _scattered(input_x, indices, updates, how))

    fn.__name__ = fn.__qualname__ = f"scatter_{how}"
    fn.__doc__ = _TEXT.format(
        what=_WHAT[how],
        index_rule="which count along axis 0",
        indices="An integer Tensor of any shape s.",
        updates="A Tensor of shape (*s, *input_x.shape[1:]).",
        more="",
        name=fn.__name__,
        example="[0, 2]",
        result=_RESULTS[how],
    )
    return fn


def _vectors(how: str) -> Callable[..., Tensor]:
    """Make `scatter_nd_<how>`: the indices are vectors along the last axis."""
    scattered = getattr(scatter, f"tensor_scatter_{how}")

    def fn(input_x: Parameter, indices: Tensor, updates: Tensor, use_locking: bool = False) -> Tensor:
        return write(fn.__name__, input_x, scattered(input_x, indices, updates))

    fn.__name__ = fn.__qualname__ = f"scatter_nd_{how}"
    fn.__doc__ = _TEXT.format(
        what=_WHAT[how],
        index_rule="vectors along the last axis",
        indices="An integer Tensor of shape (*s, k): s vectors that count along the first k axes.",
        updates="A Tensor of shape (*s, *input_x.shape[k:]).",
        more="\n    use_locking: Accepted: updates do not race.",
        name=fn.__name__,
        example="[[0], [2]]",
        result=_RESULTS[how],
    )
    return fn


for _how in _WHAT:
    _name = _how.capitalize()
    writes(
        cases=("T(3, 2), D([0, 2], np.int32), P(2, 2)",),
        errors=(
            ("T(3, 2), T(2), P(2, 2)", "indices must be an integer Tensor, got Float32"),
            ("T(3, 2), D([0, 2], np.int32), P(2)", "updates must have shape [2, 2], got [2]"),
            ("1, D([0, 2], np.int32), P(2)", "input_x must be a Tensor, got 1"),
        ),
        primitive=f"Scatter{_name}(use_locking={_how == 'update'})",
    )(_slices(_how))
    writes(
        cases=("T(3, 2), D([[0], [2]], np.int32), P(2, 2)",),
        errors=(
            ("T(3, 2), T(2, 1), P(2, 2)", "indices must be an integer Tensor, got Float32"),
            ("T(3, 2), D([[0], [2]], np.int32), P(2, 1)", "updates must have shape [2, 2], got [2, 1]"),
        ),
        primitive=f"ScatterNd{_name}(use_locking={_how == 'update'})",
    )(_vectors(_how))


_UNFIT = (
    ("T(3, 2), D([0, 0], np.int32), T(2, 2), 5", "dim must be in [-2, 2), got 5"),
    ("T(3, 2), T(2), T(2, 2), 0", "index must be an integer Tensor, got Float32"),
    ("T(3, 2), D([0, 0], np.int32), T(1, 2), 0", "source must have shape [2, 2], got [1, 2]"),
)


@writes(cases=("T(3, 2), D([0, 0], np.int32), T(2, 2), 0", "T(2, 3), D([2], np.int32), T(2, 1), 1"), errors=_UNFIT)
def index_add(
    x: Parameter, indices: Tensor, y: Tensor, axis: int, use_lock: bool = True, check_index_bound: bool = True
) -> Tensor:
    """Add the slices of y along an axis to those of the Parameter x at `indices` and return its new value.

    Args:
        x: The Parameter.
        indices: A vector of int32 indices.
        y: A Tensor shaped as x, but for the axis.
        axis: The axis.
        use_lock, check_index_bound: Accepted: updates do not race, and on the CPU indices are looked at in any case.

    Raises:
        TypeError: If `indices` holds no integers.
        ValueError: If the axis is out of range or the shapes do not fit.

    Examples:
        >>> p = ms.Parameter(Tensor([1.0, 2.0, 3.0]))
        >>> ops.index_add(p, Tensor([0, 2]), Tensor([10.0, 20.0]), 0).asnumpy()
        array([11.,  2., 23.], dtype=float32)
    """
    return write("index_add", x, scatter.index_add_ext(x, axis, indices, y))


@writes(cases=("T(3, 2), D([0, 0], np.int32), T(2, 2), 0",), errors=_UNFIT, primitive="InplaceIndexAdd(axis)")
def inplace_index_add(var: Parameter, indices: Tensor, updates: Tensor, axis: int) -> Tensor:
    """Add the slices of `updates` along an axis to those of the Parameter `var` at `indices`; return its new value.

    Args:
        var: The Parameter.
        indices: A vector of int32 indices.
        updates: A Tensor shaped as var, but for the axis.
        axis: The axis.

    Raises:
        TypeError: If `indices` holds no integers.
        ValueError: If the axis is out of range or the shapes do not fit.

    Examples:
        >>> p = ms.Parameter(Tensor([1.0, 2.0, 3.0]))
        >>> ops.inplace_index_add(p, Tensor([0, 2]), Tensor([10.0, 20.0]), 0).asnumpy()
        array([11.,  2., 23.], dtype=float32)
    """
    return index_add(var, indices, updates, axis)


# --- about the program -----------------------------------------------------------------------------------------------


@internal("stop_gradient", view=True)
def _cut(value: Array) -> Array:
    return jax.lax.stop_gradient(value)


@composite(ref=None, cases=("T(2, 3)",), grad=0, primitive="StopGradient()", aliases="stop_gradient_(input)")
def stop_gradient(value: object) -> Any:
    """Return the value (a Tensor, or a nest of them) as a constant: no gradient flows through it.

    The result is a view: it shares its elements with the value, as in MindSpore's PyNative mode and in PyTorch's `detach`.

    Args:
        value: A Tensor, or tuples, lists and dicts of them.

    Examples:
        >>> ms.grad(lambda x: x * ops.stop_gradient(x))(Tensor(3.0)).asnumpy()
        array(3., dtype=float32)
    """
    return tree.map_leaves(_cut, value, is_tensor)


@composite(cases=("T(2), T(3)",), primitive=("Depend()(value, expr)", "UpdateState()"))
def depend(value: object, expr: object) -> Any:
    """Return `value`: operators run in program order. Only a float status records the values.

    Args:
        value: The result.
        expr: What runs before, in MindSpore's graphs.

    Examples:
        >>> ops.depend(Tensor([1, 2]), Tensor([3])).asnumpy()
        array([1, 2])
    """
    return value.after(expr) if isinstance(value, FloatStatus) else value


@composite(cases=("T(2)",), primitive="Identity()(input_x)", aliases="deepcopy(input_x)")
def identity(x: object) -> Any:
    """Return the value itself, Tensors as new Tensors.

    Args:
        x: A Tensor, or a tuple or list of them.

    Examples:
        >>> ops.identity(Tensor([1, 2])).asnumpy()
        array([1, 2])
    """
    return tree.map_leaves(value_of, x, is_tensor)


def _show(*arrays: object, structure: Any) -> None:
    for value in tree.unflatten(structure, iter([wrap(np.asarray(a)) for a in arrays])):
        for line in printing.lines(value):
            print(line)


@composite(cases=("T(2)",), grad=0, primitive="Print()")
def print_(*input_x: object) -> None:
    """Print Tensors and strings, in a compiled graph each time it runs.

    Args:
        *input_x: Tensors, strings and other values, a line each.

    Examples:
        >>> ops.print_("x:", Tensor([1, 2]))
        x:
        Tensor(shape=[2], dtype=Int64, value= [1, 2])
    """
    if not tracing():
        for x in input_x:
            print(printing.tensor_repr(x) if isinstance(x, Tensor) else str(x))
        return
    tensors: list[Tensor] = []
    structure = tree.flatten(input_x, is_tensor, tensors)
    jax.debug.callback(functools.partial(_show, structure=structure), *[x._data for x in tensors], ordered=True)


primitives(
    """\
IndexAdd(axis, use_lock=True, check_index_bound=True)(x, indices, y) -> index_add(x, indices, y, axis)
    use_lock, check_index_bound: Accepted: updates do not race, and on the CPU indices are looked at in any case.
IdentityN()(x) -> identity(tuple(x))
    Return the Tensors of a sequence.
    x: A tuple or list of Tensors.
    >>> [x.asnumpy() for x in ops.IdentityN()([Tensor([1, 2]), Tensor(3)])]
    [array([1, 2]), array(3)]
""",
    globals(),
)


@writes(
    cases=("T(3, 2), D([[0], [0], [2]], np.int32), T(3, 2)",), ref="references.encoding.scatter_add",
    errors=(
        ("T(3, 2), T(3, 1), T(3, 2)", "indices must be an integer Tensor"),
        ("T(3, 2), D([[0], [0], [2]], np.int32), T(2, 2)", "updates must have shape [3, 2], got [2, 2]"),
    ),
    name="_scatter_non_aliasing_add", primitive="ScatterNonAliasingAdd()",
)  # fmt: skip
def scatter_non_aliasing_add(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Add updates to the slices of a Parameter at indices, vectors along the last axis, and return its new value.

    Args:
        input_x: The Parameter.
        indices: An integer Tensor of shape (*s, k): s vectors that count along the first k axes.
        updates: A Tensor of shape (*s, *input_x.shape[k:]).

    Raises:
        TypeError: If `indices` holds no integers.
        ValueError: If the shapes do not fit.

    Examples:
        >>> p = ms.Parameter(Tensor([1.0, 2.0, 3.0]))
        >>> ops.ScatterNonAliasingAdd()(p, Tensor([[0], [2]]), Tensor([10.0, 20.0])).asnumpy()
        array([11.,  2., 23.], dtype=float32)
    """
    return write("ScatterNonAliasingAdd", input_x, scatter.tensor_scatter_add(input_x, indices, updates))

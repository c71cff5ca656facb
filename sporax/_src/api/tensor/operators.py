"""Python's operators on Tensors, and the methods that change a Tensor in place.

`x += y` binds the name to a new Tensor, as in MindSpore (for a Parameter too, whose value stays): `__iadd__` is `__add__`.
Methods that end in an underscore do change the Tensor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sporax._src.base.jax_compat import is_tracer
from sporax._src.bindings.primitive import primitive
from sporax._src.bindings.tensor_methods import method, methods
from sporax._src.core import views
from sporax._src.core.tape import watched
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.ops.array import selection
from sporax._src.ops.linalg import products
from sporax._src.ops.math import arithmetic, elementwise, special, trigonometry

methods("""
__rsub__(other: Any) -> sub(other, self)
    Return the other minus this Tensor.
__rtruediv__(other: Any) -> true_divide(other, self)
true_divide(other: Any) -> true_divide(self, other)
    Return the other divided by this Tensor, integers as float32.
__rfloordiv__(other: Any) -> floor_div(other, self)
    Return the largest integer not above the other divided by this Tensor.
__rmod__(other: Any) -> floor_mod(other, self)
    Return the remainder of the other divided by this Tensor, with the sign of the Tensor.
__rpow__(other: Any) -> pow(other, self)
    Return the other to the power of this Tensor.
__rmatmul__(other: Any) -> matmul(other, self)
    Return the matrix product of the other and this Tensor.
""")

method("__imul__")(arithmetic.mul)
method("__itruediv__")(arithmetic.true_divide)
method("__ifloordiv__")(arithmetic.floor_div)
method("__imod__")(arithmetic.floor_mod)


_UFUNCS: dict[Any, Callable[..., Any]] = {
    np.add: arithmetic.add,
    np.subtract: arithmetic.sub,
    np.multiply: arithmetic.mul,
    np.true_divide: arithmetic.true_divide,
    np.floor_divide: arithmetic.floor_div,
    np.remainder: arithmetic.floor_mod,
    np.power: arithmetic.pow,
    np.matmul: products.matmul,
}


def _stays(value: object) -> bool:
    return isinstance(value, Tensor) and (is_tracer(value._data) or watched(value))


@method("__array_ufunc__")
def _array_ufunc(self: Tensor, ufunc: Any, call: str, *inputs: Any, **kwargs: Any) -> Any:
    """Let NumPy compute on the host, as MindSpore does: `np_array + x` is an array.

    Arithmetic on a Tensor that is traced or differentiated stays a Tensor: neither graph nor gradient ends there.
    """
    if call == "__call__" and not kwargs and ufunc in _UFUNCS and any(_stays(x) for x in inputs):
        return _UFUNCS[ufunc](*[x if isinstance(x, Tensor) else Tensor(x) if np.ndim(x) else x for x in inputs])
    outs = kwargs.get("out", ())
    if any(isinstance(x, Tensor) for x in outs):
        return NotImplemented
    return getattr(ufunc, call)(*[x.asnumpy() if isinstance(x, Tensor) else x for x in inputs], **kwargs)


# --- in place -------------------------------------------------------------------------------------------------------


def assign(self: Tensor, value: Tensor, name: str, may_overlap: bool = False) -> Tensor:
    """Write a result of the same shape to a Tensor, in the Tensor's dtype, and return the Tensor.

    Args:
        self: The Tensor.
        value: The result.
        name: The method.
        may_overlap: See `views.write_in_place`.

    Raises:
        RuntimeError: If the Tensor may not be written in place (see `views.check_writable`).
        TypeError: If the dtype of the result does not fit (a float into integers).
        ValueError: If the shape differs.
    """
    have, got = self._data, value._data
    if got.shape != have.shape:
        raise ValueError(
            f"Tensor.{name}: the result has shape {list(got.shape)}, which does not fit in {list(have.shape)}."
        )
    if got.dtype != have.dtype:
        if "biufVc".index(got.dtype.kind.replace("V", "f")) > "biufVc".index(
            have.dtype.kind.replace("V", "f").replace("u", "i")
        ):
            raise TypeError(f"Tensor.{name}: the result has dtype {value.dtype}, which does not fit in {self.dtype}.")
        value = value.astype(self.dtype)
    return views.write_in_place(self, value, f"Tensor.{name}", may_overlap)


IN_PLACE: dict[str, Callable[..., Tensor]] = {}  # what methods compute before they write it


def _in_place(name: str, fn: Callable[..., Tensor], may_overlap: bool = False) -> None:
    def write(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return assign(self, fn(self, *args, **kwargs), name, may_overlap)

    write.__name__ = name
    method(name)(write)
    IN_PLACE[name] = fn


def _filled(self: Tensor, value: object) -> Tensor:
    if isinstance(value, Tensor) and value.ndim:
        raise ValueError(f"Tensor.fill_: value must be a number or a 0-d Tensor, got shape {list(value.shape)}.")
    return selection.where(wrap(np.ones(self.shape, bool)), value, self)


_in_place("add_", lambda self, other, *, alpha=1: arithmetic.add(self, arithmetic.scaled(other, alpha)))
_in_place("sub_", lambda self, other, *, alpha=1: arithmetic.sub(self, arithmetic.scaled(other, alpha)))
_in_place("mul_", arithmetic.mul)
_in_place("div_", arithmetic.div)
_in_place("pow_", arithmetic.pow)
_in_place("floor_divide_", arithmetic.floor_div)
_in_place("remainder_", arithmetic.remainder)
_in_place("clamp_", selection.clamp)
_in_place("fill_", _filled, may_overlap=True)


@method("zero_")
def _zero(self: Tensor) -> Tensor:
    """Fill the Tensor with 0 and return it.

    Examples:
        >>> Tensor([1.0, 2.0]).zero_().asnumpy()
        array([0., 0.], dtype=float32)
    """
    return assign(self, _filled(self, 0), "zero_", may_overlap=True)


for _fn in (
    elementwise.exp,
    elementwise.log,
    elementwise.floor,
    trigonometry.tanh,
    special.erfinv,
    arithmetic.sqrt,
    elementwise.neg,
    elementwise.abs,
    elementwise.sign,
    elementwise.sigmoid,
):
    _in_place(f"{_fn.__name__}_", _fn)


@primitive("InplaceAddExt()")
def _inplace_add(input: Tensor, other: object, alpha: object = 1) -> Tensor:
    """Add `alpha` times a Tensor or number to the Tensor `input` in place, and return it."""
    return input.add_(other, alpha=alpha)


@primitive("InplaceSubExt()")
def _inplace_sub(input: Tensor, other: object, alpha: object = 1) -> Tensor:
    """Subtract `alpha` times a Tensor or number from the Tensor `input` in place, and return it."""
    return input.sub_(other, alpha=alpha)

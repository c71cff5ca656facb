"""Primitives that stand ready-made under the names of MindSpore's function modules, the maker of them, and small ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from sporax import Tensor
from sporax._src.api.ops import PUBLIC
from sporax._src.base.jax_compat import is_tracer
from sporax._src.compat.shims.checks.checkparam import check, check_value_type
from sporax._src.core import dtype as mstype
from sporax.ops import Primitive

arg_max_with_value_ = PUBLIC["ArgMaxWithValue"]()
arg_min_with_value_ = PUBLIC["ArgMinWithValue"]()
tracev2_grad_op = PUBLIC["TraceV2Grad"]()
addcmul_ext_op = PUBLIC["AddcmulExt"]()
dropout_ext_op = PUBLIC["DropoutExt"]()
add_ext = PUBLIC["AddExt"]()
sub_ext = PUBLIC["SubExt"]()
tensor_slice = PUBLIC["Slice"]()
shape_mul = math.prod


def isconstant(x: Any) -> bool:
    """Tell whether the value of a Tensor is known: not while a graph is captured."""
    return not (isinstance(x, Tensor) and is_tracer(x._data))


_made: dict[Any, Primitive] = {}


def _get_cache_prim(cls: type[Primitive]) -> Callable[..., Primitive]:
    """Return a maker of operators of a class that makes each, by its arguments, only once.

    Args:
        cls: The class of the operators.

    Raises:
        TypeError: If `cls` is no class of operators.

    Examples:
        >>> import sporax as ms
        >>> from sporax.ops._primitive_cache import _get_cache_prim
        >>> _get_cache_prim(ms.ops.ReduceSum)(True) is _get_cache_prim(ms.ops.ReduceSum)(True)
        True
    """
    if not isinstance(cls, type) or not issubclass(cls, Primitive):
        raise TypeError(f"_get_cache_prim: expected a class of operators, got {cls!r}.")

    def make(*args: Any, **kwargs: Any) -> Primitive:
        key = (cls, repr(args), repr(sorted(kwargs.items())))
        if key not in _made:
            _made[key] = cls(*args, **kwargs)
        return _made[key]

    return make


class TensorToScalar(Primitive):
    """The number that a Tensor of one element holds; None of what has more, or is no Tensor.

    Inputs:
        input_tensor: A Tensor of shape () or (1,).
    """

    def __init__(self) -> None:
        super().__init__("TensorToScalar")

    def __call__(self, input_tensor: Any) -> Any:
        one = isinstance(input_tensor, Tensor) and input_tensor.shape in ((), (1,))
        return input_tensor.item() if one else None


class IsSubClass(Primitive):
    """Tells whether a type is another, or one of a kind that the other is, as int32 is of `int_`."""

    def __init__(self) -> None:
        super().__init__("IsSubClass")

    def __call__(self, sub_type: Any, type_: Any) -> bool:
        for name, value in (("sub_type", sub_type), ("type_", type_)):
            check_value_type(name, value, [mstype.Type], "IsSubClass")
        return mstype.issubclass_(sub_type, type_)


class SameTypeShape(Primitive):
    """Gives the first of two Tensors back, which must have one type and one shape.

    Raises:
        TypeError: If one is no Tensor, or the types differ.
        ValueError: If the shapes differ.
    """

    def __init__(self) -> None:
        super().__init__("SameTypeShape")

    def __call__(self, x: Tensor, y: Tensor) -> Tensor:
        for name, value in (("x", x), ("y", y)):
            check_value_type(name, value, Tensor, "SameTypeShape")
        check("x dtype", x.dtype, "y dtype", y.dtype, prim_name="SameTypeShape", excp_cls=TypeError)
        check("x shape", x.shape, "y shape", y.shape, prim_name="SameTypeShape")
        return x


same_type_shape_ = SameTypeShape()
